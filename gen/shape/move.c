/* Shapes of the operators that move whole tensors or boxes of them. */
#include "shape.h"

#include <inttypes.h>
#include <string.h>

bool shape_reshape(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true))
        return false;
    const TensorType *src = in_type(g, n, 0);
    const Attr *shape = node_attr(n, "shape");
    size_t rank = shape && shape->kind == ATTR_INTS ? shape->n : 0;
    const int64_t *dims;
    if (rank > MAX_RANK)
        return refuse_node(g, n, "shape has %zu elements; at most %d dimensions are supported",
                           rank, MAX_RANK);
    if (!ints_attr(g, n, "shape", rank, 0, INT64_MAX, &dims) ||
        !set_type(g, n, out, src->dtype, (int)rank, dims))
        return false;
    if (type_count(out) != type_count(src))
        return refuse_node(g, n, "cannot reshape %s (%" PRId64 " elements) to %s (%" PRId64 ")",
                           shape_text(g, src), type_count(src), shape_text(g, out),
                           type_count(out));
    return true;
}

bool shape_transpose(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true))
        return false;
    const TensorType *src = in_type(g, n, 0);
    const int64_t *perm;
    if (!ints_attr(g, n, "perm", (size_t)src->rank, 0, src->rank - 1, &perm))
        return false;
    int64_t dims[MAX_RANK];
    bool seen[MAX_RANK] = {false};
    for (int k = 0; k < src->rank; k++) {
        if (seen[perm[k]])
            return refuse_node(g, n, "perm names axis %" PRId64 " twice", perm[k]);
        seen[perm[k]] = true;
        dims[k] = src->dims[perm[k]];
    }
    return set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_expand(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true))
        return false;
    const TensorType *src = in_type(g, n, 0);
    const Attr *shape = node_attr(n, "shape");
    size_t rank = shape && shape->kind == ATTR_INTS ? shape->n : 0;
    const int64_t *dims;
    if (rank > MAX_RANK)
        return refuse_node(g, n, "shape has %zu elements; at most %d dimensions are supported",
                           rank, MAX_RANK);
    if (!ints_attr(g, n, "shape", rank, 0, INT64_MAX, &dims) ||
        !set_type(g, n, out, src->dtype, (int)rank, dims))
        return false;
    return broadcasts_to(src, out) ||
           refuse_node(g, n, "cannot expand %s to %s", shape_text(g, src), shape_text(g, out));
}

bool shape_tile(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true))
        return false;
    const TensorType *src = in_type(g, n, 0);
    const int64_t *repeats;
    int64_t dims[MAX_RANK];
    if (!ints_attr(g, n, "repeats", (size_t)src->rank, 0, INT64_MAX, &repeats))
        return false;
    for (int k = 0; k < src->rank; k++)
        if (!mul_i64(src->dims[k], repeats[k], &dims[k]))
            return refuse_node(g, n, "repeats %" PRId64 " of dimension %d are too many", repeats[k],
                               k);
    return set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_concat(Graph *g, const Node *n, TensorType *out)
{
    int64_t axis;
    if (!check_arity(g, n, true))
        return false;
    TensorType acc = *in_type(g, n, 0);
    if (!check_rank(g, n, 0, "operand 0", 1, MAX_RANK) ||
        !int_attr(g, n, "axis", 0, acc.rank - 1, &axis))
        return false;
    for (uint32_t k = 1; k < n->n_in; k++) {
        const TensorType *t = in_type(g, n, k);
        if (!check_dtype(g, n, k, "an operand", acc.dtype))
            return false;
        bool agree = t->rank == acc.rank;
        for (int d = 0; agree && d < acc.rank; d++)
            agree = d == axis || t->dims[d] == acc.dims[d];
        if (!agree)
            return refuse_node(g, n,
                               "operand %" PRIu32
                               " has shape %s, which does not go with %s on axis "
                               "%" PRId64,
                               k, shape_text(g, t), shape_text(g, in_type(g, n, 0)), axis);
        if (!add_i64(acc.dims[axis], t->dims[axis], &acc.dims[axis]))
            return refuse_node(g, n, "axis %" PRId64 " would become too long", axis);
    }
    return set_type(g, n, out, acc.dtype, acc.rank, acc.dims);
}

