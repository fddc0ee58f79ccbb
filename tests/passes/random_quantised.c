/* Quantised graphs: see random_quantised.h. */
#include "random_quantised.h"

#include "../../gen/text/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 40, ELEMENTS_MAX = 2500 };

/* A tensor of bytes, and what stands for it as floats, if something does. */
typedef struct Bytes {
    ValueId v, real;     /* real: NO_VALUE until something dequantises it */
    ValueId scale, zero; /* zero: NO_VALUE for none */
    double step;         /* the scale as a number */
    double off;          /* how far its floats may be from what they are without passes */
} Bytes;

typedef struct Maker {
    Graph *g;
    uint64_t state;
    bool exact; /* scales are powers of two */
    Bytes value[BYTES_MAX];
    uint32_t n, n_outputs;
} Maker;

static uint32_t below(Maker *m, uint32_t n)
{
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->state >> 33) % n;
}

static bool chance(Maker *m, uint32_t one_in)
{
    return below(m, one_in) == 0;
}

static ValueId op(Maker *m, Op o, const ValueId *in, uint32_t n_in, const Attr *attrs)
{
    return graph_op(m->g, o, NULL, in, n_in, attrs);
}

static ValueId two(Maker *m, Op o, ValueId a, ValueId b)
{
    return op(m, o, (ValueId[]){a, b}, 2, NULL);
}

static const TensorType *type(const Maker *m, ValueId v)
{
    return type_of(m->g, v);
}

/* --- constants ---------------------------------------------------------------------------------------------------- */

static ValueId floats(Maker *m, int rank, const int64_t *dims, const float *from)
{
    TensorType t = type_make(DT_F32, rank, dims);
    return graph_add_const(m->g, "s", t, arena_copy(m->g->arena, from, type_bytes(&t)));
}

static ValueId number(Maker *m, double v)
{
    return floats(m, 0, NULL, (float[]){(float)v});
}

/* Integers from lo to hi. */
static ValueId integers(Maker *m, DType dtype, int rank, const int64_t *dims, int lo, int hi)
{
    TensorType t = type_make(dtype, rank, dims);
    void *data = arena_alloc(m->g->arena, type_bytes(&t) + 1);
    for (int64_t i = 0; i < type_count(&t); i++)
        elem_set_i64(dtype, data, (size_t)i, lo + (int)below(m, (uint32_t)(hi - lo + 1)));
    return graph_add_const(m->g, "q", t, data);
}

static double step_near(Maker *m, double v)
{
    int e = (int)floor(log2(v)) + (int)below(m, 2);
    return m->exact ? ldexp(1, e) : (float)(v * (0.7 + 0.01 * below(m, 60)));
}

/* One scale, or one for each of n channels. */
static ValueId scales(Maker *m, double v, int64_t n, double *largest)
{
    float *s = ARENA_ARRAY(m->g->arena, float, n ? n : 1);
    *largest = 0;
    for (int64_t i = 0; i < (n ? n : 1); i++) {
        s[i] = (float)step_near(m, v);
        *largest = fmax(*largest, s[i]);
    }
    return n ? floats(m, 1, &n, s) : floats(m, 0, NULL, s);
}

static DType byte_type(Maker *m)
{
    return chance(m, 3) ? DT_I8 : DT_U8;
}

/* Even where all has to be exact: oneDNN rounds behind the addition of the zero point, ONNX before it, and halfway values go to the
 * even neighbour. */
static ValueId zero_point(Maker *m, DType t)
{
    int zero = t == DT_I8 ? (int)below(m, 19) - 9 : chance(m, 6) ? 0 : 100 + (int)below(m, 51);
    if (m->exact)
        zero -= zero % 2;
    return t == DT_I8 && chance(m, 2) ? NO_VALUE : integers(m, t, 0, NULL, zero, zero);
}

/* --- between bytes and floats ------------------------------------------------------------------------------------- */

