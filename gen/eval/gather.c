/* Operators that pick elements by index. As in the emitted kernels, an index outside its dimension is clamped: what
 * a model does with such a value is its own affair, reading outside is not. */
#include "elem.h"

#include <inttypes.h>
#include <string.h>

/* dim > 0 */
static int64_t clamp_index(int64_t i, int64_t dim)
{
    if (i < 0)
        i += dim;
    return i < 0 ? 0 : i >= dim ? dim - 1 : i;
}

bool eval_gather(Eval *e)
{
    const Tensor *data = e->in[0], *indices = e->in[1];
    int64_t axis = attr_int(e->node, "axis", 0);
    Around a = around(&data->type, axis, axis + 1);
    size_t n = eval_count(indices), bytes = (size_t)a.inner * dtype_size(data->type.dtype);
    char *to = e->out[0]->data;
    if (eval_count(e->out[0]) == 0)
        return true;
    for (int64_t o = 0; o < a.outer; o++)
        for (size_t k = 0; k < n; k++, to += bytes) {
            int64_t i = clamp_index(elem_i64(indices->type.dtype, indices->data, k), a.size);
            memcpy(to, (const char *)data->data + (size_t)(o * a.size + i) * bytes, bytes);
        }
    return true;
}

bool eval_gather_elements(Eval *e)
{
    const Tensor *data = e->in[0], *indices = e->in[1];
    int64_t axis = attr_int(e->node, "axis", 0), index[MAX_RANK] = {0}, strides[MAX_RANK];
    size_t size = dtype_size(data->type.dtype), k = 0;
    char *to = e->out[0]->data;
    dense_strides(&data->type, strides);
    if (eval_count(indices) == 0)
        return true;
    do {
        int64_t i = elem_i64(indices->type.dtype, indices->data, k++);
        int64_t from = clamp_index(i, data->type.dims[axis]) * strides[axis];
        for (int d = 0; d < data->type.rank; d++)
            from += d == axis ? 0 : index[d] * strides[d];
        memcpy(to, (const char *)data->data + (size_t)from * size, size);
        to += size;
    } while (next_index(index, indices->type.dims, indices->type.rank));
    return true;
}

bool eval_gather_nd(Eval *e)
{
    const Tensor *data = e->in[0], *indices = e->in[1];
    int batch = (int)attr_int(e->node, "batch_dims", 0);
    int64_t length = indices->type.dims[indices->type.rank - 1], strides[MAX_RANK];
    Around a = around(&data->type, batch, batch + (int)length);
    size_t bytes = (size_t)a.inner * dtype_size(data->type.dtype), k = 0;
    int64_t tuples = type_count(&indices->type) / length;
    char *to = e->out[0]->data;
    dense_strides(&data->type, strides);
    if (eval_count(e->out[0]) == 0)
        return true;
    int64_t tuples_each = tuples / a.outer; /* per batch element */
    for (int64_t tuple = 0; tuple < tuples; tuple++, to += bytes) {
        int64_t from = tuple / tuples_each * a.size * a.inner;
        for (int d = 0; d < length; d++) {
            int64_t i = elem_i64(indices->type.dtype, indices->data, k++);
            from += clamp_index(i, data->type.dims[batch + d]) * strides[batch + d];
        }
        memcpy(to, (const char *)data->data + (size_t)from * dtype_size(data->type.dtype), bytes);
    }
    return true;
}

/* An index outside -depth … depth - 1 gives a row of `off`. */
bool eval_one_hot(Eval *e)
{
    const Tensor *indices = e->in[0], *values = e->in[1];
    Tensor *dst = e->out[0];
    int64_t axis = attr_int(e->node, "axis", 0), depth = attr_int(e->node, "depth", 0);
    size_t size = dtype_size(dst->type.dtype), count = eval_count(dst);
    Around a = around(&dst->type, axis, axis + 1);
    char *to = dst->data;
    for (size_t k = 0; k < count; k++)
        memcpy(to + k * size, values->data, size);
    for (int64_t k = 0; count > 0 && k < a.outer * a.inner; k++) {
        int64_t i = elem_i64(indices->type.dtype, indices->data, (size_t)k);
        if (i < 0 && i >= -depth)
            i += depth;
        if (i < 0 || i >= depth)
            continue;
        int64_t at = (k / a.inner * depth + i) * a.inner + k % a.inner;
        memcpy(to + (size_t)at * size, (const char *)values->data + size, size);
    }
    return true;
}

/* The two axes, whichever comes first, cut the tensor into [outer, first, mid, second, inner]. */
bool eval_reverse_sequence(Eval *e)
{
    const Tensor *src = e->in[0], *lens = e->in[1];
    int64_t batch = attr_int(e->node, "batch_axis", 1), time = attr_int(e->node, "time_axis", 0);
    int64_t strides[MAX_RANK], index[MAX_RANK] = {0}, steps = src->type.dims[time];
    int rows = (int)(batch > time ? batch : time) + 1; /* what is behind both axes moves as one */
    dense_strides(&src->type, strides);
    size_t bytes = (size_t)strides[rows - 1] * dtype_size(src->type.dtype), row = 0;
    for (size_t k = 0; k < eval_count(lens); k++) {
        int64_t len = elem_i64(lens->type.dtype, lens->data, k);
        if (len < 0 || len > steps)
            return refuse_node(e->g, e->node,
                               "sequence %zu has length %" PRId64 ", not in 0 to %" PRId64, k, len,
                               steps);
    }
    if (eval_count(src) == 0)
        return true;
    do {
        int64_t len = elem_i64(lens->type.dtype, lens->data, (size_t)index[batch]), t = index[time];
        int64_t moved = t < len ? (len - 1 - t) - t : 0; /* in steps of time */
        int64_t from = (int64_t)row + moved * (strides[time] / strides[rows - 1]);
        memcpy((char *)e->out[0]->data + row * bytes,
               (const char *)src->data + (size_t)from * bytes, bytes);
        row++;
    } while (next_index(index, src->type.dims, rows));
    return true;
}
