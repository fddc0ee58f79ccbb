/* Elementwise functions of one or several values, with every kind of broadcast. */
#include "maker.h"

ValueId make_unary(Maker *m, ValueId x)
{
    static const Op plain[] = {OP_Sigmoid, OP_Tanh,      OP_Neg,      OP_Erf,      OP_Gelu,
                               OP_Abs,     OP_HardSwish, OP_Softplus, OP_GeluTanh, OP_Relu};
    switch (below(m, 7)) {
    case 0:
        return op1(m, OP_LeakyRelu, x, (Attr[]){ATTR_F("alpha", 0.1), ATTR_END});
    case 1:
        return op1(m, OP_Clip, x, (Attr[]){ATTR_F("min", -1), ATTR_F("max", 2), ATTR_END});
    case 2:
        return op1(m, OP_Elu, x, (Attr[]){ATTR_F("alpha", 0.7), ATTR_END});
    case 3:
        return op1(m, OP_HardSigmoid, x,
                   (Attr[]){ATTR_F("alpha", 0.2), ATTR_F("beta", 0.5), ATTR_END});
    default:
        return op1(m, plain[below(m, 10)], x, NULL);
    }
}

static ValueId binary(Maker *m, ValueId x, ValueId y, bool safe_divisor)
{
    static const Op ops[] = {OP_Add, OP_Add, OP_Mul, OP_Max, OP_Min, OP_Sub, OP_Div};
    Op o = ops[below(m, safe_divisor ? 7 : 6)];
    bool swap = o != OP_Div && chance(m, 3);
    return op(m, o, (ValueId[]){swap ? y : x, swap ? x : y}, 2, NULL);
}

/* A constant that broadcasts: along any set of dimensions, with or without the leading ones. */
ValueId make_broadcast(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t dims[MAX_RANK];
    int from = chance(m, 2) ? 0 : (int)below(m, (uint32_t)t.rank + 1);
    uint32_t how = below(m, 3); /* channels, the last, any */
    for (int d = 0; d < t.rank; d++)
        dims[d] =
            (how == 0 && d == 1) || (how == 1 && d == t.rank - 1) || (how == 2 && chance(m, 2))
                ? t.dims[d]
                : 1;
    ValueId like = chance(m, 6) ? pick_like(m, x) : NO_VALUE;
    if (has_value(like)) { /* a value that broadcasts */
        int64_t axes[1] = {below(m, (uint32_t)t.rank)};
        ValueId mean = op1(m, OP_ReduceMean, like,
                           (Attr[]){ATTR_IS("axes", axes, 1), ATTR_I("keepdims", 1), ATTR_END});
        return binary(m, x, mean, false);
    }
    if (chance(m, 8) && t.rank > 1)
        return op(m, OP_PRelu, (ValueId[]){x, constant(m, t.rank - from, dims + from, 0.5, 0)}, 2,
                  NULL);
    return binary(m, x, constant(m, t.rank - from, dims + from, 0.5, 1.2), true);
}

ValueId make_binary(Maker *m, ValueId x)
{
    ValueId y = chance(m, 8) ? x : pick_like(m, x);
    return has_value(y) ? binary(m, x, y, false) : NO_VALUE;
}

/* x * f(x): the value is read twice by what may become one group. */
ValueId make_swish(Maker *m, ValueId x)
{
    if (chance(m, 2) && shape_in(m, x)->rank > 2) {
        ValueId y = make_conv(m, x);
        if (has_value(y))
            x = y;
    }
    ValueId y = make_unary(m, x);
    return chance(m, 3) ? binary(m, binary(m, x, y, false), x, false) : binary(m, x, y, false);
}

/* Comparisons are of exact values only: elsewhere rounding would decide. */
static ValueId condition(Maker *m, ValueId like)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->exact[i] && same_shape(shape_in(m, m->value[i]), shape_in(m, like)))
            return op(m, OP_Greater, (ValueId[]){m->value[i], constant(m, 0, NULL, 0.5, 0)}, 2,
                      NULL);
    TensorType t = *shape_in(m, like);
    t.dtype = DT_BOOL;
    unsigned char *data = arena_alloc(m->g->arena, (size_t)type_count(&t) + 1);
    for (int64_t i = 0; i < type_count(&t); i++)
        data[i] = chance(m, 2);
    return graph_add_const(m->g, "mask", t, data);
}

ValueId make_where(Maker *m, ValueId x)
{
    ValueId y = pick_like(m, x);
    return has_value(y) ? op(m, OP_Where, (ValueId[]){condition(m, x), x, y}, 3, NULL) : NO_VALUE;
}

static ValueId cast(Maker *m, ValueId x, DType to)
{
    return op1(m, OP_Cast, x, (Attr[]){ATTR_I("to", to), ATTR_END});
}

/* Through other element types: bool and i64, moved there, and back. */
ValueId make_integers(Maker *m, ValueId x)
{
    static const DType types[] = {DT_I64, DT_I32, DT_BOOL, DT_F16, DT_F64};
    DType t = types[below(m, 5)];
    bool rounds = t != DT_F16 && t != DT_F64;
    ValueId y = rounds && !is_exact(m, x) ? NO_VALUE : cast(m, x, t);
    if (!has_value(y)) { /* large steps between the integers, and the borders far away */
        y = op(m, OP_Greater, (ValueId[]){x, constant(m, 0, NULL, 0.1, 1000)}, 2, NULL);
        if (t != DT_BOOL)
            y = cast(m, y, t);
    }
    if (shape_in(m, y)->rank > 1 && chance(m, 2))
        y = random_transpose(m, y);
    if (chance(m, 3))
        graph_add_output(m->g, arena_printf(m->g->arena, "int%u", y.i), y);
    return cast(m, y, DT_F32);
}

ValueId make_sum(Maker *m, ValueId x)
{
    ValueId in[4] = {x};
    uint32_t n = 1;
    for (uint32_t k = 0; k < 3; k++) {
        ValueId y = chance(m, 4) ? x : pick_like(m, x);
        if (has_value(y))
            in[n++] = y;
    }
    return op(m, OP_Sum, in, n, NULL);
}