bool shape_split(Graph *g, const Node *n, TensorType *out)
{
    int64_t axis, sum = 0;
    const int64_t *split;
    if (!check_arity(g, n, true) || !check_rank(g, n, 0, "src", 1, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    if (!int_attr(g, n, "axis", 0, src->rank - 1, &axis) ||
        !ints_attr(g, n, "split", n->n_out, 0, src->dims[axis], &split))
        return false;
    TensorType part = *src;
    for (uint32_t k = 0; k < n->n_out; k++) {
        part.dims[axis] = split[k];
        if (!add_i64(sum, split[k], &sum) ||
            !set_type(g, n, &out[k], src->dtype, src->rank, part.dims))
            return refuse_node(g, n, "the sizes in split are too large");
    }
    if (sum != src->dims[axis])
        return refuse_node(g, n, "split adds up to %" PRId64 ", axis %" PRId64 " has %" PRId64, sum,
                           axis, src->dims[axis]);
    return true;
}

/* First and last element of a slice lie inside the dimension; then all others do. */
static bool slice_inside(int64_t dim, int64_t start, int64_t step, int64_t size)
{
    int64_t last;
    if (size == 0)
        return true;
    return start >= 0 && start < dim && mul_i64(size - 1, step, &last) &&
           add_i64(start, last, &last) && last >= 0 && last < dim;
}

bool shape_slice(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true))
        return false;
    const TensorType *src = in_type(g, n, 0);
    size_t r = (size_t)src->rank;
    const int64_t *starts, *steps, *sizes;
    if (!ints_attr(g, n, "starts", r, INT64_MIN, INT64_MAX, &starts) ||
        !ints_attr(g, n, "steps", r, -INT64_MAX, INT64_MAX, &steps) ||
        !ints_attr(g, n, "sizes", r, 0, INT64_MAX, &sizes))
        return false;
    for (size_t k = 0; k < r; k++) {
        if (steps[k] == 0)
            return refuse_node(g, n, "the step of axis %zu is 0", k);
        if (!slice_inside(src->dims[k], starts[k], steps[k], sizes[k]))
            return refuse_node(g, n,
                               "axis %zu: %" PRId64 " elements from %" PRId64
                               " in steps of %" PRId64 " do not lie in a dimension of %" PRId64,
                               k, sizes[k], starts[k], steps[k], src->dims[k]);
    }
    return set_type(g, n, out, src->dtype, src->rank, sizes);
}

/* Other modes than constant take the padding from src: there must be something to take, and
 * reflection is defined once only (the far edge is not reflected again). */
static bool pad_has_source(const Graph *g, const Node *n, const char *mode, int axis, int64_t dim,
                           int64_t pad)
{
    if (pad == 0 || !strcmp(mode, "constant"))
        return true;
    if (dim == 0)
        return refuse_node(g, n, "axis %d is empty and cannot be padded with mode %s", axis, mode);
    if (!strcmp(mode, "reflect") && pad >= dim)
        return refuse_node(g, n,
                           "pad %" PRId64 " of axis %d reflects past its %" PRId64 " elements", pad,
                           axis, dim);
    return true;
}

bool shape_pad(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true))
        return false;
    const TensorType *src = in_type(g, n, 0);
    int r = src->rank;
    const int64_t *pads;
    int64_t dims[MAX_RANK];
    const Attr *value = node_attr(n, "value");
    if (value && value->kind != ATTR_FLOAT)
        return refuse_node(g, n, "attribute 'value' is not a float");
    if (!choice_attr(g, n, "mode", "constant|reflect|edge|wrap") ||
        !ints_attr(g, n, "pads", (size_t)r * 2, 0, INT64_MAX, &pads))
        return false;
    const char *mode = attr_string(n, "mode", "");
    for (int k = 0; k < r; k++) {
        if (!pad_has_source(g, n, mode, k, src->dims[k], pads[k]) ||
            !pad_has_source(g, n, mode, k, src->dims[k], pads[r + k]))
            return false;
        if (!add_i64(src->dims[k], pads[k], &dims[k]) || !add_i64(dims[k], pads[r + k], &dims[k]))
            return refuse_node(g, n, "the pads of axis %d are too large", k);
    }
    return set_type(g, n, out, src->dtype, r, dims);
}
