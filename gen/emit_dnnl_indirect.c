/* Convolutions in C in a oneDNN unit: tiles of products, a function for each shape of tile, and what follows on them. */
#include "emit_dnnl.h"

#include "template.h"

static const DnnlIndirect *indirect_of(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    return p ? p->indirect : NULL;
}

/* Tiles differ in their number of rows, vectors and lines fetched. */
static const char *tile_name(Arena *arena, const Panel *p, int64_t rows)
{
    const char *shape =
        arena_printf(arena, "tile_%lldx%lld", (long long)rows, (long long)p->vectors);
    return p->lines == 1 ? shape : arena_printf(arena, "%s_%lld", shape, (long long)p->lines);
}

static const char *panel_name(Arena *arena, const Panel *p)
{
    return arena_printf(arena, "panel%s", tile_name(arena, p, p->rows) + 4);
}

static void bind_sums(Bindings *b, const Panel *p, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < p->vectors; j++) {
            Bindings *sum = bind_row(b, "sums");
            bind(sum, "sum", "s%lld_%lld", (long long)i, (long long)j);
            bind(sum, "row", "r%lld", (long long)i);
            bind(sum, "column", "b%lld", (long long)j);
            bind_int(sum, "offset", i * panel_width(p) + j * p->lanes);
        }
        Bindings *row = bind_row(b, "matrix_rows");
        bind(row, "row", "r%lld", (long long)i);
        bind_int(row, "i", i);
    }
}

static void emit_tile(const Emit *e, const Panel *p, int64_t rows, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "tile", "%s", tile_name(e->arena, p, rows));
    bind_int(b, "rows", rows);
    bind_int(b, "width", panel_width(p));
    bind_sums(b, p, rows);
    for (int64_t j = 0; j < p->vectors; j++) {
        Bindings *column = bind_row(b, "columns");
        bind(column, "column", "b%lld", (long long)j);
        bind_int(column, "from", j * p->lanes);
    }
    for (int64_t i = 0; i < p->lines; i++)
        bind_int(bind_row(b, "lines"), "line", i * 64);
    text_puts(out, "\n");
    render(out, "dnnl/panel_tile.c", b);
}

static bool has_tile(const Panel *p, const Panel *like, int64_t rows)
{
    return p->vectors == like->vectors && p->lines == like->lines &&
           (p->rows == rows || p->rows - 1 == rows);
}

/* Whether no layer of the unit before this one has such tiles. */
static bool is_first_tile(const Emit *e, uint32_t start, uint32_t step, int64_t rows)
{
    const Panel *p = &indirect_of(e, step)->panel;
    for (uint32_t i = start; i < step; i++)
        if (indirect_of(e, i) && has_tile(&indirect_of(e, i)->panel, p, rows))
            return false;
    return rows > 0;
}

static bool is_first_panel(const Emit *e, uint32_t start, uint32_t step)
{
    const Panel *p = &indirect_of(e, step)->panel;
    for (uint32_t i = start; i < step; i++)
        if (indirect_of(e, i) && indirect_of(e, i)->panel.rows == p->rows &&
            has_tile(&indirect_of(e, i)->panel, p, p->rows))
            return false;
    return true;
}

static void emit_panel(const Emit *e, const Panel *p, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "panel", "%s", panel_name(e->arena, p));
    bind(b, "tile", "%s", tile_name(e->arena, p, p->rows));
    bind(b, "smaller", "%s", tile_name(e->arena, p, p->rows - 1));
    bind(b, "has_smaller", "%d", p->rows > 1);
    bind_int(b, "rows", p->rows);
    bind_int(b, "width", panel_width(p));
    text_puts(out, "\n");
    render(out, "dnnl/indirect_panel.c", b);
}

