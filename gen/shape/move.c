/* Shapes of the operators that move whole tensors or boxes of them. */
#include "shape.h"

#include <inttypes.h>
#include <string.h>

/* The attribute `shape` says what comes out. */
static bool wanted_shape(const Graph *g, const Node *n, TensorType *out)
{
    size_t rank;
    const int64_t *dims = attr_ints(n, "shape", &rank);
    if (rank > MAX_RANK)
        return refuse_node(g, n, "shape has %zu elements; at most %d dimensions are supported",
                           rank, MAX_RANK);
    return set_type(g, n, out, in_type(g, n, 0)->dtype, (int)rank, dims);
}

bool shape_reshape(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    if (!wanted_shape(g, n, out))
        return false;
    if (type_count(out) != type_count(src))
        return refuse_node(g, n, "cannot reshape %s (%" PRId64 " elements) to %s (%" PRId64 ")",
                           shape_text(g, src), type_count(src), shape_text(g, out),
                           type_count(out));
    return true;
}

bool shape_transpose(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    const int64_t *perm = attr_ints(n, "perm", NULL);
    int64_t dims[MAX_RANK];
    for (int k = 0; k < src->rank; k++)
        dims[k] = src->dims[perm[k]];
    return set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_expand(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    return wanted_shape(g, n, out) &&
           (broadcasts_to(src, out) ||
            refuse_node(g, n, "cannot expand %s to %s", shape_text(g, src), shape_text(g, out)));
}

bool shape_tile(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    const int64_t *repeats = attr_ints(n, "repeats", NULL);
    int64_t dims[MAX_RANK];
    for (int k = 0; k < src->rank; k++)
        if (!mul_i64(src->dims[k], repeats[k], &dims[k]))
            return refuse_node(g, n, "repeats %" PRId64 " of dimension %d are too many", repeats[k],
                               k);
    return set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_concat(Graph *g, const Node *n, TensorType *out)
{
    const int64_t axis = attr_int(n, "axis", 0);
    TensorType acc = *in_type(g, n, 0);
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
            acc.dims[axis] = INT64_MAX;
    }
    return set_type(g, n, out, acc.dtype, acc.rank, acc.dims);
}

bool shape_split(Graph *g, const Node *n, TensorType *out)
{
    const int64_t axis = attr_int(n, "axis", 0), *split;
    int64_t sum = 0;
    const TensorType *src = in_type(g, n, 0);
    if (!ints_attr(g, n, "split", n->n_out, 0, src->dims[axis], &split))
        return false;
    TensorType part = *src;
    for (uint32_t k = 0; k < n->n_out; k++) {
        part.dims[axis] = split[k];
        set_type(g, n, &out[k], src->dtype, src->rank, part.dims);
        if (!add_i64(sum, split[k], &sum))
            sum = INT64_MAX;
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
    const TensorType *src = in_type(g, n, 0);
    size_t r = (size_t)src->rank;
    const int64_t *starts = attr_ints(n, "starts", NULL), *steps = attr_ints(n, "steps", NULL),
                  *sizes = attr_ints(n, "sizes", NULL);
    for (size_t k = 0; k < r; k++) {
        if (steps[k] == 0 || steps[k] == INT64_MIN)
            return refuse_node(g, n, "the step of axis %zu is %" PRId64, k, steps[k]);
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
    const TensorType *src = in_type(g, n, 0);
    int r = src->rank;
    const int64_t *pads = attr_ints(n, "pads", NULL);
    const char *mode = attr_string(n, "mode", "");
    int64_t dims[MAX_RANK];
    for (int k = 0; k < r; k++) {
        if (!pad_has_source(g, n, mode, k, src->dims[k], pads[k]) ||
            !pad_has_source(g, n, mode, k, src->dims[k], pads[r + k]))
            return false;
        if (!add_i64(src->dims[k], pads[k], &dims[k]) || !add_i64(dims[k], pads[r + k], &dims[k]))
            return refuse_node(g, n, "the pads of axis %d are too large", k);
    }
    return set_type(g, n, out, src->dtype, r, dims);
}
