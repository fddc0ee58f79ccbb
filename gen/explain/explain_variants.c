/* What variants of a model do not share: weights that one lowered later reads in a form that none before it does. */
#include "explain.h"

#include "../dnnl/plan.h"
#include "../kernel/plan.h"
#include "../program/step.h"

#include "../../passes/common/util.h"

enum { WORTH_SAYING = 1024 }; /* bytes */

/* Bytes of the constant b that no step before has read. */
static size_t read_first(const Program *p, bool *is_read, BufferId b)
{
    if (b == NO_BUFFER || p->buffers[b].kind != BUFFER_CONST)
        return 0;
    const BufferId root = root_buffer(p, b, NULL);
    const bool before = is_read[root];
    is_read[root] = true;
    return before ? 0 : p->buffers[root].bytes;
}

static size_t constants_of(const Program *p, bool *is_read, const Step *s)
{
    const DnnlPrimitive *d = s->dnnl ? onednn_core(s->dnnl) : NULL;
    size_t bytes = 0;
    for (uint32_t k = 0; k < s->n_in; k++)
        bytes += read_first(p, is_read, s->in[k]);
    for (uint32_t k = 0; d && k < d->n_memory; k++)
        bytes +=
            read_first(p, is_read, d->memory[k].buffer) + read_first(p, is_read, d->memory[k].blob);
    return bytes;
}

void explain_variants(const Program *p, Text *out)
{
    const Graph *g = p->graph;
    bool *is_read = ARENA_ARRAY(p->arena, bool, p->n_buffers + 1);
    size_t own = 0;
    for (uint32_t i = 0; i < p->n_steps && g->variants.n > 1; i++) {
        const Step *s = &p->steps[i];
        const uint32_t variant = p->regions[s->region].variant;
        const size_t bytes = constants_of(p, is_read, s);
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
