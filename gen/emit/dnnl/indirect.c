/* Convolutions in C in a oneDNN unit: products by tiles (emit/dnnl/panel.c), and what follows on them. */
#include "emit_dnnl.h"

#include "../../base/template.h"

static const DnnlIndirect *indirect_of(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    return p ? p->indirect : NULL;
}

void emit_indirect_head(const Emit *e, Text *out)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        if (indirect_of(e, i)) {
            text_puts(out, "\n");
            render(out, "dnnl/indirect_common.c", bindings_new(e->arena, NULL));
            return;
        }
}

/* "{1, 3, at->window_x}" */
static const char *triple(const Emit *e, const char *name, const int64_t v[MAX_SPATIAL])
{
    static const char axis[] = "zyx";
    const char *at[MAX_SPATIAL];
    for (int d = 0; d < MAX_SPATIAL; d++)
        at[d] = place_int(e, PLACE_INT, arena_printf(e->arena, "%s_%c", name, axis[d]), v[d]);
    return arena_printf(e->arena, "{%s, %s, %s}", at[0], at[1], at[2]);
}

static void bind_shape(const Emit *e, const Step *s, Bindings *b)
{
    const DnnlIndirect *w = s->dnnl->indirect;
    const struct {
        const char *name;
        int64_t value;
        const int64_t *values;
        PlaceType type;
    } fields[] = {
        {"channels", w->channels, NULL, PLACE_INT},
        {"outputs", w->outputs, NULL, PLACE_INT},
        {"images", w->images, NULL, PLACE_INT},
        {"size", 0, w->size, PLACE_INT},
        {"out", 0, w->out, PLACE_INT},
        {"window", 0, w->window, PLACE_INT},
        {"stride", 0, w->stride, PLACE_INT},
        {"dilation", 0, w->dilation, PLACE_INT},
        {"pad", 0, w->pad, PLACE_INT},
        {"src_pixel", w->src_pixel, NULL, PLACE_INT},
        {"dst_pixel", w->dst_pixel, NULL, PLACE_INT},
        {"pixels", w->pixels, NULL, PLACE_INT},
        {"zeros_at", (int64_t)w->zeros_at, NULL, PLACE_OFFSET},
        {"sums_at", (int64_t)w->sums_at, NULL, PLACE_OFFSET},
        {"sums_floats", (int64_t)w->sums_floats, NULL, PLACE_OFFSET},
    };
    bool varies = false;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        const char *name = fields[i].name;
        bind_field(b, name,
                   fields[i].values ? triple(e, name, fields[i].values)
                                    : place_int(e, fields[i].type, name, fields[i].value),
                   &varies);
    }
    bind_field(b, "panel", place_panel(e, s), &varies);
    bind_constant(e, b, varies);
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

/* The first layer of the file with the same epilogue, and on one thread or several like this one: one function computes both. */
static const Step *first_alike(const Emit *e, const Step *s)
{
    const DnnlIndirect *w = s->dnnl->indirect;
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Step *other = &e->p->steps[i];
        const DnnlIndirect *o = indirect_of(e, i);
        if (o && (o->threads == 1) == (w->threads == 1) && ends_alike(e, s, other))
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
    bind_shape(e, s, b);
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
