/* ConvInteger and MatMulInteger as oneDNN has them: weights are signed bytes without zero points, and what those are worth is taken off afterwards. */
#include "quantised.h"

#include "../../gen/dnnl/support.h"

/* What unsigned weights lose to be signed, where their own zero points would not do. */
enum { HALF_U8 = 128 };

/* Constant bytes less their zero points, element i that of (i / per) % n; NULL if the results are no signed bytes. */
static double *signed_bytes(const Quantised *m, ValueId v, ValueId zero, int64_t per, int64_t n)
{
    const int64_t count = type_count(type_of(m->g, v));
    double *bytes = ARENA_ARRAY(m->g->arena, double, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        bytes[i] = const_number(m->g, v, i) -
                   (has_value(zero) ? const_number(m->g, zero, i / per % n) : 0);
        if (bytes[i] < INT8_MIN || bytes[i] > INT8_MAX)
            return NULL;
    }
    return bytes;
}

/* The zero point of a product's src, NO_VALUE where that is known to be 0. */
static ValueId src_zero(const Quantised *m, const Node *n)
{
    ValueId zero = arg(m, n, 2);
    double x = 1;
    return has_value(zero) && scalar_value(m->g, zero, &x) && x == 0 ? NO_VALUE : zero;
}

/* A less its zero point, summed along the rows of the product: [..., 1] in s32. */
static ValueId row_sums(Quantised *m, const Node *n, ValueId a, ValueId zero)
{
    const TensorType *t = type_of(m->g, a);
    const int64_t last = t->rank - 1;
    const double depth = (double)t->dims[last];
    const Attr axes[] = {ATTR_IS("axes", &last, 1), ATTR_I("keepdims", 1), ATTR_END};
    ValueId sum = add_cast(m->g, n, a, DT_I32);
    sum = graph_op(m->g, OP_ReduceSum, n, &sum, 1, axes);
    if (!has_value(zero))
        return sum;
    zero = add_binary(m->g, OP_Mul, n, zero, scalar_const(m->g, DT_I32, depth));
    return add_binary(m->g, OP_Sub, n, sum, zero);
}

/* A (B - zero of B) - zero of A * sums of the columns of that: the product is one of bytes, the rest a loop. Where B less its zero
 * points does not fit, 128 is taken off it, and what these are more or less than that, times the sums of the rows, afterwards. */
ValueId match_matmul_integer(Quantised *m, const Node *n)
{
    ValueId a = arg(m, n, 0), b = arg(m, n, 1), a_zero = src_zero(m, n), b_zero = arg(m, n, 3);
    const TensorType *t = type_of(m->g, b);
    if (!is_const(m->g, b) || t->rank != 2 || type_count(t) == 0 ||
        (has_value(b_zero) && !is_const(m->g, b_zero)) ||
        (has_value(a_zero) && type_count(type_of(m->g, a_zero)) != 1) ||
        (t->dtype == DT_I8 && !has_value(node_in(n, 2)) && !has_value(b_zero)))
        return NO_VALUE;
    const int64_t depth = t->dims[0], columns = t->dims[1];
    double *bytes = signed_bytes(m, b, b_zero, 1, columns),
           *sums = ARENA_ARRAY(m->g->arena, double, (size_t)columns),
           *rest = ARENA_ARRAY(m->g->arena, double, (size_t)columns);
    const bool shifted = !bytes && t->dtype == DT_U8 && has_value(b_zero);
    if (shifted)
        bytes = signed_bytes(m, b, scalar_const(m->g, DT_U8, HALF_U8), 1, 1);
    if (!bytes)
        return NO_VALUE;
    for (int64_t i = 0; i < depth * columns; i++)
        sums[i % columns] += bytes[i];
    const char *why;
    ValueId in[2] = {a, make_const(m->g, value_at(m->g, b)->name, DT_I8, 2, t->dims, bytes)};
    ValueId v = graph_op(m->g, OP_MatMulInteger, n, in, 2, NULL);
    if (!onednn_supports(m->g, def_of(m->g, v), &why))
        return NO_VALUE;
    m->n_products++;
    if (has_value(a_zero)) {
        if (type_of(m->g, a_zero)->rank)
            a_zero = reshaped(m, n, a_zero, 0, NULL);
        a_zero = add_cast(m->g, n, a_zero, DT_I32);
        ValueId sum = make_const(m->g, "", DT_I32, 1, &columns, sums);
        v = add_binary(m->g, OP_Sub, n, v, add_binary(m->g, OP_Mul, n, sum, a_zero));
    }
    if (!shifted)
        return v;
    for (int64_t i = 0; i < columns; i++)
        rest[i] = const_number(m->g, b_zero, i) - HALF_U8;
    ValueId r = make_const(m->g, "", DT_I32, 1, &columns, rest);
    r = add_binary(m->g, OP_Mul, n, row_sums(m, n, a, a_zero), r);
    return add_binary(m->g, OP_Sub, n, v, r);
}

