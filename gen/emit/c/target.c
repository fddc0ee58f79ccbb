/* What the portable C target computes: which nodes, in which layouts, with how much scratch memory. */
#include "../../conv_flat.h"
#include "../../rnn.h"
#include "helpers.h"
#include "nn.h"
#include "ops.h"

/* Bytes and f32, with one scale. */
static bool quantises_whole(const Graph *g, const Node *n)
{
    bool q = n->op == OP_QuantizeLinear;
    DType real = type_of(g, q ? n->in[0] : n->out[0])->dtype,
          byte = type_of(g, q ? n->out[0] : n->in[0])->dtype;
    return real == DT_F32 && (byte == DT_U8 || byte == DT_I8) &&
           type_of(g, n->in[1])->dtype == DT_F32 && type_count(type_of(g, n->in[1])) == 1 &&
           (!has_value(node_in(n, 2)) || type_count(type_of(g, n->in[2])) == 1);
}

bool c_can_fuse(const Graph *g, const Node *n)
{
    const char *why;
    if (n->op == OP_QuantizeLinear || n->op == OP_DequantizeLinear)
        return quantises_whole(g, n);
    return op_info(n->op)->class == CLASS_ELTWISE && c_target_supports(g, n, &why);
}

/* The kernels outside the classes that are not neural-network layers; their shape functions have checked all. */
static bool goes_along_an_axis(Op op)
{
    return op == OP_CumSum || op == OP_TopK || op == OP_Einsum || op == OP_Det;
}

bool c_target_supports(const Graph *g, const Node *n, const char **why)
{
    const OpInfo *info = op_info(n->op);
    *why = NULL;
    if (!info->emit_c) {
        *why = "the portable C target has no kernel for this operator";
        return false;
    }
    switch (info->class) {
    case CLASS_ELTWISE:
        return c_eltwise_supports(g, n, why);
    case CLASS_MOVE:
        return c_move_supports(g, n, why);
    case CLASS_REDUCE:
        return true;
    case CLASS_OTHER:
        break;
    }
    return goes_along_an_axis(n->op) || c_nn_supports(g, n, why);
}

size_t c_scratch_bytes(const Graph *g, const Node *n, const Layout *in)
{
    size_t bytes = c_reduce_scratch_bytes(g, n);
    return bytes ? bytes : c_nn_scratch_bytes(g, n, in);
}

/* A row of sums. */
bool c_scratch_by_threads(const Graph *g, const Node *n)
{
    ConvShape s;
    ConvFlat flat;
    return conv_flat_plan(g, n, &s, &flat) || n->op == OP_Resize || n->op == OP_MaxPool ||
           n->op == OP_AveragePool || n->op == OP_LpPool;
}

static bool is_unblocked(const Layout *l)
{
    return l->block == 0;
}

/* Operands of the output's shape lie as it does; the others are plain, and walked by their strides. A partial block is not
 * accepted: its padding would have to stay zero. */
static bool eltwise_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    const TensorType *shape = type_of(g, n->out[0]);
    if (out->block && shape->dims[out->block_dim] % out->block)
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        bool full = same_shape(type_of(g, n->in[i]), shape);
        Layout have = layout_dense(&in[i]), want = layout_dense(out);
        if (full ? !layout_equal(&have, &want) : !layout_is_plain(&in[i]))
            return false;
    }
    return true;
}

bool c_works_by_strides(Op op)
{
    switch (op) {
    case OP_Transpose:
    case OP_Slice:
    case OP_Concat:
    case OP_Split:
    case OP_Pad:
    case OP_Expand:
    case OP_Tile:
        return true;
    default:
        return op_info(op)->emit_c == op_info(OP_ReduceSum)->emit_c;
    }
}

bool c_accepts_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    bool plain = true, unblocked = true;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i])) {
            plain &= layout_is_plain(&in[i]);
            unblocked &= is_unblocked(&in[i]);
        }
    for (uint32_t o = 0; o < n->n_out; o++)
        if (has_value(n->out[o])) {
            plain &= layout_is_plain(&out[o]);
            unblocked &= is_unblocked(&out[o]);
        }
    if (plain)
        return true;
    if (op_info(n->op)->class == CLASS_ELTWISE)
        return eltwise_layouts(g, n, in, out);
    const bool linear = n->op == OP_QuantizeLinear || n->op == OP_DequantizeLinear;
    if (n->op == OP_DynamicQuantizeLinear ||
        (linear && type_count(type_of(g, n->in[1])) == 1)) /* a loop over all elements */
        return !in[0].pitch && !in[0].block && layout_equal(&in[0], &out[0]);
    if (n->op == OP_Resize)
        return c_resize_layouts(g, n, &in[0], &out[0]);
    if (n->op == OP_Conv && c_conv_last(g, n)) {
        Layout last = layout_nxc(4);
        bool row_major = layout_is_plain(&out[0]) && c_conv_last(g, n) == CONV_LAST_FEW;
        return layout_equal(&in[0], &last) && (layout_equal(&out[0], &last) || row_major);
    }
    bool moves =
        op_info(n->op)->class == CLASS_MOVE; /* others may fill their result from end to end */
    return unblocked && c_works_by_strides(n->op) && (moves || !out[0].pitch);
}

bool c_wants_constant(const Graph *g, const Node *n, const Layout *src, uint32_t k, Layout *layout)
{
    Layout last = layout_nxc(4);
    if (n->op == OP_Conv && k == 1 && layout_equal(src, &last)) {
        *layout = c_conv_weights_last(g, n);
        return true;
    }
    bool recurrent = n->op == OP_LSTM || n->op == OP_GRU || n->op == OP_RNN;
    if (!recurrent || (k != RNN_W && k != RNN_R) || !c_rnn_turns_weights(g, n))
        return false;
    *layout = layout_nxc(3);
    return true;
}
