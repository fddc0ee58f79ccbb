/* QLinearConv in floats. Bytes less their zero points are whole numbers, and a sum of their products is exact in f32, in whatever order it is added up, as
 * long as the products' absolute values add up to 2^24 or less. So the numbers are convolved as they are, scaled once and rounded once, as the
 * operator is defined: had they been scaled before, a sum halfway between two steps would come out on either side.
 *
 * Where the weights of a filter allow more than 2^24, the channels of src are divided among several convolutions, and their sums are added as i32.
 * A Round behind a single one changes nothing, but says that the sums are meant exactly: fold-scale-axis moves no scales past it, nor past
 * the Casts, and neither is put behind sums by Winograd's method (becomes_integers in gen/dnnl/describe_algorithm.c). */
#include "in_floats.h"

#include "../common/util.h"

#include <math.h>

enum { EXACT = 1 << 24 };

typedef struct Exact {
    Graph *g;
    const Rewrite *rw;
    const Node *n;
    ValueId src;  /* f32: less the zero point */
    double most;  /* of its absolute values */
    double *w;    /* less their zero points */
    TensorType t; /* of the weights */
} Exact;

static ValueId operand(const Exact *x, uint32_t k)
{
    return resolved_in(x->rw, x->n, k);
}

static double number_in(const Exact *x, uint32_t k, int64_t i)
{
    ValueId v = operand(x, k);
    return has_value(v) ? const_number(x->g, v, i) : 0;
}

static bool all_constant(const Exact *x)
{
    for (uint32_t k = 1; k < x->n->n_in; k++)
        if (has_value(x->n->in[k]) && !is_const(x->g, operand(x, k)))
            return false;
    return type_count(&x->t) > 0;
}