static ValueId real_of(Maker *m, Bytes *x)
{
    if (has_value(x->real) && chance(m, 2))
        return x->real;
    x->real = op(m, OP_DequantizeLinear, (ValueId[]){x->v, x->scale, x->zero}, 3,
                 (Attr[]){ATTR_I("axis", 0), ATTR_END});
    return x->real;
}

static void add(Maker *m, Bytes x)
{
    if (has_value(x.v) && m->n < BYTES_MAX && type_count(type(m, x.v)) <= ELEMENTS_MAX)
        m->value[m->n++] = x;
}

static Bytes new_scale(Maker *m, double step, double off)
{
    DType t = byte_type(m);
    Bytes y = {.real = NO_VALUE, .step = step_near(m, step), .zero = zero_point(m, t)};
    if (!has_value(y.zero) && t == DT_U8)
        bug("unsigned bytes without a zero point");
    y.scale = number(m, y.step);
    y.off = m->exact ? 0 : off + y.step;
    return y;
}

static void quantise_as(Maker *m, ValueId real, Bytes y)
{
    DType to = has_value(y.zero) ? type(m, y.zero)->dtype : DT_I8;
    y.v = op(m, OP_QuantizeLinear, (ValueId[]){real, y.scale, y.zero}, 3,
             (Attr[]){ATTR_I("axis", 0), ATTR_I("to", to), ATTR_END});
    add(m, y);
}

/* What a network puts before it quantises. */
static ValueId activation(Maker *m, ValueId x)
{
    switch (below(m, 6)) {
    case 0:
    case 1:
        return op(m, OP_Relu, &x, 1, NULL);
    case 2:
        return op(m, OP_Clip, &x, 1, (Attr[]){ATTR_F("min", 0), ATTR_F("max", 6), ATTR_END});
    case 3:
        return op(m, OP_LeakyRelu, &x, 1, (Attr[]){ATTR_F("alpha", 0.125), ATTR_END});
    default:
        return x;
    }
}

static void quantise(Maker *m, ValueId real, double step, double off)
{
    quantise_as(m, activation(m, real), new_scale(m, step, off));
}

static void show(Maker *m, ValueId v, double off)
{
    graph_add_output(
        m->g, arena_printf(m->g->arena, off > 0 ? "out%u within %.9g" : "out%u", m->n_outputs, off),
        v);
    m->n_outputs++;
}

/* Products take what has been rounded once, and the same way with passes and without; anything if all is exact. */
static Bytes *pick(Maker *m, int low, int high, bool product)
{
    for (int tries = 0; tries < 30; tries++) {
        Bytes *x = &m->value[m->n - 1 - (tries == 0 && chance(m, 2) ? 0 : below(m, m->n))];
        int rank = type(m, x->v)->rank;
        if (rank >= low && rank <= high && !(product && x->off > 0))
            return x;
    }
    return NULL;
}

/* --- products ----------------------------------------------------------------------------------------------------- */

/* Weights as bytes: `channels` along `axis`, each with a scale of its own or all with one. */
typedef struct Weights {
    ValueId bytes, scale, zero;
    double step;
} Weights;

static Weights weights(Maker *m, int rank, const int64_t *dims, int axis, bool channel_zero)
{
    bool per_channel = chance(m, 2);
    DType t = chance(m, 5) ? DT_U8 : DT_I8;
    int64_t n = per_channel ? dims[axis] : 0;
    Weights w = {.bytes =
                     integers(m, t, rank, dims, t == DT_I8 ? -100 : 20, t == DT_I8 ? 100 : 220)};
    w.scale = scales(m, 0.01, n, &w.step);
    w.zero = NO_VALUE;
    if (t == DT_U8)
        w.zero = integers(m, t, per_channel, &n, 115, 135);
    else if (channel_zero || chance(m, 2))
        w.zero = integers(m, t, per_channel, &n, chance(m, 4) ? -3 : 0, 0);
    return w;
}

