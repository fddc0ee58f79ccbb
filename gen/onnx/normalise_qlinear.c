/* ONNX Runtime's quantised operators (domain com.microsoft): dequantise, compute, quantise. The quantisation passes
 * find integer forms in that. */
#include "table.h"

/* A number for the whole tensor, or for each channel of axis. */
static ValueId parameter(OnnxNode *c, uint32_t k)
{
    ValueId v = in_at(c, k);
    return has_value(v) && type_count(type_of(c->g, v)) == 1 ? reshape(c, v, 0, NULL) : v;
}

/* Input k, with scale and zero point at the two inputs after `scale`. */
static ValueId dequantized(OnnxNode *c, uint32_t k, uint32_t scale)
{
    return emit(c, OP_DequantizeLinear,
                IN(in_at(c, k), parameter(c, scale), parameter(c, scale + 1)),
                ATTRS(ATTR_I("axis", 0)));
}

static bool finish_quantized(OnnxNode *c, ValueId v, uint32_t scale, DType to)
{
    ValueId zero = parameter(c, scale + 1);
    return finish(c, 0, OP_QuantizeLinear, IN(v, parameter(c, scale), zero),
                  ATTRS(ATTR_I("axis", 0), ATTR_I("to", has_value(zero) ? dtype_of(c, zero) : to)));
}

/* All scales and zero points but those listed must be one number. */
static bool one_number(OnnxNode *c, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k <= last && k < c->n_in; k++)
        if (has_in(c, k) && type_count(type_in(c, k)) != 1)
            return refuse_onnx(c, "input %u must be one number", k);
    return true;
}

/* The inputs at these positions must be there; zero points may be absent. */
static bool need(OnnxNode *c, const uint32_t *at, size_t n, uint32_t max)
{
    if (!need_inputs(c, 0, max))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!has_in(c, at[i]))
            return refuse_onnx(c, "input %u is missing", at[i]);
    return true;
}
#define NEED(max, ...)                                                                             \
    need(c, (const uint32_t[]){__VA_ARGS__}, COUNT_OF(((const uint32_t[]){__VA_ARGS__})), max)

/* A, A_scale, A_zero, B, B_scale, B_zero, C_scale, C_zero */
bool norm_qlinear_binary(OnnxNode *c)
{
    if (!NEED(8, 0, 1, 3, 4, 6) || !one_number(c, 1, 2) || !one_number(c, 4, 7))
        return false;
    ValueId v =
        as_onnx(c, op_info(c->row->op)->name, IN(dequantized(c, 0, 1), dequantized(c, 3, 4)));
    return finish_quantized(c, v, 6, type_in(c, 0)->dtype);
}

/* X, X_scale, X_zero, Y_scale, Y_zero */
bool norm_qlinear_unary(OnnxNode *c)
{
    if (!NEED(5, 0, 1, 3) || !one_number(c, 1, 4))
        return false;
    ValueId v = as_onnx(c, op_info(c->row->op)->name, IN(dequantized(c, 0, 1)));
    return finish_quantized(c, v, 3, type_in(c, 0)->dtype);
}

bool norm_qlinear_softmax(OnnxNode *c)
{
    if (!NEED(5, 0, 1, 3) || !one_number(c, 1, 4))
        return false;
    int rank = type_in(c, 0)->rank;
    int axis = get_axis(c, "axis", -1, rank);
    bool old = get_int(c, "opset", 13) < 13;
    ValueId v = emit(c, OP_Softmax, IN(dequantized(c, 0, 1)),
                     ATTRS(ATTR_I("axis", axis), ATTR_I("axis_end", old ? rank : axis + 1)));
    return finish_quantized(c, v, 3, type_in(c, 0)->dtype);
}

/* QLinearAveragePool and QLinearGlobalAveragePool, of [N, C, …] or, with channels_last, [N, …, C]. */
bool norm_qlinear_pool(OnnxNode *c)
{
    if (!NEED(5, 0, 1, 3) || !one_number(c, 1, 4))
        return false;
    const bool last = get_int(c, "channels_last", 0) != 0;
    const int rank = type_in(c, 0)->rank;
    if (rank < 3)
        return refuse_onnx(c, "its input has rank %d", rank);
    ValueId v = dequantized(c, 0, 1);
    v = last ? channels_first(c, v) : v;
    if (c->row->op == OP_ReduceMean) {
        int64_t axes[MAX_RANK];
        for (int d = 2; d < rank; d++)
            axes[d - 2] = d;
        v = reduce(c, OP_ReduceMean, v, axes, (size_t)rank - 2, true);
    } else {
        v = as_onnx(c, "AveragePool", IN(v));
    }
    return finish_quantized(c, last ? channels_last(c, v) : v, 3, type_in(c, 0)->dtype);
}

