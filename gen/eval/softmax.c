/* Softmax, LogSoftmax, Hardmax, LpNormalization: each group of elements becomes one of the same size. */
#include "elem.h"

#include <math.h>

/* The elements of one group in double, in place. */
typedef void GroupFn(double *v, int64_t n, int64_t p);

static double group_max(const double *v, int64_t n)
{
    double max = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (v[i] != v[i] || v[i] > max)
            max = v[i];
    return max;
}

static void softmax(double *v, int64_t n, int64_t p)
{
    double max = group_max(v, n), sum = 0;
    (void)p;
    for (int64_t i = 0; i < n; i++)
        sum += v[i] = exp(v[i] - max);
    for (int64_t i = 0; i < n; i++)
        v[i] /= sum;
}

static void log_softmax(double *v, int64_t n, int64_t p)
{
    double max = group_max(v, n), sum = 0;
    (void)p;
    for (int64_t i = 0; i < n; i++)
        sum += exp(v[i] - max);
    for (int64_t i = 0; i < n; i++)
        v[i] -= max + log(sum);
}

/* 1 at the first maximum. */
static void hardmax(double *v, int64_t n, int64_t p)
{
    int64_t best = 0;
    (void)p;
    for (int64_t i = 1; i < n; i++)
        if (v[i] > v[best] || (v[i] != v[i] && v[best] == v[best]))
            best = i;
    for (int64_t i = 0; i < n; i++)
        v[i] = i == best;
}

/* A group of zeros stays one. */
static void lp_norm(double *v, int64_t n, int64_t p)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += p == 1 ? fabs(v[i]) : v[i] * v[i];
    double norm = p == 1 ? sum : sqrt(sum);
    for (int64_t i = 0; norm != 0 && i < n; i++)
        v[i] /= norm;
}

static void each_group(const Eval *e, int64_t from, int64_t to, GroupFn *fn, int64_t p)
{
    const Tensor *src = e->in[0];
    DType t = src->type.dtype;
    Around a = around(&src->type, from, to);
    double *v = ARENA_ARRAY(e->scratch, double, (size_t)a.size + 1);
    for (int64_t r = 0; r < a.outer * a.inner; r++) {
        int64_t first = r / a.inner * a.size * a.inner + r % a.inner;
        for (int64_t i = 0; i < a.size; i++)
            v[i] = elem_f64(t, src->data, (size_t)(first + i * a.inner));
        fn(v, a.size, p);
        for (int64_t i = 0; i < a.size; i++)
            elem_set_f64(t, e->out[0]->data, (size_t)(first + i * a.inner), v[i]);
    }
}

bool eval_softmax(Eval *e)
{
    GroupFn *fn = e->node->op == OP_Softmax      ? softmax
                  : e->node->op == OP_LogSoftmax ? log_softmax
                                                 : hardmax;
    each_group(e, attr_int(e->node, "axis", 0), attr_int(e->node, "axis_end", 0), fn, 0);
    return true;
}

bool eval_lp_norm(Eval *e)
{
    int64_t axis = attr_int(e->node, "axis", 0);
    each_group(e, axis, axis + 1, lp_norm, attr_int(e->node, "p", 2));
    return true;
}