/* The same bytes, made of constant floats as a model quantises them that was trained so, in a narrower range perhaps. */
static ValueId quantised_weights(Maker *m, const Weights *w, int axis)
{
    const Value *b = value_at(m->g, w->bytes), *s = value_at(m->g, w->scale),
                *z = has_value(w->zero) ? value_at(m->g, w->zero) : NULL;
    int64_t inner = 1, n = type_count(&b->type);
    for (int d = axis + 1; d < b->type.rank; d++)
        inner *= b->type.dims[d];
    float *real = ARENA_ARRAY(m->g->arena, float, n);
    for (int64_t i = 0; i < n; i++) {
        const size_t k = (size_t)(i / inner % b->type.dims[axis]);
        const int64_t zero = z ? elem_i64(z->type.dtype, z->data, z->type.rank ? k : 0) : 0;
        real[i] = (float)((double)(elem_i64(b->type.dtype, b->data, (size_t)i) - zero) *
                          elem_f64(DT_F32, s->data, s->type.rank ? k : 0));
    }
    ValueId v = op(m, OP_QuantizeLinear,
                   (ValueId[]){floats(m, b->type.rank, b->type.dims, real), w->scale, w->zero}, 3,
                   (Attr[]){ATTR_I("axis", axis), ATTR_I("to", b->type.dtype), ATTR_END});
    return chance(m, 2) ? v
                        : op(m, OP_Clip, &v, 1,
                             (Attr[]){ATTR_F("min", b->type.dtype == DT_I8 ? -127 : 0),
                                      ATTR_F("max", 250), ATTR_END});
}

static ValueId real_weights(Maker *m, const Weights *w, int axis)
{
    ValueId bytes = chance(m, 3) ? quantised_weights(m, w, axis) : w->bytes;
    const bool swapped = type(m, bytes)->rank == 2 && chance(m, 3);
    const Attr swap[] = {ATTR_IS("perm", ((const int64_t[]){1, 0}), 2), ATTR_END};
    if (swapped) { /* as they would be stored to be transposed in the model */
        bytes = op(m, OP_Transpose, &bytes, 1, swap);
        axis = 1 - axis;
    }
    const ValueId real = op(m, OP_DequantizeLinear, (ValueId[]){bytes, w->scale, w->zero}, 3,
                            (Attr[]){ATTR_I("axis", axis), ATTR_END});
    return swapped ? op(m, OP_Transpose, &real, 1, swap) : real;
}

/* A bias in steps of the product of the scales, as exporters write it; `real`: as floats of these steps. */
static ValueId bias_of(Maker *m, const Bytes *x, ValueId scale, int64_t n, bool real)
{
    const Value *s = value_at(m->g, scale);
    bool per_channel = s->type.rank == 1;
    float *steps = ARENA_ARRAY(m->g->arena, float, n);
    for (int64_t i = 0; i < n; i++)
        steps[i] = (float)(x->step * elem_f64(DT_F32, s->data, per_channel ? (size_t)i : 0));
    if (!real || chance(m, 2)) {
        ValueId b = integers(m, DT_I32, 1, &n, -2000, 2000);
        ValueId by = per_channel ? floats(m, 1, &n, steps) : number(m, steps[0]);
        return real ? op(m, OP_DequantizeLinear, (ValueId[]){b, by}, 2,
                         (Attr[]){ATTR_I("axis", 0), ATTR_END})
                    : b;
    }
    for (int64_t i = 0; i < n; i++)
        steps[i] *= (float)((int)below(m, 4001) - 2000);
    return floats(m, 1, &n, steps);
}

typedef struct Window {
    int64_t dims[4], strides[2], dilations[2], pads[4], group, outs;
} Window;

