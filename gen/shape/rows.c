/* Shapes of the operators whose number of rows depends on data: the capacity for as many as there can be, and the number. */
#include "shape.h"

static bool one_number(const Graph *g, const Node *n, uint32_t k, const char *what, DType dtype)
{
    return check_dtype(g, n, k, what, dtype) && check_scalar_or_vector(g, n, k, what, -1);
}

bool shape_non_max_suppression(Graph *g, const Node *n, TensorType *out)
{
    const int64_t limit = attr_int(n, "limit", 0);
    if (!check_dtype(g, n, 0, "boxes", DT_F32) || !check_dtype(g, n, 1, "scores", DT_F32) ||
        !check_rank(g, n, 0, "boxes", 3, 3) || !check_rank(g, n, 1, "scores", 3, 3))
        return false;
    const TensorType *boxes = in_type(g, n, 0), *scores = in_type(g, n, 1);
    if (boxes->dims[2] != 4 || boxes->dims[0] != scores->dims[0] ||
        boxes->dims[1] != scores->dims[2])
        return refuse_node(g, n, "boxes of shape %s do not belong to scores of shape %s",
                           shape_text(g, boxes), shape_text(g, scores));
    if (boxes->dims[1] > UINT32_MAX)
        return refuse_node(g, n, "has too many boxes");
    if (!one_number(g, n, 2, "max_output_boxes_per_class", DT_I64) ||
        !one_number(g, n, 3, "iou_threshold", DT_F32) ||
        !one_number(g, n, 4, "score_threshold", DT_F32) ||
        !check_range(g, n, "limit", limit, 0, boxes->dims[1]))
        return false;
    const int64_t rows =
        scores->dims[0] * scores->dims[1] * limit; /* not more than it has elements */
    return set_type(g, n, &out[0], DT_I64, 2, (int64_t[]){rows, 3}) &&
           set_type(g, n, &out[1], DT_I64, 0, NULL);
}

bool shape_non_zero(Graph *g, const Node *n, TensorType *out)
{
    if (!check_rank(g, n, 0, "src", 1, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, &out[0], DT_I64, 2, (int64_t[]){src->rank, type_count(src)}) &&
           set_type(g, n, &out[1], DT_I64, 0, NULL);
}

static bool check_count(Graph *g, const Node *n, uint32_t k)
{
    return check_rank(g, n, k, "count", 0, 0) && check_dtype(g, n, k, "count", DT_I64);
}

bool shape_take_rows(Graph *g, const Node *n, TensorType *out)
{
    TensorType t = *in_type(g, n, 0);
    t.dims[attr_int(n, "axis", 0)] = attr_int(n, "size", 0);
    return check_count(g, n, 1) && set_type(g, n, out, t.dtype, t.rank, t.dims);
}

bool shape_take_block(Graph *g, const Node *n, TensorType *out)
{
    size_t n_axes, n_sizes;
    const int64_t *axes = attr_ints(n, "axes", &n_axes), *sizes = attr_ints(n, "sizes", &n_sizes);
    TensorType t = *in_type(g, n, 0);
    if (n_axes != n->n_in - 1 || n_sizes != n_axes)
        return refuse_node(g, n, "%u counts for %zu axes and %zu sizes", n->n_in - 1, n_axes,
                           n_sizes);
    for (uint32_t k = 0; k < n_axes; k++) {
        if (!check_count(g, n, k + 1))
            return false;
        t.dims[axes[k]] = sizes[k];
    }
    return set_type(g, n, out, t.dtype, t.rank, t.dims);
}

bool shape_append_rows(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *more = in_type(g, n, 1);
    const int64_t axis = attr_int(n, "axis", 0);
    TensorType t = *in_type(g, n, 0);
    const int64_t size = t.dims[axis];
    if (!check_count(g, n, 2))
        return false;
    t.dims[axis] = more->rank == t.rank ? more->dims[axis] : -1;
    if (!type_equal(&t, more))
        return refuse_node(g, n, "more is %s, which does not go behind %s",
                           type_text(g->arena, more), type_text(g->arena, in_type(g, n, 0)));
    t.dims[axis] += size;
    return set_type(g, n, out, t.dtype, t.rank, t.dims);
}

bool shape_write_rows(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0), *more = in_type(g, n, 1);
    const int64_t axis = attr_int(n, "axis", 0);
    TensorType t = *src;
    t.dims[axis] = more->rank == t.rank ? more->dims[axis] : -1;
    if (!check_count(g, n, 2))
        return false;
    if (!type_equal(&t, more) || t.dims[axis] > src->dims[axis])
        return refuse_node(g, n, "more is %s, which does not go into %s", type_text(g->arena, more),
                           type_text(g->arena, src));
    return set_type(g, n, out, src->dtype, src->rank, src->dims);
}

bool shape_unique(Graph *g, const Node *n, TensorType *out)
{
    const int64_t *slices = &in_type(g, n, 0)->dims[attr_int(n, "axis", 0)];
    for (int k = 0; k < 3; k++)
        if (!set_type(g, n, &out[k], DT_I64, 1, slices))
            return false;
    return set_type(g, n, &out[3], DT_I64, 0, NULL);
}
