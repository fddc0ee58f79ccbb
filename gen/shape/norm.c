/* Shapes of the normalisations: dst is like src, parameters are one per channel or per normalised
 * element. */
#include "shape.h"

#include <inttypes.h>

/* src [N, C, …] and inputs 1 to `last`, all [C]. */
static bool channel_params(const Graph *g, const Node *n, uint32_t last, bool same_type)
{
    static const char *const what[] = {"src", "scale", "bias", "mean", "variance"};
    if (!check_kind(g, n, 0, "src", TYPES_FLOAT) || !check_rank(g, n, 0, "src", 2, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    for (uint32_t k = 1; k <= last; k++)
        if (!check_kind(g, n, k, what[k], TYPES_FLOAT) ||
            !check_dims(g, n, k, what[k], 1, &src->dims[1]) ||
            (same_type && !check_dtype(g, n, k, what[k], src->dtype)))
            return false;
    return true;
}

bool shape_batch_norm(Graph *g, const Node *n, TensorType *out)
{
    return channel_params(g, n, 4, false) && like_src(g, n, out);
}

bool shape_instance_norm(Graph *g, const Node *n, TensorType *out)
{
    return channel_params(g, n, 2, true) && like_src(g, n, out);
}

bool shape_group_norm(Graph *g, const Node *n, TensorType *out)
{
    const int64_t groups = attr_int(n, "num_groups", 1);
    if (!channel_params(g, n, 2, true))
        return false;
    if (in_type(g, n, 0)->dims[1] % groups != 0)
        return refuse_node(g, n, "%" PRId64 " channels do not divide into %" PRId64 " groups",
                           in_type(g, n, 0)->dims[1], groups);
    return like_src(g, n, out);
}

/* scale and bias have the shape of src from `axis` on. */
static bool normalised_params(const Graph *g, const Node *n)
{
    const TensorType *src = in_type(g, n, 0);
    const int axis = (int)attr_int(n, "axis", 0), rank = src->rank - axis;
    return check_kind(g, n, 0, "src", TYPES_FLOAT) && check_dtype(g, n, 1, "scale", src->dtype) &&
           check_dims(g, n, 1, "scale", rank, src->dims + axis) &&
           check_dtype(g, n, 2, "bias", src->dtype) &&
           check_dims(g, n, 2, "bias", rank, src->dims + axis);
}

/* mean and inv_std_dev are f32 (ONNX's stash_type), with the normalised dimensions kept as 1. */
bool shape_layer_norm(Graph *g, const Node *n, TensorType *out)
{
    if (!normalised_params(g, n) || !like_src(g, n, out))
        return false;
    TensorType stats = *in_type(g, n, 0);
    for (int k = (int)attr_int(n, "axis", 0); k < stats.rank; k++)
        stats.dims[k] = 1;
    for (uint32_t k = 1; k < n->n_out; k++)
        if (!set_type(g, n, &out[k], DT_F32, stats.rank, stats.dims))
            return false;
    return true;
}

bool shape_rms_norm(Graph *g, const Node *n, TensorType *out)
{
    return normalised_params(g, n) && like_src(g, n, out);
}

bool shape_lp_norm(Graph *g, const Node *n, TensorType *out)
{
    return check_kind(g, n, 0, "src", TYPES_FLOAT) &&
           check_range(g, n, "p", attr_int(n, "p", 0), 1, 2) && like_src(g, n, out);
}

bool shape_lrn(Graph *g, const Node *n, TensorType *out)
{
    return check_kind(g, n, 0, "src", TYPES_FLOAT) && check_rank(g, n, 0, "src", 2, MAX_RANK) &&
           like_src(g, n, out);
}

/* Over the dimensions axis … axis_end - 1; none at all is a group of one element. */
bool shape_softmax(Graph *g, const Node *n, TensorType *out)
{
    const int64_t axis = attr_int(n, "axis", 0), end = attr_int(n, "axis_end", 0);
    const int rank = in_type(g, n, 0)->rank;
    return check_kind(g, n, 0, "src", TYPES_FLOAT) && check_range(g, n, "axis", axis, 0, rank) &&
           check_range(g, n, "axis_end", end, axis, rank) && like_src(g, n, out);
}