static bool make_window(Maker *m, const TensorType *t, Window *w)
{
    static const int64_t counts[] = {1, 2, 3, 4, 8, 16, 20};
    int64_t c = t->dims[1], kernel = chance(m, 2) ? 1 : 3, pad = kernel == 3 ? below(m, 2) : 0;
    w->group = chance(m, 4) ? c : chance(m, 6) && c % 2 == 0 ? 2 : 1;
    w->outs = w->group > 1 ? c : counts[below(m, 7)];
    if (t->dims[2] + 2 * pad < kernel || t->dims[3] + 2 * pad < kernel)
        return false;
    for (int d = 0; d < 2; d++) {
        w->dims[2 + d] = kernel;
        w->strides[d] = chance(m, 4) ? 2 : 1;
        w->dilations[d] = 1;
        w->pads[d] = w->pads[2 + d] = pad;
    }
    w->dims[0] = w->outs;
    w->dims[1] = c / w->group;
    return true;
}

#define WINDOW_ATTRS(w)                                                                            \
    (Attr[])                                                                                       \
    {                                                                                              \
        ATTR_IS("strides", (w).strides, 2), ATTR_IS("dilations", (w).dilations, 2),                \
            ATTR_IS("pads", (w).pads, 4), ATTR_I("group", (w).group), ATTR_END                     \
    }

/* Values grow with the root of what is summed. */
static double product_step(const Bytes *x, const Weights *w, int64_t depth)
{
    return x->step * w->step * 25 * sqrt((double)depth);
}

static void make_conv(Maker *m)
{
    Bytes *x = pick(m, 4, 4, true);
    Window win;
    if (!x || !make_window(m, type(m, x->v), &win))
        return;
    Weights w = weights(m, 4, win.dims, 0, false);
    ValueId in[3] = {real_of(m, x), real_weights(m, &w, 0), NO_VALUE};
    if (chance(m, 2))
        in[2] = bias_of(m, x, w.scale, win.outs, true);
    ValueId y = op(m, OP_Conv, in, 3, WINDOW_ATTRS(win));
    quantise(m, y, product_step(x, &w, win.dims[1] * win.dims[2] * win.dims[3]), 0);
}

static void make_qlinear_conv(Maker *m)
{
    Bytes *x = pick(m, 4, 4, true);
    Window win;
    if (!x || !make_window(m, type(m, x->v), &win) || !has_value(x->zero))
        return;
    Weights w = weights(m, 4, win.dims, 0, true);
    Bytes y = new_scale(m, product_step(x, &w, win.dims[1] * win.dims[2] * win.dims[3]), 0);
    if (!has_value(y.zero))
        y.zero = integers(m, DT_I8, 0, NULL, 0, 0);
    ValueId in[] = {
        x->v,    x->scale, x->zero,
        w.bytes, w.scale,  w.zero,
        y.scale, y.zero,   chance(m, 2) ? bias_of(m, x, w.scale, win.outs, false) : NO_VALUE};
    y.v = op(m, OP_QLinearConv, in, 9, WINDOW_ATTRS(win));
    add(m, y);
}

static ValueId as_floats(Maker *m, ValueId sums, double step)
{
    ValueId real = op(m, OP_Cast, &sums, 1, (Attr[]){ATTR_I("to", DT_F32), ATTR_END});
    return two(m, OP_Mul, real, number(m, step));
}

static void make_conv_integer(Maker *m)
{
    Bytes *x = pick(m, 4, 4, true);
    Window win;
    if (!x || !make_window(m, type(m, x->v), &win))
        return;
    Weights w = weights(m, 4, win.dims, 0, false);
    ValueId zero = has_value(w.zero) && type(m, w.zero)->rank ? NO_VALUE : w.zero;
    if (!has_value(zero) && type(m, w.bytes)->dtype == DT_U8)
        return;
    ValueId y =
        op(m, OP_ConvInteger, (ValueId[]){x->v, w.bytes, x->zero, zero}, 4, WINDOW_ATTRS(win));
    quantise(m, as_floats(m, y, x->step * w.step),
             product_step(x, &w, win.dims[1] * win.dims[2] * win.dims[3]), 0);
}

