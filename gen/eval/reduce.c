/* Reductions. The source is read with the reduced dimensions innermost, as one stream that is cut into groups; an
 * empty group gives the neutral element. */
#include "elem.h"

#include <math.h>

typedef struct AccF64 {
    double sum; /* sum, product, maximum, minimum; for LogSumExp: of exp(x - max) */
    double max;
} AccF64;

static AccF64 start_f64(Op op)
{
    AccF64 a = {0, -INFINITY};
    if (op == OP_ReduceProd)
        a.sum = 1;
    if (op == OP_ReduceMax)
        a.sum = -INFINITY;
    if (op == OP_ReduceMin)
        a.sum = INFINITY;
    return a;
}

/* Keeps the sum relative to the largest x so far, so that exp does not overflow. */
static void add_exp(AccF64 *a, double x)
{
    if (x == -INFINITY)
        return;
    if (x == a->max) {
        a->sum += 1;
    } else if (x > a->max) {
        a->sum = a->sum * exp(a->max - x) + 1;
        a->max = x;
    } else {
        a->sum += exp(x - a->max);
    }
}

#define EACH(statement)                                                                            \
    for (size_t i = 0; i < n; i++) {                                                               \
        const double x = v[i];                                                                     \
        statement;                                                                                 \
    }                                                                                              \
    break

static void add_f64(Op op, AccF64 *a, const double *v, size_t n)
{
    switch (op) {
    case OP_ReduceL1:
        EACH(a->sum += fabs(x));
    case OP_ReduceL2:
    case OP_ReduceSumSquare:
        EACH(a->sum += x * x);
    case OP_ReduceLogSumExp:
        EACH(add_exp(a, x));
    case OP_ReduceMax: /* NaN stays */
        EACH(a->sum = x != x || x > a->sum ? x : a->sum);
    case OP_ReduceMin:
        EACH(a->sum = x != x || x < a->sum ? x : a->sum);
    case OP_ReduceProd:
        EACH(a->sum *= x);
    default: /* ReduceSum, ReduceMean, ReduceLogSum */
        EACH(a->sum += x);
    }
}
#undef EACH

static double finish_f64(Op op, const AccF64 *a, int64_t n)
{
    switch (op) {
    case OP_ReduceL2:
        return sqrt(a->sum);
    case OP_ReduceLogSum:
        return log(a->sum);
    case OP_ReduceLogSumExp:
        return a->max == -INFINITY && a->sum == 0 ? -INFINITY : a->max + log(a->sum);
    case OP_ReduceMean:
        return a->sum / (double)n; /* of nothing: NaN, as in NumPy */
    default:
        return a->sum;
    }
}

static int64_t lowest(DType t)
{
    return dtype_is_signed_int(t) ? (int64_t)(UINT64_MAX << (dtype_size(t) * 8 - 1)) : 0;
}

static int64_t highest(DType t)
{
    int bits = (int)dtype_size(t) * 8 - dtype_is_signed_int(t);
    return t == DT_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits));
}

static int64_t start_i64(Op op, DType t)
{
    if (op == OP_ReduceMax)
        return lowest(t);
    if (op == OP_ReduceMin)
        return highest(t);
    return op == OP_ReduceProd;
}

