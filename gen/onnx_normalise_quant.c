/* ONNX's own quantised operators. */
#include "onnx_table.h"

/* One scale for the whole tensor is a scalar, however it is written; else it runs along the axis. */
static bool scale_axis(OnnxNode *c, int *axis, ValueId *scale, ValueId *zero)
{
    *scale = in_at(c, 1);
    *zero = in_at(c, 2);
    int rank = type_in(c, 0)->rank;
    if (get_int(c, "block_size", 0))
        return refuse_onnx(c, "scales for blocks are not supported");
    if (type_count(type_in(c, 1)) == 1) {
        *axis = 0;
        *scale = reshape(c, *scale, 0, NULL);
        if (has_value(*zero) && type_count(type_in(c, 2)) == 1)
            *zero = reshape(c, *zero, 0, NULL);
        return ok(c);
    }
    *axis = get_axis(c, "axis", 1, rank);
    if (ok(c) && (type_in(c, 1)->rank != 1 || type_in(c, 1)->dims[0] != type_in(c, 0)->dims[*axis]))
        return refuse_onnx(c, "scale %s does not belong to axis %d of %s",
                           type_text(c->arena, type_in(c, 1)), *axis,
                           type_text(c->arena, type_in(c, 0)));
    return ok(c);
}

bool norm_quantize(OnnxNode *c)
{
    int axis;
    ValueId scale, zero;
    if (!need_inputs(c, 2, 3) || !scale_axis(c, &axis, &scale, &zero))
        return false;
    int64_t asked = get_int(c, "output_dtype", 0);
    DType to = has_value(zero) ? type_in(c, 2)->dtype : DT_U8;
    const char *where =
        arena_printf(c->arena, "node %u '%s' (%s)", c->index, c->p->name, c->p->op_type);
    if (asked && !onnx_dtype(c->im, asked, where, &to))
        return false;
    if (asked && has_value(zero) && type_in(c, 2)->dtype != to)
        return refuse_onnx(c, "output_dtype is not the zero point's type");
    return finish(c, 0, OP_QuantizeLinear, IN(in_at(c, 0), scale, zero),
                  ATTRS(ATTR_I("axis", axis), ATTR_I("to", to)));
}

bool norm_dequantize(OnnxNode *c)
{
    int axis;
    ValueId scale, zero;
    return need_inputs(c, 2, 3) && scale_axis(c, &axis, &scale, &zero) &&
           finish(c, 0, OP_DequantizeLinear, IN(in_at(c, 0), scale, zero),
                  ATTRS(ATTR_I("axis", axis)));
}

bool norm_dynamic_quantize(OnnxNode *c)
{
    ValueId out[3];
    if (!need_inputs(c, 1, 1))
        return false;
    if (wants(c, 0) && wants(c, 1) && wants(c, 2))
        return finish_all(c, 3, OP_DynamicQuantizeLinear, IN(in_at(c, 0)), NULL);
    if (!emit_all(c, 3, OP_DynamicQuantizeLinear, IN(in_at(c, 0)), NULL, out))
        return false;
    for (uint32_t k = 0; k < 3; k++)
        alias(c, k, out[k]);
    return true;
}

/* ConvInteger and QLinearConv: the geometry of Conv. */
bool norm_conv_integer(OnnxNode *c)
{
    OnnxWindow w;
    bool q = c->row->op == OP_QLinearConv;
    uint32_t weights = q ? 3 : 1;
    ValueId in[9];
    if (!need_inputs(c, q ? 8 : 2, q ? 9 : 4))
        return false;
    if (type_in(c, weights)->rank != type_in(c, 0)->rank || type_in(c, weights)->rank < 3)
        return refuse_onnx(c, "source and weights do not belong together");
    if (!onnx_window(c, type_in(c, 0), type_in(c, weights)->dims + 2, &w))
        return false;
    for (uint32_t k = 0; k < c->n_in; k++)
        in[k] = in_at(c, k);
    return finish(c, 0, c->row->op, in, c->n_in,
                  ATTRS(ATTR_IS("strides", w.strides, w.n), ATTR_IS("dilations", w.dilations, w.n),
                        ATTR_IS("pads", w.pads, 2 * w.n), ATTR_I("group", get_int(c, "group", 1))));
}
