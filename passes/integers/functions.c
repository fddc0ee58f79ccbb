/* Functions of bytes: tables. Softmax: a table of exponentials, and a division of integers. */
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
    return graph_op(m->g, OP_Gather, q, (ValueId[]){table, bytes}, 2,
                    (Attr[]){ATTR_I("axis", 0), ATTR_END});
}

/* exp(-i * scale) * unit for bytes that are i less than the largest. */
static ValueId exponentials(const Integers *m, double scale, double unit)
{
    double x[BYTES];
    const int64_t n = BYTES;
    for (int i = 0; i < BYTES; i++)
        x[i] = nearbyint(exp(-i * scale) * unit);
    return make_const(m->g, "", DT_I32, 1, &n, x);
}

/* e^(x - max) and its sum in a unit of which the largest sum has 30 bits; their quotient in steps of the result, rounded half up. */
ValueId softmax_of_bytes(Integers *m, const Node *q, const Node *softmax, const Step8 *dst)
{
    Step8 src;
    ValueId x;
    if (!bytes_of(m, softmax->in[0], &x, &src))
        return stays(m, "its operand is not dequantised from bytes with one scale");
    const TensorType *t = type_of(m->g, x);
    const int64_t from = attr_int(softmax, "axis", 1), to = attr_int(softmax, "axis_end", from + 1);
    int64_t axes[MAX_RANK], n = 1;
    for (int64_t d = from; d < to; d++) {
        axes[d - from] = d;
        n *= t->dims[d];
    }
    const double unit = 0x1p29 / fmax((double)n, 1 / dst->scale);
    if (unit < 0x1p12)
        return stays(m, "it has too many terms, or too small a step, for sums of 32 bits");
    const Attr along[] = {ATTR_IS("axes", axes, (size_t)(to - from)), ATTR_I("keepdims", 1),
                          ATTR_END},
               rows[] = {ATTR_I("axis", 0), ATTR_END};
    x = add_cast(m->g, q, x, DT_I32);
    x = add_binary(m->g, OP_Sub, q, graph_op(m->g, OP_ReduceMax, q, &x, 1, along), x);
    const ValueId terms =
        graph_op(m->g, OP_Gather, q, (ValueId[]){exponentials(m, src.scale, unit), x}, 2, rows);
    ValueId v = graph_op(m->g, OP_Gather, q,
                         (ValueId[]){exponentials(m, src.scale, unit / dst->scale), x}, 2, rows);
    const ValueId sum = graph_op(m->g, OP_ReduceSum, q, &terms, 1, along);
    const ValueId half = add_binary(m->g, OP_Div, q, sum, scalar_const(m->g, DT_I32, 2));
    v = add_binary(m->g, OP_Div, q, add_binary(m->g, OP_Add, q, v, half), sum);
    m->n_tables += 2;
    return as_bytes(m, q, v, dst);
}
