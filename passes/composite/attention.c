/* What an attention composite takes in around the nodes that its pattern matches: the Reshapes, Transposes, cuts and scalings
 * between the projections and the heads, and those behind the second product. They become strides (gen/composite/attention.h), so a node
 * is taken in if everybody who reads it is inside, and as far as strides can say what it does. */
#include "composite.h"

#include "../../gen/composite/covered.h"

#include <string.h>

typedef struct Growth {
    const Match *m;
    const uint32_t *taken;
    AttentionNodes *a;
    NodeId banned[ATTENTION_NODES]; /* strides cannot say what it does */
    uint32_t n_banned;
} Growth;

static bool only_read_inside(const Growth *w, const Node *n)
{
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]) && !only_read_by(w->m->uses, n->out[k], w->a->node, w->a->n))
            return false;
    return true;
}

/* The node that makes v joins, if it may. */
static bool take_in(Growth *w, ValueId v)
{
    const Graph *g = w->m->g;
    uint32_t operand;
    if (value_at(g, v)->kind != VALUE_NODE || w->a->n == ATTENTION_NODES)
        return false;
    NodeId id = value_at(g, v)->def;
    if (w->taken[id.i] != NO_ROW || covers_node(w->a->node, w->a->n, id) ||
        covers_node(w->banned, w->n_banned, id) ||
        !attention_may_view(g, node_at(g, id), &operand) || !only_read_inside(w, node_at(g, id)))
        return false;
    w->a->node[w->a->n++] = id;
    return true;
}

static void grow_backwards(Growth *w, const ValueId operand[3])
{
    AttentionNodes *a = w->a;
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < 3; i++) {
            a->source[i] = attention_source(w->m->g, a->node, a->n, operand[i]);
            more = take_in(w, a->source[i]) || more;
        }
    }
}

/* Whether strides can say what the operands are; otherwise the node that is to stay outside. */
static bool operands_fit(const Growth *w, const ValueId operand[3], NodeId *culprit)
{
    const Graph *g = w->m->g;
    const AttentionNodes *a = w->a;
    for (int i = 0; i < 3; i++) {
        HeadView view;
        *culprit = NO_NODE;
        if (!attention_view(g, a->node, a->n, operand[i], NULL, &view, culprit))
            return false;
        /* the values cannot be scaled on the way */
        if (!attention_is_dense(&view) || (i == 2 && view.factor != 1))
            return false;
    }
    return true;
}

/* Reshapes and Transposes behind the product, as long as its rows can be written there. */
static void grow_forwards(Growth *w, NodeId mix)
{
    const Graph *g = w->m->g;
    const Uses *u = w->m->uses;
    AttentionNodes *a = w->a;
    const uint32_t first = a->n;
    uint32_t keep = a->n;
    a->root = mix;
    for (NodeId at = mix; a->n < ATTENTION_NODES;) {
        ValueId v = node_at(g, at)->out[0];
        if (!single_use(u, v))
            break;
        at = u->node[u->start[v.i]];
        Op op = node_at(g, at)->op;
        HeadView view;
        if ((op != OP_Transpose && op != OP_Reshape) || w->taken[at.i] != NO_ROW)
            break;
        a->node[a->n++] = at;
        bool transposed =
            op == OP_Transpose || keep > first; /* a Reshape alone is a view already */
        if (transposed && attention_result(g, mix, at, &view) &&
            (view.strides[view.rank - 1] == 1 || view.dims[view.rank - 1] == 1)) {
            keep = a->n;
            a->root = at;
        }
    }
    a->n = keep;
}

bool merge_attention(const Match *m, NodeId mix, const uint32_t *taken, AttentionNodes *a,
                     const char **why)
{
    Growth w = {.m = m, .taken = taken, .a = a};
    NodeId culprit;
    *why = "it has too many nodes";
    if (m->n_nodes > ATTENTION_NODES / 2 ||
        !attention_read(m->g, m->node, m->n_nodes, mix, &a->parts, why))
        return false;
    const ValueId operand[3] = {a->parts.q, a->parts.k, a->parts.v};
    *why = "an operand has no dense dimension";
    for (;;) {
        memcpy(a->node, m->node, m->n_nodes * sizeof *m->node);
        a->n = a->n_own = m->n_nodes;
        grow_backwards(&w, operand);
        if (operands_fit(&w, operand, &culprit))
            break;
        if (culprit.i == NO_NODE.i || w.n_banned == ATTENTION_NODES)
            return false;
        w.banned[w.n_banned++] = culprit;
    }
    grow_forwards(&w, mix);
    sort_nodes(a->node, a->n);
    return attention_read(m->g, a->node, a->n, mix, &a->parts, why);
}