/* Y_scale, Y_zero, then X, X_scale, X_zero for each operand */
bool norm_qlinear_concat(OnnxNode *c)
{
    if (c->n_in < 5 || (c->n_in - 2) % 3 || !need_inputs(c, c->n_in, c->n_in))
        return refuse_onnx(c, "has %u inputs", c->n_in);
    uint32_t n = (c->n_in - 2) / 3;
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, n);
    for (uint32_t k = 0; k < n; k++) {
        if (!one_number(c, 3 * k + 3, 3 * k + 4))
            return false;
        in[k] = dequantized(c, 3 * k + 2, 3 * k + 3);
    }
    ValueId v = as_onnx(c, "Concat", in, n);
    return ok(c) && one_number(c, 0, 1) && finish_quantized(c, v, 0, type_in(c, 2)->dtype);
}

/* data, data_scale, data_zero, reduced_scale, reduced_zero */
bool norm_qlinear_reduce_mean(OnnxNode *c)
{
    return NEED(5, 0, 1, 3) && one_number(c, 1, 4) &&
           finish_quantized(c, as_onnx(c, "ReduceMean", IN(dequantized(c, 0, 1))), 3,
                            type_in(c, 0)->dtype);
}

/* condition, X, X_scale, X_zero, Y, Y_scale, Y_zero, Z_scale, Z_zero */
bool norm_qlinear_where(OnnxNode *c)
{
    if (!NEED(9, 0, 1, 2, 4, 5, 7) || !one_number(c, 2, 3) || !one_number(c, 5, 8))
        return false;
    ValueId v =
        emit(c, OP_Where, IN(in_at(c, 0), dequantized(c, 1, 2), dequantized(c, 4, 5)), NULL);
    return finish_quantized(c, v, 7, type_in(c, 1)->dtype);
}

/* A·B of integers as floats: i32 · (a_scale · b_scale) [+ bias]; in f32 first where the result is half as wide, since the integer leaves its range. */
static bool finish_scaled(OnnxNode *c, ValueId product, ValueId a_scale, ValueId b_scale,
                          uint32_t bias)
{
    const DType dtype = dtype_of(c, b_scale), wide = dtype == DT_F64 ? DT_F64 : DT_F32;
    const ValueId scale = mul(c, cast(c, a_scale, wide), cast(c, b_scale, wide));
    ValueId v = mul(c, cast(c, product, wide), scale);
    if (has_in(c, bias))
        v = add(c, v, cast(c, in_at(c, bias), wide));
    return alias(c, 0, cast(c, v, dtype));
}

/* A, B, b_scale, b_zero, bias */
bool norm_dynamic_quantize_matmul(OnnxNode *c)
{
    ValueId a[3];
    if (!NEED(5, 0, 1, 2) || !emit_all(c, 3, OP_DynamicQuantizeLinear, IN(in_at(c, 0)), NULL, a))
        return false;
    ValueId v = emit(c, OP_MatMulInteger, IN(a[0], in_at(c, 1), a[2], parameter(c, 3)), NULL);
    return finish_scaled(c, v, a[1], parameter(c, 2), 4);
}

/* A, B, a_scale, b_scale, a_zero, b_zero, bias */
bool norm_matmul_integer_to_float(OnnxNode *c)
{
    if (!NEED(7, 0, 1, 2, 3))
        return false;
    ValueId v = emit(c, OP_MatMulInteger,
                     IN(in_at(c, 0), in_at(c, 1), parameter(c, 4), parameter(c, 5)), NULL);
    return finish_scaled(c, v, parameter(c, 2), parameter(c, 3), 6);
}

/* A, a_scale, a_zero, B, b_scale, b_zero, C (i32, of scale a·b), y_scale, y_zero; without y_scale the result is float */
bool norm_qgemm(OnnxNode *c)
{
    if (!NEED(9, 0, 1, 3, 4) || !one_number(c, 1, 2) || !one_number(c, 7, 8))
        return false;
    bool trans_b = get_int(c, "transB", 0) != 0;
    ValueId a = dequantized(c, 0, 1), scale = parameter(c, 4), bias = in_at(c, 6);
    ValueId b = emit(c, OP_DequantizeLinear, IN(in_at(c, 3), scale, parameter(c, 5)),
                     ATTRS(ATTR_I("axis", trans_b ? 0 : 1)));
    if (has_value(bias))
        bias = mul(c, cast(c, bias, DT_F32),
                   mul(c, const_scalar(c, DT_F32, get_float(c, "alpha", 1)),
                       mul(c, parameter(c, 1), scale)));
    ValueId v = emit(c, OP_Gemm, IN(a, b, bias),
                     read_attrs(c, OP_Gemm, "alpha=1 transA=0 transB=0", ATTRS(ATTR_F("beta", 1))));
    return has_in(c, 7) ? finish_quantized(c, v, 7, type_in(c, 0)->dtype) : alias(c, 0, v);
}
