/* Reference quantisation. Integer sums are exact in double; scales are applied in float, as ONNX's
 * definition and its implementations do, because the rounding to integers that follows makes the
 * difference visible. */
#include "nn.h"

#include <math.h>
#include <string.h>

/* Rounds half to even, moves by the zero point, saturates. NaN gives the lowest value. */
static double quantise(DType t, float x, double zero)
{
    double q = (double)rintf(x) + zero;
    const double low = (double)dtype_lowest(t), high = (double)dtype_highest(t);
    return q > low ? fmin(high, q) : low;
}

/* Scales and zero points are single numbers or one for each index along an axis. */
typedef struct PerAxis {
    const double *v;
    int64_t n, inner;
} PerAxis;

static PerAxis per_axis(const Eval *e, uint32_t k, int64_t inner)
{
    PerAxis p = {eval_wide(e, k), 1, inner};
    if (p.v)
        p.n = type_count(&eval_in(e, k)->type);
    else
        p.v = eval_zeros(e, 1);
    return p;
}

static double at(const PerAxis *p, int64_t i)
{
    return p->n <= 1 ? p->v[0] : p->v[i / p->inner % p->n];
}

/* How many elements one index along attribute `axis` spans. */
static int64_t axis_inner(const Eval *e)
{
    const TensorType *t = &e->in[0]->type;
    return dims_product(t, (int)attr_int(e->node, "axis", 1) + 1, t->rank);
}

bool eval_quantize_linear(Eval *e)
{
    DType to = e->out[0]->type.dtype;
    double *x = eval_wide(e, 0);
    PerAxis scale = per_axis(e, 1, axis_inner(e)), zero = per_axis(e, 2, axis_inner(e));
    for (int64_t i = 0; i < type_count(&e->in[0]->type); i++)
        x[i] = quantise(to, (float)x[i] / (float)at(&scale, i), at(&zero, i));
    eval_store(e, 0, x);
    return true;
}

bool eval_dequantize_linear(Eval *e)
{
    double *x = eval_wide(e, 0);
    PerAxis scale = per_axis(e, 1, axis_inner(e)), zero = per_axis(e, 2, axis_inner(e));
    for (int64_t i = 0; i < type_count(&e->in[0]->type); i++)
        x[i] = (x[i] - at(&zero, i)) * at(&scale, i);
    eval_store(e, 0, x);
    return true;
}

/* The range always contains 0, so that 0 has an exact representation. */
float dynamic_quantise(double *x, int64_t n, double *zero)
{
    float min = 0, max = 0;
    for (int64_t i = 0; i < n; i++) {
        min = fminf(min, (float)x[i]);
        max = fmaxf(max, (float)x[i]);
    }
    const float scale = max == min ? 1 : (max - min) / 255;
    *zero = fmax(0, fmin(255, (double)rintf(-min / scale)));
    for (int64_t i = 0; i < n; i++)
        x[i] = quantise(DT_U8, (float)x[i] / scale, *zero);
    return scale;
}

bool eval_dynamic_quantize_linear(Eval *e)
{
    double *x = eval_wide(e, 0), zero;
    const double scale = (double)dynamic_quantise(x, type_count(&e->in[0]->type), &zero);
    eval_store(e, 0, x);
    eval_store(e, 1, &scale);
    eval_store(e, 2, &zero);
    return true;
}

/* Sums wrap modulo 2^32. */
static void store_i32(const Eval *e, const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        elem_set_i64(DT_I32, e->out[0]->data, (size_t)i, (int64_t)v[i]);
}

bool eval_conv_integer(Eval *e)
{
    const TensorType *w = &e->in[1]->type;
    ConvShape s = conv_shape(e->node, &e->in[0]->type, w, &e->out[0]->type);
    int64_t n = type_count(&e->out[0]->type), filter = s.c * s.w.kernel_size;
    double *dst = eval_zeros(e, n);
    eval_conv_core(&s, eval_wide_centred(e, 0, 2, 1),
                   eval_wide_centred(e, 1, 3, filter > 0 ? filter : 1), dst);
    store_i32(e, dst, n);
    return true;
}

