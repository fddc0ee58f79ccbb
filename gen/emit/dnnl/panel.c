/* Products in C in a oneDNN unit, of convolutions and of Winograd convolutions: one function for tiles of any size, and one of a few
 * lines for each size that the layers of a file have, into which it is put with that size. */
#include "../c/copy.h"
#include "emit_dnnl.h"

#include "../../base/template.h"

#include <string.h>

enum { LONG_AT_ONCE = 16 }; /* tiles */
enum {
    PRODUCT_OF_PAIRS = 1,
    PRODUCT_OF_BYTES,
    PRODUCT_MIXED = 4
}; /* as templates/dnnl/panel.c numbers them */

/* A product: rows by `taps` matrices of `channels` rows of weights, these in pieces. */
typedef struct Product {
    const Panel *panel; /* NULL: the layer has none */
    int64_t rows, taps, channels, taps_at_once, channels_at_once;
    int pairs; /* of floats: 0 */
} Product;

static Product product_of(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    const DnnlIndirect *i = p ? p->indirect : NULL;
    const DnnlWinograd *w = p ? p->winograd : NULL;
    if (i)
        return (Product){&i->panel,
                         i->band,
                         i->taps,
                         i->channels,
                         i->taps_at_once,
                         i->channels_at_once,
                         !i->pairs  ? 0
                         : i->fours ? PRODUCT_MIXED
                         : i->bytes ? PRODUCT_OF_BYTES
                                    : PRODUCT_OF_PAIRS};
    if (w && !w->matmul)
        return (Product){&w->panel,
                         w->block,
                         1,
                         w->channels,
                         1,
                         w->channels_at_once,
                         w->pairs ? PRODUCT_OF_PAIRS : 0};
    return (Product){0};
}

static const Panel *panel_of(const Emit *e, uint32_t step)
{
    return product_of(e, step).panel;
}

/* The function for tiles of that size: rows, vectors, of how many panels and how many lines are fetched if these are several. */
static const char *function_name(Arena *arena, const Product *product)
{
    const Panel *p = product->panel;
    static const char *const of[] = {"", "of_pairs_", "of_bytes_", "", "of_both_"};
    const char *name = arena_printf(arena, "panel_%s%lldx%lld", of[product->pairs],
                                    (long long)p->rows, (long long)p->vectors);
    if (p->beside)
        name = arena_printf(arena, "%s_of_%lld", name, (long long)p->beside + 1);
    return p->lines == 1 ? name : arena_printf(arena, "%s_%lld", name, (long long)p->lines);
}

static const DnnlIndirect *ends_of(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    return p && p->indirect && p->indirect->ends ? p->indirect : NULL;
}

bool file_has_ends(const Emit *e)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        if (ends_of(e, i))
            return true;
    return false;
}

/* Layers that end alike have one function for each size of tiles. */
const char *panel_to_end_name(const Emit *e, const Step *s)
{
    const Product product = product_of(e, (uint32_t)(s - e->p->steps));
    return arena_printf(e->arena, "%s_%s", function_name(e->arena, &product),
                        first_that_ends_like(e, s)->label);
}

static bool is_first_of_size(const Emit *e, uint32_t step)
{
    const Product product = product_of(e, step);
    for (uint32_t i = e->file_first; i < step; i++) {
        const Product other = product_of(e, i);
        if (other.panel &&
            !strcmp(function_name(e->arena, &other), function_name(e->arena, &product)))
            return false;
    }
    return true;
}

/* The instructions that tiles are made for: AVX-512, as oneDNN and x86-64-v4 mean it, or AVX2. */
static void bind_cpu(Bindings *b, bool is_avx512)
{
    bind(b, "built_for", "%s", is_avx512 ? "__AVX512VL__" : "__AVX2__");
    bind(b, "target", "%s",
         is_avx512 ? "\"avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma\"" : "\"avx2,fma\"");
    const char *avx512_f = "(__builtin_cpu_supports(\"avx512f\") && "
                           "__builtin_cpu_supports(\"avx512bw\") &&";
    const char *avx512_vl = "__builtin_cpu_supports(\"avx512dq\") && "
                            "__builtin_cpu_supports(\"avx512vl\"))";
    if (is_avx512) /* lines as clang-format has them */
        bind(b, "supported", "%77s\\\n    %-95s\\\n     %s", "", avx512_f, avx512_vl);
    else
        bind(b, "supported",
             "(__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\"))");
}

bool file_has_panels(const Emit *e)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        if (panel_of(e, i))
            return true;
    return false;
}

/* Of the file; NULL: none is in C. */
static const DnnlAttention *any_attention_in_c(const Emit *e)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        if (is_attention_in_c(e->p->steps[i].dnnl))
            return e->p->steps[i].dnnl->attention;
    return NULL;
}

bool file_has_pairs(const Emit *e)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        if (product_of(e, i).pairs)
            return true;
    return false;
}

