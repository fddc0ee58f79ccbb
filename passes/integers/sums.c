/* Layers whose operands are bytes, as sums of products of integers: ConvInteger or MatMulInteger, and a bias of i32. */
#include "integers.h"

#include <math.h>
#include <string.h>

static double zero_at(const Integers *m, ValueId zero, int64_t i)
{
    return !has_value(zero)                       ? 0
           : type_count(type_of(m->g, zero)) == 1 ? const_number(m->g, zero, 0)
                                                  : const_number(m->g, zero, i);
}

bool read_weights(const Integers *m, ValueId v, Weights *w)
{
    const Node *n = def_of(m->g, v);
    if (!n || n->op != OP_DequantizeLinear)
        return false;
    *w = (Weights){arg(m, n, 0), arg(m, n, 1), arg(m, n, 2), (int)attr_int(n, "axis", 0)};
    const DType t = type_of(m->g, w->bytes)->dtype;
    return is_const(m->g, w->bytes) && is_const(m->g, w->scale) &&
           (!has_value(w->zero) || is_const(m->g, w->zero)) && (t == DT_I8 || t == DT_U8);
}

/* Filters [rows][depth], less their zero points; matrices are [depth][rows] unless `by_row`. */
typedef struct Filters {
    int64_t rows, depth;
    double *w;
    bool fit; /* signed bytes */
} Filters;

static Filters filters_of(const Integers *m, ValueId bytes, ValueId zero, int64_t rows, bool by_row)
{
    const int64_t count = type_count(type_of(m->g, bytes)), depth = count / rows;
    Filters f = {rows, depth, ARENA_ARRAY(m->g->arena, double, (size_t)count + 1), true};
    for (int64_t i = 0; i < count; i++) {
        const int64_t r = i / depth, d = i % depth;
        f.w[i] = const_number(m->g, bytes, by_row ? i : d * rows + r) - zero_at(m, zero, r);
        f.fit = f.fit && f.w[i] >= INT8_MIN && f.w[i] <= INT8_MAX;
    }
    return f;
}

/* The largest sum of a filter with sources that are less than 256 from their zero point. */
static double largest(const Filters *f)
{
    double most = 0;
    for (int64_t r = 0; r < f->rows; r++) {
        double sum = 0;
        for (int64_t d = 0; d < f->depth; d++)
            sum += 255 * fabs(f->w[r * f->depth + d]);
        most = fmax(most, sum);
    }
    return most;
}

ValueId by_channel(const Integers *m, DType t, const double *v, int64_t n, int rank, int channel)
{
    int64_t dims[MAX_RANK];
    if (n == 1)
        return scalar_const(m->g, t, v[0]);
    const int behind = rank - channel;
    for (int d = 0; d < behind; d++)
        dims[d] = d ? 1 : n;
    return make_const(m->g, "", t, behind, dims, v);
}

static void scales_of(const Integers *m, Sums *s, double by, ValueId scale)
{
    s->by_place = false;
    s->n_scales = type_count(type_of(m->g, scale));
    s->scale = ARENA_ARRAY(m->g->arena, double, (size_t)s->n_scales);
    for (int64_t i = 0; i < s->n_scales; i++)
        s->scale[i] = by * const_number(m->g, scale, i);
}

bool numbers_of(const Integers *m, ValueId v, double **x, int64_t *n)
{
    const Node *at = def_of(m->g, v);
    const bool dq = at && at->op == OP_DequantizeLinear;
    const ValueId data = dq ? arg(m, at, 0) : v, scale = dq ? arg(m, at, 1) : NO_VALUE,
                  zero = dq ? arg(m, at, 2) : NO_VALUE;
    if (!is_const(m->g, data) || (dq && !is_const(m->g, scale)) ||
        (has_value(zero) && !is_const(m->g, zero)))
        return false;
    *n = type_count(type_of(m->g, data));
    const int64_t n_scales = dq ? type_count(type_of(m->g, scale)) : 1;
    if (n_scales != 1 && n_scales != *n)
        return false;
    *x = ARENA_ARRAY(m->g->arena, double, (size_t)*n + 1);
    for (int64_t i = 0; i < *n; i++) {
        const double by = dq ? const_number(m->g, scale, n_scales == 1 ? 0 : i) : 1;
        (*x)[i] = (const_number(m->g, data, i) - zero_at(m, zero, i)) * by;
    }
    return true;
}