/* Inputs: x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias. */
bool eval_qlinear_conv(Eval *e)
{
    const TensorType *out = &e->out[0]->type;
    ConvShape s = conv_shape(e->node, &e->in[0]->type, &e->in[3]->type, out);
    int64_t n = type_count(out), filter = s.c * s.w.kernel_size, plane = s.w.dst_size;
    double *dst = eval_zeros(e, n);
    eval_conv_core(&s, eval_wide_centred(e, 0, 2, 1),
                   eval_wide_centred(e, 3, 5, filter > 0 ? filter : 1), dst);
    PerAxis x_scale = per_axis(e, 1, 1), w_scale = per_axis(e, 4, plane);
    PerAxis y_scale = per_axis(e, 6, 1), y_zero = per_axis(e, 7, 1), bias = per_axis(e, 8, plane);
    for (int64_t i = 0; i < n; i++) {
        float scale = (float)x_scale.v[0] * (float)at(&w_scale, i) / (float)y_scale.v[0];
        dst[i] = quantise(out->dtype, (float)(dst[i] + at(&bias, i)) * scale, y_zero.v[0]);
    }
    eval_store(e, 0, dst);
    return true;
}

/* The exact integer product of inputs a and b less their zero points: a's by row, b's by column. */
static double *integer_product(const Eval *e, uint32_t a, uint32_t a_zero, uint32_t b,
                               uint32_t b_zero, MatMulShape *s)
{
    *s = matmul_shape(&e->in[a]->type, &e->in[b]->type);
    double *x = eval_wide(e, a), *y = eval_wide(e, b);
    double *dst = eval_zeros(e, s->batch * s->m * s->n);
    PerAxis x_zero = per_axis(e, a_zero, s->k), y_zero = per_axis(e, b_zero, 1);
    bool by_matrix = y_zero.n > s->n; /* [..., 1, n] */
    for (int64_t i = 0; i < s->batch * s->m * s->n; i++) {
        int64_t at_a, at_b, row = i / s->n % s->m, column = i % s->n;
        matmul_operands(s, i / (s->m * s->n), &at_a, &at_b);
        double zero_a = at(&x_zero, (at_a * s->m + row) * s->k);
        double zero_b = at(&y_zero, by_matrix ? at_b * s->n + column : column);
        for (int64_t k = 0; k < s->k; k++)
            dst[i] += (x[(at_a * s->m + row) * s->k + k] - zero_a) *
                      (y[(at_b * s->k + k) * s->n + column] - zero_b);
    }
    return dst;
}

bool eval_matmul_integer(Eval *e)
{
    MatMulShape s;
    double *dst = integer_product(e, 0, 2, 1, 3, &s);
    store_i32(e, dst, s.batch * s.m * s.n);
    return true;
}

/* Inputs: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero. */
bool eval_qlinear_matmul(Eval *e)
{
    MatMulShape s;
    double *dst = integer_product(e, 0, 2, 3, 5, &s);
    PerAxis a_scale = per_axis(e, 1, 1), b_scale = per_axis(e, 4, 1);
    PerAxis y_scale = per_axis(e, 6, 1), y_zero = per_axis(e, 7, 1);
    bool by_matrix = b_scale.n > s.n;
    for (int64_t i = 0; i < s.batch * s.m * s.n; i++) {
        int64_t at_a, at_b, row = i / s.n, column = i % s.n;
        matmul_operands(&s, i / (s.m * s.n), &at_a, &at_b);
        float scale = (float)at(&a_scale, at_a * s.m + row % s.m) *
                      (float)at(&b_scale, by_matrix ? at_b * s.n + column : column) /
                      (float)at(&y_scale, row);
        dst[i] = quantise(e->out[0]->type.dtype, (float)dst[i] * scale, at(&y_zero, row));
    }
    eval_store(e, 0, dst);
    return true;
}
