/* Sums, differences and maxima of tensors that have scales of their own: all in one unit, a small part of the result's step, in i32. */
#include "integers.h"

#include <math.h>

enum { LARGEST = 1 << 30, FINEST = 22, COARSEST = 8 };

static bool is_mix(const Node *n)
{
    return n->op == OP_Add || n->op == OP_Sub || n->op == OP_Max || n->op == OP_Min ||
           n->op == OP_Sum || n->op == OP_Neg || n->op == OP_Abs || n->op == OP_Relu;
}

/* No element is larger; infinite where that is not known. */
static double bound_of(Integers *m, ValueId v)
{
    Step8 s;
    Sums sums;
    ValueId bytes;
    const Node *n = def_of(m->g, v);
    double most = 0;
    if (is_const(m->g, v)) {
        for (int64_t i = 0; i < type_count(type_of(m->g, v)); i++)
            most = fmax(most, fabs(const_number(m->g, v, i)));
        return most;
    }
    if (bytes_of(m, v, &bytes, &s))
        return 256 * s.scale;
    if (sums_of(m, v, &sums)) {
        for (int64_t i = 0; i < sums.n_scales; i++)
            most = fmax(most, sums.most * sums.scale[i]);
        return most;
    }
    n = def_of(m->g, v); /* nodes were added */
    if (n && keeps_steps(n))
        return bound_of(m, n->in[0]);
    if (!n || !is_mix(n))
        return INFINITY;
    for (uint32_t k = 0; k < n->n_in; k++) {
        const double x = bound_of(m, def_of(m->g, v)->in[k]);
        n = def_of(m->g, v);
        most = n->op == OP_Add || n->op == OP_Sub || n->op == OP_Sum ? most + x : fmax(most, x);
    }
    return most;
}

/* Constants in units of `unit`. */
static ValueId constant(const Integers *m, ValueId v, double unit)
{
    const TensorType *t = type_of(m->g, v);
    double *x = ARENA_ARRAY(m->g->arena, double, (size_t)type_count(t) + 1);
    for (int64_t i = 0; i < type_count(t); i++)
        x[i] = nearbyint(const_number(m->g, v, i) / unit);
    return make_const(m->g, "", DT_I32, t->rank, t->dims, x);
}

static ValueId in_unit(Integers *m, ValueId v, double unit)
{
    Step8 s;
    Sums sums;
    ValueId x;
    const Node *at = def_of(m->g, v);
    if (is_const(m->g, v))
        return constant(m, v, unit);
    if (!at)
        return NO_VALUE;
    const Node n = *at; /* what follows adds nodes */
    if (bytes_of(m, v, &x, &s)) {
        x = add_cast(m->g, &n, x, DT_I32);
        if (s.zero)
            x = add_binary(m->g, OP_Sub, &n, x, scalar_const(m->g, DT_I32, (double)s.zero));
        return add_binary(m->g, OP_Mul, &n, x,
                          scalar_const(m->g, DT_I32, nearbyint(s.scale / unit)));
    }
    if (sums_of(m, v, &sums))
        return in_units(m, &n, &sums, unit);
    if (keeps_steps(&n)) {
        x = in_unit(m, n.in[0], unit);
        return has_value(x) ? add_moved(m, &n, x, value_at(m->g, v)->def_out) : x;
    }
    ValueId in[16];
    if (n.n_in > COUNT_OF(in))
        return NO_VALUE;
    for (uint32_t k = 0; k < n.n_in; k++) {
        in[k] = in_unit(m, n.in[k], unit);
        if (!has_value(in[k]))
            return NO_VALUE;
    }
    if (n.op == OP_Relu)
        return graph_op(m->g, OP_Clip, &n, in, 1, (Attr[]){ATTR_F("min", 0), ATTR_END});
    return graph_op(m->g, n.op, &n, in, n.n_in, NULL);
}

ValueId mixed(Integers *m, const Node *like, ValueId v, const Step8 *dst)
{
    const Node *n = def_of(m->g, v);
    if (!n || !is_mix(n))
        return NO_VALUE;
    const double bound = bound_of(m, v);
    if (isinf(bound))
        return stays(m, "an operand of the sum is not dequantised from bytes with one scale");
    int bits = FINEST;
    while (bits >= COARSEST && bound / dst->scale * ldexp(1, bits) >= LARGEST)
        bits--;
    if (bits < COARSEST)
        return stays(m, "the scales of a sum's operands and of its result are too far apart");
    Sums s = {.v = in_unit(m, v, ldexp(dst->scale, -bits)), .n_scales = 1};
    s.scale = ARENA_NEW(m->g->arena, double);
    *s.scale = ldexp(1, -bits);
    m->n_others++;
    return has_value(s.v) ? as_bytes(m, like, in_units(m, like, &s, 1), dst) : NO_VALUE;
}
