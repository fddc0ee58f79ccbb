/* Shapes of pooling and of what samples a plane: src is [N, C, spatial…]. */
#include "shape.h"

#include <inttypes.h>
#include <string.h>

/* One spatial dimension of a pooling window. Every window must touch src: what an empty window
 * should give is not defined. The first and the last one do if the pads are small enough, the ones
 * between do unless the dilation steps over src. */
static bool pooled_dim(const Graph *g, const Node *n, int k, int64_t src, int64_t kernel,
                       int64_t stride, int64_t dilation, int64_t begin, int64_t end, int64_t *dst)
{
    int64_t extent, padded = src + begin + end;
    if (!kernel_extent(g, n, kernel, dilation, &extent))
        return false;
    *dst = 0; /* no window, where the formula says so however it is rounded */
    if (extent - padded >= stride && extent - padded < 2 * stride)
        return true;
    if (!kernel_fits(g, n, k, extent, padded))
        return false;
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
    const int64_t *kernel = attr_ints(n, "kernel_shape", NULL), *pads = attr_ints(n, "pads", NULL),
                  *strides = attr_ints(n, "strides", NULL),
                  *dilations = attr_ints(n, "dilations", NULL);
    if (!check_rank(g, n, 0, "src", 3, MAX_RANK))
        return false;
    const TensorType *src = in_type(g, n, 0);
    size_t spatial = (size_t)src->rank - 2;
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
    int64_t dims[MAX_RANK];
    if (!check_kind(g, n, 0, "src", TYPES_NUMERIC) || !pooled_dims(g, n, dims))
        return false;
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, &out[0], src->dtype, src->rank, dims) &&
           (n->n_out < 2 || set_type(g, n, &out[1], DT_I64, src->rank, dims));
}

bool shape_average_pool(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK];
    const int64_t *pads = attr_ints(n, "pads", NULL), *ceil_pads = attr_ints(n, "ceil_pads", NULL);
    if (!check_kind(g, n, 0, "src", TYPES_FLOAT) || !pooled_dims(g, n, dims))
        return false;
    const TensorType *src = in_type(g, n, 0);
    size_t spatial = (size_t)src->rank - 2;
    for (size_t k = 0; k < spatial; k++)
        if (ceil_pads[k] > pads[spatial + k])
            return refuse_node(g, n, "ceil_pads %" PRId64 " is not a part of the end pad %" PRId64,
                               ceil_pads[k], pads[spatial + k]);
    return set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_lp_pool(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK];
    const TensorType *src = in_type(g, n, 0);
    return check_kind(g, n, 0, "src", TYPES_FLOAT) && pooled_dims(g, n, dims) &&
           set_type(g, n, out, src->dtype, src->rank, dims);
}

bool shape_max_unpool(Graph *g, const Node *n, TensorType *out)
{
    const int64_t *shape;
    if (!check_kind(g, n, 0, "src", TYPES_NUMERIC) || !check_rank(g, n, 0, "src", 3, MAX_RANK))
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
    const int64_t *pooled = attr_ints(n, "pooled_shape", NULL);
    if (!check_kind(g, n, 0, "src", TYPES_FLOAT) || !check_rank(g, n, 0, "src", 4, 4) ||
        !check_rank(g, n, 1, "rois", 2, 2) || !not_empty_plane(g, n))
        return false;
    const TensorType *src = in_type(g, n, 0), *rois = in_type(g, n, 1);
    int64_t roi_dims[] = {rois->dims[0], 5};
    int64_t dims[] = {rois->dims[0], src->dims[1], pooled[0], pooled[1]};
    return check_dtype(g, n, 1, "rois", src->dtype) && check_dims(g, n, 1, "rois", 2, roi_dims) &&
           set_type(g, n, out, src->dtype, 4, dims);
}

bool shape_roi_align(Graph *g, const Node *n, TensorType *out)
{
    if (!check_kind(g, n, 0, "src", TYPES_FLOAT) || !check_rank(g, n, 0, "src", 4, 4) ||
        !check_rank(g, n, 1, "rois", 2, 2) ||
        !check_range(g, n, "sampling_ratio", attr_int(n, "sampling_ratio", 0), 0, 1024) ||
        !not_empty_plane(g, n))
        return false;
    const TensorType *src = in_type(g, n, 0), *rois = in_type(g, n, 1);
    int64_t roi_dims[] = {rois->dims[0], 4};
    int64_t dims[] = {rois->dims[0], src->dims[1], attr_int(n, "output_height", 0),
                      attr_int(n, "output_width", 0)};
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
    if (!check_kind(g, n, 0, "src", TYPES_FLOAT) || !check_rank(g, n, 0, "src", 3, MAX_RANK) ||
        !check_kind(g, n, 1, "grid", TYPES_FLOAT) || !not_empty_plane(g, n))
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

/* Scales are positive; a crop needs its box, and `nearest` which of two it is. */
static bool resize_attrs(const Graph *g, const Node *n, size_t rank)
{
    const double *scales = attr_floats(n, "scales", NULL);
    for (size_t k = 0; k < rank; k++)
        if (!(scales[k] > 0))
            return refuse_node(g, n, "the scale of axis %zu is %g", k, scales[k]);
    const char *mode = attr_string(n, "coordinate_transformation_mode", NULL);
    if (!mode || (!strcmp(attr_string(n, "mode", ""), "nearest") && !node_attr(n, "nearest_mode")))
        return refuse_node(g, n, "attribute '%s' is missing",
                           mode ? "nearest_mode" : "coordinate_transformation_mode");
    return strcmp(mode, "tf_crop_and_resize") || need_floats(g, n, "roi", rank * 2);
}

bool shape_resize(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    const int64_t *sizes = attr_ints(n, "sizes", NULL);
    size_t rank = (size_t)src->rank;
    if (!resize_attrs(g, n, rank))
        return false;
    if (strcmp(attr_string(n, "mode", ""), "nearest") && !check_kind(g, n, 0, "src", TYPES_NUMERIC))
        return false;
    for (size_t k = 0; k < rank; k++)
        if (src->dims[k] == 0 && sizes[k] > 0)
            return refuse_node(g, n, "axis %zu is empty and cannot grow to %" PRId64, k, sizes[k]);
    return set_type(g, n, out, src->dtype, src->rank, sizes);
}