static bool file_has(const Emit *e, int kind)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        if (product_of(e, i).pairs == kind)
            return true;
    return false;
}

static bool file_has_bytes(const Emit *e)
{
    return file_has(e, PRODUCT_OF_BYTES);
}

bool file_has_mixed(const Emit *e)
{
    return file_has(e, PRODUCT_MIXED);
}

/* As parameters and arguments. */
static void bind_ends(const Emit *e, Bindings *b)
{
    bind_list(b, "ends", "");
    if (file_has_ends(e))
        bind_row(b, "ends");
}

/* The registers of the CPU that the file's products were planned for. */
static void emit_cpu(const Emit *e, Text *out)
{
    int64_t lanes = 0;
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        lanes = panel_of(e, i)                           ? panel_of(e, i)->lanes
                : is_attention_in_c(e->p->steps[i].dnnl) ? e->p->steps[i].dnnl->attention->lanes
                                                         : lanes;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_int(b, "lanes", lanes);
    bind_int(b, "bytes", lanes * 4);
    bind_cpu(b, lanes == AVX512_LANES);
    put_part(out, "dnnl/panel_cpu.c", b);
}

/* What all sizes share; the arrays of a tile are as large as the largest needs. */
static void emit_common(const Emit *e, Text *out)
{
    int64_t sums = 0, lanes = 0;
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Panel *p = panel_of(e, i);
        if (!p)
            continue;
        sums = p->rows * p->vectors > sums ? p->rows * p->vectors : sums;
        lanes = p->lanes;
    }
    Bindings *b = bindings_new(e->arena, NULL);
    bind_int(b, "sums", sums);
    bind_int(b, "pairs", file_has_pairs(e));
    bind_ends(e, b);
    bind_int(b, "bytes_of_weights", file_has_bytes(e));
    bind_int(b, "kinds", file_has_bytes(e) || file_has_mixed(e));
    bind_int(b, "mixed", file_has_mixed(e));
    bind_list(b, "order", "");
    if (file_has_mixed(e))
        bind_row(b, "order");
    bind(b, "element", "%s", file_has_mixed(e) ? "(order ? order[k] : k)" : "k");
    bind(b, "row", "alone * PANEL_LANES%s", file_has_bytes(e) ? " / panel_in_float(pairs)" : "");
    bind(b, "column", "%s",
         file_has_bytes(e) ? "panel_column(from, i % alone, pairs)"
                           : "*(const panel_vector *)(from + i % alone * PANEL_LANES)");
    const char *prefix = lanes == AVX512_LANES ? "_mm512" : "_mm256";
    bind(b, "add", "%s_add_epi32", prefix);
    bind(b, "multiply_add", "%s_madd_epi16", prefix);
    bind(b, "convert", "%s_cvtepi32_ps", prefix);
    bind(b, "complete", file_has_pairs(e) ? "pairs ? panel_floats(s[i]) : s[i]" : "s[i]");
    bind(b, "widen", "%s_cvtepi8_epi16", prefix);
    bind(b, "load_half", "%s", lanes == AVX512_LANES ? "_mm256_loadu_si256" : "_mm_loadu_si128");
    bind(b, "all", "%s_set1_epi32", prefix);
    bind(b, "all_halves", "%s_set1_epi16", prefix);
    bind(b, "multiply_bytes", "%s_maddubs_epi16", prefix);
    bind(b, "integers", "%s", lanes == AVX512_LANES ? "__m512i" : "__m256i");
    put_part(out, "dnnl/panel.c", b);
}

static bool is_alike(const Product *a, const Product *b)
{
    return b->panel && a->rows == b->rows && a->taps == b->taps && a->channels == b->channels &&
           a->pairs == b->pairs && a->taps_at_once == b->taps_at_once &&
           a->channels_at_once == b->channels_at_once &&
           !memcmp(a->panel, b->panel, sizeof *a->panel);
}

/* The first layer of the file with the same product. */
static const Step *first_alike(const Emit *e, const Step *s)
{
    const Product product = product_of(e, (uint32_t)(s - e->p->steps));
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Product other = product_of(e, i);
        if (is_alike(&product, &other))
            return &e->p->steps[i];
    }
    bug("a layer is not in the file that is written");
}

const char *place_panel(const Emit *e, const Step *s)
{
    return place_value(e, PLACE_PANEL, "panel",
                       arena_printf(e->arena, "&panel_%s", first_alike(e, s)->label));
}

