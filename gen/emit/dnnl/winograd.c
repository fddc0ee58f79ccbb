/* Winograd convolutions in a oneDNN unit: the transformations of tiles as C around oneDNN's matrix product. */
#include "emit_dnnl.h"

#include "../../base/template.h"

#include <string.h>

/* Tiles of floats: what the names of their functions end with, of that for tiles of src too. */
static const struct Form {
    const char *name, *in;
    int tile, window;
} forms[] = {{"1", "1", 1, 3},   {"2", "2", 2, 3},     {"4", "4", 4, 3},    {"1_5", "1_8", 1, 5},
             {"2_5", "4", 2, 5}, {"4_5", "4_5", 4, 5}, {"1_7", "1_8", 1, 7}};

static const char *form_of(const DnnlWinograd *w)
{
    size_t i = 0;
    while (forms[i].tile != w->tile || forms[i].window != w->window)
        i++;
    return w->pairs ? "whole" : forms[i].name;
}

/* The next one of the file from step *i on, which moves behind it; NULL: there is none. */
static const DnnlWinograd *next_in_file(const Emit *e, uint32_t *i)
{
    while (*i < e->file_end) {
        const DnnlPrimitive *p = e->p->steps[(*i)++].dnnl;
        if (p && p->winograd)
            return p->winograd;
    }
    return NULL;
}

static bool has_tile(const Emit *e, const char *form)
{
    const DnnlWinograd *w;
    for (uint32_t i = e->file_first; (w = next_in_file(e, &i));)
        if (!strcmp(form_of(w), form))
            return true;
    return false;
}

/* What some layers of the file have, which all of them have members for. */
typedef struct Some {
    bool in_c;   /* products that are made in C */
    bool taps;   /* weights that begin with taps */
    bool uneven; /* parts of dilated lines of which some have a pixel less */
} Some;

static Some some_have(const Emit *e)
{
    Some some = {0};
    const DnnlWinograd *w;
    for (uint32_t i = e->file_first; (w = next_in_file(e, &i));) {
        some.in_c |= !w->matmul;
        some.taps |= w->taps > 0;
        some.uneven |= w->src_short || w->dst_short;
    }
    return some;
}

/* How many pixels lines have. */
static void bind_line_lengths(const Emit *e, Bindings *b)
{
    const bool uneven = some_have(e).uneven;
    bind(b, "uneven", "%d", uneven);
    bind(b, "gather_width", uneven ? "winograd_src_width(w, y)" : "w->width");
    bind(b, "src_width", uneven ? "winograd_src_width(w, y0)" : "w->width");
    bind(b, "dst_width", uneven ? "winograd_dst_width(w, p.y)" : "w->out_width");
}

/* The transformations of the tiles that there are. */
static void put_transformations(const Emit *e, const Bindings *b, Text *out)
{
    const bool one = has_tile(e, "1"), four = has_tile(e, "4"), of_5 = has_tile(e, "2_5"),
               one_of_5 = has_tile(e, "1_5"), four_of_5 = has_tile(e, "4_5"),
               one_of_7 = has_tile(e, "1_7");
    const struct {
        const char *template;
        bool wanted;
    } parts[] = {{"dnnl/winograd_2.c", has_tile(e, "2")},
                 {"dnnl/winograd_forward_4.c", one || four || of_5},
                 {"dnnl/winograd_1.c", one},
                 {"dnnl/winograd_4.c", four || of_5},
                 {"dnnl/winograd_2_5.c", of_5},
                 {"dnnl/winograd_forward_8.c", one_of_5 || four_of_5 || one_of_7},
                 {"dnnl/winograd_1_8.c", one_of_5 || one_of_7},
                 {"dnnl/winograd_back_8.c", one_of_5 || four_of_5},
                 {"dnnl/winograd_1_5.c", one_of_5},
                 {"dnnl/winograd_1_7.c", one_of_7},
                 {"dnnl/winograd_4_5.c", four_of_5}};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].wanted)
            put_part(out, parts[i].template, b);
}

static void bind_form(Bindings *b, const struct Form *f)
{
    bind(b, "form", "%s", f->name);
    bind(b, "in", "%s", f->in);
    bind_int(b, "tile", f->tile);
    bind_int(b, "window", f->window);
}

void emit_winograd_head(const Emit *e, Text *out)
{
    const bool whole = has_tile(e, "whole");
    bool floats = false;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_list(b, "forms", "");
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (has_tile(e, forms[i].name)) {
            bind_form(bind_row(b, "forms"), &forms[i]);
            floats = true;
        }
    if (!floats && !whole)
        return;
    bind(b, "panels", "%d", file_has_panels(e));
    bind(b, "taps", "%d", some_have(e).taps);
    bind(b, "floats", "%d", floats);
    bind(b, "whole", "%d", whole);
    bind_line_lengths(e, b);
    put_part(out, "dnnl/winograd_common.c", b);
    put_transformations(e, b, out);
    if (floats)
        put_part(out, "dnnl/winograd_input.c", b);
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (has_tile(e, forms[i].name)) {
            Bindings *input = bindings_new(e->arena, b);
            bind_form(input, &forms[i]);
            put_part(out, "dnnl/winograd_clones.c", input);
        }
    if (whole)
        put_part(out, "dnnl/winograd_whole.c", b);
    if (some_have(e).in_c)
        put_part(out, "dnnl/winograd_products.c", b);
}

