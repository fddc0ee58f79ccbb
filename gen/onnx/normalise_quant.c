/* ONNX's own quantised operators. */
#include "../base/narrow.h"
#include "blocks.h"
#include "table.h"

/* One scale for the whole tensor is a scalar, however it is written; else it runs along the axis. */
static bool scale_axis(OnnxNode *c, int *axis, ValueId *scale, ValueId *zero)
{
    *scale = in_at(c, 1);
    *zero = in_at(c, 2);
    int rank = type_in(c, 0)->rank;
    if (type_count(type_in(c, 1)) == 1 && !get_int(c, "block_size", 0)) {
        *axis = 0;
        *scale = reshape(c, *scale, 0, NULL);
        if (has_value(*zero) && type_count(type_in(c, 2)) == 1)
            *zero = reshape(c, *zero, 0, NULL);
        return ok(c);
    }
    *axis = get_axis(c, "axis", 1, rank);
    return ok(c);
}

/* The type of a QuantizeLinear's result: output_dtype, the zero point's, or u8. */
static bool quantised_type(OnnxNode *c, int64_t *type)
{
    const int64_t asked = get_int(c, "output_dtype", 0);
    int64_t zero = 0;
    if (has_in(c, 2)) {
        zero = onnx_narrow_of(c->im, in_at(c, 2));
        zero = zero ? zero : (int64_t)type_in(c, 2)->dtype;
    }
    if (asked && zero && asked != zero)
        return refuse_onnx(c, "output_dtype is not the zero point's type");
    *type = asked ? asked : zero ? zero : DT_U8;
    return ok(c);
}

/* A scale that broadcasts to input 0; block: of so many elements along the axis, 0 where it is of the whole row. */
static ValueId along(OnnxNode *c, int axis, int64_t block, ValueId scale)
{
    int64_t each[MAX_RANK];
    const TensorType t = *type_in(c, 0);
    if (block)
        return over_elements(c, &t, scale, axis, block);
    if (failed(c) || type_of(c->g, scale)->rank != 1)
        return scale;
    for (int d = 0; d < t.rank; d++)
        each[d] = d == axis ? t.dims[d] : 1;
    return reshape(c, scale, t.rank, each);
}

bool norm_quantize(OnnxNode *c)
{
    int axis;
    int64_t type = DT_U8;
    double low, high;
    ValueId scale, zero, v;
    DType to;
    if (!quantised_type(c, &type))
        return false;
    const bool narrow = onnx_narrow_range(type, &low, &high);
    if (narrow_type(type))
        to = narrow_type(type)->as;
    else if (!onnx_dtype(c->im, type, where_of(c), &to))
        return false;
    if (dtype_is_float(to) && !narrow_type(type))
        return refuse_onnx(c, "to %s is not supported", dtype_name(to));
    const int64_t block = get_int(c, "block_size", 0);
    if (!scale_axis(c, &axis, &scale, &zero))
        return false;
    if (dtype_is_float(to)) {
        v = divide(c, in_at(c, 0), along(c, axis, block, scale));
        if (has_value(zero)) /* 0, which makes 0 of -0 */
            v = add(c, v, cast(c, along(c, axis, block, zero), dtype_of(c, v)));
        return alias(c, 0, narrow_cast(c, v, type));
    }
    if (block) {
        v = quantize_blocks(c, axis, block, to);
    } else {
        const Attr *attrs = ATTRS(ATTR_I("axis", axis), ATTR_I("to", to));
        if (!narrow)
            return finish(c, 0, OP_QuantizeLinear, IN(in_at(c, 0), scale, zero), attrs);
        v = emit(c, OP_QuantizeLinear, IN(in_at(c, 0), scale, zero), attrs);
    }
    if (!narrow)
        return alias(c, 0, v);
    if (!finish(c, 0, OP_Clip, IN(v), ATTRS(ATTR_F("min", low), ATTR_F("max", high))))
        return false;
    if (wants(c, 0))
        onnx_narrow_note(c->im, c->out[0].value, type);
    return true;
}

/* Floats of a byte or less have no zero point but 0. */
static ValueId dequantize_floats(OnnxNode *c, int axis, ValueId scale)
{
    return mul(c, cast(c, in_at(c, 0), dtype_of(c, scale)), along(c, axis, 0, scale));
}

bool norm_dequantize(OnnxNode *c)
{
    int axis;
    ValueId scale, zero, v;
    const int64_t asked = get_int(c, "output_dtype", 0);
    DType to;
    if (failed(c) || (asked && !onnx_dtype(c->im, asked, where_of(c), &to)))
        return false;
    if (!scale_axis(c, &axis, &scale, &zero))
        return false;
    const int64_t block = get_int(c, "block_size", 0);
    if (block) {
        v = dequantize_blocks(c, in_at(c, 0), scale, zero, axis, block);
    } else if (dtype_is_float(type_in(c, 0)->dtype)) {
        v = dequantize_floats(c, axis, scale);
    } else {
        const Attr *attrs = ATTRS(ATTR_I("axis", axis));
        if (!asked || to == dtype_of(c, scale))
            return finish(c, 0, OP_DequantizeLinear, IN(in_at(c, 0), scale, zero), attrs);
        v = emit(c, OP_DequantizeLinear, IN(in_at(c, 0), scale, zero), attrs);
    }
    return alias(c, 0, asked ? cast(c, v, to) : v);
}

bool norm_dynamic_quantize(OnnxNode *c)
{
    ValueId out[3];
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
    const uint32_t weights = c->row->op == OP_QLinearConv ? 3 : 1;
    ValueId in[9];
    const bool last = get_int(c, "channels_last", 0) != 0; /* com.microsoft */
    for (uint32_t k = 0; k < c->n_in; k++)
        in[k] = k == 0 && last ? channels_first(c, in_at(c, k)) : in_at(c, k);
    if (c->row->op == OP_ConvInteger && has_in(c, 2) &&
        type_in(c, 2)->dtype != type_in(c, 0)->dtype)
        return refuse_onnx(c, "the zero point of its source has another type than that");
    if (!conv_window(c, in[0], weights, &w))
        return false;
    const Attr *attrs = ATTRS(CONV_WINDOW(w), ATTR_I("group", get_int(c, "group", 1)));
    if (!last)
        return finish(c, 0, c->row->op, in, c->n_in, attrs);
    return alias(c, 0, channels_last(c, emit(c, c->row->op, in, c->n_in, attrs)));
}