static double in_scale(const Sums *s, const double *x, int64_t n, int64_t i)
{
    return x[n == 1 ? 0 : i] / s->scale[s->n_scales == 1 ? 0 : i];
}

/* Sums of few products in a smaller unit, where numbers that are added would have to be rounded to theirs. */
static void refine(const Integers *m, const Node *like, Sums *s, const double *x, int64_t n)
{
    enum { FEW = 1 << 16, FINE = 1 << 22 };
    double by = 1, *scale = ARENA_ARRAY(m->g->arena, double, (size_t)s->n_scales);
    bool whole = true;
    for (int64_t i = 0; i < n || i < s->n_scales; i++) {
        const double units = in_scale(s, x, n, i);
        whole = whole && fabs(units - nearbyint(units)) < 1e-3;
    }
    if (s->most >= FEW || whole)
        return;
    while (s->most * by * 2 <= FINE)
        by *= 2;
    s->v = add_binary(m->g, OP_Mul, like, s->v, scalar_const(m->g, DT_I32, by));
    s->most *= by;
    for (int64_t i = 0; i < s->n_scales; i++)
        scale[i] = s->scale[i] / by;
    s->scale = scale;
}

/* Adds a constant of floats, or bytes of i32 that are dequantised, to the sums. */
static bool add_bias(const Integers *m, const Node *like, ValueId v, Sums *s)
{
    double *x;
    int64_t n;
    if (!has_value(v))
        return true;
    const TensorType *t = type_of(m->g, s->v);
    const int64_t rows = t->dims[s->channel];
    if (s->by_place || !numbers_of(m, v, &x, &n) || (n != rows && n != 1))
        return false;
    refine(m, like, s, x, n);
    double *bias = ARENA_ARRAY(m->g->arena, double, (size_t)rows);
    for (int64_t i = 0; i < rows; i++) {
        bias[i] = nearbyint(in_scale(s, x, n, i));
        if (!(fabs(bias[i]) + s->most <= INT32_MAX))
            return false;
    }
    s->v = add_binary(m->g, OP_Add, like, s->v,
                      by_channel(m, DT_I32, bias, rows, t->rank, s->channel));
    return true;
}

static ValueId zero_point(const Integers *m, const Step8 *s)
{
    return scalar_const(m->g, s->type, (double)s->zero);
}

ValueId convolved(Integers *m, const Node *like, ValueId x, const Step8 *src, const TensorType *t,
                  const double *w, const ConvAttrs *attrs)
{
    const ValueId in[3] = {x, make_const(m->g, "", DT_I8, t->rank, t->dims, w), zero_point(m, src)};
    m->n_sums++;
    return add_conv(m->g, OP_ConvInteger, like, in, 3, attrs);
}

/* With weights as they are, whose zero points do not go into signed bytes. */
static ValueId convolved_unsigned(Integers *m, const Node *like, ValueId x, const Step8 *src,
                                  ValueId w, ValueId w_zero, const ConvAttrs *attrs)
{
    const ValueId in[4] = {x, w, zero_point(m, src), w_zero};
    m->n_sums++;
    return add_conv(m->g, OP_ConvInteger, like, in, 4, attrs);
}

static bool conv(Integers *m, const Node *n, ValueId x, const Step8 *src, ValueId bytes,
                 ValueId zero, Sums *s)
{
    const TensorType *t = type_of(m->g, bytes);
    if (!is_const(m->g, bytes) || (has_value(zero) && !is_const(m->g, zero)) || type_count(t) == 0)
        return false;
    const Filters f = filters_of(m, bytes, zero, t->dims[0], true);
    const ConvAttrs attrs = conv_attrs(n);
    s->v = f.fit ? convolved(m, n, x, src, t, f.w, &attrs)
                 : convolved_unsigned(m, n, x, src, bytes, zero, &attrs);
    s->channel = 1;
    s->most = largest(&f);
    return has_value(s->v);
}

