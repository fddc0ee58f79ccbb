/* Winograd convolutions in a oneDNN unit: the transformations of tiles as C around oneDNN's matrix product. */
#include "emit_dnnl.h"

#include "../../base/template.h"

#include <string.h>

static bool has_tile(const Emit *e, int64_t tile)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const DnnlPrimitive *p = e->p->steps[i].dnnl;
        if (p && p->winograd && p->winograd->tile == tile)
            return true;
    }
    return false;
}

/* Its products are made in C. */
static const DnnlWinograd *in_c(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    return p && p->winograd && !p->winograd->matmul ? p->winograd : NULL;
}

static bool is_first_panel(const Emit *e, uint32_t start, uint32_t step)
{
    for (uint32_t i = start; i < step; i++)
        if (in_c(e, i) && panel_is_alike(&in_c(e, i)->panel, &in_c(e, step)->panel))
            return false;
    return true;
}

static void emit_panels(const Emit *e, Text *out)
{
    bool any = false;
    const uint32_t start = e->file_first, end = e->file_end;
    for (uint32_t i = start; i < end; i++)
        if (in_c(e, i) && is_first_panel(e, start, i)) {
            Bindings *b = bindings_new(e->arena, NULL);
            if (!any) {
                text_puts(out, "\n");
                render(out, "dnnl/winograd_rows.c", b);
            }
            any = true;
            bind_panel(e, &in_c(e, i)->panel, "winograd_panel", b);
            text_puts(out, "\n");
            render(out, "dnnl/winograd_panel.c", b);
        }
}

void emit_winograd_head(const Emit *e, Text *out)
{
    static const int64_t tiles[] = {2, 4};
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(tiles); i++) {
        if (!has_tile(e, tiles[i]))
            continue;
        Bindings *b = bindings_new(e->arena, NULL);
        bind_int(b, "tile", tiles[i]);
        if (!any) {
            text_puts(out, "\n");
            render(out, "dnnl/winograd_common.c", b);
        }
        any = true;
        text_puts(out, "\n");
        render(out, arena_printf(e->arena, "dnnl/winograd_%lld.c", (long long)tiles[i]), b);
        text_puts(out, "\n");
        render(out, "dnnl/winograd_input.c", b);
    }
    emit_panels(e, out);
}

static void emit_output(const Emit *e, const Step *s, Text *out)
{
    const int tile = (int)s->dnnl->winograd->tile;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_int(b, "tile", tile);
    bind(b, "label", "%s", s->label);
    bind_operands(e, s->dnnl, b);
    const char *text = post_text(e->arena, s);
    bind_statements(e->arena, b, text);
    bind(b, "whole_tiles", "%d",
         !strstr(text, "dnnlc_")); /* 16 times an exponential is too much for one loop */
    for (int k = 0; k < tile * tile; k++) {
        Bindings *row = bind_row(b, "pixels");
        bind_int(row, "k", k);
        bind_int(row, "y", k / tile);
        bind_int(row, "x", k % tile);
    }
    render(out, "dnnl/winograd_output.c", b);
    text_puts(out, "\n");
}

