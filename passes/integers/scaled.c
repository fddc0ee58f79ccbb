/* Sums times constants, one for each channel: scales of layers, and the slopes of LeakyRelu and PRelu. */
#include "integers.h"

#include <math.h>

/* The one dimension of a result of this rank along which v differs; -1: none, -2: several. */
static int only_dimension(const Integers *m, ValueId v, int rank)
{
    const TensorType *t = type_of(m->g, v);
    int along = -1;
    if (t->rank > rank)
        return -2;
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] != 1)
            along = along == -1 ? d + rank - t->rank : -2;
    return along;
}

static bool times(Integers *m, const Node *like, Sums *s, ValueId v)
{
    double *x;
    int64_t n;
    const TensorType *t = type_of(m->g, s->v);
    const int along = only_dimension(m, v, t->rank);
    if (along == -2 || !numbers_of(m, v, &x, &n) || (n > 1 && n != t->dims[along]) ||
        (n > 1 && (s->by_place || (s->n_scales > 1 && s->channel != along))))
        return false;
    const int64_t count = n > s->n_scales ? n : s->n_scales;
    double *scale = ARENA_ARRAY(m->g->arena, double, (size_t)count),
           *sign = ARENA_ARRAY(m->g->arena, double, (size_t)n);
    bool positive = true;
    for (int64_t i = 0; i < n; i++) {
        sign[i] = x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0;
        positive = positive && sign[i] > 0;
    }
    for (int64_t i = 0; i < count; i++) {
        const double factor = fabs(x[n == 1 ? 0 : i]);
        scale[i] = s->scale[s->n_scales == 1 ? 0 : i] * (factor > 0 ? factor : 1);
    }
    if (n > 1)
        s->channel = along;
    if (!positive)
        s->v = add_binary(m->g, OP_Mul, like, s->v,
                          by_channel(m, DT_I32, sign, n, t->rank, s->channel));
    s->scale = scale;
    s->n_scales = count;
    return true;
}

/* v as sums: those of a layer, or bytes that are dequantised. */
static bool sums_or_bytes(Integers *m, const Node *like, ValueId v, Sums *s)
{
    Step8 src;
    if (sums_of(m, v, s))
        return true;
    const ValueId x = moved_bytes(m, v, &src);
    if (!has_value(x))
        return false;
    *s = (Sums){.v = centred(m, like, x, &src), .n_scales = 1, .most = 255};
    s->scale = ARENA_NEW(m->g->arena, double);
    *s->scale = src.scale;
    return true;
}

bool times_constant(Integers *m, const Node *n, Sums *s)
{
    double *x;
    int64_t count;
    const uint32_t k = numbers_of(m, n->in[0], &x, &count) ? 0 : 1;
    return numbers_of(m, n->in[k], &x, &count) && sums_or_bytes(m, n, n->in[1 - k], s) &&
           same_shape(type_of(m->g, s->v), type_of(m->g, n->out[0])) && times(m, n, s, n->in[k]);
}

/* With slopes of at most 1 the larger of x and slope * x, with others the smaller. */
ValueId sloped(Integers *m, const Node *q, const Node *n, const Step8 *dst)
{
    Sums s;
    double *slope;
    int64_t count;
    const ValueId slopes =
        n->op == OP_PRelu ? n->in[1] : scalar_const(m->g, DT_F32, attr_float(n, "alpha", 0.01));
    if (!numbers_of(m, slopes, &slope, &count))
        return stays(m, "its slopes are not constants");
    if (!sums_or_bytes(m, n, n->in[0], &s))
        return stays_behind(
            m, n, "its operand is neither dequantised from bytes with one scale nor a layer");
    bool flat = true, steep = true;
    for (int64_t i = 0; i < count; i++) {
        flat = flat && slope[i] <= 1;
        steep = steep && slope[i] >= 1;
    }
    Sums below = s;
    if ((!flat && !steep) || !times(m, n, &below, slopes))
        return stays(m, "its slopes are not one for each channel, all at most 1 or all at least 1");
    const ValueId a = in_units(m, q, &s, dst->scale), b = in_units(m, q, &below, dst->scale);
    if (!has_value(a) || !has_value(b))
        return NO_VALUE;
    return as_bytes(m, q, add_binary(m->g, flat ? OP_Max : OP_Min, n, a, b), dst);
}