/* Rows of x by a constant matrix: a convolution of one pixel where there is one row. */
static bool product(Integers *m, const Node *n, ValueId x, const Step8 *src, ValueId bytes,
                    ValueId zero, bool by_row, Sums *s)
{
    const TensorType *t = type_of(m->g, bytes), *dst = type_of(m->g, n->out[0]),
                     *tx = type_of(m->g, x);
    const int64_t ones[2] = {1, 1}, none[4] = {0};
    if (t->rank != 2 || tx->rank < 1 || type_count(t) == 0 || dst->rank < 1)
        return false;
    const int64_t rows = t->dims[by_row ? 0 : 1], depth = t->dims[by_row ? 1 : 0];
    const Filters f = filters_of(m, bytes, zero, rows, by_row);
    s->channel = dst->rank - 1;
    s->most = largest(&f);
    if (type_count(tx) == depth && f.fit) {
        const ConvAttrs attrs = {2, 1, ones, none, ones};
        const TensorType pixel = type_make(DT_NONE, 4, (const int64_t[]){1, depth, 1, 1}),
                         filter = type_make(DT_I8, 4, (const int64_t[]){rows, depth, 1, 1});
        s->v = convolved(m, n, add_reshape(m->g, n, x, &pixel), src, &filter, f.w, &attrs);
        s->v = add_reshape(m->g, n, s->v, dst);
        return true;
    }
    double *w = ARENA_ARRAY(m->g->arena, double, (size_t)type_count(t));
    for (int64_t i = 0; i < rows * depth; i++)
        w[i] = f.fit ? f.w[i % rows * depth + i / rows]
                     : const_number(m->g, bytes, by_row ? i % rows * depth + i / rows : i);
    const ValueId in[4] = {
        x, make_const(m->g, "", f.fit ? DT_I8 : t->dtype, 2, (const int64_t[]){depth, rows}, w),
        zero_point(m, src), f.fit ? NO_VALUE : zero};
    m->n_sums++;
    s->v = graph_op(m->g, OP_MatMulInteger, n, in, f.fit ? 3 : 4, NULL);
    return has_value(s->v);
}

static bool matmul(Integers *m, const Node *n, Sums *s)
{
    Step8 src, other;
    Weights w;
    ValueId x, y;
    x = moved_bytes(m, n->in[0], &src);
    if (!has_value(x))
        return false;
    if (read_weights(m, n->in[1], &w)) {
        const TensorType *t = type_of(m->g, w.bytes);
        const int64_t count = type_count(type_of(m->g, w.scale));
        if (t->rank != 2 || (count != 1 && (w.axis != 1 || count != t->dims[1])))
            return false;
        scales_of(m, s, src.scale, w.scale);
        return product(m, n, x, &src, w.bytes, w.zero, false, s);
    }
    y = moved_bytes(m, n->in[1], &other);
    if (!has_value(y))
        return false;
    const ValueId in[4] = {x, y, zero_point(m, &src), zero_point(m, &other)};
    const TensorType *t = type_of(m->g, x);
    scales_of(m, s, src.scale, scalar_const(m->g, DT_F64, other.scale));
    s->v = graph_op(m->g, OP_MatMulInteger, n, in, 4, NULL);
    s->channel = type_of(m->g, n->out[0])->rank - 1;
    s->most = 255.0 * 255 * (double)t->dims[t->rank - 1];
    m->n_sums++;
    return s->channel >= 0;
}

static bool gemm(Integers *m, const Node *n, Sums *s)
{
    Step8 src;
    Weights w;
    ValueId x;
    const bool by_row = attr_int(n, "transB", 0);
    x = moved_bytes(m, n->in[0], &src);
    if (!has_value(x) || attr_int(n, "transA", 0) || attr_float(n, "alpha", 1) != 1 ||
        attr_float(n, "beta", 1) != 1 || !read_weights(m, n->in[1], &w))
        return false;
    const int64_t count = type_count(type_of(m->g, w.scale)),
                  rows = type_of(m->g, n->out[0])->dims[1];
    if (count != 1 && (w.axis != !by_row || count != rows))
        return false;
    scales_of(m, s, src.scale, w.scale);
    return product(m, n, x, &src, w.bytes, w.zero, by_row, s) && add_bias(m, n, node_in(n, 2), s);
}

