/* The layouts that a value may have: row-major, channels last near layers that want it, and what views make of its neighbours'. */
#include "choosing.h"

#include "../kernel/kernel.h"
#include "../lower/place.h"
#include "../ops/ops.h"

static void add_candidate(const Choosing *s, ValueId v, const Layout *layout)
{
    Candidates *c = &s->value[v.i];
    for (uint32_t i = 0; i < c->n; i++)
        if (layout_same_bytes(&c->at[i], layout, type_of(s->g, v)))
            return;
    if (c->n > 0 && c->n < MOST_CANDIDATES && lower_can_reorder(s->l, v))
        c->at[c->n++] = *layout;
}

/* The candidates of v with the bytes of `layout`, as a set. */
unsigned candidates_as(const Choosing *s, ValueId v, const Layout *layout)
{
    unsigned set = 0;
    for (uint32_t i = 0; is_free(s, v) && i < s->value[v.i].n; i++)
        if (layout_same_bytes(&s->value[v.i].at[i], layout, type_of(s->g, v)))
            set |= 1u << i;
    return set;
}

/* The same order of dimensions, of a tensor of another shape; ALL where there is no choice. */
unsigned candidates_in_order(const Choosing *s, ValueId v, const Layout *order)
{
    return !is_free(s, v) || type_of(s->g, v)->rank != order->rank ? ALL
                                                                   : candidates_as(s, v, order);
}

bool is_view_op(const Node *n)
{
    const OpOrder order = op_info(n->op)->order;
    return order == ORDER_PERMUTES || order == ORDER_RESHAPES;
}

/* The layout of the result of a Reshape or Transpose that is the same memory as its operand. */
bool view_forwards(const Choosing *s, const Node *n, const Layout *in, Layout *out)
{
    if (n->op == OP_Reshape)
        return reshape_view(type_of(s->g, n->in[0]), in, type_of(s->g, n->out[0]), out);
    *out = layout_transposed(in, attr_ints(n, "perm", NULL));
    return true;
}

static bool view_backwards(const Choosing *s, const Node *n, const Layout *out, Layout *in)
{
    if (n->op == OP_Reshape)
        return reshape_view(type_of(s->g, n->out[0]), out, type_of(s->g, n->in[0]), in);
    const int64_t *perm = attr_ints(n, "perm", NULL);
    *in = *out;
    for (int k = 0; k < out->rank; k++)
        in->order[k] = (int8_t)perm[out->order[k]];
    return true;
}

static void pass_between(const Choosing *s, const Node *n, ValueId in, ValueId out, bool forwards)
{
    Layout other;
    const ValueId from = forwards ? in : out, to = forwards ? out : in;
    if (!is_free(s, in) || !is_free(s, out))
        return;
    for (uint32_t i = 0; i < s->value[from.i].n; i++) {
        const Layout *have = &s->value[from.i].at[i];
        if (is_view_op(n) ? (forwards ? view_forwards(s, n, have, &other)
                                      : view_backwards(s, n, have, &other))
                          : type_of(s->g, in)->rank == type_of(s->g, out)->rank)
            add_candidate(s, to, is_view_op(n) ? &other : have);
    }
}

/* From operands to results, or back. */
static void pass_candidates(const Choosing *s, bool forwards)
{
    for (uint32_t i = 0; i < s->g->n_nodes; i++) {
        const Node *n = &s->g->nodes[forwards ? i : s->g->n_nodes - 1 - i];
        if (!is_view_op(n) && !op_keeps_order(n->op))
            continue;
        for (uint32_t o = 0; o < n->n_out; o++)
            for (uint32_t k = 0; k < (is_view_op(n) ? 1 : n->n_in); k++)
                pass_between(s, n, n->in[k], n->out[o], forwards);
    }
}

/* Of a composite, and not its result. */
static bool is_inside(const Choosing *s, const Value *v)
{
    const Composite *c = v->kind == VALUE_NODE ? composite_of(s->l->g, v->def) : NULL;
    return c && c->root.i != v->def.i;
}

/* Layers whose primitive or kernel is for channels last. */
static bool is_for_last(const Choosing *s, NodeId id)
{
    const Node *n = node_at(s->g, id);
    return op_info(n->op)->order == ORDER_CHANNELS &&
           (s->g->columns->target[id.i] == TARGET_DNNL || c_conv_last(s->g, n));
}

static void add_last(const Choosing *s, ValueId v)
{
    const Layout last = layout_nxc(type_of(s->g, v)->rank);
    if (last.rank > 2)
        add_candidate(s, v, &last);
}

/* Inside a composite as well, so that its candidates get through. */
void find_candidates(Choosing *s)
{
    const Graph *g = s->g;
    for (uint32_t v = 0; v < g->n_values; v++) {
        const Value *value = value_at(g, (ValueId){v});
        if (value->kind != VALUE_CONST && value->type.rank > 2 && type_count(&value->type) > 0)
            s->value[v] = (Candidates){.n = 1, .at = {layout_plain(value->type.rank)}};
    }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (is_for_last(s, (NodeId){i})) {
            add_last(s, g->nodes[i].in[0]);
            add_last(s, g->nodes[i].out[0]);
        }
    for (int round = 0; round < 2; round++) {
        pass_candidates(s, true);
        pass_candidates(s, false);
    }
    for (uint32_t v = 0; v < g->n_values; v++)
        if (is_inside(s, value_at(g, (ValueId){v})))
            s->value[v].n = 0;
}