static void emit_numbers(const Emit *e, const Step *s, Text *out)
{
    const Product product = product_of(e, (uint32_t)(s - e->p->steps));
    const Panel *p = product.panel;
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {
        {"rows", product.rows},
        {"width", panel_width(p)},
        {"blocks", p->blocks},
        {"block_floats", product.taps * product.channels * panel_width(p) /
                             (product.pairs == PRODUCT_OF_BYTES ? 2 : 1)},
        {"taps", product.taps},
        {"channels", product.channels},
        {"taps_at_once", product.taps_at_once},
        {"channels_at_once", product.channels_at_once},
        {"tiles", p->tiles},
        {"whole", p->whole},
        {"step", p->step},
    };
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", s->label);
    bind(b, "multiply", "%s", function_name(e->arena, &product));
    bind_int(b, "pairs", product.pairs);
    bind_int(b, "beside", p->beside);
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        Bindings *row = bind_row(b, "fields");
        bind(row, "field", "%s", fields[i].name);
        bind_int(row, "value", fields[i].value);
    }
    put_part(out, "dnnl/panel_numbers.c", b);
}

static void bind_tiles(const Panel *p, Bindings *b)
{
    bind_int(b, "rows", p->rows);
    bind_int(b, "vectors", p->vectors);
    bind_int(b, "alone", p->vectors / (p->beside + 1));
    bind_int(b, "lines", p->lines);
}

/* Tiles that end with the layer's bias and post-ops, as number n of those. Polynomials wait for themselves, so that it takes a number of tiles to fill the processor with them:
 * with a swish, 1x1 convolutions of 16 and 32 channels take 0.93 and 0.96 of the time (Zen 3, AVX2), and the sums of so many tiles stay in the nearest cache. */
static void emit_to_end(const Emit *e, const Step *s, uint32_t n, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "multiply", "%s", panel_to_end_name(e, s));
    bind_tiles(&s->dnnl->indirect->panel, b);
    bind_int(b, "n", n);
    const int pairs = product_of(e, (uint32_t)(s - e->p->steps)).pairs;
    bind_int(b, "pairs", pairs);
    bind_int(b, "at_once", !pairs && post_text_is_long(post_text(e, s)) ? LONG_AT_ONCE : 1);
    put_part(out, "dnnl/panel_to_end.c", b);
}

static bool has_name_before(const Emit *e, uint32_t step)
{
    const char *name = panel_to_end_name(e, &e->p->steps[step]);
    for (uint32_t i = e->file_first; i < step; i++)
        if (ends_of(e, i) && !strcmp(panel_to_end_name(e, &e->p->steps[i]), name))
            return true;
    return false;
}

static bool is_first_to_end(const Emit *e, const Step *s)
{
    const uint32_t step = (uint32_t)(s - e->p->steps);
    for (uint32_t i = e->file_first; i < step; i++)
        if (ends_of(e, i) && ends_alike(e, s, &e->p->steps[i]))
            return false;
    return true;
}

/* Which of the layers that end differently this one ends like, from 1 on. */
static uint32_t number_of_end(const Emit *e, const Step *s)
{
    uint32_t n = 1;
    for (uint32_t i = e->file_first;; i++) {
        if (!ends_of(e, i))
            continue;
        if (ends_alike(e, s, &e->p->steps[i]))
            return n;
        n += is_first_to_end(e, &e->p->steps[i]);
    }
}

/* What tiles end with, and what chooses between these when it is compiled. */
static void emit_ends(const Emit *e, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    if (!file_has_ends(e))
        return;
    put_part(out, "dnnl/panel_end_common.c", b);
    bind_list(b, "ends", "");
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Step *s = &e->p->steps[i];
        if (!ends_of(e, i) || !is_first_to_end(e, s))
            continue;
        emit_indirect_end(e, s, out);
        Bindings *row = bind_row(b, "ends");
        bind_int(row, "n", number_of_end(e, s));
        bind(row, "end", "end_%s", first_that_ends_like(e, s)->label);
    }
    put_part(out, "dnnl/panel_end.c", b);
}

void emit_panel_head(const Emit *e, Text *out)
{
    const DnnlAttention *attends = any_attention_in_c(e);
    if (!file_has_panels(e) && !attends)
        return;
    emit_ends(e, out);
    emit_cpu(e, out);
    if (attends) {
        Bindings *b = bindings_new(e->arena, NULL);
        bind(b, "transpose", "%s", c_transposition(attends->lanes, DT_F32).function);
        put_part(out, "dnnl/attention_common.c", b);
    }
    if (!file_has_panels(e))
        return;
    emit_common(e, out);
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Product product = product_of(e, i);
        if (!product.panel || !is_first_of_size(e, i))
            continue;
        Bindings *b = bindings_new(e->arena, NULL);
        bind(b, "multiply", "%s", function_name(e->arena, &product));
        bind_int(b, "pairs", product.pairs);
        bind_ends(e, b);
        bind_tiles(product.panel, b);
        put_part(out, "dnnl/panel_tiles.c", b);
    }
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        if (ends_of(e, i) && !has_name_before(e, i))
            emit_to_end(e, &e->p->steps[i], number_of_end(e, &e->p->steps[i]), out);
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Step *s = &e->p->steps[i];
        if (panel_of(e, i) && first_alike(e, s) == s)
            emit_numbers(e, s, out);
    }
}
