/* Scratch memory of the kernels of C for which it follows from the shapes alone. */
#include "../ops/rnn.h"
#include "kernel.h"

size_t c_scratch_coupling(const Graph *g, const Node *n)
{
    const size_t classes = (size_t)attr_int(n, "classes", 0);
    (void)g;
    return (classes + 1) * classes * sizeof(float);
}

/* Indices, and values of 8 bytes at most. */
size_t c_scratch_top_k(const Graph *g, const Node *n)
{
    (void)g;
    return (size_t)attr_int(n, "k", 0) * 16;
}

size_t c_scratch_det(const Graph *g, const Node *n)
{
    const TensorType *src = type_of(g, n->in[0]);
    const int64_t size = src->dims[src->rank - 1];
    return size ? (size_t)(size * size) * sizeof(double) : 8;
}

size_t c_scratch_rows(const Graph *g, const Node *n)
{
    enum { KEPT_BYTES = 5 * sizeof(float), KEY_BYTES = sizeof(uint64_t) };
    if (n->op == OP_Unique)
        return 3 * (size_t)type_of(g, n->in[0])->dims[attr_int(n, "axis", 0)] * sizeof(uint64_t);
    const size_t kept = (size_t)attr_int(n, "limit", 0) * KEPT_BYTES;
    return (size_t)type_of(g, n->in[0])->dims[1] * KEY_BYTES + kept;
}

static bool is_half(DType t)
{
    return t == DT_F16 || t == DT_BF16;
}

bool c_rnn_transposes_weights(const Graph *g, const Node *n)
{
    return !is_half(type_of(g, n->in[RNN_X])->dtype) &&
           (!has_value(n->in[RNN_W]) || value_at(g, n->in[RNN_W])->kind == VALUE_CONST) &&
           value_at(g, n->in[RNN_R])->kind == VALUE_CONST;
}

/* In this order: the sums of all steps, the state, the cells of an LSTM or the state's products of a GRU, the input where it
 * must be widened, the weights where they must be transposed. */
size_t c_scratch_rnn(const Graph *g, const Node *n)
{
    const TensorType *x = type_of(g, n->in[RNN_X]), *r = type_of(g, n->in[RNN_R]);
    size_t steps = (size_t)x->dims[0], batch = (size_t)x->dims[1], input = (size_t)x->dims[2];
    size_t gates = (size_t)r->dims[1], hidden = (size_t)r->dims[2];
    size_t own = n->op == OP_LSTM ? hidden : n->op == OP_GRU ? gates : 0;
    size_t elements = steps * batch * gates + batch * (hidden + own);
    if (is_half(x->dtype))
        elements += steps * batch * input;
    if (!c_rnn_transposes_weights(g, n))
        elements += ((has_value(n->in[RNN_W]) ? input : 0) + hidden) * gates;
    return elements * (x->dtype == DT_F64 ? 8 : 4);
}