static void bind_shape(const Emit *e, const DnnlWinograd *w, Bindings *b)
{
    const struct {
        const char *name;
        int64_t value;
        PlaceType type;
    } fields[] = {
        {"block", w->block, PLACE_INT},
        {"tile", w->tile, PLACE_INT},
        {"channels", w->channels, PLACE_INT},
        {"outputs", w->outputs, PLACE_INT},
        {"height", w->height, PLACE_INT},
        {"width", w->width, PLACE_INT},
        {"out_height", w->out_height, PLACE_INT},
        {"out_width", w->out_width, PLACE_INT},
        {"pad_top", w->pad_top, PLACE_INT},
        {"pad_left", w->pad_left, PLACE_INT},
        {"src_pixel", w->src_pixel, PLACE_INT},
        {"dst_pixel", w->dst_pixel, PLACE_INT},
        {"rows", w->rows, PLACE_INT},
        {"columns", w->columns, PLACE_INT},
        {"tiles", w->tiles, PLACE_INT},
        {"src_plane", w->src_plane, PLACE_OFFSET},
        {"dst_plane", w->dst_plane, PLACE_OFFSET},
        {"product_width", w->product_width, PLACE_INT},
        {"channels_at_once", w->channels_at_once, PLACE_INT},
        {"product_tiles", w->panel.tiles, PLACE_INT},
        {"whole", w->panel.whole, PLACE_INT},
        {"step", w->panel.step, PLACE_OFFSET},
    };
    const size_t n = COUNT_OF(fields) - (w->matmul ? 4 : 0); /* the last ones are for C only */
    bool varies = false;
    for (size_t i = 0; i < n; i++)
        bind_field(b, fields[i].name, place_int(e, fields[i].type, fields[i].name, fields[i].value),
                   &varies);
    bind_constant(e, b, varies);
}

static void bind_scratch(const Emit *e, const DnnlWinograd *w, Bindings *b)
{
    const struct {
        const char *name;
        size_t value;
        PlaceType type;
    } numbers[] = {
        {"threads", (size_t)w->threads, PLACE_INT},
        {"sets", (size_t)w->sets, PLACE_INDEX},
        {"block", (size_t)w->block, PLACE_INT},
        {"blocks", (size_t)w->blocks, PLACE_INT},
        {"product_at", w->product_at, PLACE_OFFSET},
        {"edge_at", w->edge_at, PLACE_OFFSET},
        {"edge_floats", w->edge_floats, PLACE_INT},
        {"scratchpad_at", w->scratchpad_at, PLACE_OFFSET},
        {"scratchpad_bytes", w->matmul ? w->matmul->scratch_bytes : 0, PLACE_OFFSET},
        {"planes", (size_t)w->planes, PLACE_INT},
        {"set_bytes", w->set_bytes, PLACE_OFFSET},
    };
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        bind(b, numbers[i].name, "%s",
             place_int(e, numbers[i].type, numbers[i].name, (int64_t)numbers[i].value));
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

static void emit_products(const Emit *e, const Step *s, Text *out)
{
    const DnnlWinograd *w = s->dnnl->winograd;
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", layer_label(e));
    bind_panel(e, &w->panel, "winograd_panel", b);
    bind_int(b, "panels", w->panel.blocks);
    bind_int(b, "panel_floats", w->channels * panel_width(&w->panel));
    render(out, "dnnl/winograd_products.c", b);
    text_puts(out, "\n");
}

void emit_winograd_loops(const Emit *e, const Step *s, Text *out)
{
    if (first_that_ends_like(e, s) == s)
        emit_output(e, s, out);
}

void emit_winograd(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlPrimitive *p = s->dnnl, *matmul = p->winograd->matmul;
    const Step *first = first_that_ends_like(e, s);
    Bindings *b = bindings_new(e->arena, NULL);
    size_t scratch;
    if (!matmul)
        emit_products(e, s, out);
    buffer_root(e->p, s->scratch, &scratch);
    bind_layer(e, s, index, b);
    bind_int(b, "tile", p->winograd->tile);
    bind(b, "function", "output_%s", first->label);
    bind(b, "scratch", "%s", place_offset(e, "scratch", scratch));
    bind_shape(e, p->winograd, b);
    bind_scratch(e, p->winograd, b);
    bind_operands(e, p, b);
    if (matmul)
        bind_primitive(e, s, matmul, b);
    else
        bind(b, "weights", "%s",
             place_operand(e, "weights", onednn_memory_of(p, ARG_WEIGHTS)->buffer, true));
    bind(b, "src", "%s", place_operand(e, "src", onednn_memory_of(p, ARG_SRC)->buffer, true));
    bind(b, "dst", "%s", place_operand(e, "dst", onednn_memory_of(p, ARG_DST)->buffer, false));
    render(out, "dnnl/winograd.c", b);
}
