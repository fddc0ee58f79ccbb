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

/* What makes floats of whole numbers from low to high. */
typedef struct Whole {
    ValueId x; /* the numbers, or bytes, less `zero`, that the DequantizeLinear `n` reads */
    ValueId zero;
    bool bytes;
    Node n;
    double low, high;
    Factor factor;
    bool relu; /* behind the factor */
} Whole;

static bool of_bytes(const Simplify *s, const Node *n, Whole *w)
{
    double scale, zero = 0;
    const DType t = type_of(s->g, n->in[0])->dtype;
    w->zero = has_value(node_in(n, 2)) ? arg(s, n, 2) : NO_VALUE;
    if ((t != DT_U8 && t != DT_I8) || type_of(s->g, n->out[0])->dtype != DT_F32 ||
        type_of(s->g, arg(s, n, 1))->dtype != DT_F32 || !scalar_value(s->g, arg(s, n, 1), &scale) ||
        !isnormal(scale) || scale < 0 ||
        (has_value(w->zero) && !scalar_value(s->g, w->zero, &zero)))
        return false;
    w->x = arg(s, n, 0);
    w->bytes = true;
    w->n = *n;
    w->low = (t == DT_U8 ? 0 : INT8_MIN) - zero;
    w->high = (t == DT_U8 ? UINT8_MAX : INT8_MAX) - zero;
    w->factor = (Factor){(float)scale, false};
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
    w->low = attr_float(n, "min", -INFINITY);
    w->high = attr_float(n, "max", INFINITY);
    return w->low == rint(w->low) && w->high == rint(w->high) &&
           fabs(w->low) + fabs(w->high) <= MOST_NUMBERS;
}

/* The rounded result is limited to these. */
typedef struct Limits {
    double low, high;
} Limits;

static double step_of(float x, Limits to)
{
    return fmin(fmax((double)rintf(x), to.low), to.high);
}

static bool same_steps(const Whole *w, Factor second, Limits to, float product)
{
    for (double k = w->low; k <= w->high; k++) {
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
        (double)rintf(f.number * (float)attr_float(clip, "min", -INFINITY)) > to.low ||
        (double)rintf(f.number * (float)attr_float(clip, "max", INFINITY)) < to.high)
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
    const Limits to = {attr_float(n, "min", -INFINITY), attr_float(n, "max", INFINITY)};
    ValueId x = without_limits(s, &like, to);
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
    double scale, zero = 0;
    const ValueId by = arg(s, n, 1),
                  zero_point = has_value(node_in(n, 2)) ? arg(s, n, 2) : NO_VALUE;
    const DType t = type_of(s->g, n->out[0])->dtype;
    if ((t != DT_U8 && t != DT_I8) || type_of(s->g, by)->dtype != DT_F32 ||
        !scalar_value(s->g, by, &scale) || !isnormal(scale) || scale < 0 ||
        (has_value(zero_point) && !scalar_value(s->g, zero_point, &zero)))
        return NO_VALUE;
    const Limits to = {(t == DT_U8 ? 0 : INT8_MIN) - zero,
                       (t == DT_U8 ? UINT8_MAX : INT8_MAX) - zero};
    ValueId x = NO_VALUE;
    if (scale == 1)
        x = without_limits(s, n, to);
    else if (read_whole(s, arg(s, n, 0), &w))
        x = one_product(s, n, &w, (Factor){(float)scale, true}, to);
    const ValueId in[3] = {x, scalar_const(s->g, DT_F32, 1), zero_point};
    return has_value(x) ? graph_op_as(s->g, n->op, n, in, has_value(zero_point) ? 3 : 2) : NO_VALUE;
}