static bool less(DType t, int64_t a, int64_t b)
{
    return t == DT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

/* In uint64, which wraps. */
#define EACH(statement)                                                                            \
    for (size_t i = 0; i < n; i++) {                                                               \
        const uint64_t x = (uint64_t)v[i];                                                         \
        statement;                                                                                 \
    }                                                                                              \
    break

static int64_t add_i64_run(Op op, DType t, int64_t start, const int64_t *v, size_t n)
{
    uint64_t sum = (uint64_t)start;
    switch (op) {
    case OP_ReduceL1:
        EACH(sum += t != DT_U64 && v[i] < 0 ? 0 - x : x);
    case OP_ReduceSumSquare:
        EACH(sum += x * x);
    case OP_ReduceMax:
        EACH(sum = less(t, (int64_t)sum, v[i]) ? x : sum);
    case OP_ReduceMin:
        EACH(sum = less(t, v[i], (int64_t)sum) ? x : sum);
    case OP_ReduceProd:
        EACH(sum *= x);
    default: /* ReduceSum, ReduceMean */
        EACH(sum += x);
    }
    return (int64_t)sum;
}
#undef EACH

/* The source in the order of the groups, buffered. */
typedef struct Stream {
    const Tensor *src;
    Walk walk;
    size_t left, at, have; /* elements not read yet; position in and size of the buffer */
} Stream;

static void stream_begin(Stream *s, const Eval *e, int64_t *group)
{
    bool reduced[MAX_RANK] = {false};
    size_t n;
    const int64_t *axes = attr_ints(e->node, "axes", &n);
    *s = (Stream){.src = e->in[0], .left = eval_count(e->in[0])};
    *group = 1;
    for (size_t k = 0; k < n; k++) {
        reduced[axes[k]] = true;
        *group *= e->in[0]->type.dims[axes[k]];
    }
    walk_inner(&s->walk, &e->in[0]->type, reduced);
}

/* How many of `want` elements the buffer has; `fill` says that it was empty and is to be read anew. */
static size_t stream_take(Stream *s, size_t want, bool *fill)
{
    *fill = s->at == s->have;
    if (*fill) {
        s->have = s->left < EVAL_CHUNK ? s->left : EVAL_CHUNK;
        s->left -= s->have;
        s->at = 0;
    }
    size_t n = s->have - s->at < want ? s->have - s->at : want;
    s->at += n;
    return n;
}

/* Floats, and those reductions of integers that are not integer arithmetic. */
static void reduce_f64(const Eval *e)
{
    Stream s;
    double buf[EVAL_CHUNK];
    int64_t group;
    Tensor *dst = e->out[0];
    DType t = dst->type.dtype;
    Op op = e->node->op;
    stream_begin(&s, e, &group);
    for (size_t k = 0; k < eval_count(dst); k++) {
        AccF64 a = start_f64(op);
        for (size_t left = (size_t)group, n; left > 0; left -= n) {
            bool fill;
            n = stream_take(&s, left, &fill);
            if (fill)
                load_f64(t, s.src->data, &s.walk, s.have, buf);
            add_f64(op, &a, buf + s.at - n, n);
        }
        double v = finish_f64(op, &a, group);
        if (dtype_is_float(t))
            elem_set_f64(t, dst->data, k, v);
        else
            elem_set_i64(t, dst->data, k, f64_to_int(t, v));
    }
}

static int64_t int_mean(DType t, int64_t sum, int64_t n)
{
    if (n == 0)
        return 0;
    return t == DT_U64 ? (int64_t)((uint64_t)sum / (uint64_t)n) : sum / n;
}

static void reduce_i64(const Eval *e)
{
    Stream s;
    int64_t buf[EVAL_CHUNK], group;
    Tensor *dst = e->out[0];
    DType t = dst->type.dtype;
    Op op = e->node->op;
    stream_begin(&s, e, &group);
    for (size_t k = 0; k < eval_count(dst); k++) {
        int64_t sum = start_i64(op, t);
        for (size_t left = (size_t)group, n; left > 0; left -= n) {
            bool fill;
            n = stream_take(&s, left, &fill);
            if (fill)
                load_i64(t, s.src->data, &s.walk, s.have, buf);
            sum = add_i64_run(op, t, sum, buf + s.at - n, n);
        }
        elem_set_i64(t, dst->data, k, op == OP_ReduceMean ? int_mean(t, sum, group) : sum);
    }
}

bool eval_reduce(Eval *e)
{
    Op op = e->node->op;
    bool real = op == OP_ReduceL2 || op == OP_ReduceLogSum || op == OP_ReduceLogSumExp;
    if (real || dtype_is_float(e->out[0]->type.dtype))
        reduce_f64(e);
    else
        reduce_i64(e);
    return true;
}
