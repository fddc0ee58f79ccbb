/* Functions spelled out in smaller ones, the same thing twice, factors and summands, and quantised islands. */
#include "maker.h"

#include <string.h>

static ValueId number(Maker *m, double v)
{
    TensorType t = {.dtype = DT_F32, .rank = (int)below(m, 2)};
    float *data = arena_alloc(m->g->arena, sizeof *data);
    t.dims[0] = 1;
    *data = (float)v;
    return graph_add_const(m->g, "k", t, data);
}

/* The operands of what commutes in either order. */
static ValueId two(Maker *m, Op o, ValueId a, ValueId b)
{
    bool swap = (o == OP_Add || o == OP_Mul) && chance(m, 2);
    return op(m, o, (ValueId[]){swap ? b : a, swap ? a : b}, 2, NULL);
}

static ValueId spell_gelu(Maker *m, ValueId x)
{
    ValueId e = op1(m, OP_Erf, two(m, OP_Div, x, number(m, 1.4142135623730951)), NULL);
    ValueId h = two(m, OP_Mul, x, two(m, OP_Add, e, number(m, 1)));
    return two(m, OP_Mul, h, number(m, chance(m, 4) ? 0.6 : 0.5)); /* 0.6: almost one */
}

static ValueId spell_hard_swish(Maker *m, ValueId x)
{
    ValueId c = op1(m, OP_Clip, two(m, OP_Add, x, number(m, 3)),
                    (Attr[]){ATTR_F("min", 0), ATTR_F("max", chance(m, 4) ? 5 : 6), ATTR_END});
    if (chance(m, 2))
        return two(m, OP_Mul, x, two(m, OP_Div, c, number(m, 6)));
    return two(m, OP_Div, two(m, OP_Mul, x, c), number(m, 6));
}

static ValueId spell_norm(Maker *m, ValueId x)
{
    int64_t axis = shape_in(m, x)->rank - 1, n = shape_in(m, x)->dims[axis];
    const Attr mean[] = {ATTR_IS("axes", &axis, 1), ATTR_I("keepdims", 1), ATTR_END};
    ValueId d = two(m, OP_Sub, x, op1(m, OP_ReduceMean, x, mean));
    ValueId v = op1(m, OP_ReduceMean, two(m, OP_Mul, d, d), mean);
    ValueId s = op1(m, OP_Sqrt, two(m, OP_Add, v, number(m, 1e-2)), NULL);
    ValueId y = two(m, OP_Div, d, s);
    if (chance(m, 2))
        y = two(m, OP_Mul, y, constant(m, 1, &n, 1, 0.001));
    return chance(m, 2) ? two(m, OP_Add, y, constant(m, 1, &n, 1, 0.001)) : y;
}

static ValueId spell_softmax(Maker *m, ValueId x)
{
    int64_t axis = below(m, (uint32_t)shape_in(m, x)->rank);
    const Attr over[] = {ATTR_IS("axes", &axis, 1), ATTR_I("keepdims", 1), ATTR_END};
    ValueId e = op1(m, OP_Exp, two(m, OP_Sub, x, op1(m, OP_ReduceMax, x, over)), NULL);
    return two(m, OP_Div, e, op1(m, OP_ReduceSum, e, over));
}

ValueId make_spelled(Maker *m, ValueId x)
{
    ValueId y = NO_VALUE, inner = x;
    if (chance(m, 3)) /* its argument is read elsewhere as well */
        keep(m, inner = op1(m, OP_Tanh, x, NULL));
    switch (below(m, 6)) {
    case 0:
        return spell_gelu(m, inner);
    case 1:
        return spell_hard_swish(m, inner);
    case 2:
        return two(m, OP_Mul, inner, op1(m, OP_Sigmoid, inner, NULL));
    case 3:
        return spell_softmax(m, inner);
    case 4:
        y = two(m, OP_Mul, inner, op1(m, OP_Tanh, op1(m, OP_Softplus, inner, NULL), NULL));
        return y;
    default:
        return spell_norm(m, inner);
    }
}

