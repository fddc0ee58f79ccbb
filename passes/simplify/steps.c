/* simplify: whole numbers that are scaled and rounded to whole numbers again, as between the quantisation of a sum and that of its Relu. One product takes the place of
 * a product and a quotient where each number there can be comes out the same; all of them are looked at. */
#include "simplify.h"

#include "../common/util.h"

#include <math.h>

enum { MOST_NUMBERS = 1 << 16 };

/* Times a number, or by it, in f32. */
typedef struct Factor {
    float number;
    bool divides;
} Factor;

static float times_factor(Factor f, float x)
{
    return f.divides ? x / f.number : x * f.number;
}

static double as_product(Factor f)
{
    return f.divides ? 1 / (double)f.number : (double)f.number;
}

/* A positive number of f32 that all elements are multiplied or divided by: x is what they are. */
static bool read_factor(const Simplify *s, const Node *n, ValueId *x, Factor *f)
{
    double number;
    for (uint32_t k = 0; k < 2 && (n->op == OP_Mul || (n->op == OP_Div && k == 0)); k++) {
        const ValueId of = arg(s, n, k), by = arg(s, n, 1 - k);
        if (type_of(s->g, by)->dtype != DT_F32 || !scalar_value(s->g, by, &number) ||
            !isnormal(number) || number < 0 ||
            !type_equal(type_of(s->g, of), type_of(s->g, n->out[0])))
            continue;
        *x = of;
        *f = (Factor){(float)number, n->op == OP_Div};
        return true;
    }
    return false;
}

/* Whole numbers, and what lies beyond is limited to them. */
typedef struct Limits {
    double low, high;
} Limits;

static Limits limits_of(const Node *clip)
{
    return (Limits){attr_float(clip, "min", -INFINITY), attr_float(clip, "max", INFINITY)};
}

/* What makes floats of limited whole numbers. */
typedef struct Whole {
    ValueId x; /* the numbers, or bytes, less `zero`, that the DequantizeLinear `n` reads */
    ValueId zero;
    bool bytes;
    Node n;
    Limits of;
    Factor factor;
    bool relu; /* behind the factor */
} Whole;

/* One scale, and the zero point or NO_VALUE, of n, a QuantizeLinear or DequantizeLinear whose bytes have type t; `limits`: of bytes less the zero point. */
static bool read_steps(const Simplify *s, const Node *n, DType t, float *scale, ValueId *zero,
                       Limits *limits)
{
    double step, z = 0;
    const ValueId by = arg(s, n, 1);
    *zero = has_value(node_in(n, 2)) ? arg(s, n, 2) : NO_VALUE;
    if ((t != DT_U8 && t != DT_I8) || type_of(s->g, by)->dtype != DT_F32 ||
        !scalar_value(s->g, by, &step) || !isnormal(step) || step < 0 ||
        (has_value(*zero) && !scalar_value(s->g, *zero, &z)))
        return false;
    *scale = (float)step;
    *limits = (Limits){(double)dtype_lowest(t) - z, (double)dtype_highest(t) - z};
    return true;
}

static bool of_bytes(const Simplify *s, const Node *n, Whole *w)
{
    if (type_of(s->g, n->out[0])->dtype != DT_F32 ||
        !read_steps(s, n, type_of(s->g, n->in[0])->dtype, &w->factor.number, &w->zero, &w->of))
        return false;
    w->x = arg(s, n, 0);
    w->bytes = true;
    w->n = *n;
    return true;
}

/* v is a DequantizeLinear of bytes, or a limited Round with or without a factor; then a Relu or none. */
static bool read_whole(const Simplify *s, ValueId v, Whole *w)
{
    const Node *n = def_of(s->g, v);
    *w = (Whole){.factor = {1, false}, .zero = NO_VALUE};
    if (n && n->op == OP_Relu) {
        w->relu = true;
        v = arg(s, n, 0);
        n = def_of(s->g, v);
    }
    if (n && n->op == OP_DequantizeLinear)
        return of_bytes(s, n, w);
    if (n && read_factor(s, n, &v, &w->factor))
        n = def_of(s->g, v);
    const Node *round = n && n->op == OP_Clip ? arg_node(s, n, 0, OP_Round) : NULL;
    if (!round || type_of(s->g, v)->dtype != DT_F32)
        return false;
    w->x = v;
    w->of = limits_of(n);
    return w->of.low == rint(w->of.low) && w->of.high == rint(w->of.high) &&
           fabs(w->of.low) + fabs(w->of.high) <= MOST_NUMBERS;
}

static double step_of(float x, Limits to)
{
    return fmin(fmax((double)rintf(x), to.low), to.high);
}