static void read_operands(Exact *x)
{
    const DType t = type_of(x->g, x->n->in[0])->dtype;
    const int64_t count = type_count(&x->t), per = count / x->t.dims[0];
    const double zero = number_in(x, 2, 0), low = t == DT_U8 ? 0 : INT8_MIN;
    const Attr axis[] = {ATTR_I("axis", 0), ATTR_END};
    ValueId in[3] = {operand(x, 0), scalar_const(x->g, DT_F32, 1), operand(x, 2)};
    x->src = graph_op(x->g, OP_DequantizeLinear, x->n, in, 3, axis);
    x->most = fmax(zero - low, low + UINT8_MAX - zero);
    x->w = ARENA_ARRAY(x->g->arena, double, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        x->w[i] = number_in(x, 3, i) - number_in(x, 5, i / per);
}

/* The largest that a sum over channels first … end - 1 of any filter can get. */
static double bound(const Exact *x, int64_t first, int64_t end)
{
    const int64_t channels = x->t.dims[1], taps = dims_product(&x->t, 2, x->t.rank);
    double most = 0;
    for (int64_t m = 0; m < x->t.dims[0]; m++) {
        double sum = 0;
        for (int64_t i = first * taps; i < end * taps; i++)
            sum += fabs(x->w[m * channels * taps + i]);
        most = fmax(most, sum * x->most);
    }
    return most;
}

/* As many channels from `first` on as one sum of floats takes; 0: not even one. */
static int64_t channels_at_once(const Exact *x, int64_t first)
{
    int64_t least = 0, most = x->t.dims[1] - first;
    while (least < most) {
        const int64_t middle = least + (most - least + 1) / 2;
        if (bound(x, first, first + middle) <= EXACT)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

static ValueId some_channels(const Exact *x, int64_t first, int64_t count)
{
    if (count == type_of(x->g, x->src)->dims[1] || count == x->t.dims[1])
        return x->src;
    return add_slice(x->g, x->n, x->src, 1, first, count);
}

/* The weights of these channels, from those of all. */
static ValueId some_weights(const Exact *x, int64_t first, int64_t count)
{
    TensorType t = x->t;
    t.dims[1] = count;
    const int64_t taps = dims_product(&t, 2, t.rank);
    double *w = ARENA_ARRAY(x->g->arena, double, (size_t)type_count(&t));
    for (int64_t m = 0; m < t.dims[0]; m++)
        for (int64_t i = 0; i < count * taps; i++)
            w[m * count * taps + i] = x->w[(m * x->t.dims[1] + first) * taps + i];
    return make_const(x->g, value_at(x->g, operand(x, 3))->name, DT_F32, t.rank, t.dims, w);
}

static ValueId sum_of(const Exact *x, int64_t first, int64_t count, ValueId bias)
{
    const ValueId in[3] = {some_channels(x, first, count), some_weights(x, first, count), bias};
    return graph_op_as(x->g, OP_Conv, x->n, in, 3);
}

/* One number for each filter, which broadcasts to dst. */
static ValueId by_filter(const Exact *x, DType t, const double *v)
{
    int64_t dims[MAX_RANK];
    for (int d = 0; d < x->t.rank; d++)
        dims[d] = 1;
    dims[1] = x->t.dims[0];
    return make_const(x->g, "", t, x->t.rank, dims, v);
}

static ValueId add(const Exact *x, ValueId a, ValueId b)
{
    return has_value(a) ? add_binary(x->g, OP_Add, x->n, a, b) : b;
}

/* Of several convolutions; NO_VALUE if a channel alone may be too large. */
static ValueId divided(const Exact *x, const double *bias)
{
    ValueId all = NO_VALUE;
    for (int64_t first = 0, count; first < x->t.dims[1]; first += count) {
        count = channels_at_once(x, first);
        if (count == 0 || (count < x->t.dims[1] && attr_int(x->n, "group", 1) != 1))
            return NO_VALUE;
        all = add(x, all, add_cast(x->g, x->n, sum_of(x, first, count, NO_VALUE), DT_I32));
    }
    if (bias)
        all = add(x, all, by_filter(x, DT_I32, bias));
    return add_cast(x->g, x->n, all, DT_F32);
}

/* Sums in f32, the bias included; NO_VALUE if they cannot be exact before that. */
static ValueId sums(const Exact *x)
{
    const int64_t filters = x->t.dims[0], channels = x->t.dims[1];
    double *bias = ARENA_ARRAY(x->g->arena, double, (size_t)filters), most = 0;
    for (int64_t i = 0; i < filters; i++) {
        bias[i] = number_in(x, 8, i);
        most = fmax(most, fabs(bias[i]));
    }
    if (bound(x, 0, channels) + most > EXACT)
        return divided(x, most > 0 ? bias : NULL);
    ValueId all = sum_of(x, 0, channels,
                         most > 0 ? make_const(x->g, "", DT_F32, 1, &filters, bias) : NO_VALUE);
    return add_unary(x->g, OP_Round, x->n, all);
}

ValueId qlinear_conv_in_floats(Graph *g, const Rewrite *rw, const Node *n)
{
    Exact x = {.g = g, .rw = rw, .n = n};
    const DType to = type_of(g, n->out[0])->dtype;
    const Attr attrs[] = {ATTR_I("axis", 0), ATTR_I("to", to), ATTR_END};
    x.t = *type_of(g, operand(&x, 3));
    if (!all_constant(&x))
        return NO_VALUE;
    read_operands(&x);
    double *scale = ARENA_ARRAY(g->arena, double, (size_t)x.t.dims[0]);
    for (int64_t i = 0; i < x.t.dims[0]; i++)
        scale[i] = (double)((float)number_in(&x, 1, 0) * (float)number_in(&x, 4, i) /
                            (float)number_in(&x, 6, 0));
    ValueId v = sums(&x);
    if (!has_value(v))
        return NO_VALUE;
    v = add_binary(g, OP_Mul, n, v, by_filter(&x, DT_F32, scale));
    const ValueId in[3] = {v, scalar_const(g, DT_F32, 1), operand(&x, 7)};
    return graph_op(g, OP_QuantizeLinear, n, in, 3, attrs);
}
