/* Which steps round each product before they add to it: Step.rounds.
 *
 * "Later" is any number of operators later: a value is quantised later if some path through the graph leads from it to an operator that
 * rounds to the steps of a scale (TRAIT_QUANTISES). What lies between, be it a convolution of floats or a comparison, does not stop
 * a difference, it only makes it smaller or rarer. In a model of floats there is no such operator, and no step is marked; nor are
 * the last layers of a quantised one, from which none follows. */
#include "lower.h"

#include "../kernel/kernel.h"

static bool *quantised_later(const Graph *g, Arena *arena)
{
    bool *later = ARENA_ARRAY(arena, bool, g->n_values + 1);
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        const Node *n = &g->nodes[i];
        bool any = op_has(n->op, TRAIT_QUANTISES);
        for (uint32_t k = 0; k < n->n_out && !any; k++)
            any = has_value(n->out[k]) && later[n->out[k].i];
        for (uint32_t k = 0; k < n->n_in && any; k++)
            if (has_value(n->in[k]))
                later[n->in[k].i] = true;
    }
    return later;
}

/* A loop in C behind a primitive multiplies, and adds to that. Its first value comes from memory. */
static bool loop_may_contract(const DnnlPrimitive *p)
{
    bool product = false;
    if (!p->winograd && !p->indirect && !p->epilogue)
        return false;
    for (uint32_t i = p->epilogue ? p->epilogue->first_post : 0; i < p->n_post; i++) {
        if (product && onednn_post_adds(&p->post[i]))
            return true;
        product = product || onednn_post_multiplies(&p->post[i]);
    }
    return false;
}

static bool kernel_may_contract(const Graph *g, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (c_may_contract(g, s->nodes, s->n_nodes, i))
            return true;
    return false;
}

void lower_mark_rounding(Program *p)
{
    const Graph *g = p->graph;
    const bool *later = quantised_later(g, p->arena);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Step *s = &p->steps[i];
        for (uint32_t o = 0; o < s->n_out && !s->rounds; o++) {
            const ValueId v = s->out[o] == NO_BUFFER ? NO_VALUE : p->buffers[s->out[o]].value;
            s->rounds = has_value(v) && later[v.i] &&
                        (s->dnnl ? loop_may_contract(s->dnnl) : kernel_may_contract(g, s));
        }
    }
}
