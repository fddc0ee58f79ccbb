/* Shapes of what goes along axes: reductions, scans, selections, Einsum, Det. */
#include "../ops/einsum.h"

#include <inttypes.h>

bool shape_cum_sum(Graph *g, const Node *n, TensorType *out)
{
    int64_t v;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_NUMERIC) ||
        !check_rank(g, n, 0, "src", 1, MAX_RANK) ||
        !int_attr(g, n, "axis", 0, in_type(g, n, 0)->rank - 1, &v) ||
        !int_attr(g, n, "exclusive", 0, 1, &v) || !int_attr(g, n, "reverse", 0, 1, &v))
        return false;
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, out, src->dtype, src->rank, src->dims);
}

bool shape_top_k(Graph *g, const Node *n, TensorType *out)
{
    int64_t axis, k, v;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_NUMERIC) ||
        !check_rank(g, n, 0, "src", 1, MAX_RANK) ||
        !int_attr(g, n, "axis", 0, in_type(g, n, 0)->rank - 1, &axis) ||
        !int_attr(g, n, "k", 0, in_type(g, n, 0)->dims[axis], &k) ||
        !int_attr(g, n, "largest", 0, 1, &v) || !int_attr(g, n, "sorted", 0, 1, &v))
        return false;
    TensorType t = *in_type(g, n, 0);
    t.dims[axis] = k;
    return set_type(g, n, &out[0], t.dtype, t.rank, t.dims) &&
           set_type(g, n, &out[1], DT_I64, t.rank, t.dims);
}

/* The type without the marked axes, or with 1 in their place. */
static TensorType reduced(const TensorType *src, const bool *gone, int64_t keepdims)
{
    TensorType t = {.dtype = src->dtype};
    for (int k = 0; k < src->rank; k++)
        if (!gone[k])
            t.dims[t.rank++] = src->dims[k];
        else if (keepdims)
            t.dims[t.rank++] = 1;
    return t;
}

static bool arg(const Graph *g, const Node *n, TensorType *out)
{
    int64_t axis, keepdims, v;
    bool gone[MAX_RANK] = {false};
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_NUMERIC) ||
        !check_rank(g, n, 0, "src", 1, MAX_RANK) ||
        !int_attr(g, n, "axis", 0, in_type(g, n, 0)->rank - 1, &axis) ||
        !int_attr(g, n, "keepdims", 0, 1, &keepdims) ||
        !int_attr(g, n, "select_last_index", 0, 1, &v))
        return false;
    const TensorType *src = in_type(g, n, 0);
    gone[axis] = true;
    TensorType t = reduced(src, gone, keepdims);
    if (src->dims[axis] == 0 && type_count(&t) > 0)
        return refuse_node(g, n, "axis %" PRId64 " of src %s is empty", axis, shape_text(g, src));
    return set_type(g, n, out, DT_I64, t.rank, t.dims);
}

bool shape_arg_max(Graph *g, const Node *n, TensorType *out)
{
    return arg(g, n, out);
}

bool shape_arg_min(Graph *g, const Node *n, TensorType *out)
{
    return arg(g, n, out);
}

bool shape_reduce(Graph *g, const Node *n, TensorType *out)
{
    int64_t keepdims;
    const int64_t *axes;
    bool gone[MAX_RANK] = {false}, order = n->op == OP_ReduceMax || n->op == OP_ReduceMin;
    if (!check_arity(g, n, true) ||
        !check_kind(g, n, 0, "src", order ? TYPES_ANY : TYPES_NUMERIC) ||
        !int_attr(g, n, "keepdims", 0, 1, &keepdims))
        return false;
    const TensorType *src = in_type(g, n, 0);
    const Attr *a = node_attr(n, "axes");
    size_t count = a && a->kind == ATTR_INTS ? a->n : 0;
    if (!ints_attr(g, n, "axes", count, 0, src->rank - 1, &axes))
        return false;
    for (size_t k = 0; k < count; k++) {
        if (k > 0 && axes[k] <= axes[k - 1])
            return refuse_node(g, n, "axes are not in ascending order: %" PRId64 " after %" PRId64,
                               axes[k], axes[k - 1]);
        gone[axes[k]] = true;
    }
    TensorType t = reduced(src, gone, keepdims);
    return set_type(g, n, out, t.dtype, t.rank, t.dims);
}

bool shape_einsum(Graph *g, const Node *n, TensorType *out)
{
    Einsum e;
    int64_t dims[MAX_RANK];
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "operand 0", TYPES_NUMERIC))
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
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_FLOAT) ||
        !check_rank(g, n, 0, "src", 2, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    if (src->dims[src->rank - 1] != src->dims[src->rank - 2])
        return refuse_node(g, n, "src of shape %s is not of square matrices", shape_text(g, src));
    return set_type(g, n, out, src->dtype, src->rank - 2, src->dims);
}
