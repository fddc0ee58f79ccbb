#include "macs.h"

static int64_t saturating_mul(int64_t a, int64_t b)
{
    int64_t r;
    return mul_i64(a, b, &r) ? r : INT64_MAX;
}

/* Weights [M, C/group, kernel…]: each element of the result takes one filter. */
static int64_t conv_macs(const Graph *g, const Node *n, uint32_t weights)
{
    const TensorType *w = type_of(g, n->in[weights]);
    int64_t filter = w->dims[0] ? type_count(w) / w->dims[0] : 0;
    return saturating_mul(type_count(type_of(g, n->out[0])), filter);
}

/* Weights [C, M/group, kernel…]: each element of the source is spread by one filter. */
static int64_t deconv_macs(const Graph *g, const Node *n)
{
    const TensorType *w = type_of(g, n->in[1]);
    int64_t filter = w->dims[0] ? type_count(w) / w->dims[0] : 0;
    return saturating_mul(type_count(type_of(g, n->in[0])), filter);
}

static int64_t product_macs(const Graph *g, const Node *n, bool transposed)
{
    const TensorType *a = type_of(g, n->in[0]);
    int64_t depth = a->rank ? a->dims[a->rank - (transposed ? 2 : 1)] : 1;
    return saturating_mul(type_count(type_of(g, n->out[0])), depth);
}

/* X [steps, batch, inputs]; W and R hold all directions and gates. */
static int64_t recurrent_macs(const Graph *g, const Node *n)
{
    const TensorType *x = type_of(g, n->in[0]);
    int64_t weights = type_count(type_of(g, n->in[2]));
    if (has_value(n->in[1]))
        weights += type_count(type_of(g, n->in[1]));
    return saturating_mul(saturating_mul(x->dims[0], x->dims[1]), weights);
}

int64_t node_macs(const Graph *g, const Node *n)
{
    if (n->op == OP_LSTM || n->op == OP_GRU || n->op == OP_RNN)
        return recurrent_macs(g, n);
    if (!has_value(n->out[0]))
        return 0;
    switch (n->op) {
    case OP_Conv:
    case OP_ConvInteger:
        return conv_macs(g, n, 1);
    case OP_QLinearConv:
        return conv_macs(g, n, 3);
    case OP_ConvTranspose:
        return deconv_macs(g, n);
    case OP_Gemm:
        return product_macs(g, n, attr_int(n, "transA", 0));
    case OP_MatMul:
    case OP_MatMulInteger:
    case OP_QLinearMatMul:
        return product_macs(g, n, false);
    default:
        return 0;
    }
}
