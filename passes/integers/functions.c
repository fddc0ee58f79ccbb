/* Functions of bytes: tables. Softmax: a table of exponentials, and a division of integers. LogSoftmax: that table, and one of logarithms. */
#include "integers.h"

#include <math.h>

enum { BYTES = 256 };

/* All bytes of a type, so that a byte, negative ones counted from the end, is the index of itself. */
static ValueId all_bytes(const Integers *m, DType t)
{
    double x[BYTES];
    const int64_t n = BYTES;
    for (int i = 0; i < BYTES; i++)
        x[i] = t == DT_I8 && i > INT8_MAX ? i - BYTES : i;
    return make_const(m->g, "", t, 1, &n, x);
}

/* What v, made element by element of one tensor of bytes and of single numbers, is of all bytes: a constant, when it is evaluated. */
static ValueId of_all_bytes(Integers *m, ValueId v, ValueId *bytes)
{
    Step8 s;
    double x;
    ValueId in[4], b;
    const Node *at = def_of(m->g, v);
    if (scalar_value(m->g, v, &x))
        return scalar_const(m->g, type_of(m->g, v)->dtype, x);
    if (!at)
        return NO_VALUE;
    const Node n = *at; /* what follows adds nodes */
    if (bytes_of(m, v, &b, &s)) {
        if (has_value(*bytes) && !same_value(*bytes, b))
            return NO_VALUE;
        *bytes = b;
        const ValueId of[3] = {all_bytes(m, s.type), scalar_const(m->g, DT_F32, s.scale),
                               scalar_const(m->g, s.type, (double)s.zero)};
        return graph_op(m->g, OP_DequantizeLinear, &n, of, 3,
                        (Attr[]){ATTR_I("axis", 0), ATTR_END});
    }
    if (op_info(n.op)->class != CLASS_ELTWISE || n.n_out != 1 || n.n_in > COUNT_OF(in))
        return NO_VALUE;
    for (uint32_t k = 0; k < n.n_in; k++) {
        in[k] = of_all_bytes(m, n.in[k], bytes);
        if (!has_value(in[k]))
            return NO_VALUE;
    }
    return graph_op_as(m->g, n.op, &n, in, n.n_in);
}

static ValueId taken(const Integers *m, const Node *like, ValueId table, ValueId at)
{
    return graph_op(m->g, OP_Gather, like, (ValueId[]){table, at}, 2,
                    (Attr[]){ATTR_I("axis", 0), ATTR_END});
}

ValueId looked_up(Integers *m, const Node *q, ValueId v)
{
    ValueId bytes = NO_VALUE;
    ValueId in[3] = {of_all_bytes(m, v, &bytes), arg(m, q, 1), arg(m, q, 2)};
    if (!has_value(in[0]) || !has_value(bytes) ||
        !same_shape(type_of(m->g, bytes), type_of(m->g, v)))
        return NO_VALUE;
    const Attr attrs[] = {ATTR_I("axis", 0), ATTR_I("to", type_of(m->g, q->out[0])->dtype),
                          ATTR_END};
    const ValueId table = graph_op(m->g, OP_QuantizeLinear, q, in, has_value(in[2]) ? 3 : 2, attrs);
    m->n_tables++;
    return taken(m, q, table, bytes);
}

/* round(f(i) * unit) for bytes that are i less than the largest: a function of -i * scale. */
static ValueId table_behind(const Integers *m, double (*f)(double), double scale, double unit)
{
    double x[BYTES];
    const int64_t n = BYTES;
    for (int i = 0; i < BYTES; i++)
        x[i] = nearbyint(f(-i * scale) * unit);
    return make_const(m->g, "", DT_I32, 1, &n, x);
}

/* The operand of a Softmax or LogSoftmax. */
typedef struct Row {
    Step8 step;
    int64_t n;      /* terms of each sum */
    ValueId behind; /* by how much each byte is less than the largest of its sum: i32 */
    int64_t axes[MAX_RANK];
    Attr along[3]; /* of the sums */
} Row;

static bool read_row(Integers *m, const Node *q, const Node *softmax, Row *r)
{
    const ValueId bytes = moved_bytes(m, softmax->in[0], &r->step);
    if (!has_value(bytes)) {
        stays_behind(m, softmax, "its operand is not dequantised from bytes with one scale");
        return false;
    }
    const TensorType *t = type_of(m->g, bytes);
    const int64_t from = attr_int(softmax, "axis", 1), to = attr_int(softmax, "axis_end", from + 1);
    r->n = 1;
    for (int64_t d = from; d < to; d++) {
        r->axes[d - from] = d;
        r->n *= t->dims[d];
    }
    r->along[0] = ATTR_IS("axes", r->axes, (size_t)(to - from));
    r->along[1] = ATTR_I("keepdims", 1);
    r->along[2] = ATTR_END;
    const ValueId x = add_cast(m->g, q, bytes, DT_I32);
    r->behind = add_binary(m->g, OP_Sub, q, graph_op(m->g, OP_ReduceMax, q, &x, 1, r->along), x);
    m->n_tables += 2;
    return true;
}

/* e^(x - max) and its sum in a unit of which the largest sum has 30 bits; their quotient in steps of the result, rounded half up. Terms are
 * rounded to units, and with n of them a quotient by at most n / 2 units of the sum, which is a unit's inverse at least. */
