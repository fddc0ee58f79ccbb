/* Shapes of the operators that pick or place elements by index. */
#include "../base/narrow.h"
#include "shape.h"

#include <inttypes.h>
#include <string.h>

/* A copy of dims[from..to) behind out[at]; false when the rank would exceed what a type can hold.
 */
static bool append_dims(int64_t *out, int *at, const int64_t *dims, int from, int to)
{
    if (*at + (to > from ? to - from : 0) > MAX_RANK)
        return false;
    for (int k = from; k < to; k++)
        out[(*at)++] = dims[k];
    return true;
}

static bool rank_too_large(const Graph *g, const Node *n)
{
    return refuse_node(g, n, "the output would have more than %d dimensions", MAX_RANK);
}

/* Something is indexed along a dimension of size 0: no index can be right. */
static bool not_empty(const Graph *g, const Node *n, const TensorType *data, int axis,
                      const TensorType *indices)
{
    if (data->dims[axis] > 0 || type_count(indices) == 0)
        return true;
    return refuse_node(g, n, "indexes axis %d of %s, which is empty", axis, shape_text(g, data));
}

bool shape_gather(Graph *g, const Node *n, TensorType *out)
{
    const int axis = (int)attr_int(n, "axis", 0);
    const TensorType *data = in_type(g, n, 0), *indices = in_type(g, n, 1);
    if (!check_kind(g, n, 1, "indices", TYPES_INDEX | TYPES_BYTE) ||
        !not_empty(g, n, data, axis, indices))
        return false;
    int64_t dims[MAX_RANK];
    int rank = 0;
    if (!append_dims(dims, &rank, data->dims, 0, axis) ||
        !append_dims(dims, &rank, indices->dims, 0, indices->rank) ||
        !append_dims(dims, &rank, data->dims, axis + 1, data->rank))
        return rank_too_large(g, n);
    return set_type(g, n, out, data->dtype, rank, dims);
}

/* GatherElements and ScatterElements: indices of data's rank, not larger beside the axis. */
static bool element_indices(const Graph *g, const Node *n)
{
    const int axis = (int)attr_int(n, "axis", 0);
    const TensorType *data = in_type(g, n, 0), *indices = in_type(g, n, 1);
    if (!check_kind(g, n, 1, "indices", TYPES_INDEX) ||
        !check_rank(g, n, 1, "indices", data->rank, data->rank))
        return false;
    for (int k = 0; k < data->rank; k++)
        if (k != axis && indices->dims[k] > data->dims[k])
            return refuse_node(g, n,
                               "indices of shape %s reach outside data of shape %s on axis %d",
                               shape_text(g, indices), shape_text(g, data), k);
    return not_empty(g, n, data, axis, indices);
}

bool shape_gather_elements(Graph *g, const Node *n, TensorType *out)
{
    if (!element_indices(g, n))
        return false;
    const TensorType *indices = in_type(g, n, 1);
    return set_type(g, n, out, in_type(g, n, 0)->dtype, indices->rank, indices->dims);
}

/* The last dimension of indices is the length of an index tuple, which reaches into data from
 * dimension `from`. */
static bool tuple_length(const Graph *g, const Node *n, int from, int64_t *length)
{
    const TensorType *data = in_type(g, n, 0), *indices = in_type(g, n, 1);
    *length = indices->dims[indices->rank - 1];
    if (*length < 1 || *length > data->rank - from)
        return refuse_node(g, n, "index tuples of %" PRId64 " elements for data of shape %s",
                           *length, shape_text(g, data));
    for (int k = 0; k < *length; k++)
        if (!not_empty(g, n, data, from + k, indices))
            return false;
    return true;
}

bool shape_gather_nd(Graph *g, const Node *n, TensorType *out)
{
    const int64_t batch = attr_int(n, "batch_dims", 0);
    int64_t length;
    if (!check_rank(g, n, 0, "data", 1, MAX_RANK) || !check_rank(g, n, 1, "indices", 1, MAX_RANK) ||
        !check_kind(g, n, 1, "indices", TYPES_INDEX))
        return false;
    const TensorType *data = in_type(g, n, 0), *indices = in_type(g, n, 1);
    int smaller = data->rank < indices->rank ? data->rank : indices->rank;
    if (!check_range(g, n, "batch_dims", batch, 0, smaller - 1) ||
        !tuple_length(g, n, (int)batch, &length))
        return false;
    for (int k = 0; k < batch; k++)
        if (data->dims[k] != indices->dims[k])
            return refuse_node(g, n,
                               "batch dimension %d is %" PRId64 " in data, %" PRId64 " in indices",
                               k, data->dims[k], indices->dims[k]);
    int64_t dims[MAX_RANK];
    int rank = 0;
    if (!append_dims(dims, &rank, indices->dims, 0, indices->rank - 1) ||
        !append_dims(dims, &rank, data->dims, (int)(batch + length), data->rank))
        return rank_too_large(g, n);
    return set_type(g, n, out, data->dtype, rank, dims);
}

