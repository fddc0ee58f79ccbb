/* Shapes of pooling and of what samples a plane: src is [N, C, spatial…]. */
#include "shape.h"

#include <inttypes.h>
#include <string.h>

#define MAX_STEP INT32_MAX

/* One spatial dimension of a pooling window. Every window must touch src: what an empty window
 * should give is not defined. The first and the last one do if the pads are small enough, the ones
 * between do unless the dilation steps over src. */
static bool pooled_dim(const Graph *g, const Node *n, int k, int64_t src, int64_t kernel,
                       int64_t stride, int64_t dilation, int64_t begin, int64_t end, int64_t *dst)
{
    int64_t extent, padded = src + begin + end;
    if (!mul_i64(kernel - 1, dilation, &extent) || !add_i64(extent, 1, &extent))
        return refuse_node(g, n, "kernel_shape %" PRId64 " with dilation %" PRId64 " is too large",
                           kernel, dilation);
    if (extent > padded)
        return refuse_node(g, n,
                           "the kernel covers %" PRId64 " elements of spatial dimension %d, the "
                           "padded src has %" PRId64,
                           extent, k, padded);
    *dst = (padded - extent) / stride + 1;
    int64_t last = (*dst - 1) * stride - begin;
    if (begin >= extent || last >= src || src == 0)
        return refuse_node(g, n,
                           "a window of spatial dimension %d lies in the padding: kernel %" PRId64
                           ", pads %" PRId64 " and %" PRId64,
                           k, extent, begin, end);
    if (kernel > 1 && dilation > src && begin + end > 0)
        return refuse_node(g, n,
                           "dilation %" PRId64 " steps over the %" PRId64
                           " elements of spatial dimension %d",
                           dilation, src, k);
    return true;
}

static bool pooled_dims(const Graph *g, const Node *n, int64_t *dims)
{
    const int64_t *kernel, *strides, *dilations, *pads;
    if (!check_rank(g, n, 0, "src", 3, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    size_t spatial = (size_t)src->rank - 2;
    if (!ints_attr(g, n, "kernel_shape", spatial, 1, INT64_MAX, &kernel) ||
        !ints_attr(g, n, "strides", spatial, 1, INT64_MAX, &strides) ||
        !ints_attr(g, n, "dilations", spatial, 1, MAX_STEP, &dilations) ||
        !ints_attr(g, n, "pads", spatial * 2, 0, MAX_STEP, &pads))
        return false;
    dims[0] = src->dims[0];
    dims[1] = src->dims[1];
    for (size_t k = 0; k < spatial; k++)
        if (!pooled_dim(g, n, (int)k, src->dims[k + 2], kernel[k], strides[k], dilations[k],
                        pads[k], pads[k + spatial], &dims[k + 2]))
            return false;
    return true;
}

bool shape_max_pool(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK], order;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_NUMERIC) ||
        !pooled_dims(g, n, dims) || !int_attr_or(g, n, "storage_order", 0, 1, 0, &order))
        return false;
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, &out[0], src->dtype, src->rank, dims) &&
           (n->n_out < 2 || set_type(g, n, &out[1], DT_I64, src->rank, dims));
}

bool shape_average_pool(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK], count;
    const int64_t *ceil_pads;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_FLOAT) ||
        !pooled_dims(g, n, dims) || !int_attr(g, n, "count_include_pad", 0, 1, &count))
        return false;
    const TensorType *src = in_type(g, n, 0);
    size_t spatial = (size_t)src->rank - 2, n_pads;
    const int64_t *pads = attr_ints(n, "pads", &n_pads);
    if (!ints_attr(g, n, "ceil_pads", spatial, 0, MAX_STEP, &ceil_pads))
        return false;
    for (size_t k = 0; k < spatial; k++)
        if (ceil_pads[k] > pads[spatial + k])
            return refuse_node(g, n, "ceil_pads %" PRId64 " is not a part of the end pad %" PRId64,
                               ceil_pads[k], pads[spatial + k]);
    return set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_lp_pool(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK], p;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_FLOAT) ||
        !pooled_dims(g, n, dims) || !int_attr(g, n, "p", 1, INT32_MAX, &p))
        return false;
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_max_unpool(Graph *g, const Node *n, TensorType *out)
{
    const int64_t *shape;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_NUMERIC) ||
        !check_rank(g, n, 0, "src", 3, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    if (!check_dtype(g, n, 1, "indices", DT_I64) ||
        !check_dims(g, n, 1, "indices", src->rank, src->dims) ||
        !ints_attr(g, n, "shape", (size_t)src->rank, 0, INT64_MAX, &shape) ||
        !set_type(g, n, out, src->dtype, src->rank, shape))
        return false;
    if (type_count(src) > 0 && type_count(out) == 0)
        return refuse_node(g, n, "src %s has elements, dst %s has none", shape_text(g, src),
                           shape_text(g, out));
    return true;
}

static bool not_empty_plane(const Graph *g, const Node *n)
{
    const TensorType *src = in_type(g, n, 0);
    for (int k = 2; k < src->rank; k++)
        if (src->dims[k] == 0)
            return refuse_node(g, n, "src of shape %s has no element to sample",
                               shape_text(g, src));
    return true;
}

