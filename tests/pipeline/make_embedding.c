/* Rows of tables, added up and normalised, as transformers begin; and what comes near it. */
#include "maker.h"

static ValueId binary(Maker *m, Op o, ValueId a, ValueId b)
{
    return op(m, o, (ValueId[]){a, b}, 2, NULL);
}

/* Inputs are -1, 0 or 1: times something, so that some count from the end and some are out of range. */
static ValueId indices(Maker *m, int rank, const int64_t *dims)
{
    DType dtype = chance(m, 3) ? DT_I32 : DT_I64;
    void *factor = arena_alloc(m->g->arena, 8);
    elem_set_i64(dtype, factor, 0, 1 + below(m, 4));
    ValueId by = graph_add_const(m->g, "spread", type_make(dtype, 0, NULL), factor),
            at = graph_add_input(m->g, arena_printf(m->g->arena, "at%u", m->g->n_inputs),
                                 type_make(dtype, rank, dims));
    return binary(m, OP_Mul, at, by);
}

/* Something that broadcasts to x, most often rows of a table. */
static ValueId summand(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int first = (int)below(m, (uint32_t)t.rank);
    int64_t dims[MAX_RANK], size = t.dims[t.rank - 1], table[] = {1 + below(m, 5), size};
    for (int d = 0; d < t.rank; d++)
        dims[d] = chance(m, 5) ? 1 : t.dims[d];
    if (chance(m, 4))
        return x;
    if (chance(m, 3))
        return constant(m, t.rank - first, dims + first, 1, 0);
    if (chance(m, 8))
        table[1] = 1;
    ValueId at = indices(m, t.rank - 1 - first, dims + first);
    ValueId row = op(m, OP_Gather, (ValueId[]){constant(m, 2, table, 1, 0), at}, 2,
                     (Attr[]){ATTR_I("axis", 0), ATTR_END});
    if (chance(m, 4))
        row = binary(m, OP_Mul, row, constant(m, 0, NULL, 2, 0));
    return row;
}

/* The result has the shape of x. */
ValueId make_embedding(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    ValueId sum = summand(m, x);
    for (uint32_t n = below(m, 4); n > 0; n--) {
        ValueId more = summand(m, x);
        if (chance(m, 3))
            more = binary(m, OP_Add, more, summand(m, x));
        sum = chance(m, 2) ? binary(m, OP_Add, sum, more) : binary(m, OP_Add, more, sum);
        if (chance(m, 12))
            keep(m, sum);
    }
    if (!same_shape(shape_in(m, sum), &t))
        sum = binary(m, OP_Add, sum, x);
    const int axis = t.rank - (t.rank > 1 && chance(m, 8) ? 2 : 1), rank = t.rank - axis;
    const Attr attrs[] = {ATTR_I("axis", axis), ATTR_F("epsilon", 0.1), ATTR_END};
    ValueId in[] = {sum, constant(m, rank, t.dims + axis, 1, 1.5),
                    constant(m, rank, t.dims + axis, 1, 0)};
    return chance(m, 5) ? op(m, OP_RMSNormalization, in, 2, attrs)
                        : op(m, OP_LayerNormalization, in, chance(m, 4) ? 2 : 3, attrs);
}