static bool same_steps(const Whole *w, Factor second, Limits to, float product)
{
    for (double k = w->of.low; k <= w->of.high; k++) {
        const float x = times_factor(w->factor, (float)k);
        if (step_of(times_factor(second, w->relu && x < 0 ? 0 : x), to) !=
            step_of((float)k * product, to))
            return false;
    }
    return true;
}

/* A product of the whole numbers that is rounded to the same as the floats that w makes of them, multiplied or divided once more; NO_VALUE if there is none. */
static ValueId one_product(Simplify *s, const Node *like, const Whole *w, Factor second, Limits to)
{
    const float near = (float)(as_product(w->factor) * as_product(second));
    const float tried[] = {near, nextafterf(near, 0), nextafterf(near, INFINITY)};
    for (size_t i = 0; i < COUNT_OF(tried); i++) {
        if (!isnormal(tried[i]) || !same_steps(w, second, to, tried[i]))
            continue;
        const ValueId number = scalar_const(s->g, DT_F32, (double)tried[i]);
        const Attr axis[] = {ATTR_I("axis", 0), ATTR_END};
        return w->bytes
                   ? graph_op(s->g, OP_DequantizeLinear, &w->n, (ValueId[]){w->x, number, w->zero},
                              has_value(w->zero) ? 3 : 2, axis)
                   : add_binary(s->g, OP_Mul, like, w->x, number);
    }
    return NO_VALUE;
}

/* The node that makes input k of n for n alone, if it is of this op and nothing was replaced there in this round. */
static const Node *own_node(const Simplify *s, const Node *n, uint32_t k, Op op)
{
    const Node *def = arg_node(s, n, k, op);
    return def && same_value(arg(s, n, k), n->in[k]) && arg_single(s, n, k) ? def : NULL;
}

/* n rounds a product of limited whole numbers, and limits the result. Gives the product of the numbers without their limits, if each number beyond these comes out at one
 * of `to` anyway. */
static ValueId without_limits(Simplify *s, const Node *n, Limits to)
{
    Factor f;
    ValueId x;
    const Node *mul = own_node(s, n, 0, OP_Mul);
    if (!mul || !read_factor(s, mul, &x, &f))
        return NO_VALUE;
    const Node *clip = own_node(s, mul, same_value(x, arg(s, mul, 0)) ? 0 : 1, OP_Clip);
    const Node like = *mul; /* what follows adds nodes */
    if (!clip || !own_node(s, clip, 0, OP_Round) ||
        (double)rintf(f.number * (float)limits_of(clip).low) > to.low ||
        (double)rintf(f.number * (float)limits_of(clip).high) < to.high)
        return NO_VALUE;
    x = clip->in[0];
    return add_binary(s->g, OP_Mul, &like, x, scalar_const(s->g, DT_F32, (double)f.number));
}

ValueId simplify_limited_steps(Simplify *s, const Node *n)
{
    const Node *round = own_node(s, n, 0, OP_Round);
    if (!round)
        return NO_VALUE;
    const Node like = *round; /* what follows adds nodes */
    ValueId x = without_limits(s, &like, limits_of(n));
    if (!has_value(x))
        return NO_VALUE;
    x = add_unary(s->g, OP_Round, &like, x);
    return graph_op_as(s->g, OP_Clip, n, &x, 1);
}

ValueId simplify_round(Simplify *s, const Node *n)
{
    Whole w;
    Factor second;
    ValueId x;
    const Node *def = def_of(s->g, arg(s, n, 0));
    if (!def || !read_factor(s, def, &x, &second))
        return simplify_idempotent(s, n);
    const Node factor = *def; /* what follows adds nodes */
    if (!read_whole(s, x, &w) || w.bytes || (w.factor.number == 1 && !second.divides))
        return NO_VALUE;
    x = one_product(s, &factor, &w, second, (Limits){-INFINITY, INFINITY});
    return has_value(x) ? add_unary(s->g, OP_Round, n, x) : NO_VALUE;
}

ValueId simplify_quantize(Simplify *s, const Node *n)
{
    Whole w;
    Limits to;
    float scale;
    ValueId zero, x = NO_VALUE;
    if (!read_steps(s, n, type_of(s->g, n->out[0])->dtype, &scale, &zero, &to))
        return NO_VALUE;
    if (scale == 1)
        x = without_limits(s, n, to);
    else if (read_whole(s, arg(s, n, 0), &w))
        x = one_product(s, n, &w, (Factor){scale, true}, to);
    const ValueId in[3] = {x, scalar_const(s->g, DT_F32, 1), zero};
    return has_value(x) ? graph_op_as(s->g, n->op, n, in, has_value(zero) ? 3 : 2) : NO_VALUE;
}