void emit_indirect_head(const Emit *e, uint32_t region, Text *out)
{
    const uint32_t start = e->p->unit_start[region], end = e->p->unit_start[region + 1];
    bool any = false;
    for (uint32_t i = start; i < end; i++) {
        if (!indirect_of(e, i))
            continue;
        const Panel *p = &indirect_of(e, i)->panel;
        Bindings *b = bindings_new(e->arena, NULL);
        bind_int(b, "lanes", p->lanes);
        bind_int(b, "bytes", p->lanes * 4);
        if (!any) {
            text_puts(out, "\n");
            render(out, "dnnl/indirect_common.c", b);
            text_puts(out, "\n");
            render(out, "dnnl/panel.c", b);
        }
        any = true;
        for (int64_t rows = p->rows; rows >= p->rows - 1; rows--)
            if (is_first_tile(e, start, i, rows))
                emit_tile(e, p, rows, out);
        if (is_first_panel(e, start, i))
            emit_panel(e, p, out);
    }
}

static const char *triple(Arena *arena, const int64_t v[MAX_SPATIAL])
{
    return arena_printf(arena, "{%lld, %lld, %lld}", (long long)v[0], (long long)v[1],
                        (long long)v[2]);
}

static void bind_shape(Arena *arena, const DnnlIndirect *w, Bindings *b)
{
    const struct {
        const char *name;
        int64_t value;
        const int64_t *values;
    } fields[] = {
        {"channels", w->channels, NULL},
        {"outputs", w->outputs, NULL},
        {"images", w->images, NULL},
        {"size", 0, w->size},
        {"out", 0, w->out},
        {"window", 0, w->window},
        {"stride", 0, w->stride},
        {"dilation", 0, w->dilation},
        {"pad", 0, w->pad},
        {"src_pixel", w->src_pixel, NULL},
        {"dst_pixel", w->dst_pixel, NULL},
        {"taps", w->taps, NULL},
        {"pixels", w->pixels, NULL},
        {"taps_at_once", w->taps_at_once, NULL},
        {"channels_at_once", w->channels_at_once, NULL},
        {"tiles", w->panel.tiles, NULL},
        {"whole", w->panel.whole, NULL},
        {"step", w->panel.step, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        Bindings *row = bind_row(b, "fields");
        bind(row, "field", "%s", fields[i].name);
        if (fields[i].values)
            bind(row, "value", "%s", triple(arena, fields[i].values));
        else
            bind_int(row, "value", fields[i].value);
    }
}

static void emit_finish(const Emit *e, const Step *s, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", s->label);
    bind_operands(e, s->dnnl, b);
    bind_statements(e->arena, b, post_text(e->arena, s->dnnl));
    render(out, "dnnl/indirect_finish.c", b);
    text_puts(out, "\n");
}

void emit_indirect(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlIndirect *w = s->dnnl->indirect;
    const Step *first = first_that_ends_like(e, s);
    const int64_t width = panel_width(&w->panel);
    Bindings *b = bindings_new(e->arena, NULL);
    size_t scratch;
    if (first == s)
        emit_finish(e, s, out);
    dnnl_place(e->p, s->scratch, &scratch);
    bind_layer(e, s, index, b);
    bind_shape(e->arena, w, b);
    bind_operands(e, s->dnnl, b);
    bind(b, "panel", "%s", panel_name(e->arena, &w->panel));
    bind(b, "function", "finish_%s", first->label);
    bind(b, "scratch", "%zu", scratch);
    bind(b, "zeros_at", "%zu", w->zeros_at);
    bind(b, "sums_at", "%zu", w->sums_at);
    bind(b, "sums_floats", "%zu", w->sums_floats);
    bind_int(b, "blocks", w->panel.blocks);
    bind_int(b, "width", width);
    bind_int(b, "block_floats", w->taps * w->channels * width);
    bind(b, "one_thread", "%d", w->threads == 1);
    const struct {
        const char *name;
        int arg;
    } tensors[] = {{"src", DNNL_ARG_SRC}, {"weights", DNNL_ARG_WEIGHTS}, {"dst", DNNL_ARG_DST}};
    for (size_t i = 0; i < COUNT_OF(tensors); i++)
        bind(b, tensors[i].name, "%s",
             buffer_expr(e->arena, e->p, dnnl_memory_of(s->dnnl, tensors[i].arg)->buffer,
                         tensors[i].arg != DNNL_ARG_DST));
    render(out, "dnnl/indirect.c", b);
}
