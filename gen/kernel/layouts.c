/* In which layouts the portable C target computes. */
#include "../ops/ops.h"
#include "../ops/rnn.h"
#include "kernel.h"

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

static bool is_unblocked(const Layout *l)
{
    return l->block == 0;
}

/* Operands of the output's shape lie as it does; the others are plain, and walked by their strides. */
static bool eltwise_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    const TensorType *shape = type_of(g, n->out[0]);
    if (out->block)
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
    const OpOrder order = op_info(op)->order;
    return order == ORDER_STRIDES || order == ORDER_PERMUTES;
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
    if (op_info(n->op)->class == CLASS_POOL)
        return c_pool_layouts(g, n, &in[0], &out[0]);
    if (c_conv_last(g, n)) {
        Layout last = layout_nxc(type_of(g, n->in[0])->rank);
        if (c_conv_last(g, n) == CONV_LAST_IMAGE)
            return layout_is_plain(&in[0]) && layout_equal(&out[0], &last);
        bool row_major = layout_is_plain(&out[0]) && c_conv_last(g, n) == CONV_LAST_FEW;
        return layout_equal(&in[0], &last) && (layout_equal(&out[0], &last) || row_major);
    }
    bool moves =
        op_info(n->op)->class == CLASS_MOVE; /* others may fill their result from end to end */
    return unblocked && c_works_by_strides(n->op) && (moves || !out[0].pitch);
}

bool c_wants_constant(const Graph *g, const Node *n, int lanes, const Layout *src,
                      const Layout *dst, uint32_t k, Layout *layout)
{
    const Layout last = layout_nxc(src->rank);
    if (k == 1 && c_conv_last(g, n) &&
        layout_equal(c_conv_last(g, n) == CONV_LAST_IMAGE ? dst : src, &last)) {
        *layout = c_conv_weights_last(g, n);
        return true;
    }
    if (op_info(n->op)->class != CLASS_RECURRENT || (k != RNN_W && k != RNN_R) ||
        !c_rnn_transposes_weights(g, n))
        return false;
    *layout = c_rnn_takes_panels(g, n, lanes) ? layout_nCxc(3, RNN_PANEL) : layout_nxc(3);
    return true;
}