/* ConvInteger as oneDNN takes it: src's zero point in s32, none of the weights'. */
static ValueId conv_of_bytes(Quantised *m, const Node *n, const ConvAttrs *attrs, ValueId src,
                             ValueId w, ValueId zero)
{
    const char *why;
    const ValueId in[3] = {src, w, zero};
    const ValueId v = add_conv(m->g, OP_ConvInteger, n, in, 3, attrs);
    return onednn_supports(m->g, def_of(m->g, v), &why) ? v : NO_VALUE;
}

/* Ones as weights of this type. */
static ValueId ones_like(Quantised *m, const TensorType *t)
{
    double *ones = ARENA_ARRAY(m->g->arena, double, (size_t)type_count(t));
    for (int64_t i = 0; i < type_count(t); i++)
        ones[i] = 1;
    return make_const(m->g, "", t->dtype, t->rank, t->dims, ones);
}

/* Sums of src's windows, less its zero point, in one channel: the sum of a pixel's channels is the same for all windows that it is in, so that a window of several taps adds up those,
 * in floats, as long as these are exact; with a stride there are more pixels than windows. t: of weights for all channels. */
static ValueId window_sums(Quantised *m, const Node *n, ValueId src, ValueId zero,
                           const TensorType *t)
{
    enum { EXACT = 1 << 24, FEW = 8 };
    const int64_t taps = dims_product(t, 2, t->rank), channels = t->dims[1];
    const ConvAttrs windows = conv_attrs(n);
    if (taps == 1 || channels < FEW || taps * channels > EXACT / UINT8_MAX ||
        !all_equal(windows.strides, windows.spatial, 1))
        return conv_of_bytes(m, n, &windows, src, ones_like(m, t), zero);
    int64_t dims[MAX_RANK] = {1, channels}, ones[MAX_RANK], none[2 * MAX_RANK] = {0};
    for (int d = 0; d < MAX_RANK; d++)
        ones[d] = 1;
    for (int d = 2; d < t->rank; d++)
        dims[d] = 1;
    const TensorType pixel = type_make(DT_I8, t->rank, dims);
    const ConvAttrs at_pixels = {windows.spatial, 1, ones, none, ones};
    ValueId sums = conv_of_bytes(m, n, &at_pixels, src, ones_like(m, &pixel), zero);
    if (!has_value(sums))
        return NO_VALUE;
    TensorType window = *t;
    window.dtype = DT_F32;
    window.dims[1] = 1;
    const ValueId of_window[2] = {add_cast(m->g, n, sums, DT_F32), ones_like(m, &window)};
    sums = add_conv(m->g, OP_Conv, n, of_window, 2, &windows);
    return add_cast(m->g, n, sums, DT_I32);
}

/* What the product lacks where unsigned weights have lost 128 instead of their zero points: these less 128, each times the sum of
 * src's window. */
static ValueId without_zero_points(Quantised *m, const Node *n, ValueId src, ValueId zero,
                                   ValueId v)
{
    ValueId w = arg(m, n, 1), w_zero = arg(m, n, 3);
    const int64_t rows = type_of(m->g, w)->dims[0];
    TensorType t = *type_of(m->g, w), per_row = type_make(DT_I32, t.rank - 1, t.dims);
    t.dims[0] = 1;
    t.dtype = DT_I8;
    double *rest = ARENA_ARRAY(m->g->arena, double, (size_t)rows);
    for (int64_t i = 0; i < rows; i++)
        rest[i] = const_number(m->g, w_zero, i) - HALF_U8;
    for (int d = 0; d < per_row.rank; d++)
        per_row.dims[d] = d ? 1 : rows;
    ValueId sums = window_sums(m, n, src, zero, &t);
    if (!has_value(sums))
        return NO_VALUE;
    ValueId r = make_const(m->g, "", DT_I32, per_row.rank, per_row.dims, rest);
    return add_binary(m->g, OP_Sub, n, v, add_binary(m->g, OP_Mul, n, sums, r));
}

ValueId match_conv_integer(Quantised *m, const Node *n)
{
    ValueId w = arg(m, n, 1), zero = src_zero(m, n), w_zero = arg(m, n, 3);
    const TensorType *t = type_of(m->g, w);
    if (!is_const(m->g, w) || type_count(t) == 0 ||
        (has_value(w_zero) && !is_const(m->g, w_zero)) ||
        (has_value(zero) && type_of(m->g, zero)->dtype == DT_I32))
        return NO_VALUE;
    double *bytes = signed_bytes(m, w, w_zero, type_count(t) / t->dims[0], t->dims[0]);
    const bool shifted = !bytes && t->dtype == DT_U8 && attr_int(n, "group", 1) == 1;
    if (shifted)
        bytes = signed_bytes(m, w, scalar_const(m->g, DT_U8, HALF_U8), 1, 1);
    if (!bytes)
        return NO_VALUE;
    if (has_value(zero))
        zero = add_cast(m->g, n, zero, DT_I32);
    ValueId signed_w = make_const(m->g, value_at(m->g, w)->name, DT_I8, t->rank, t->dims, bytes);
    const ConvAttrs attrs = conv_attrs(n);
    ValueId v = conv_of_bytes(m, n, &attrs, arg(m, n, 0), signed_w, zero);
    if (has_value(v) && shifted)
        v = without_zero_points(m, n, arg(m, n, 0), zero, v);
    m->n_products += has_value(v);
    return v;
}
