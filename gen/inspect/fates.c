/* Where each operator's nodes are computed, or why they are not. */
#include "inspect.h"

#include "../dnnl/plan.h"
#include "../ops/macs.h"

const char *const fate_words[N_FATES] = {"dnnl", "c", "view", "folded", "refused", "not_judged"};

int64_t graph_macs(const Graph *g)
{
    const uint32_t *variants = graph_node_variants(g, g->arena);
    int64_t sum = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (variants[i] == 0 && !add_i64(sum, node_macs(g, &g->nodes[i]), &sum))
            return INT64_MAX;
    return sum;
}

static Fate fate_of_step(const Step *s)
{
    const bool in_c = s->dnnl && s->dnnl->kind == KIND_INDIRECT;
    return s->target == TARGET_DNNL && !in_c ? FATE_DNNL : FATE_C;
}

/* By number of the model's node; the best of what its parts have become. */
static void follow_nodes(const Program *p, size_t n, Fate *fate)
{
    const Graph *g = p->graph;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i].model_index < n && fate[g->nodes[i].model_index] > FATE_VIEW)
            fate[g->nodes[i].model_index] = FATE_VIEW;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        for (uint32_t k = 0; k < s->n_nodes; k++) {
            const uint32_t at = node_at(g, s->nodes[k])->model_index;
            if (at < n && fate_of_step(s) < fate[at])
                fate[at] = fate_of_step(s);
        }
    }
}

/* Without a program: what was refused by name, and what is refused whatever its inputs are. The others nobody has looked at, or not to the end. */
static void note_refused(const Inspection *in, Fate *fate)
{
    const Survey *s = &in->survey;
    for (size_t i = 0; i < s->n_nodes; i++)
        fate[i] = s->operators[s->node_operator[i]].why ? FATE_REFUSED : FATE_UNJUDGED;
    for (uint32_t i = 0; i < in->refusals.n; i++)
        if (in->refusals.rows[i].index < s->n_nodes)
            fate[in->refusals.rows[i].index] = FATE_REFUSED;
}

void judge_operators(Inspection *in)
{
    const Survey *s = &in->survey;
    const Program *p = in->program ? in->program : in->example;
    Fate *fate = ARENA_ARRAY(in->arena, Fate, s->n_nodes + 1);
    in->fates = ARENA_ARRAY(in->arena, OperatorFates, s->n_operators + 1);
    for (size_t i = 0; i < s->n_nodes; i++)
        fate[i] = FATE_FOLDED;
    if (p && p->lowered)
        follow_nodes(p, s->n_nodes, fate);
    else
        note_refused(in, fate);
    for (size_t i = 0; i < s->n_nodes; i++)
        in->fates[s->node_operator[i]].nodes[fate[i]]++;
}
