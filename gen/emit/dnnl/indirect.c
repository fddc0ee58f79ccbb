/* Convolutions in C in a oneDNN unit: blocks of columns by tiles (emit/dnnl/panel.c), and what follows on them. */
#include "emit_dnnl.h"

#include "../../base/template.h"

static const DnnlIndirect *indirect_of(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    return p ? p->indirect : NULL;
}

static bool is_first_panel(const Emit *e, uint32_t start, uint32_t step)
{
    for (uint32_t i = start; i < step; i++)
        if (indirect_of(e, i) &&
            panel_is_alike(&indirect_of(e, i)->panel, &indirect_of(e, step)->panel))
            return false;
    return true;
}

void emit_indirect_head(const Emit *e, Text *out)
{
    const uint32_t start = e->file_first, end = e->file_end;
    bool any = false;
    for (uint32_t i = start; i < end; i++) {
        if (!indirect_of(e, i))
            continue;
        Bindings *b = bindings_new(e->arena, NULL);
        bind_panel(e, &indirect_of(e, i)->panel, "panel", b);
        if (!any) {
            text_puts(out, "\n");
            render(out, "dnnl/indirect_common.c", b);
            text_puts(out, "\n");
            render(out, "dnnl/indirect_rows.c", b);
        }
        any = true;
        if (is_first_panel(e, start, i)) {
            text_puts(out, "\n");
            render(out, "dnnl/indirect_panel.c", b);
        }
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
        {"blocks", w->panel.blocks, NULL},
        {"block_floats", w->taps * w->channels * panel_width(&w->panel), NULL},
        {"zeros_at", (int64_t)w->zeros_at, NULL},
        {"sums_at", (int64_t)w->sums_at, NULL},
        {"sums_floats", (int64_t)w->sums_floats, NULL},
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
    bind_statements(e->arena, b, post_text(e->arena, s));
    render(out, "dnnl/indirect_finish.c", b);
    text_puts(out, "\n");
}

/* The first layer of the file with the same tiles, the same epilogue and as many threads: one function computes both. */
static const Step *first_alike(const Emit *e, const Step *s)
{
    const DnnlIndirect *w = s->dnnl->indirect;
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Step *other = &e->p->steps[i];
        const DnnlIndirect *o = indirect_of(e, i);
        if (o && panel_is_alike(&o->panel, &w->panel) && (o->threads == 1) == (w->threads == 1) &&
            ends_alike(e, s, other))
            return other;
    }
    bug("a layer is not in the file that is written");
}

static void emit_compute(const Emit *e, const Step *s, Text *out)
{
    const DnnlIndirect *w = s->dnnl->indirect;
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", s->label);
    bind(b, "function", "finish_%s", first_that_ends_like(e, s)->label);
    bind(b, "one_thread", "%d", w->threads == 1);
    bind_operands(e, s->dnnl, b);
    bind_panel(e, &w->panel, "panel", b);
    render(out, "dnnl/indirect_compute.c", b);
    text_puts(out, "\n");
}

void emit_indirect_loops(const Emit *e, const Step *s, Text *out)
{
    if (first_that_ends_like(e, s) == s)
        emit_finish(e, s, out);
    if (first_alike(e, s) == s)
        emit_compute(e, s, out);
}

void emit_indirect(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlIndirect *w = s->dnnl->indirect;
    const Step *alike = first_alike(e, s);
    Bindings *b = bindings_new(e->arena, NULL);
    size_t scratch;
    buffer_root(e->p, s->scratch, &scratch);
    bind_layer(e, s, index, b);
    bind_shape(e->arena, w, b);
    bind_operands(e, s->dnnl, b);
    bind(b, "compute", "compute_%s", alike->label);
    bind(b, "scratch", "%s", place_offset(e, "scratch", scratch));
    bind(b, "one_thread", "%d", w->threads == 1);
    const struct {
        const char *name;
        int arg;
    } tensors[] = {{"src", ARG_SRC}, {"weights", ARG_WEIGHTS}, {"dst", ARG_DST}};
    for (size_t i = 0; i < COUNT_OF(tensors); i++)
        bind(b, tensors[i].name, "%s",
             place_operand(e, tensors[i].name, onednn_memory_of(s->dnnl, tensors[i].arg)->buffer,
                           tensors[i].arg != ARG_DST));
    render(out, "dnnl/indirect.c", b);
}
