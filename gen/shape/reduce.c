/* Shapes of what goes along axes: reductions, scans, selections, Einsum, Det. */
#include "../ops/einsum.h"

#include <inttypes.h>

bool shape_cum_sum(Graph *g, const Node *n, TensorType *out)
{
    return check_kind(g, n, 0, "src", TYPES_NUMERIC) && like_src(g, n, out);
}

bool shape_top_k(Graph *g, const Node *n, TensorType *out)
{
    const int64_t axis = attr_int(n, "axis", 0), k = attr_int(n, "k", 0);
    TensorType t = *in_type(g, n, 0);
    if (!check_kind(g, n, 0, "src", TYPES_NUMERIC) || !check_range(g, n, "k", k, 0, t.dims[axis]))
        return false;
    t.dims[axis] = k;
    return set_type(g, n, &out[0], t.dtype, t.rank, t.dims) &&
           set_type(g, n, &out[1], DT_I64, t.rank, t.dims);
}

/* The type without the marked axes, or with 1 in their place. */
static TensorType reduced(const Node *n, const TensorType *src, const bool *gone)
{
    const bool keepdims = attr_int(n, "keepdims", 0) != 0;
    TensorType t = {.dtype = src->dtype};
    for (int k = 0; k < src->rank; k++)
        if (!gone[k])
            t.dims[t.rank++] = src->dims[k];
        else if (keepdims)
            t.dims[t.rank++] = 1;
    return t;
}

bool shape_arg(Graph *g, const Node *n, TensorType *out)
{
    const int64_t axis = attr_int(n, "axis", 0);
    bool gone[MAX_RANK] = {false};
    if (!check_kind(g, n, 0, "src", TYPES_NUMERIC))
        return false;
    const TensorType *src = in_type(g, n, 0);
    gone[axis] = true;
    TensorType t = reduced(n, src, gone);
    if (src->dims[axis] == 0 && type_count(&t) > 0)
        return refuse_node(g, n, "axis %" PRId64 " of src %s is empty", axis, shape_text(g, src));
    return set_type(g, n, out, DT_I64, t.rank, t.dims);
}

bool shape_reduce(Graph *g, const Node *n, TensorType *out)
{
    size_t count;
    const int64_t *axes = attr_ints(n, "axes", &count);
    bool gone[MAX_RANK] = {false}, order = n->op == OP_ReduceMax || n->op == OP_ReduceMin;
    if (!check_kind(g, n, 0, "src", order ? TYPES_ANY : TYPES_NUMERIC))
        return false;
    for (size_t k = 0; k < count; k++)
        gone[axes[k]] = true;
    *out = reduced(n, in_type(g, n, 0), gone);
    return true;
}

bool shape_einsum(Graph *g, const Node *n, TensorType *out)
{
    Einsum e;
    int64_t dims[MAX_RANK];
    if (!check_kind(g, n, 0, "operand 0", TYPES_NUMERIC))
        return false;
    DType dtype = in_type(g, n, 0)->dtype;
    for (uint32_t k = 1; k < n->n_in; k++)
        if (!check_dtype(g, n, k, "an operand", dtype))
            return false;
    if (!einsum_parse(g, n, &e))
        return false;
    for (int d = 0; d < e.dst_rank; d++)
        dims[d] = e.size[e.dst[d] - 'a'];
    return set_type(g, n, out, dtype, e.dst_rank, dims);
}

bool shape_det(Graph *g, const Node *n, TensorType *out)
{
    if (!check_kind(g, n, 0, "src", TYPES_FLOAT) || !check_rank(g, n, 0, "src", 2, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    if (src->dims[src->rank - 1] != src->dims[src->rank - 2])
        return refuse_node(g, n, "src of shape %s is not of square matrices", shape_text(g, src));
    return set_type(g, n, out, src->dtype, src->rank - 2, src->dims);
}
