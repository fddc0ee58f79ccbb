/* simplify: a ScatterND whose constant indices are a box of the data, in order, as exporters write an assignment to a slice, puts
 * its updates between what stays of the data: Slice and Concat, which views and destinations then make cheap. */
#include "simplify.h"

#include "../common/util.h"

#include <string.h>

typedef struct Box {
    int rank; /* indexed dimensions; the others are whole */
    int64_t start[MAX_RANK], size[MAX_RANK];
} Box;

static int64_t index_at(const Value *indices, int64_t i, const TensorType *data, int d,
                        int64_t rank)
{
    int64_t at = elem_i64(indices->type.dtype, indices->data, (size_t)(i * rank + d));
    return at < 0 ? at + data->dims[d] : at;
}

/* The box whose elements the indices name one after the other; sizes come from the first and last. */
static bool find_box(const Value *indices, const TensorType *data, Box *box)
{
    int64_t rank = indices->type.dims[indices->type.rank - 1];
    int64_t count = rank ? type_count(&indices->type) / rank : 0, at = 1;
    if (rank == 0 || count == 0)
        return false;
    box->rank = (int)rank;
    for (int d = 0; d < box->rank; d++) {
        box->start[d] = index_at(indices, 0, data, d, rank);
        box->size[d] = index_at(indices, count - 1, data, d, rank) - box->start[d] + 1;
        if (box->start[d] < 0 || box->size[d] < 1 || box->start[d] + box->size[d] > data->dims[d])
            return false;
        if (!mul_i64(at, box->size[d], &at))
            return false;
    }
    if (at != count)
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (int d = box->rank; d-- > 0; rest /= box->size[d])
            if (index_at(indices, i, data, d, rank) != box->start[d] + rest % box->size[d])
                return false;
    }
    return true;
}

/* Data with the updates in the box, whose dimensions before `axis` are whole. */
static ValueId fill(Simplify *s, const Node *n, ValueId data, ValueId updates, const Box *box,
                    int axis)
{
    while (axis < box->rank && box->size[axis] == type_of(s->g, data)->dims[axis])
        axis++;
    if (axis == box->rank)
        return updates;
    int64_t start = box->start[axis], end = start + box->size[axis];
    int64_t size = type_of(s->g, data)->dims[axis];
    ValueId part[3];
    uint32_t n_parts = 0;
    if (start > 0)
        part[n_parts++] = add_slice(s->g, n, data, axis, 0, start);
    ValueId middle = add_slice(s->g, n, data, axis, start, box->size[axis]);
    part[n_parts++] = fill(s, n, middle, updates, box, axis + 1);
    if (end < size)
        part[n_parts++] = add_slice(s->g, n, data, axis, end, size - end);
    return add_concat(s->g, n, part, n_parts, axis);
}

ValueId simplify_scatter_nd(Simplify *s, const Node *n)
{
    ValueId data = arg(s, n, 0), indices = arg(s, n, 1), updates = arg(s, n, 2);
    const char *reduction = attr_string(n, "reduction", "none");
    TensorType t = *type_of(s->g, data), shape = t;
    Box box;
    if (!is_const(s->g, indices) || strcmp(reduction, "none") != 0 || type_count(&t) == 0 ||
        !find_box(value_at(s->g, indices), &t, &box))
        return NO_VALUE;
    for (int d = 0; d < box.rank; d++)
        shape.dims[d] = box.size[d];
    return fill(s, n, data, add_reshape(s->g, n, updates, &shape), &box, 0);
}
