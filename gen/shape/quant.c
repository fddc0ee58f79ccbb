/* Shapes of quantisation: scale and zero point are one number each, or one per element of `axis`.
 */
#include "shape.h"

static bool quant_params(const Graph *g, const Node *n)
{
    const TensorType *src = in_type(g, n, 0), *scale = in_type(g, n, 1), *zero = in_type(g, n, 2);
    bool per_tensor = scale->rank == 0 || (scale->rank == 1 && scale->dims[0] == 1);
    if (!check_kind(g, n, 1, "scale", TYPES_FLOAT))
        return false;
    if (scale->rank > 1)
        return refuse_node(g, n, "scale has shape %s: quantisation in blocks is not supported",
                           shape_text(g, scale));
    /* for one number the axis has no meaning: ONNX's default of 1 may lie outside */
    const int64_t axis = attr_int(n, "axis", 0);
    if (!per_tensor && !node_attr(n, "axis"))
        return refuse_node(g, n, "attribute 'axis' is missing");
    if (!check_range(g, n, "axis", axis, 0, per_tensor ? MAX_RANK : src->rank - 1) ||
        (!per_tensor && !check_dims(g, n, 1, "scale", 1, &src->dims[axis])))
        return false;
    if (zero && per_tensor)
        return check_scalar_or_vector(g, n, 2, "zero point", -1);
    return check_dims(g, n, 2, "zero point", 1, scale->dims);
}

static bool quantised_type(DType t)
{
    return t == DT_I8 || t == DT_U8 || t == DT_I16 || t == DT_U16;
}

bool shape_quantize_linear(Graph *g, const Node *n, TensorType *out)
{
    const int64_t to = attr_int(n, "to", 0);
    if (!quantised_type((DType)to))
        return refuse_node(g, n, "quantises to ONNX type %d, which is not supported", (int)to);
    const TensorType *src = in_type(g, n, 0);
    if (src->dtype != DT_I32 && !check_kind(g, n, 0, "src", TYPES_FLOAT))
        return false;
    return check_dtype(g, n, 2, "zero point", (DType)to) && quant_params(g, n) &&
           set_type(g, n, out, (DType)to, src->rank, src->dims);
}

bool shape_dequantize_linear(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    if (!quantised_type(src->dtype) && src->dtype != DT_I32)
        return refuse_node(g, n, "src of type %s is not supported", dtype_name(src->dtype));
    return check_dtype(g, n, 2, "zero point", src->dtype) && quant_params(g, n) &&
           set_type(g, n, out, in_type(g, n, 1)->dtype, src->rank, src->dims);
}

/* dst u8, scale f32, zero point u8 */
bool shape_dynamic_quantize_linear(Graph *g, const Node *n, TensorType *out)
{
    if (!check_dtype(g, n, 0, "src", DT_F32))
        return false;
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, &out[0], DT_U8, src->rank, src->dims) &&
           set_type(g, n, &out[1], DT_F32, 0, NULL) && set_type(g, n, &out[2], DT_U8, 0, NULL);
}
