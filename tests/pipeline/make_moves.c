/* What moves elements: concatenations, parts, transposes, reshapes. */
#include "maker.h"

#include <string.h>

ValueId make_transpose(Maker *m, ValueId x)
{
    return random_transpose(m, x);
}

ValueId make_reshape(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t dims[MAX_RANK];
    int rank = 0, at = (int)below(m, (uint32_t)t.rank);
    uint32_t how = below(m, 5);
    for (int d = 0; d < t.rank; d++) {
        if (how == 0 && d == at && t.dims[d] > 0 && t.dims[d] % 2 == 0 && t.rank < 5) { /* split one */
            dims[rank++] = chance(m, 2) ? 2 : t.dims[d] / 2;
            dims[rank] = t.dims[d] / dims[rank - 1];
            rank++;
        } else if (how == 1 && d == at && d > 0) /* join two */
            dims[rank - 1] *= t.dims[d];
        else if (how == 2 && t.dims[d] == 1 && t.rank > 1 && (d || rank) && rank + 1 < t.rank)
            continue; /* squeeze */
        else if (how == 3 && d == at && t.rank < 5) {
            dims[rank++] = 1;
            dims[rank++] = t.dims[d];
        } else if (how == 4 && d > at && rank > 1) /* flatten from there on */
            dims[rank - 1] *= t.dims[d];
        else
            dims[rank++] = t.dims[d];
    }
    int64_t count = 1;
    for (int d = 0; d < rank; d++)
        count *= dims[d];
    return rank && count == type_count(&t) ? reshaped(m, x, rank, dims) : NO_VALUE;
}

static ValueId concat(Maker *m, const ValueId *in, uint32_t n, int64_t axis)
{
    return op(m, OP_Concat, in, n, (Attr[]){ATTR_I("axis", axis), ATTR_END});
}

static bool fits(Maker *m, ValueId x, ValueId y, int axis)
{
    const TensorType *a = shape_in(m, x), *b = shape_in(m, y);
    if (a->rank != b->rank)
        return false;
    for (int d = 0; d < a->rank; d++)
        if (d != axis && a->dims[d] != b->dims[d])
            return false;
    return true;
}

ValueId make_concat(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int axis = (int)below(m, (uint32_t)t.rank);
    if (t.rank > 1 && chance(m, 2))
        axis = 1;
    ValueId in[4] = {x};
    uint32_t n = 1, wanted = 1 + below(m, 4);
    for (uint32_t tries = 0; tries < 40 && n < wanted; tries++) {
        ValueId y = m->value[below(m, m->n)];
        if (fits(m, x, y, axis))
            in[n++] = y;
    }
    if (chance(m, 6) && n < 4)
        in[n++] = constant(m, t.rank, t.dims, 1, 0);
    if (chance(m, 2)) {
        ValueId swap = in[0];
        in[0] = in[n - 1];
        in[n - 1] = swap;
    }
    return concat(m, in, n, axis);
}

/* The parts, as new values; how many. */
static uint32_t split(Maker *m, ValueId x, int axis, ValueId *part)
{
    int64_t size = shape_in(m, x)->dims[axis], sizes[3], left = size;
    uint32_t n = 0;
    if (size < 2)
        return 0;
    for (; n < 2 && left > 1; n++) {
        sizes[n] = chance(m, 2) && size % 2 == 0 && left >= size / 2 ? size / 2
                                                                     : 1 + below(m, (uint32_t)left);
        left -= sizes[n];
    }
    if (left)
        sizes[n++] = left;
    NodeId node = graph_add_node(m->g, OP_Split, "", UINT32_MAX, &x, 1, n, NULL,
                                 (Attr[]){ATTR_I("axis", axis), ATTR_IS("split", sizes, n)}, 2);
    if (node.i == NO_NODE.i)
        return 0;
    for (uint32_t k = 0; k < n; k++)
        part[k] = node_at(m->g, node)->out[k];
    return n;
}

static int any_axis(Maker *m, ValueId x)
{
    int rank = shape_in(m, x)->rank;
    return rank > 1 && chance(m, 2) ? 1 : (int)below(m, (uint32_t)rank);
}

ValueId make_split(Maker *m, ValueId x)
{
    ValueId part[3];
    uint32_t n = split(m, x, any_axis(m, x), part);
    for (uint32_t k = 1; k < n; k++)
        keep(m, chance(m, 3) ? relu(m, part[k]) : part[k]);
    return n ? part[0] : NO_VALUE;
}

/* As a shuffle or an inverted block does: parts, some changed, joined again in any order. */
ValueId make_split_and_join(Maker *m, ValueId x)
{
    ValueId part[4];
    int axis = any_axis(m, x);
    uint32_t n = split(m, x, axis, part);
    if (!n)
        return NO_VALUE;
    for (uint32_t k = 0; k < n; k++) {
        ValueId y = NO_VALUE;
        if (chance(m, 3) && shape_in(m, part[k])->rank > 2 && type_count(shape_in(m, part[k])))
            y = make_residual(m, part[k]);
        else if (chance(m, 3))
            y = relu(m, part[k]);
        if (has_value(y))
            part[k] = y;
    }
    for (uint32_t k = n - 1; k > 0; k--) {
        uint32_t j = below(m, k + 1);
        ValueId swap = part[k];
        part[k] = part[j];
        part[j] = swap;
    }
    if (chance(m, 4))
        part[n++] = part[0];
    return concat(m, part, n, axis);
}