bool shape_max_roi_pool(Graph *g, const Node *n, TensorType *out)
{
    const int64_t *pooled;
    double scale;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_FLOAT) ||
        !check_rank(g, n, 0, "src", 4, 4) || !check_rank(g, n, 1, "rois", 2, 2) ||
        !ints_attr(g, n, "pooled_shape", 2, 1, INT32_MAX, &pooled) ||
        !float_attr(g, n, "spatial_scale", &scale) || !not_empty_plane(g, n))
        return false;
    const TensorType *src = in_type(g, n, 0), *rois = in_type(g, n, 1);
    int64_t roi_dims[] = {rois->dims[0], 5};
    int64_t dims[] = {rois->dims[0], src->dims[1], pooled[0], pooled[1]};
    return check_dtype(g, n, 1, "rois", src->dtype) && check_dims(g, n, 1, "rois", 2, roi_dims) &&
           set_type(g, n, out, src->dtype, 4, dims);
}

bool shape_roi_align(Graph *g, const Node *n, TensorType *out)
{
    int64_t height, width, v;
    double scale;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_FLOAT) ||
        !check_rank(g, n, 0, "src", 4, 4) || !check_rank(g, n, 1, "rois", 2, 2) ||
        !choice_attr(g, n, "mode", "avg|max") ||
        !int_attr(g, n, "output_height", 1, INT32_MAX, &height) ||
        !int_attr(g, n, "output_width", 1, INT32_MAX, &width) ||
        !int_attr(g, n, "sampling_ratio", 0, 1024, &v) || !int_attr(g, n, "half_pixel", 0, 1, &v) ||
        !float_attr(g, n, "spatial_scale", &scale) || !not_empty_plane(g, n))
        return false;
    const TensorType *src = in_type(g, n, 0), *rois = in_type(g, n, 1);
    int64_t roi_dims[] = {rois->dims[0], 4};
    int64_t dims[] = {rois->dims[0], src->dims[1], height, width};
    if (src->dims[0] == 0 && rois->dims[0] > 0)
        return refuse_node(g, n, "src of shape %s has no image", shape_text(g, src));
    return check_dtype(g, n, 1, "rois", src->dtype) && check_dims(g, n, 1, "rois", 2, roi_dims) &&
           check_dtype(g, n, 2, "batch_indices", DT_I64) &&
           check_dims(g, n, 2, "batch_indices", 1, roi_dims) &&
           set_type(g, n, out, src->dtype, 4, dims);
}

/* src [N, C, spatial…], grid [N, output spatial…, number of spatial dimensions] */
bool shape_grid_sample(Graph *g, const Node *n, TensorType *out)
{
    int64_t v;
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "src", TYPES_FLOAT) ||
        !check_rank(g, n, 0, "src", 3, MAX_RANK) || !check_kind(g, n, 1, "grid", TYPES_FLOAT) ||
        !choice_attr(g, n, "mode", "nearest|linear|cubic") ||
        !choice_attr(g, n, "padding_mode", "zeros|border|reflection") ||
        !int_attr(g, n, "align_corners", 0, 1, &v) || !not_empty_plane(g, n))
        return false;
    const TensorType *src = in_type(g, n, 0), *grid = in_type(g, n, 1);
    TensorType want = *grid, dst = *src;
    want.dims[0] = src->dims[0];
    if (grid->rank == src->rank)
        want.dims[src->rank - 1] = src->rank - 2;
    if (!check_rank(g, n, 1, "grid", src->rank, src->rank) ||
        !check_dims(g, n, 1, "grid", want.rank, want.dims))
        return false;
    for (int k = 2; k < src->rank; k++)
        dst.dims[k] = grid->dims[k - 1];
    return set_type(g, n, out, src->dtype, dst.rank, dst.dims);
}

static bool resize_attrs(const Graph *g, const Node *n, size_t rank)
{
    const double *scales, *roi;
    double f;
    int64_t v;
    if (!choice_attr(g, n, "mode", "nearest|linear|cubic") ||
        !choice_attr(g, n, "coordinate_transformation_mode",
                     "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|asymmetric|"
                     "tf_half_pixel_for_nn|tf_crop_and_resize") ||
        !floats_attr(g, n, "scales", rank, &scales) ||
        !float_attr_or(g, n, "extrapolation_value", 0, &f) ||
        !float_attr_or(g, n, "cubic_coeff_a", -0.75, &f) ||
        !int_attr_or(g, n, "exclude_outside", 0, 1, 0, &v))
        return false;
    for (size_t k = 0; k < rank; k++)
        if (!(scales[k] > 0))
            return refuse_node(g, n, "the scale of axis %zu is %g", k, scales[k]);
    bool crop = !strcmp(attr_string(n, "coordinate_transformation_mode", ""), "tf_crop_and_resize");
    if ((crop || node_attr(n, "roi")) && !floats_attr(g, n, "roi", rank * 2, &roi))
        return false;
    bool nearest = !strcmp(attr_string(n, "mode", ""), "nearest");
    return !(nearest || node_attr(n, "nearest_mode")) ||
           choice_attr(g, n, "nearest_mode", "round_prefer_floor|round_prefer_ceil|floor|ceil");
}

bool shape_resize(Graph *g, const Node *n, TensorType *out)
{
    const int64_t *sizes;
    if (!check_arity(g, n, true))
        return false;
    const TensorType *src = in_type(g, n, 0);
    size_t rank = (size_t)src->rank;
    if (!ints_attr(g, n, "sizes", rank, 0, INT64_MAX, &sizes) || !resize_attrs(g, n, rank))
        return false;
    if (strcmp(attr_string(n, "mode", ""), "nearest") && !check_kind(g, n, 0, "src", TYPES_NUMERIC))
        return false;
    for (size_t k = 0; k < rank; k++)
        if (src->dims[k] == 0 && sizes[k] > 0)
            return refuse_node(g, n, "axis %zu is empty and cannot grow to %" PRId64, k, sizes[k]);
    return set_type(g, n, out, src->dtype, src->rank, sizes);
}
