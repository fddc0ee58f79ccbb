/* Reductions. The source is read with the reduced dimensions innermost, as one stream that is cut into groups; an
 * empty group gives the neutral element. */
#include "elem.h"

#include <math.h>

typedef struct AccF64 {
    double sum; /* sum, product, maximum, minimum; for LogSumExp: of exp(x - max) */
    double max;
} AccF64;

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

/* --- steps: what each element adds -------------------------------------------------------------------------------- */

/* Of floats; and of integers in uint64, which wraps. */
#define STEP_F64(name, statement)                                                                  \
    static void f64_##name(AccF64 *a, const double *v, size_t n)                                   \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            const double x = v[i];                                                                 \
            statement;                                                                             \
        }                                                                                          \
    }
#define STEP_I64(name, statement)                                                                  \
    static void i64_##name(DType t, uint64_t *sum, const int64_t *v, size_t n)                     \
    {                                                                                              \
        (void)t;                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint64_t x = (uint64_t)v[i];                                                     \
            statement;                                                                             \
        }                                                                                          \
    }

static bool less(DType t, int64_t a, int64_t b)
{
    return t == DT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

STEP_F64(sum, a->sum += x)
STEP_F64(abs, a->sum += fabs(x))
STEP_F64(square, a->sum += x * x)
STEP_F64(exp, add_exp(a, x))
STEP_F64(max, a->sum = x != x || x > a->sum ? x : a->sum) /* NaN stays */
STEP_F64(min, a->sum = x != x || x < a->sum ? x : a->sum)
STEP_F64(product, a->sum *= x)
STEP_I64(sum, *sum += x)
STEP_I64(abs, *sum += t != DT_U64 && v[i] < 0 ? 0 - x : x)
STEP_I64(square, *sum += x * x)
STEP_I64(max, *sum = less(t, (int64_t)*sum, v[i]) ? x : *sum)
STEP_I64(min, *sum = less(t, v[i], (int64_t)*sum) ? x : *sum)
STEP_I64(product, *sum *= x)

/* --- ends: what becomes of the sum of n elements ------------------------------------------------------------------- */

#define END(name, result)                                                                          \
    static double end_##name(const AccF64 *a, int64_t n)                                           \
    {                                                                                              \
        (void)n;                                                                                   \
        return result;                                                                             \
    }

END(sum, a->sum)
END(root, sqrt(a->sum))
END(log, log(a->sum))
END(log_exp, a->max == -INFINITY && a->sum == 0 ? -INFINITY : a->max + log(a->sum))
END(mean, a->sum / (double)n) /* of nothing: NaN, as in NumPy */

static int64_t int_mean(DType t, int64_t sum, int64_t n)
{
    if (n == 0)
        return 0;
    return t == DT_U64 ? (int64_t)((uint64_t)sum / (uint64_t)n) : sum / n;
}

/* The columns `step` and `end` of ops.def. */
#define STEP_sum 0, f64_sum, i64_sum
#define STEP_abs 0, f64_abs, i64_abs
#define STEP_square 0, f64_square, i64_square
#define STEP_exp 0, f64_exp, NULL
#define STEP_product 1, f64_product, i64_product
#define STEP_max -INFINITY, f64_max, i64_max
#define STEP_min INFINITY, f64_min, i64_min
#define END_total end_sum, false, NULL
#define END_mean end_mean, false, int_mean
#define END_root end_root, true, NULL
#define END_log end_log, true, NULL
#define END_log_exp end_log_exp, true, NULL
static const struct Reduction {
    double start; /* for integers, infinities are the bounds of the type */
    void (*f64)(AccF64 *a, const double *v, size_t n);
    void (*i64)(DType t, uint64_t *sum, const int64_t *v, size_t n);
    double (*end)(const AccF64 *a, int64_t n);
    bool real;                                           /* integers are computed as floats */
    int64_t (*i64_end)(DType t, int64_t sum, int64_t n); /* NULL: the sum */
} reductions[OP_COUNT] = {
#define OP_REDUCTION(nm, step, end) [OP_##nm] = {STEP_##step, END_##end},
#include "../ops/ops.def"
};

/* --- the loops ----------------------------------------------------------------------------------------------------- */

/* The source in the order of the groups, buffered. */
typedef struct Stream {
    const Tensor *src;
    Walk walk;
    size_t left, at, have; /* elements not read yet; position in and size of the buffer */
    bool real;             /* which buffer it is */
    double reals[EVAL_CHUNK];
    int64_t ints[EVAL_CHUNK];
} Stream;

static void stream_begin(Stream *s, const Eval *e, bool real, int64_t *group)
{
    bool reduced[MAX_RANK] = {false};
    size_t n;
    const int64_t *axes = attr_ints(e->node, "axes", &n);
    *s = (Stream){.src = e->in[0], .left = eval_count(e->in[0]), .real = real};
    *group = 1;
    for (size_t k = 0; k < n; k++) {
        reduced[axes[k]] = true;
        *group *= e->in[0]->type.dims[axes[k]];
    }
    walk_inner(&s->walk, &e->in[0]->type, reduced);
}

/* How many of `want` elements the buffer has; it is read anew if it is empty. */
static size_t stream_take(Stream *s, size_t want)
{
    const DType t = s->src->type.dtype;
    if (s->at == s->have) {
        s->have = s->left < EVAL_CHUNK ? s->left : EVAL_CHUNK;
        s->left -= s->have;
        s->at = 0;
        if (s->real)
            load_f64(t, s->src->data, &s->walk, s->have, s->reals);
        else
            load_i64(t, s->src->data, &s->walk, s->have, s->ints);
    }
    size_t n = s->have - s->at < want ? s->have - s->at : want;
    s->at += n;
    return n;
}

/* Floats, and those reductions of integers that are not integer arithmetic, are computed in double. */
bool eval_reduce(Eval *e)
{
    const struct Reduction *r = &reductions[e->node->op];
    Tensor *dst = e->out[0];
    const DType t = dst->type.dtype;
    const bool real = r->real || dtype_is_float(t);
    int64_t group;
    Stream s;
    stream_begin(&s, e, real, &group);
    for (size_t k = 0; k < eval_count(dst); k++) {
        AccF64 a = {.sum = r->start, .max = -INFINITY};
        uint64_t sum = (uint64_t)(r->start == -INFINITY  ? dtype_lowest(t)
                                  : r->start == INFINITY ? dtype_highest(t)
                                                         : (int64_t)r->start);
        for (size_t left = (size_t)group, n; left > 0; left -= n) {
            n = stream_take(&s, left);
            if (real)
                r->f64(&a, s.reals + s.at - n, n);
            else
                r->i64(t, &sum, s.ints + s.at - n, n);
        }
        const double v = r->end(&a, group);
        if (dtype_is_float(t))
            elem_set_f64(t, dst->data, k, v);
        else if (real)
            elem_set_i64(t, dst->data, k, f64_to_int(t, v));
        else
            elem_set_i64(t, dst->data, k,
                         r->i64_end ? r->i64_end(t, (int64_t)sum, group) : (int64_t)sum);
    }
    return true;
}