ValueId make_slice(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t starts[MAX_RANK] = {0}, steps[MAX_RANK], sizes[MAX_RANK];
    int axis = any_axis(m, x);
    for (int d = 0; d < t.rank; d++) {
        steps[d] = 1;
        sizes[d] = t.dims[d];
        if ((d != axis && !chance(m, 6)) || t.dims[d] < 2)
            continue;
        starts[d] = below(m, (uint32_t)t.dims[d]);
        steps[d] = chance(m, 4) ? (chance(m, 2) ? 2 : -1) : 1;
        int64_t most = steps[d] == -1  ? starts[d] + 1
                       : steps[d] == 2 ? (t.dims[d] - starts[d] + 1) / 2
                                       : t.dims[d] - starts[d];
        sizes[d] = chance(m, 2) ? most : 1 + below(m, (uint32_t)most);
    }
    size_t r = (size_t)t.rank;
    return op1(m, OP_Slice, x,
               (Attr[]){ATTR_IS("starts", starts, r), ATTR_IS("steps", steps, r),
                        ATTR_IS("sizes", sizes, r), ATTR_END});
}

ValueId make_gather(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int axis = (int)below(m, (uint32_t)t.rank);
    int64_t count[] = {1 + below(m, 3)}, *index = ARENA_ARRAY(m->g->arena, int64_t, 4);
    for (int i = 0; i < 4; i++)
        index[i] = below(m, (uint32_t)t.dims[axis]);
    bool scalar = t.rank > 1 && chance(m, 2);
    ValueId in[] = {x, graph_add_const(m->g, "i", type_make(DT_I64, scalar ? 0 : 1, count), index)};
    return op(m, OP_Gather, in, 2, (Attr[]){ATTR_I("axis", axis), ATTR_END});
}

ValueId make_expand(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < t.rank; d++)
        dims[d] = t.dims[d] == 1 && chance(m, 2) ? 2 + below(m, 3) : t.dims[d];
    return op1(m, OP_Expand, x, (Attr[]){ATTR_IS("shape", dims, (size_t)t.rank), ATTR_END});
}

/* Transposes and reshapes after each other, sometimes with something between them. */
ValueId make_move_chain(Maker *m, ValueId x)
{
    uint32_t n = 2 + below(m, 3);
    for (uint32_t k = 0; k < n && has_value(x); k++) {
        ValueId y = chance(m, 2)   ? random_transpose(m, x)
                    : chance(m, 4) ? make_slice(m, x)
                    : chance(m, 6) ? relu(m, x)
                                   : make_reshape(m, x);
        if (has_value(y))
            x = y;
        if (chance(m, 5))
            keep(m, x);
    }
    return x;
}

/* Between layers: a channel shuffle, or depth to space and back. */
ValueId make_shuffle(Maker *m, ValueId x)
{
    static const int64_t shuffle[] = {0, 2, 1, 3, 4}, to_space[] = {0, 3, 4, 1, 5, 2},
                         to_space_crd[] = {0, 1, 4, 2, 5, 3}, to_depth[] = {0, 3, 5, 1, 2, 4};
    ValueId y = chance(m, 2) ? make_conv(m, x) : x;
    x = has_value(y) ? y : x;
    const TensorType t = *shape_in(m, x);
    int64_t n = t.dims[0], c = t.dims[1], h = t.dims[2], w = t.dims[3];
    if (c % 2 == 0 && chance(m, 2)) {
        bool half = chance(m, 2);
        x = reshaped(m, x, 5, (int64_t[]){n, half ? 2 : c / 2, half ? c / 2 : 2, h, w});
        x = reshaped(m, transposed(m, x, shuffle), 4, t.dims);
    } else if (c % 4 == 0) {
        bool crd = chance(m, 2);
        int64_t dims[] = {n, crd ? c / 4 : 2, 2, crd ? 2 : c / 4, h, w};
        x = transposed(m, reshaped(m, x, 6, dims), crd ? to_space_crd : to_space);
        x = reshaped(m, x, 4, (int64_t[]){n, c / 4, h * 2, w * 2});
    } else if (h % 2 == 0 && w % 2 == 0) {
        x = transposed(m, reshaped(m, x, 6, (int64_t[]){n, c, h / 2, 2, w / 2, 2}), to_depth);
        x = reshaped(m, x, 4, (int64_t[]){n, c * 4, h / 2, w / 2});
    } else
        return NO_VALUE;
    y = chance(m, 2) ? make_conv(m, x) : NO_VALUE;
    return has_value(y) ? y : x;
}