static void make_matmul(Maker *m)
{
    Bytes *x = pick(m, 2, 4, true);
    if (!x)
        return;
    const TensorType t = *type(m, x->v);
    int64_t k = t.dims[t.rank - 1], n = 1 + below(m, 20), dims[] = {k, n};
    if (t.rank == 2 && chance(m, 3)) { /* Gemm, with the weights transposed */
        int64_t transposed[] = {n, k};
        Weights w = weights(m, 2, transposed, 0, false);
        ValueId in[] = {real_of(m, x), real_weights(m, &w, 0),
                        chance(m, 2) ? bias_of(m, x, w.scale, n, true) : NO_VALUE};
        ValueId y = op(m, OP_Gemm, in, 3,
                       (Attr[]){ATTR_F("alpha", chance(m, 5) ? 0.5 : 1), ATTR_F("beta", 1),
                                ATTR_I("transA", 0), ATTR_I("transB", 1), ATTR_END});
        quantise(m, y, product_step(x, &w, k), 0);
        return;
    }
    Weights w = weights(m, 2, dims, 1, false);
    ValueId y = two(m, OP_MatMul, real_of(m, x), real_weights(m, &w, 1));
    if (chance(m, 2))
        y = two(m, OP_Add, y, bias_of(m, x, w.scale, n, true));
    quantise(m, y, product_step(x, &w, k), 0);
}

static void make_qlinear_matmul(Maker *m)
{
    Bytes *x = pick(m, 2, 3, true);
    if (!x || !has_value(x->zero))
        return;
    const TensorType t = *type(m, x->v);
    int64_t dims[] = {t.dims[t.rank - 1], 1 + below(m, 20)};
    Weights w = weights(m, 2, dims, 1, true);
    Bytes y = new_scale(m, product_step(x, &w, dims[0]), 0);
    if (!has_value(y.zero))
        y.zero = integers(m, DT_I8, 0, NULL, 0, 0);
    ValueId in[] = {x->v, x->scale, x->zero, w.bytes, w.scale, w.zero, y.scale, y.zero};
    y.v = op(m, OP_QLinearMatMul, in, 8, NULL);
    add(m, y);
}

static void make_matmul_integer(Maker *m)
{
    Bytes *x = pick(m, 2, 3, true);
    if (!x)
        return;
    const TensorType t = *type(m, x->v);
    int64_t k = t.dims[t.rank - 1], n = 1 + below(m, 20), dims[] = {k, n};
    Weights w = weights(m, 2, dims, 1, false);
    ValueId y = op(m, OP_MatMulInteger, (ValueId[]){x->v, w.bytes, x->zero, w.zero}, 4, NULL);
    if (chance(m, 3))
        y = two(m, OP_Add, y, integers(m, DT_I32, 1, &n, -2000, 2000));
    quantise(m, as_floats(m, y, x->step * w.step), product_step(x, &w, k), 0);
}

/* Two tensors of bytes multiplied, as the scores of an attention are. */
static void make_square(Maker *m)
{
    Bytes *x = pick(m, 2, 4, true);
    if (!x || type_count(type(m, x->v)) > 500 || type(m, x->v)->dims[type(m, x->v)->rank - 1] > 128)
        return;
    int64_t perm[MAX_RANK], rank = type(m, x->v)->rank;
    for (int64_t i = 0; i < rank; i++)
        perm[i] = i < rank - 2 ? i : rank - 2 + rank - 1 - i;
    ValueId real = real_of(m, x);
    ValueId transposed =
        op(m, OP_Transpose, &real, 1, (Attr[]){ATTR_IS("perm", perm, (size_t)rank), ATTR_END});
    quantise(m, two(m, OP_MatMul, real_of(m, x), transposed),
             x->step * x->step * 60 * sqrt((double)type(m, x->v)->dims[rank - 1]), 0);
}

