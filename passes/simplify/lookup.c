/* simplify: the product of a one-hot row, spelled out as equality with 0, 1, 2, …, by a constant matrix is a row of that matrix, or
 * zeros: a Gather. Exporters that have embeddings as dense layers write them so. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../common/util.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 1 << 24 }; /* exact as a float */

static bool is_integer(const Graph *g, ValueId v)
{
    const DType t = type_of(g, v)->dtype;
    return t == DT_I32 || t == DT_I64;
}

/* 0, 1, … rows - 1 along the last of `rank` dimensions, all there is. */
static bool counts_up(const Graph *g, ValueId v, int64_t rows)
{
    const Value *c = value_at(g, v);
    const TensorType *t = &c->type;
    if (!is_const(g, v) || !is_integer(g, v) || t->rank < 1 || t->dims[t->rank - 1] != rows ||
        type_count(t) != rows)
        return false;
    for (int64_t i = 0; i < rows; i++)
        if (elem_i64(t->dtype, c->data, (size_t)i) != i)
            return false;
    return true;
}

/* A row for each element: the last dimension of the comparison comes from the constant alone. */
static bool is_column(const Graph *g, ValueId v, const TensorType *compared)
{
    const TensorType *t = type_of(g, v);
    if (!is_integer(g, v) || t->rank != compared->rank || t->dims[t->rank - 1] != 1)
        return false;
    return !memcmp(t->dims, compared->dims, (size_t)(t->rank - 1) * sizeof *t->dims);
}

/* The numbers whose one-hot rows n multiplies. */
static ValueId hot_numbers(const Simplify *s, const Node *n, int64_t rows)
{
    const Node *cast = arg_node(s, n, 0, OP_Cast);
    const Node *equal = cast ? arg_node(s, cast, 0, OP_Equal) : NULL;
    for (uint32_t k = 0; equal && k < 2; k++)
        if (counts_up(s->g, arg(s, equal, 1 - k), rows) &&
            is_column(s->g, arg(s, equal, k), type_of(s->g, equal->out[0])))
            return arg(s, equal, k);
    return NO_VALUE;
}

/* The rows of w and one of zeros; NO_VALUE if 0 by one of its elements is not 0. */
static ValueId with_zeros(Graph *g, ValueId w)
{
    const Value *c = value_at(g, w);
    const size_t count = (size_t)type_count(&c->type);
    const float *from = c->data;
    TensorType t = c->type;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(from[i]))
            return NO_VALUE;
    t.dims[0]++;
    float *table = arena_alloc(g->arena, type_bytes(&t));
    memcpy(table, from, count * sizeof *table);
    memset(table + count, 0, (size_t)t.dims[1] * sizeof *table);
    return graph_add_const(g, c->name, t, table);
}

/* Numbers below 0 become -1, which counts from the end: the row of zeros, as it is for those above. */
ValueId simplify_matmul(Simplify *s, const Node *n)
{
    Graph *g = s->g;
    const ValueId w = arg(s, n, 1);
    const TensorType *t = type_of(g, w);
    if (!is_const(g, w) || t->dtype != DT_F32 || t->rank != 2 || t->dims[0] < 1 ||
        t->dims[0] > MOST_ROWS)
        return NO_VALUE;
    const int64_t rows = t->dims[0];
    ValueId x = hot_numbers(s, n, rows);
    const ValueId table = has_value(x) ? with_zeros(g, w) : NO_VALUE;
    if (!has_value(table))
        return NO_VALUE;
    TensorType shape = *type_of(g, x);
    shape.rank--;
    x = add_reshape(s->g, n, x, &shape);
    x = graph_op(g, OP_Clip, n, &x, 1,
                 (Attr[]){ATTR_F("max", (double)rows), ATTR_F("min", -1), ATTR_END});
    const ValueId in[2] = {table, x};
    return graph_op(g, OP_Gather, n, in, 2, (Attr[]){ATTR_I("axis", 0), ATTR_END});
}
