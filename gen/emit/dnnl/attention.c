/* Attention layers in a oneDNN unit: for each block of heads or rows a product, the masks in C, the
 * softmax and another product. */
#include "emit_dnnl.h"

#include "../../base/template.h"

#include <math.h>
#include <string.h>

static const char *const block_index[] = {"batch", "head", "row"};

static void add_term(Text *t, const char *index, int64_t stride)
{
    text_printf(t, stride == 1 ? " + %s" : " + %s * %lld", index, (long long)stride);
}

static int64_t blocks_along(const DnnlAttention *a, int d)
{
    return a->dims[d] / a->block[d];
}

/* " + head * 64 + row * 768": where the block's part of an operand begins. `n` of the block's indices matter: all, or not the row. */
static const char *place(Arena *arena, const DnnlAttention *a, const DnnlHeads *h, int n)
{
    Text t = text_new(arena);
    if (h->offset)
        text_printf(&t, " + %lld", (long long)h->offset);
    for (int d = 0; d < n; d++)
        if (h->dims[d] > 1 && blocks_along(a, d) > 1)
            add_term(&t, block_index[d], h->strides[d]);
    return t.size ? t.data : "";
}

/* A mask's row for the element [b, h, r] of the block. Sets varies[d] where the block's own index counts. */
static const char *mask_row(Arena *arena, const DnnlAttention *a, const DnnlHeads *h, bool *varies)
{
    static const char *const inner[] = {"b", "h", "r"};
    Text t = text_new(arena);
    for (int d = 0; d < 3; d++) {
        if (h->dims[d] <= 1)
            continue;
        bool outer = blocks_along(a, d) > 1;
        varies[d] = varies[d] || outer;
        add_term(&t, outer ? arena_printf(arena, "(%s + %s)", block_index[d], inner[d]) : inner[d],
                 h->strides[d]);
    }
    return t.size ? t.data : "";
}

/* The row of a mask for row `row + r` of a head; batch and head are indices where they matter. */
static const char *mask_row_in_c(Arena *arena, const DnnlHeads *h, bool *varies)
{
    static const char *const index[] = {"batch", "head", "(row + r)"};
    Text t = text_new(arena);
    for (int d = 0; d < 3; d++) {
        if (h->dims[d] <= 1)
            continue;
        varies[d] = true;
        add_term(&t, index[d], h->strides[d]);
    }
    return t.size ? t.data : "";
}

/* The block's first batch, head and row, where there are several to begin with. */
static void bind_firsts(Arena *arena, const DnnlAttention *a, Bindings *b)
{
    int64_t inside = 1;
    for (int d = 2; d >= 0; d--) {
        int64_t n = blocks_along(a, d);
        if (n == 1)
            continue;
        Text t = text_new(arena);
        text_printf(&t, "size_t %s = (size_t)block", block_index[d]);
        if (inside > 1)
            text_printf(&t, " / %lld", (long long)inside);
        if (inside * n < a->blocks)
            text_printf(&t, " %% %lld", (long long)n);
        if (a->block[d] > 1)
            text_printf(&t, " * %lld", (long long)a->block[d]);
        bind(bind_row(b, "firsts"), "first", "%s", t.data);
        inside *= n;
    }
}

static void bind_descs(const Emit *e, const DnnlAttention *a, Bindings *b)
{
    const struct {
        const char *name;
        int part, row;
    } descs[] = {{"query", 0, 0}, {"key", 0, 1},   {"scores", 0, 2},
                 {"rows", 1, 0},  {"value", 2, 1}, {"dst", 2, 2}};
    for (size_t i = 0; i < COUNT_OF(descs); i++) {
        const DnnlPrimitive *p = a->part[descs[i].part];
        bind(b, arena_printf(e->arena, "%s_md", descs[i].name), "%s",
             bind_md(b, e, &p->memory[descs[i].row], descs[i].name));
    }
}

static void bind_operand(const Emit *e, const Step *s, const DnnlHeads *h, const char *name, int n,
                         Bindings *b)
{
    BufferId buffer = s->dnnl->memory[h->memory].buffer;
    bind(b, name, "(%sfloat *)%s%s", strcmp(name, "dst") ? "const " : "",
         place_operand(e, name, buffer, strcmp(name, "dst") != 0),
         place(e->arena, s->dnnl->attention, h, n));
}

/* One operation on a score v: what it makes of it and, for a mask, where that is. */
static void bind_score_op(const Emit *e, const Step *s, uint32_t i, Bindings *b, bool *varies)
{
    const DnnlAttention *a = s->dnnl->attention;
    const ScoreOp *op = &a->op[i];
    const DnnlHeads *h = &a->mask[i];
    const char *far = onednn_float(e->arena, op->number),
               *name = arena_printf(e->arena, "mask%u", i);
    Bindings *row = bind_row(b, "statements");
    if (op->kind == SCORE_SCALE) {
        bind(row, "result", "v * %s", far);
        return;
    }
    const int64_t step = h->dims[3] > 1 ? h->strides[3] : 0;
    const char *x = step == 1   ? arena_printf(e->arena, "mask_%u[i]", i)
                    : step == 0 ? arena_printf(e->arena, "mask_%u[0]", i)
                                : arena_printf(e->arena, "mask_%u[i * %lld]", i, (long long)step);
    bind(row, "result",
         op->kind == SCORE_ADD    ? "v + %s"
         : op->kind == SCORE_KEEP ? "%s ? v : %s"
                                  : "%s ? %s : v",
         x, far);
    Bindings *mask = bind_row(b, "masks");
    bind(mask, "type", op->kind == SCORE_ADD ? "float" : "uint8_t");
    bind(mask, "mask", "%s", name);
    bind(mask, "address", "%s", place_operand(e, name, s->dnnl->memory[h->memory].buffer, true));
    bind(mask, "row", "mask_%u", i);
    bind(mask, "at_row", "%s%s", name,
         a->lanes ? mask_row_in_c(e->arena, h, varies) : mask_row(e->arena, a, h, varies));
}