/* Scales that the model finds while it runs: the result is shown, never rounded again. */
static void make_dynamic(Maker *m, ValueId x)
{
    const TensorType t = *type(m, x);
    int64_t dims[] = {t.dims[t.rank - 1], 1 + below(m, 12)};
    NodeId made =
        graph_add_node(m->g, OP_DynamicQuantizeLinear, "", UINT32_MAX, &x, 1, 3, NULL, NULL, 0);
    if (made.i == UINT32_MAX)
        return;
    const Node *n = node_at(m->g, made);
    ValueId q = n->out[0], scale = n->out[1], zero = n->out[2];
    Weights w = weights(m, 2, dims, 1, false);
    ValueId y = op(m, OP_MatMulInteger, (ValueId[]){q, w.bytes, zero, w.zero}, 4, NULL);
    y = op(m, OP_Cast, &y, 1, (Attr[]){ATTR_I("to", DT_F32), ATTR_END});
    y = two(m, OP_Mul, y, two(m, OP_Mul, scale, w.scale));
    if (chance(m, 2))
        y = two(m, OP_Add, y, floats(m, 1, dims + 1, ARENA_ARRAY(m->g->arena, float, dims[1])));
    show(m, activation(m, y), 0);
}

/* --- the rest ------------------------------------------------------------------------------------------------------ */

static Bytes *pick_like(Maker *m, const Bytes *x)
{
    for (int tries = 0; tries < 30; tries++) {
        Bytes *y = &m->value[below(m, m->n)];
        if (same_shape(type(m, x->v), type(m, y->v)))
            return y;
    }
    return NULL;
}

static void make_sum(Maker *m)
{
    Bytes *x = pick(m, 1, 4, false), *y = x ? pick_like(m, x) : NULL;
    if (!y)
        return;
    bool product = chance(m, 4) && x->off == 0 && y->off == 0;
    ValueId z = two(m,
                    product        ? OP_Mul
                    : chance(m, 4) ? OP_Sub
                                   : OP_Add,
                    real_of(m, x), real_of(m, y));
    quantise(m, z, product ? 40 * x->step * y->step : x->step + y->step, x->off + y->off);
}

static void make_concat(Maker *m)
{
    Bytes *x = pick(m, 2, 4, false), *y = x ? pick_like(m, x) : NULL;
    if (!y)
        return;
    bool swap = chance(m, 2);
    ValueId in[] = {real_of(m, swap ? y : x), real_of(m, swap ? x : y)};
    ValueId z = op(m, OP_Concat, in, 2, (Attr[]){ATTR_I("axis", 1), ATTR_END});
    Bytes to = new_scale(m, fmax(x->step, y->step), fmax(x->off, y->off));
    if (chance(m, 2)) { /* the scale of one of them: that one is moved only */
        to.scale = x->scale;
        to.zero = x->zero;
        to.step = x->step;
        to.off = m->exact ? 0 : x->step + fmax(x->off, y->off);
    }
    quantise_as(m, z, to);
}

static void make_pool(Maker *m)
{
    Bytes *x = pick(m, 4, 4, false);
    if (!x || type(m, x->v)->dims[2] < 2 || type(m, x->v)->dims[3] < 2)
        return;
    bool average = chance(m, 3), on_bytes = !average && chance(m, 2);
    const int64_t two_by_two[] = {2, 2}, ones[] = {1, 1}, none[] = {0, 0, 0, 0};
    const Attr attrs[] = {ATTR_IS("kernel_shape", two_by_two, 2),
                          ATTR_IS("strides", chance(m, 2) ? two_by_two : ones, 2),
                          ATTR_IS("dilations", ones, 2),
                          ATTR_IS("pads", none, 4),
                          average ? ATTR_IS("ceil_pads", none, 2) : ATTR_I("storage_order", 0),
                          average ? ATTR_I("count_include_pad", 0) : ATTR_END,
                          ATTR_END};
    Bytes y = *x;
    y.real = NO_VALUE;
    if (on_bytes) {
        y.v = op(m, OP_MaxPool, &x->v, 1, attrs);
        add(m, y);
        return;
    }
    ValueId real = real_of(m, x);
    ValueId pooled = op(m, average ? OP_AveragePool : OP_MaxPool, &real, 1, attrs);
    if (chance(m, 2)) {
        y.off = m->exact ? 0 : x->off + x->step;
        quantise_as(m, pooled, y);
    } else
        quantise(m, pooled, x->step, x->off);
}