ValueId centred(Integers *m, const Node *like, ValueId x, const Step8 *s)
{
    x = add_cast(m->g, like, x, DT_I32);
    return s->zero ? add_binary(m->g, OP_Sub, like, x, scalar_const(m->g, DT_I32, (double)s->zero))
                   : x;
}

static bool reduced(Integers *m, const Node *n, Sums *s)
{
    Step8 src;
    ValueId x = moved_bytes(m, n->in[0], &src);
    if (!has_value(x))
        return false;
    const double ratio =
        (double)type_count(type_of(m->g, x)) / (double)type_count(type_of(m->g, n->out[0]));
    x = centred(m, n, x, &src);
    s->v = graph_op_as(m->g, OP_ReduceSum, n, &x, 1);
    scales_of(m, s, src.scale, scalar_const(m->g, DT_F64, n->op == OP_ReduceMean ? 1 / ratio : 1));
    s->channel = 0;
    s->most = 255 * ratio;
    return s->most <= INT32_MAX;
}

static bool multiplied(Integers *m, const Node *n, Sums *s)
{
    Step8 a, b;
    const ValueId x = moved_bytes(m, n->in[0], &a), y = moved_bytes(m, n->in[1], &b);
    if (!has_value(x) || !has_value(y))
        return false;
    s->v = add_binary(m->g, OP_Mul, n, centred(m, n, x, &a), centred(m, n, y, &b));
    scales_of(m, s, a.scale, scalar_const(m->g, DT_F64, b.scale));
    s->channel = 0;
    s->most = 255.0 * 255;
    return true;
}

/* A constant that goes with dimension `channel` of a result of this rank, or is one number. */
static bool is_by_channel(const Integers *m, ValueId v, int rank, int channel)
{
    const TensorType *t = type_of(m->g, v);
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] != 1 && d + rank - t->rank != channel)
            return false;
    return t->rank <= rank;
}

/* A layer and a constant, which is its bias. */
static bool with_constant(Integers *m, const Node *n, Sums *s)
{
    const uint32_t k = is_const(m->g, n->in[0]) ? 0 : 1;
    return is_const(m->g, n->in[k]) && sums_of(m, n->in[1 - k], s) &&
           is_by_channel(m, n->in[k], type_of(m->g, s->v)->rank, s->channel) &&
           add_bias(m, n, n->in[k], s);
}

bool sums_of(Integers *m, ValueId v, Sums *s)
{
    Step8 src;
    Weights w;
    ValueId x;
    const Node *at = def_of(m->g, v);
    if (!at)
        return false;
    const Node n = *at; /* rules add nodes */
    switch (n.op) {
    case OP_Conv:
        x = moved_bytes(m, n.in[0], &src);
        if (!has_value(x) || !read_weights(m, n.in[1], &w) ||
            (type_count(type_of(m->g, w.scale)) != 1 && w.axis != 0))
            return false;
        scales_of(m, s, src.scale, w.scale);
        return conv(m, &n, x, &src, w.bytes, w.zero, s) && add_bias(m, &n, node_in(&n, 2), s);
    case OP_Gemm:
        return gemm(m, &n, s);
    case OP_MatMul:
        return matmul(m, &n, s);
    case OP_AveragePool:
        return mean_of_windows(m, &n, s);
    case OP_LayerNormalization:
    case OP_RMSNormalization:
    case OP_InstanceNormalization:
    case OP_GroupNormalization:
    case OP_LpNormalization:
        return normalised(m, &n, s);
    case OP_ReduceMean:
    case OP_ReduceSum:
        return reduced(m, &n, s);
    case OP_Add:
        return with_constant(m, &n, s);
    case OP_Mul:
        return multiplied(m, &n, s) || times_constant(m, &n, s);
    default:
        return false;
    }
}

