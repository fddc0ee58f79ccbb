/* What variants of a model do not share: weights that one lowered later reads and none before it does, because they have another form, or are a part that only it reads. */
#include "explain.h"

#include "../dnnl/plan.h"
#include "../kernel/plan.h"
#include "../program/step.h"

#include "../../passes/common/util.h"

enum {
    WORTH_SAYING = 1024, /* bytes */
    UNIT = 32, /* bytes: panels of weights are no narrower, and parts begin at multiples of 64 */
};

/* By root buffer: which units some step has read; NULL: none of them. */
typedef struct Read {
    const Program *p;
    bool **units;
} Read;

/* Bytes from `from` to before `to` of the constant that no step before has read. */
static size_t read_range(const Read *r, BufferId root, size_t from, size_t to)
{
    const size_t all = r->p->buffers[root].bytes;
    size_t bytes = 0;
    if (!r->units[root])
        r->units[root] = ARENA_ARRAY(r->p->arena, bool, all / UNIT + 1);
    for (size_t at = from / UNIT * UNIT; at < to && at < all; at += UNIT) {
        bytes += r->units[root][at / UNIT] ? 0 : all - at < UNIT ? all - at : UNIT;
        r->units[root][at / UNIT] = true;
    }
    return bytes;
}

/* Weights that begin with taps for another variant's direct convolution: of these only the corners of the window, and all planes behind them. */
static size_t read_corners(const Read *r, const DnnlWinograd *w, BufferId root, size_t from,
                           size_t to)
{
    const size_t tap = panel_floats(&w->panel, w->channels) * 4 / (size_t)w->panel.blocks,
                 taps = (size_t)w->taps, planes = from + taps * (size_t)w->panel.blocks * tap;
    size_t bytes = read_range(r, root, planes, to);
    for (size_t i = 0; i < (size_t)w->panel.blocks * taps; i++) {
        const size_t k = i % taps, x = k % 3, y = k / 3;
        if (x != 1 && (taps == 3 || y != 1))
            bytes += read_range(r, root, from + i * tap, from + (i + 1) * tap);
    }
    return bytes;
}

static size_t read_first(const Read *r, const DnnlPrimitive *d, BufferId b)
{
    size_t from;
    if (b == NO_BUFFER || r->p->buffers[b].kind != BUFFER_CONST)
        return 0;
    const BufferId root = root_buffer(r->p, b, &from);
    const size_t to = from + r->p->buffers[b].bytes;
    const DnnlWinograd *w = d ? d->winograd : NULL;
    return w && w->taps && onednn_memory_of(d, ARG_WEIGHTS)->buffer == b
               ? read_corners(r, w, root, from, to)
               : read_range(r, root, from, to);
}

static size_t constants_of(const Read *r, const Step *s)
{
    const DnnlPrimitive *d = s->dnnl ? onednn_core(s->dnnl) : NULL;
    size_t bytes = 0;
    for (uint32_t k = 0; k < s->n_in; k++)
        bytes += read_first(r, d, s->in[k]);
    for (uint32_t k = 0; d && k < d->n_memory; k++)
        bytes += read_first(r, d, d->memory[k].buffer) + read_first(r, d, d->memory[k].blob);
    return bytes;
}

void explain_variants(const Program *p, Text *out)
{
    const Graph *g = p->graph;
    const Read read = {p, ARENA_ARRAY(p->arena, bool *, p->n_buffers + 1)};
    size_t own = 0;
    for (uint32_t i = 0; i < p->n_steps && g->variants.n > 1; i++) {
        const Step *s = &p->steps[i];
        const uint32_t variant = p->regions[s->region].variant;
        const size_t bytes = constants_of(&read, s);
        if (variant + 1 == g->variants.n)
            continue;
        own += bytes;
        if (bytes >= WORTH_SAYING)
            text_printf(
                out,
                "variant %s: '%s' (%s) has %zu bytes of constants in a form of its own, for %s\n",
                graph_variant_text(g, variant), node_label(g, node_at(g, s->node)),
                step_op_name(p, s), bytes,
                s->dnnl ? s->dnnl->impl
                : s->c  ? c_variant_names[s->c->variant]
                        : "C");
    }
    if (g->variants.n > 1)
        text_printf(out, "variants: %zu bytes of constants, %zu of them beside those of %s\n",
                    p->weights_bytes, own, graph_variant_text(g, g->variants.n - 1));
}