static void make_move(Maker *m)
{
    Bytes *x = pick(m, 2, 4, false);
    if (!x)
        return;
    const TensorType t = *type(m, x->v);
    static const int64_t perms[][4] = {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 3, 2}};
    int64_t flat[] = {t.dims[0], type_count(&t) / (t.dims[0] ? t.dims[0] : 1)};
    bool real = chance(m, 2), flatten = t.rank != 4 || chance(m, 3);
    ValueId v = real ? real_of(m, x) : x->v;
    v = flatten ? op(m, OP_Reshape, &v, 1, (Attr[]){ATTR_IS("shape", flat, 2), ATTR_END})
                : op(m, OP_Transpose, &v, 1,
                     (Attr[]){ATTR_IS("perm", perms[below(m, 3)], 4), ATTR_END});
    Bytes y = *x;
    y.real = NO_VALUE;
    y.v = v;
    y.off = real && !m->exact ? x->off + x->step : x->off;
    if (real)
        quantise_as(m, v, y);
    else
        add(m, y);
}

static void step(Maker *m)
{
    static void (*const makers[])(Maker *) = {
        make_conv,         make_conv,           make_conv,   make_qlinear_conv,
        make_qlinear_conv, make_matmul,         make_matmul, make_qlinear_matmul,
        make_conv_integer, make_matmul_integer, make_square, make_sum,
        make_sum,          make_concat,         make_concat, make_pool,
        make_pool,         make_move,
    };
    makers[below(m, (uint32_t)COUNT_OF(makers))](m);
}

static void add_inputs(Maker *m)
{
    static const int64_t channels[] = {1, 2, 3, 4, 8, 16};
    int64_t image[] = {1 + below(m, 2), channels[below(m, 6)], 3 + below(m, 5), 3 + below(m, 5)};
    ValueId x = graph_add_input(m->g, "x", type_make(DT_F32, 4, image));
    ValueId seq = graph_add_input(m->g, "seq", type_make(DT_F32, 2 + chance(m, 2), image));
    for (int k = 0; k < 2; k++) {
        Bytes q = new_scale(m, 0.02, 0);
        q.off = 0; /* rounded the same way whatever the passes do */
        quantise_as(m, k ? seq : x, q);
    }
    Bytes given = new_scale(m, 0.05, 0);
    given.off = 0;
    given.v = graph_add_input(
        m->g, "bytes",
        type_make(has_value(given.zero) ? type(m, given.zero)->dtype : DT_I8, 4, image));
    add(m, given);
    if (chance(m, 3))
        make_dynamic(m, seq);
}

static void add_outputs(Maker *m)
{
    Uses uses = graph_uses(m->g, m->g->arena);
    for (uint32_t i = 0; i < m->n; i++) {
        Bytes *x = &m->value[i];
        if (use_count(&uses, x->v) > 0 && !chance(m, 8))
            continue;
        bool real = chance(m, 2);
        show(m, real ? real_of(m, x) : x->v, real ? x->off : ceil(x->off / x->step - 1e-6));
    }
}

Graph *quantised_graph(Arena *arena, Diag *diag, uint64_t seed)
{
    Maker m = {.g = graph_new(arena, diag, "random", "random"),
               .state = seed * 2654435761u + 4242,
               .exact = seed % 4 != 3};
    add_inputs(&m);
    uint32_t steps = 1 + below(&m, 12);
    for (uint32_t i = 0; i < steps && !diag->message; i++)
        step(&m);
    if (!diag->message)
        add_outputs(&m);
    return diag->message ? NULL : m.g;
}

double allowed_by_name(const char *output)
{
    const char *within = strstr(output, " within ");
    return within ? strtod(within + strlen(" within "), NULL) : 0;
}