void emit_winograd_output(const Emit *e, const Step *s, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind_int(b, "tile", s->dnnl->winograd->tile);
    bind(b, "form", "%s", form_of(s->dnnl->winograd));
    bind_int(b, "columns", winograd_columns(s->dnnl->winograd));
    bind_line_lengths(e, b);
    bind(b, "label", "%s", s->label);
    bind_operands(e, s->dnnl, b);
    const char *text = post_text(e, s);
    bind_statements(e->arena, b, text);
    bind_int(b, "whole_tiles", !post_text_is_long(text));
    render(out, "dnnl/winograd_output.c", b);
    text_puts(out, "\n");
}

/* Members of a DnnlWinograd. */
#define INT(member) PLACE_OF(w, member, PLACE_INT)
#define OFFSET(member) PLACE_OF(w, member, PLACE_OFFSET)

static void bind_shape(const Emit *e, const Step *s, Bindings *b)
{
    const DnnlWinograd *w = s->dnnl->winograd;
    const Some some = some_have(e);
    const PlaceNumber fields[] = {
        INT(block),        INT(tile),      INT(window),     INT(channels),     INT(outputs),
        INT(height),       INT(width),     INT(out_height), INT(out_width),    INT(pad_top),
        INT(pad_left),     INT(src_pixel), INT(dst_pixel),  INT(src_row),      INT(dst_row),
        INT(rows),         INT(columns),   INT(tiles),      OFFSET(src_plane), OFFSET(dst_plane),
        INT(product_width)};
    bool varies = false;
    bind_fields(e, b, fields, COUNT_OF(fields), &varies);
    if (!w->matmul)
        bind_field(b, "panel", place_panel(e, s), &varies);
    if (some.uneven) {
        const PlaceNumber lines[] = {INT(src_short), INT(dst_short)};
        bind_fields(e, b, lines, COUNT_OF(lines), &varies);
    }
    if (some.taps)
        bind_fields(e, b, &INT(taps), 1, &varies);
    if (has_tile(e, "whole"))
        bind_fields(e, b, &INT(pairs), 1, &varies);
    bind_constant(e, b, varies);
}

static void bind_scratch(const Emit *e, const DnnlWinograd *w, Bindings *b)
{
    const PlaceNumber numbers[] = {
        INT(threads),
        PLACE_OF(w, sets, PLACE_INDEX),
        INT(block),
        INT(blocks),
        OFFSET(product_at),
        OFFSET(edge_at),
        INT(edge_floats),
        OFFSET(scratchpad_at),
        {"scratchpad_bytes", w->matmul ? (int64_t)w->matmul->scratch_bytes : 0, PLACE_OFFSET},
        INT(planes),
        OFFSET(set_bytes)};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        bind(b, numbers[i].name, "%s",
             place_int(e, numbers[i].type, numbers[i].name, numbers[i].value));
    bind(b, "own_blocks", "%d", w->sets > 1);
    bind(b, "one_thread", "%d", w->threads == 1);
    bind(b, "primitive", "%d", w->matmul != NULL);
    bind(b, "in_c", "%d", w->matmul == NULL);
}

static void bind_primitive(const Emit *e, const Step *s, const DnnlPrimitive *matmul, Bindings *b)
{
    bind(b, "src_md", "%s", bind_md(b, e, &matmul->memory[0], "src"));
    bind(b, "weights_md", "%s", bind_md(b, e, &matmul->memory[1], "weights"));
    bind(b, "dst_md", "%s", bind_md(b, e, &matmul->memory[2], "dst"));
    bind(b, "plan", "%s", plan_address(e, &matmul->memory[1]));
    bind_impl(b, e, matmul);
    bind(b, "weights_call", "%s",
         onednn_weights_call(e, &matmul->memory[1], place_index(e, "slot", s->slot, 0)));
}

void emit_winograd(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlPrimitive *p = s->dnnl, *matmul = p->winograd->matmul;
    const Step *first = first_that_ends_like(e, s);
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind(b, "form", "%s", form_of(p->winograd));
    bind(b, "function", "output_%s", first->label);
    bind_scratch_start(e, s, b);
    bind_shape(e, s, b);
    bind_scratch(e, p->winograd, b);
    bind_operands(e, p, b);
    if (matmul)
        bind_primitive(e, s, matmul, b);
    else
        bind_tensor_address(e, s, ARG_WEIGHTS, "weights", b);
    bind_tensor_address(e, s, ARG_SRC, "src", b);
    bind_tensor_address(e, s, ARG_DST, "dst", b);
    render(out, "dnnl/winograd.c", b);
}
