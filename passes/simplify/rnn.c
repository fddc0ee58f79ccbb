/* simplify: the product of a recurrent layer's weights with the inputs of all steps is a product like others, which oneDNN computes
 * and threads share, where it is large. What stays is what one step needs from the one before. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../../gen/ops/rnn.h"
#include "../common/util.h"

enum {
    FEWEST_ROWS = 4,
    LEAST_MACS = 1 << 18, /* about 8 microseconds in the layer's own loops; 3 as a product */
};

/* Rows times the weights of all directions. */
static ValueId projection(Simplify *s, const Node *n, ValueId x, ValueId w)
{
    const TensorType *t = type_of(s->g, w);
    TensorType rows = *type_of(s->g, x), weights = *t;
    TensorType sums = rows;
    weights.rank = rows.rank = 2;
    weights.dims[0] = t->dims[0] * t->dims[1];
    weights.dims[1] = rows.dims[1] = t->dims[2];
    rows.dims[0] = sums.dims[0] * sums.dims[1];
    sums.dims[2] = weights.dims[0];
    const ValueId flat =
        graph_add_const(s->g, value_at(s->g, w)->name, weights, value_at(s->g, w)->data);
    const ValueId y = add_gemm(s->g, n, add_reshape(s->g, n, x, &rows), flat, NO_VALUE, true);
    return add_reshape(s->g, n, y, &sums);
}

static bool pays(const Graph *g, ValueId x, ValueId w)
{
    const TensorType *t = type_of(g, x);
    if (!is_const(g, w) || t->dtype != DT_F32 || t->dims[0] < 1 || t->dims[1] < 1 ||
        type_count(type_of(g, w)) == 0)
        return false;
    const double rows = (double)t->dims[0] * (double)t->dims[1];
    return rows >= FEWEST_ROWS && rows * (double)type_count(type_of(g, w)) >= LEAST_MACS;
}

bool split_projection(Simplify *s, const Node *n)
{
    Graph *g = s->g;
    if (attr_int(n, "projected", 0))
        return false;
    const ValueId x = arg(s, n, RNN_X), w = arg(s, n, RNN_W);
    if (!pays(g, x, w))
        return false;
    ValueId *in = ARENA_ARRAY(g->arena, ValueId, n->n_in);
    Attr *attr = ARENA_ARRAY(g->arena, Attr, n->n_attr + 1);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = has_value(n->in[k]) ? arg(s, n, k) : NO_VALUE;
    for (uint32_t k = 0; k < n->n_attr; k++)
        attr[k] = n->attr[k];
    attr[n->n_attr] = ATTR_I("projected", 1);
    in[RNN_X] = projection(s, n, x, w);
    in[RNN_W] = NO_VALUE;
    if (!has_value(in[RNN_X]))
        return false;
    const NodeId y = add_like(g, n, in, attr, n->n_attr + 1, "");
    for (uint32_t k = 0; y.i != NO_NODE.i && k < n->n_out; k++)
        if (has_value(n->out[k]))
            rewrite_replace(&s->rw, n->out[k], node_at(g, y)->out[k]);
    return y.i != NO_NODE.i;
}