static bool scatter_reduction(const Graph *g, const Node *n)
{
    const TensorType *data = in_type(g, n, 0);
    if (data->dtype == DT_BOOL && strcmp(attr_string(n, "reduction", ""), "none"))
        return refuse_node(g, n, "reduction %s of bool", attr_string(n, "reduction", ""));
    return true;
}

bool shape_scatter_elements(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *indices = in_type(g, n, 1);
    return element_indices(g, n) && scatter_reduction(g, n) &&
           check_dtype(g, n, 2, "updates", in_type(g, n, 0)->dtype) &&
           check_dims(g, n, 2, "updates", indices->rank, indices->dims) && like_src(g, n, out);
}

bool shape_scatter_nd(Graph *g, const Node *n, TensorType *out)
{
    int64_t length;
    if (!check_rank(g, n, 0, "data", 1, MAX_RANK) || !check_rank(g, n, 1, "indices", 1, MAX_RANK) ||
        !check_kind(g, n, 1, "indices", TYPES_INDEX) || !tuple_length(g, n, 0, &length) ||
        !scatter_reduction(g, n))
        return false;
    const TensorType *data = in_type(g, n, 0), *indices = in_type(g, n, 1);
    int64_t dims[MAX_RANK];
    int rank = 0;
    if (!append_dims(dims, &rank, indices->dims, 0, indices->rank - 1) ||
        !append_dims(dims, &rank, data->dims, (int)length, data->rank))
        return refuse_node(g, n, "the updates would have more than %d dimensions", MAX_RANK);
    return check_dtype(g, n, 2, "updates", data->dtype) &&
           check_dims(g, n, 2, "updates", rank, dims) && like_src(g, n, out);
}

bool shape_one_hot(Graph *g, const Node *n, TensorType *out)
{
    static const int64_t two[] = {2};
    const int64_t axis = attr_int(n, "axis", 0), depth = attr_int(n, "depth", 0);
    if (!check_kind(g, n, 0, "indices", TYPES_NUMERIC) || !check_dims(g, n, 1, "values", 1, two))
        return false;
    const TensorType *indices = in_type(g, n, 0);
    if (!check_range(g, n, "axis", axis, 0, indices->rank))
        return false;
    int64_t dims[MAX_RANK];
    int rank = 0;
    if (!append_dims(dims, &rank, indices->dims, 0, (int)axis) ||
        !append_dims(dims, &rank, &depth, 0, 1) ||
        !append_dims(dims, &rank, indices->dims, (int)axis, indices->rank))
        return rank_too_large(g, n);
    return set_type(g, n, out, in_type(g, n, 1)->dtype, rank, dims);
}

bool shape_bit_cast(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    const DType to = (DType)attr_int(n, "to", 0);
    if (to == DT_BOOL || dtype_size(to) != dtype_size(src->dtype))
        return refuse_node(g, n, "the bits of %s are not those of %s", dtype_name(src->dtype),
                           dtype_name(to));
    return set_type(g, n, out, to, src->rank, src->dims);
}

bool shape_narrow(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    const NarrowType *t = narrow_type(attr_int(n, "to", 0));
    if (!t || src->dtype != t->as)
        return refuse_node(g, n, "src of type %s has no codes in type %" PRId64,
                           dtype_name(src->dtype), attr_int(n, "to", 0));
    const int64_t bytes = (int64_t)narrow_bytes(t, (size_t)type_count(src));
    return set_type(g, n, out, DT_U8, 1, &bytes);
}

bool shape_trilu(Graph *g, const Node *n, TensorType *out)
{
    return check_rank(g, n, 0, "src", 2, MAX_RANK) && like_src(g, n, out);
}

bool shape_reverse_sequence(Graph *g, const Node *n, TensorType *out)
{
    const int64_t batch = attr_int(n, "batch_axis", 0), time = attr_int(n, "time_axis", 0);
    if (batch == time)
        return refuse_node(g, n, "batch_axis and time_axis are both %" PRId64, time);
    return check_kind(g, n, 1, "sequence_lens", TYPES_INDEX) &&
           check_dims(g, n, 1, "sequence_lens", 1, &in_type(g, n, 0)->dims[batch]) &&
           like_src(g, n, out);
}
