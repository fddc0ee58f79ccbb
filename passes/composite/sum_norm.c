/* What a sum of rows with a norm behind takes in besides the nodes that its pattern matches: the Adds, Gathers and products with
 * a number that make its summands, in whatever way they are associated, as far as everybody who reads them is inside. */
#include "composite.h"

#include "../../gen/composite/covered.h"

static bool read_sum(const Match *m, NodeId norm, SumNormNodes *a, const char **why)
{
    return sum_norm_read(m->g, a->node, a->n, norm, &a->sum, why);
}

/* The node that makes v joins, unless there would be too many summands. */
static bool take_in(const Match *m, NodeId norm, const uint32_t *taken, ValueId v, SumNormNodes *a)
{
    const char *why;
    if (value_at(m->g, v)->kind != VALUE_NODE || a->n == SUM_NORM_NODES)
        return false;
    NodeId id = value_at(m->g, v)->def;
    if (taken[id.i] != NO_ROW || covers_node(a->node, a->n, id) ||
        !sum_norm_may_cover(m->g, node_at(m->g, id)) || !only_read_by(m->uses, v, a->node, a->n))
        return false;
    a->node[a->n++] = id;
    if (read_sum(m, norm, a, &why))
        return true;
    a->n--;
    return false;
}

static bool take_in_one(const Match *m, NodeId norm, const uint32_t *taken, SumNormNodes *a)
{
    const SumNorm before = a->sum;
    for (uint32_t i = 0; i < before.n_terms; i++)
        if (!has_value(before.term[i].index) && take_in(m, norm, taken, before.term[i].from, a))
            return true;
    return false;
}

bool merge_sum_norm(const Match *m, NodeId norm, const uint32_t *taken, SumNormNodes *a,
                    const char **why)
{
    *why = "it has too many nodes";
    if (m->n_nodes > SUM_NORM_NODES)
        return false;
    a->n = a->n_own = m->n_nodes;
    for (uint32_t i = 0; i < m->n_nodes; i++)
        a->node[i] = m->node[i];
    if (!read_sum(m, norm, a, why))
        return false;
    while (take_in_one(m, norm, taken, a))
        ;
    sort_nodes(a->node, a->n);
    return read_sum(m, norm, a, why);
}