ValueId softmax_of_bytes(Integers *m, const Node *q, const Node *softmax, const Step8 *dst)
{
    Row r;
    if (!read_row(m, q, softmax, &r))
        return NO_VALUE;
    const double unit = 0x1p29 / fmax((double)r.n, 1 / dst->scale);
    if (((double)r.n + 1) / 2 / unit / dst->scale > 0.5)
        return stays(m, "it has too many terms, or too small a step, for sums of 32 bits");
    const ValueId terms = taken(m, q, table_behind(m, exp, r.step.scale, unit), r.behind);
    ValueId v = taken(m, q, table_behind(m, exp, r.step.scale, unit / dst->scale), r.behind);
    const ValueId sum = graph_op(m->g, OP_ReduceSum, q, &terms, 1, r.along);
    const ValueId half = add_binary(m->g, OP_Div, q, sum, scalar_const(m->g, DT_I32, 2));
    v = add_binary(m->g, OP_Div, q, add_binary(m->g, OP_Add, q, v, half), sum);
    return as_bytes(m, q, v, dst);
}

static double itself(double x)
{
    return x;
}

/* The logarithm of sums of 1 and more, at most n, in a unit of 2^-bits, in steps of `step`: a table with 2^fine entries for each power of
 * two, of which a sum's highest bits choose one. */
static ValueId log_of_sums(const Integers *m, const Node *q, ValueId sum, int64_t n, int bits,
                           int fine, double step)
{
    int64_t powers = 1;
    while (INT64_C(1) << powers < n + 1)
        powers++;
    const int64_t per = INT64_C(1) << fine, entries = powers * per;
    double *log_at = ARENA_ARRAY(m->g->arena, double, (size_t)entries),
           *divisor = ARENA_ARRAY(m->g->arena, double, (size_t)powers),
           *from = ARENA_ARRAY(m->g->arena, double, (size_t)powers);
    for (int64_t e = 0; e < powers; e++) {
        divisor[e] = ldexp(1, bits - fine + (int)e);
        from[e] = (double)((e - 1) * per);
        for (int64_t i = 0; i < per; i++)
            log_at[e * per + i] =
                nearbyint(log(ldexp((double)(per + i) + 0.5, (int)e - fine)) / step);
    }
    ValueId e = scalar_const(m->g, DT_I32, 0);
    for (int64_t k = 1; k < powers; k++) {
        const ValueId least = scalar_const(m->g, DT_I32, ldexp(1, bits + (int)k));
        const ValueId is_more = add_binary(m->g, OP_GreaterOrEqual, q, sum, least);
        e = add_binary(m->g, OP_Add, q, add_cast(m->g, q, is_more, DT_I32), e);
    }
    ValueId at = sum;
    if (powers == 1) {
        at = add_binary(m->g, OP_Div, q, at, scalar_const(m->g, DT_I32, divisor[0]));
        at = add_binary(m->g, OP_Add, q, at, scalar_const(m->g, DT_I32, from[0]));
    } else {
        at = add_binary(m->g, OP_Div, q, at,
                        taken(m, q, make_const(m->g, "", DT_I32, 1, &powers, divisor), e));
        at = add_binary(m->g, OP_Add, q, at,
                        taken(m, q, make_const(m->g, "", DT_I32, 1, &powers, from), e));
    }
    return taken(m, q, make_const(m->g, "", DT_I32, 1, &entries, log_at), at);
}

/* x - max - log(sum of e^(x - max)), in a 256th of a step: the logarithm is at most a quarter of a step off, where that is a 16th with no more
 * than 1,024 entries for each power of two. */
ValueId log_softmax_of_bytes(Integers *m, const Node *q, const Node *softmax, const Step8 *dst)
{
    enum { PARTS = 256, LEAST_FINE = 4, MOST_FINE = 10 };
    Row r;
    int bits = 29, fine = LEAST_FINE;
    if (!read_row(m, q, softmax, &r))
        return NO_VALUE;
    while (bits > 0 && ldexp((double)r.n, bits) > 0x1p30)
        bits--;
    while (fine < MOST_FINE && ldexp(0.5, -fine) > dst->scale / 16)
        fine++;
    if (bits < fine || ldexp(0.5, -fine) + ldexp((double)r.n / 2, -bits) > dst->scale / 4 ||
        BYTES * r.step.scale / dst->scale * PARTS > 0x1p29)
        return stays(m, "it has too many terms, or too small a step, for a table of logarithms");
    const ValueId terms = taken(m, q, table_behind(m, exp, r.step.scale, ldexp(1, bits)), r.behind);
    const ValueId sum = graph_op(m->g, OP_ReduceSum, q, &terms, 1, r.along);
    const double part = dst->scale / PARTS;
    Sums s = {.n_scales = 1, .scale = ARENA_NEW(m->g->arena, double)};
    *s.scale = 1.0 / PARTS;
    s.v = add_binary(m->g, OP_Sub, q,
                     taken(m, q, table_behind(m, itself, r.step.scale, 1 / part), r.behind),
                     log_of_sums(m, q, sum, r.n, bits, fine, part));
    return as_bytes(m, q, in_units(m, q, &s, 1), dst);
}