/* --- operators on bytes ----------------------------------------------------------------------------------------------- */

/* Operand k, if it is one number. */
static bool number(const Integers *m, const Node *n, uint32_t k, double *x)
{
    *x = 0;
    return !has_value(node_in(n, k)) || scalar_value(m->g, arg(m, n, k), x);
}

bool sums_of_quantised(Integers *m, const Node *n, Sums *s)
{
    double src_scale, src_zero, dst_scale;
    const ValueId x = arg(m, n, 0), w = arg(m, n, 3), scale = arg(m, n, 4), zero = arg(m, n, 5);
    const TensorType *t = type_of(m->g, w);
    if (!number(m, n, 1, &src_scale) || !number(m, n, 2, &src_zero) ||
        !number(m, n, 6, &dst_scale) || !is_const(m->g, scale))
        return false;
    const Step8 src = {type_of(m->g, x)->dtype, src_scale, (int64_t)src_zero};
    scales_of(m, s, 1, scale);
    for (int64_t i = 0; i < s->n_scales; i++)
        s->scale[i] = (double)((float)src_scale * (float)s->scale[i] / (float)dst_scale);
    if (n->op == OP_QLinearConv) {
        if (!conv(m, n, x, &src, w, zero, s))
            return false;
        const ValueId bias = node_in(n, 8);
        if (!has_value(bias))
            return true;
        const int64_t count = type_count(type_of(m->g, bias));
        TensorType by_row = type_make(DT_I32, type_of(m->g, s->v)->rank - 1, dims_of_1);
        by_row.dims[0] = count;
        s->v = add_binary(m->g, OP_Add, n, s->v, add_reshape(m->g, n, arg(m, n, 8), &by_row));
        return true;
    }
    if (s->n_scales != 1 && (t->rank != 2 || s->n_scales != t->dims[1]))
        return false;
    if (is_const(m->g, w) && t->rank == 2 && (!has_value(zero) || is_const(m->g, zero)))
        return product(m, n, x, &src, w, zero, false, s);
    const ValueId in[4] = {x, w, zero_point(m, &src), zero};
    s->v = graph_op(m->g, OP_MatMulInteger, n, in, has_value(zero) ? 4 : 3, NULL);
    s->channel = type_of(m->g, n->out[0])->rank - 1;
    m->n_sums++;
    return s->channel >= 0;
}

/* --- back to bytes ---------------------------------------------------------------------------------------------------- */

ValueId in_units(Integers *m, const Node *like, const Sums *s, double unit)
{
    double *bits = ARENA_ARRAY(m->g->arena, double, (size_t)s->n_scales);
    for (int64_t i = 0; i < s->n_scales; i++) {
        const float scale = (float)(s->scale[i] / unit);
        int32_t as_integer;
        memcpy(&as_integer, &scale, sizeof scale);
        if (!(scale >= 0x1p-126f) || isinf(scale))
            return stays(m, "a scale is not positive, or not normal");
        bits[i] = as_integer;
    }
    const TensorType *t = type_of(m->g, s->v);
    return add_binary(m->g, OP_Requantize, like, s->v,
                      s->by_place ? make_const(m->g, "", DT_I32, t->rank - s->channel - 1,
                                               &t->dims[s->channel + 1], bits)
                                  : by_channel(m, DT_I32, bits, s->n_scales, t->rank, s->channel));
}

ValueId as_bytes(Integers *m, const Node *like, ValueId v, const Step8 *dst)
{
    if (!has_value(v))
        return v;
    const double low = (double)dtype_lowest(dst->type) - (double)dst->zero,
                 high = (double)dtype_highest(dst->type) - (double)dst->zero;
    v = graph_op(m->g, OP_Clip, like, &v, 1,
                 (Attr[]){ATTR_F("max", high), ATTR_F("min", low), ATTR_END});
    if (dst->zero)
        v = add_binary(m->g, OP_Add, like, v, scalar_const(m->g, DT_I32, (double)dst->zero));
    return add_cast(m->g, like, v, dst->type);
}
