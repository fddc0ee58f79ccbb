/* Operators that ONNX once had as experiments, which some converters still write and ONNX Runtime still runs. */
#include "table.h"

static ValueId times(OnnxNode *c, ValueId v, double factor)
{
    return factor == 1 ? v : mul(c, v, const_scalar(c, dtype_of(c, v), factor));
}

/* alpha * x + beta */
bool norm_affine(OnnxNode *c)
{
    ValueId v = times(c, in_at(c, 0), get_float(c, "alpha", 1));
    return finish(c, 0, OP_Add,
                  IN(v, const_scalar(c, type_in(c, 0)->dtype, get_float(c, "beta", 0))), NULL);
}

/* alpha * tanh(beta * x) */
bool norm_scaled_tanh(OnnxNode *c)
{
    ValueId v = emit(c, OP_Tanh, IN(times(c, in_at(c, 0), get_float(c, "beta", 1))), NULL);
    return alias(c, 0, times(c, v, get_float(c, "alpha", 1)));
}

/* alpha * log(1 + exp(beta * x)) */
bool norm_parametric_softplus(OnnxNode *c)
{
    ValueId v = emit(c, OP_Softplus, IN(times(c, in_at(c, 0), get_float(c, "beta", 1))), NULL);
    return alias(c, 0, times(c, v, get_float(c, "alpha", 1)));
}

/* scale * x + bias[channel] */
bool norm_image_scaler(OnnxNode *c)
{
    size_t n;
    const double *bias = get_floats(c, "bias", &n);
    const TensorType t = *type_in(c, 0);
    if (t.rank != 4 || (bias && (int64_t)n != t.dims[1]))
        return refuse_onnx(c, "its bias does not belong to %s", type_text(c->arena, &t));
    ValueId v = times(c, in_at(c, 0), get_float(c, "scale", 1));
    if (!bias)
        return alias(c, 0, v);
    const TensorType each = {.dtype = t.dtype, .rank = 4, .dims = {1, t.dims[1], 1, 1}};
    void *data = arena_alloc(c->arena, type_bytes(&each) + 1);
    for (size_t i = 0; i < n; i++)
        elem_set_f64(t.dtype, data, i, bias[i]);
    return finish(c, 0, OP_Add, IN(v, emit_const(c, each, data)), NULL);
}

/* border: left, top, right, bottom. With scale (height, width) this size from there on, whatever right and bottom are. */
bool norm_crop(OnnxNode *c)
{
    size_t n, n_scale;
    const int64_t *border = get_ints(c, "border", &n), *scale = get_ints(c, "scale", &n_scale);
    const TensorType t = *type_in(c, 0);
    if (!border || n != 4 || t.rank != 4 || (scale && n_scale != 2))
        return refuse_onnx(c, "its border or scale is invalid");
    ValueId v = in_at(c, 0);
    for (int i = 0; i < 2; i++) { /* height, width */
        const int64_t all = t.dims[2 + i], from = border[1 - i], to = border[3 - i];
        const bool inside = from >= 0 && from <= all && to >= 0 && to <= all - from;
        const int64_t size = scale ? scale[i] : inside ? all - from - to : -1;
        if (from < 0 || from > all || size < 1 || size > all - from)
            return refuse_onnx(c, "it cuts off more than there is");
        v = slice_axis(c, v, 2 + i, from, size);
    }
    return alias(c, 0, v);
}

/* x * scale */
bool norm_scale(OnnxNode *c)
{
    return alias(c, 0, times(c, in_at(c, 0), get_float(c, "scale", 1)));
}
