/* Which neural-network operators the portable C target takes, and their scratch memory. */
#include "nn.h"

#include <string.h>

/* Everything the kernels index is an int or fits in ptrdiff_t of a 32-bit machine's reach; enumeration constants are
 * ints. */
static bool sizes_fit(const TensorType *t)
{
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] > INT32_MAX)
            return false;
    return type_count(t) <= INT32_MAX;
}

static bool says(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

static bool check_types(const Graph *g, const Node *n, const char **why)
{
    for (uint32_t i = 0; i < n->n_in; i++) {
        if (!has_value(n->in[i]))
            continue;
        if (!sizes_fit(type_of(g, n->in[i])))
            return says(why, "the C kernel takes at most 2^31 elements");
    }
    for (uint32_t i = 0; i < n->n_out; i++)
        if (has_value(n->out[i]) && !sizes_fit(type_of(g, n->out[i])))
            return says(why, "the C kernel makes at most 2^31 elements");
    return true;
}

/* Nothing to work on, and yet a result is due. */
static bool reads_nothing(const Graph *g, const Node *n)
{
    int64_t results = 0;
    for (uint32_t i = 0; i < n->n_out; i++)
        results += has_value(n->out[i]) ? type_count(type_of(g, n->out[i])) : 0;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i]) && type_count(type_of(g, n->in[i])) == 0)
            return results > 0;
    return false;
}

bool c_nn_supports(const Graph *g, const Node *n, const char **why)
{
    switch (n->op) {
    case OP_Conv:
    case OP_ConvInteger:
    case OP_QLinearConv:
    case OP_ConvTranspose:
    case OP_MaxPool:
    case OP_AveragePool:
    case OP_LpPool:
        if (type_of(g, n->in[0])->rank > 5)
            return says(why, "the C kernel takes at most three spatial dimensions");
        break;
    case OP_Resize:
        if (!dtype_is_float(type_of(g, n->in[0])->dtype) &&
            strcmp(attr_string(n, "mode", "nearest"), "nearest") != 0)
            return says(why, "the C kernel interpolates floats only");
        if (type_of(g, n->in[0])->rank == 0)
            return says(why, "there is nothing to resize in a scalar");
        break;
    case OP_GridSample:
        if (type_of(g, n->in[0])->rank > 5)
            return says(why, "the C kernel takes at most three spatial dimensions");
        break;
    case OP_QuantizeLinear:
        if (type_of(g, n->out[0])->dtype == DT_I32)
            return says(why, "the C kernel quantises to 8 and 16 bits");
        break;
    case OP_LayerNormalization:
    case OP_RMSNormalization:
        if (!has_value(n->out[0]))
            return says(why, "the C kernel computes the first output");
        break;
    case OP_Gemm:
        if (!dtype_is_float(type_of(g, n->in[0])->dtype) &&
            (attr_float(n, "alpha", 1) != 1 || attr_float(n, "beta", 1) != 1))
            return says(why, "the C kernel takes an integer Gemm with alpha and beta 1 only");
        break;
    default:
        break;
    }
    if (reads_nothing(g, n))
        return says(why, "an input has no elements");
    return check_types(g, n, why);
}

size_t c_nn_scratch_bytes(const Graph *g, const Node *n, const Layout *in)
{
    switch (n->op) {
    case OP_Conv:
    case OP_ConvInteger:
    case OP_QLinearConv:
        return c_scratch_conv(g, n);
    case OP_ConvTranspose:
        return c_scratch_conv_transpose(g, n);
    case OP_MaxPool:
    case OP_AveragePool:
    case OP_LpPool:
        return c_scratch_pool(g, n);
    case OP_Resize:
        return c_scratch_resize(g, n, in);
    case OP_LSTM:
    case OP_GRU:
    case OP_RNN:
        return c_scratch_rnn(g, n);
    case OP_MatMul:
    case OP_Gemm:
        return c_scratch_matmul(g, n);
    case OP_NonMaxSuppression:
    case OP_Unique:
        return c_scratch_rows(g, n);
    default:
        return 0;
    }
}