/* Numbers and vectors on either side, several in a row: what fold-scale-axis, biases and linear post-ops are made of. */
ValueId make_linear(Maker *m, ValueId x)
{
    static const Op ops[] = {OP_Mul, OP_Add, OP_Sub, OP_Div};
    for (uint32_t k = 1 + below(m, 3); k > 0; k--) {
        const TensorType *t = shape_in(m, x);
        int64_t dims[MAX_RANK];
        for (int d = 0; d < t->rank; d++)
            dims[d] = d == (t->rank > 2 ? 1 : t->rank - 1) ? t->dims[d] : 1;
        Op o = ops[below(m, 4)];
        double shift = o == OP_Div ? 2 : chance(m, 2) ? 1.5 : -0.25;
        ValueId c = chance(m, 2) ? number(m, shift) : constant(m, t->rank, dims, 1, shift);
        x = o == OP_Sub && chance(m, 2) ? two(m, o, c, x) : two(m, o, x, c);
    }
    return x;
}

/* The last node that made something of this kind once more, with constants of its own that have the same contents. */
ValueId make_again(Maker *m, ValueId x)
{
    const Node *n = def_of(m->g, x);
    if (!n || n->n_out != 1 || n->n_in > 8)
        return NO_VALUE;
    ValueId in[8];
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = n->in[k];
        if (!has_value(in[k]) || value_at(m->g, in[k])->kind != VALUE_CONST || chance(m, 3))
            continue;
        const Value c = *value_at(m->g, in[k]);
        void *data = arena_copy(m->g->arena, c.data, type_bytes(&c.type));
        in[k] = graph_add_const(m->g, "again", c.type, data);
    }
    n = def_of(m->g, x);
    NodeId made =
        graph_add_node(m->g, n->op, "", UINT32_MAX, in, n->n_in, 1, NULL, n->attr, n->n_attr);
    ValueId y = made.i == UINT32_MAX ? NO_VALUE : node_at(m->g, made)->out[0];
    if (!has_value(y) || chance(m, 3) || shape_in(m, y)->dtype != DT_F32)
        return y;
    keep(m, y);
    return op(m, OP_Add, (ValueId[]){x, y}, 2, NULL);
}

static ValueId bytes(Maker *m, DType dtype, int rank, const int64_t *dims, int64_t most)
{
    TensorType t = type_make(dtype, rank, dims);
    signed char *data = arena_alloc(m->g->arena, type_bytes(&t) + 1);
    for (int64_t i = 0; i < type_count(&t); i++)
        data[i] =
            (signed char)(below(m, (uint32_t)most) - (dtype == DT_I8 ? (uint32_t)most / 2 : 0));
    return graph_add_const(m->g, "q", t, data);
}

static ValueId scale_of(Maker *m, double v)
{
    TensorType t = {.dtype = DT_F32};
    float *data = arena_alloc(m->g->arena, sizeof *data);
    *data = (float)v;
    return graph_add_const(m->g, "scale", t, data);
}

/* Quantised, now and then a product on it, and back. Only of exact values, and with scales that are powers of two: elsewhere
 * rounding would decide. */
ValueId make_quantised(Maker *m, ValueId x)
{
    const Attr none[] = {ATTR_I("axis", 0), ATTR_I("to", DT_U8), ATTR_END};
    const Attr axis[] = {ATTR_I("axis", 0), ATTR_END};
    if (!is_exact(m, x))
        return NO_VALUE;
    ValueId s = scale_of(m, 0.0625), z = bytes(m, DT_U8, 0, NULL, 200);
    ValueId q = op(m, OP_QuantizeLinear, (ValueId[]){x, s, z}, 3, none);
    int rank = shape_in(m, x)->rank;
    int64_t k = shape_in(m, x)->dims[rank - 1], w[] = {k, 1 + below(m, 9)};
    if (rank >= 2 && k > 0 && chance(m, 2)) {
        ValueId weights = bytes(m, DT_I8, 2, w, 40), s2 = scale_of(m, 2),
                z2 = bytes(m, DT_U8, 0, NULL, 200);
        q = op(
            m, OP_QLinearMatMul,
            (ValueId[]){q, s, z, weights, scale_of(m, 0.125), bytes(m, DT_I8, 0, NULL, 3), s2, z2},
            8, NULL);
        s = s2;
        z = z2;
    }
    if (chance(m, 3) && shape_in(m, q)->rank > 1)
        q = random_transpose(m, q);
    return op(m, OP_DequantizeLinear, (ValueId[]){q, s, z}, 3, axis);
}