static void bind_masks(const Emit *e, const Step *s, Bindings *b)
{
    const DnnlAttention *a = s->dnnl->attention;
    bool varies[3] = {false};
    bind_list(b, "masks", "");
    bind_list(b, "indices", "");
    for (uint32_t i = 0; i < a->n_ops; i++)
        bind_score_op(e, s, i, b, varies);
    for (int d = 0; d < (a->lanes ? 2 : 3); d++) /* C has the row in any case */
        if (varies[d])
            bind(bind_row(b, "indices"), "at", "%s", block_index[d]);
    bind(b, "same_rows", "%d", !varies[2]);
    bind(b, "masked", "%d", a->n_ops > 0);
    bind(b, "scaled", "%d", !a->n_ops && a->scale != 1);
    bind(b, "start", a->scale == 1 ? "s[i]" : "%s * s[i]", onednn_float(e->arena, a->scale));
}

static void bind_blocks(const DnnlAttention *a, Bindings *b)
{
    bind_int(b, "blocks", a->blocks);
    bind_int(b, "block_batches", a->block[0]);
    bind_int(b, "block_heads", a->block[1]);
    bind_int(b, "block_rows", a->block[2]);
    bind_int(b, "keys", a->dims[3]);
    bind_int(b, "sets", a->sets);
    bind(b, "own_blocks", "%d", a->sets > 1);
    bind(b, "one_block", "%d", a->blocks == 1);
    bind(b, "set_bytes", "%zu", a->set_bytes);
    bind(b, "probabilities_at", "%zu", a->probabilities_at);
    bind(b, "scratchpad_at", "%zu", a->scratchpad_at);
    bind(b, "scratchpad_bytes", "%zu", a->scratchpad_bytes);
}

static void bind_strides(const DnnlAttention *a, Bindings *b)
{
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"rows", a->block[2]},
        {"tiles", a->tiles},
        {"whole", a->whole},
        {"tile_rows", a->rows},
        {"keys", a->dims[3]},
        {"depth", a->query.dims[3]},
        {"width", a->value.dims[3]},
        {"padded", attention_score_row(a)},
        {"query_row", a->query.strides[2]},
        {"query_column", a->query.strides[3]},
        {"key_row", a->key.strides[2]},
        {"key_column", a->key.strides[3]},
        {"value_row", a->value.strides[2]},
        {"value_column", a->value.strides[3]},
        {"dst_row", a->dst.strides[2]},
    };
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        bind_int(b, numbers[i].name, numbers[i].value);
    bind(b, "keys_at", "%zu", a->keys_at);
    bind(b, "values_at", "%zu", a->values_at);
}

void emit_attention_in_c(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlAttention *a = s->dnnl->attention;
    const bool folded = !a->n_ops && a->scale > 0;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind_scratch_start(e, s, b);
    bind_blocks(a, b);
    bind_strides(a, b);
    bind_firsts(e->arena, a, b);
    bind_operand(e, s, &a->query, "query", 2, b);
    bind_operand(e, s, &a->key, "key", 2, b);
    bind_operand(e, s, &a->value, "value", 2, b);
    bind_operand(e, s, &a->dst, "dst", 2, b);
    bind_masks(e, s, b);
    bind(b, "masked", "%d", !folded);
    bind(b, "scale", "%s", onednn_float(e->arena, folded ? a->scale : 1));
    bind(b, "uneven", "%d", a->whole < a->tiles);
    bind(b, "first_row", "%s", blocks_along(a, 2) > 1 ? "row" : "0");
    render(out, "dnnl/attention_in_c.c", b);
}

void emit_attention(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlAttention *a = s->dnnl->attention;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind(b, "second", "%s", place_index(e, "second", s->second, 0));
    bind(b, "third", "%s", place_index(e, "second", s->second, 1));
    bind(b, "scale", "%s", onednn_float(e->arena, a->scale));
    bind_scratch_start(e, s, b);
    bind_blocks(a, b);
    bind_firsts(e->arena, a, b);
    bind_descs(e, a, b);
    bind_operand(e, s, &a->query, "query", 3, b);
    bind_operand(e, s, &a->key, "key", 2, b);
    bind_operand(e, s, &a->value, "value", 2, b);
    bind_operand(e, s, &a->dst, "dst", 3, b);
    bind_masks(e, s, b);
    render(out, "dnnl/attention.c", b);
}
