/* Shapes of convolutions: src [N, C, spatial…], weights [M, C/group, kernel…], bias [M]. */
#include "shape.h"

#include <inttypes.h>

static bool conv_ranks(const Graph *g, const Node *n, const TensorType *src,
                       const TensorType *weights)
{
    if (src->rank < 3)
        return refuse_node(g, n, "src has shape %s, it needs a spatial dimension",
                           shape_text(g, src));
    if (weights->rank != src->rank)
        return refuse_node(g, n, "weights of shape %s do not go with src of rank %d",
                           shape_text(g, weights), src->rank);
    return true;
}

/* For the quantised forms too: checks the attributes of Conv for weights [M, C/group, kernel…] and computes the dimensions of dst. */
static bool conv_dst_dims(const Graph *g, const Node *n, const TensorType *src,
                          const TensorType *weights, int64_t *dims)
{
    const int64_t *strides = attr_ints(n, "strides", NULL), *pads = attr_ints(n, "pads", NULL),
                  *dilations = attr_ints(n, "dilations", NULL), group = attr_int(n, "group", 1);
    int spatial = src->rank - 2;
    int64_t extent;
    if (!conv_ranks(g, n, src, weights))
        return false;
    if (src->dims[1] % group != 0 || src->dims[1] / group != weights->dims[1])
        return refuse_node(g, n,
                           "weights have %" PRId64 " input channels per group, src has %" PRId64
                           " with group %" PRId64,
                           weights->dims[1], src->dims[1], group);
    if (weights->dims[0] % group != 0)
        return refuse_node(g, n,
                           "%" PRId64 " output channels do not divide into %" PRId64 " groups",
                           weights->dims[0], group);
    dims[0] = src->dims[0];
    dims[1] = weights->dims[0];
    for (int k = 0; k < spatial; k++) {
        int64_t padded = src->dims[k + 2] + pads[k] + pads[k + spatial];
        if (!kernel_extent(g, n, weights->dims[k + 2], dilations[k], &extent) ||
            !kernel_fits(g, n, k, extent, padded))
            return false;
        dims[k + 2] = (padded - extent) / strides[k] + 1;
    }
    return true;
}

bool shape_conv(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK];
    const TensorType *src = in_type(g, n, 0), *weights = in_type(g, n, 1);
    return check_kind(g, n, 0, "src", TYPES_FLOAT) && check_dtype(g, n, 1, "weights", src->dtype) &&
           check_parameter(g, n, 2, "bias", src->dtype) &&
           conv_dst_dims(g, n, src, weights, dims) && check_dims(g, n, 2, "bias", 1, &dims[1]) &&
           set_type(g, n, out, src->dtype, src->rank, dims);
}

/* One spatial dimension of the transposed convolution:
 * (src - 1) * stride + extent + output_padding - both pads. */
static bool transposed_dim(const Graph *g, const Node *n, int k, int64_t src, int64_t stride,
                           int64_t extent, int64_t more, int64_t less, int64_t *dst)
{
    if (!mul_i64(src - 1, stride, dst) || !add_i64(*dst, extent, dst) || !add_i64(*dst, more, dst))
        return refuse_node(g, n, "spatial dimension %d of dst is too large", k);
    *dst -= less;
    if (*dst < 1)
        return refuse_node(g, n, "spatial dimension %d of dst would be %" PRId64, k, *dst);
    return true;
}

/* weights [C, M/group, kernel…] */
static bool transposed_dst_dims(const Graph *g, const Node *n, int64_t *dims)
{
    const TensorType *src = in_type(g, n, 0), *weights = in_type(g, n, 1);
    const int64_t *strides = attr_ints(n, "strides", NULL), *pads = attr_ints(n, "pads", NULL),
                  *dilations = attr_ints(n, "dilations", NULL),
                  *more = attr_ints(n, "output_padding", NULL), group = attr_int(n, "group", 1);
    int spatial = src->rank - 2;
    int64_t extent;
    if (!conv_ranks(g, n, src, weights))
        return false;
    if (src->dims[1] != weights->dims[0] || src->dims[1] % group != 0)
        return refuse_node(g, n,
                           "weights have %" PRId64 " input channels, src has %" PRId64
                           " with group %" PRId64,
                           weights->dims[0], src->dims[1], group);
    dims[0] = src->dims[0];
    if (!mul_i64(weights->dims[1], group, &dims[1]))
        return refuse_node(g, n, "dst has too many channels");
    for (int k = 0; k < spatial; k++)
        if (!kernel_extent(g, n, weights->dims[k + 2], dilations[k], &extent) ||
            !transposed_dim(g, n, k, src->dims[k + 2], strides[k], extent, more[k],
                            pads[k] + pads[k + spatial], &dims[k + 2]))
            return false;
    return true;
}

bool shape_conv_transpose(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK];
    const TensorType *src = in_type(g, n, 0);
    return check_kind(g, n, 0, "src", TYPES_FLOAT) && check_dtype(g, n, 1, "weights", src->dtype) &&
           check_parameter(g, n, 2, "bias", src->dtype) && transposed_dst_dims(g, n, dims) &&
           check_dims(g, n, 2, "bias", 1, &dims[1]) &&
           set_type(g, n, out, src->dtype, src->rank, dims);
}

/* src, weights, src zero point, weights zero point (one number or one per output channel) */
bool shape_conv_integer(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK];
    const TensorType *src = in_type(g, n, 0), *weights = in_type(g, n, 1), *zero = in_type(g, n, 2);
    bool wide = zero && zero->dtype == DT_I32; /* as oneDNN wants it */
    return check_kind(g, n, 0, "src", TYPES_BYTE) && check_kind(g, n, 1, "weights", TYPES_BYTE) &&
           conv_dst_dims(g, n, src, weights, dims) &&
           (wide || check_dtype(g, n, 2, "src zero point", src->dtype)) &&
           check_scalar_or_vector(g, n, 2, "src zero point", -1) &&
           check_dtype(g, n, 3, "weights zero point", weights->dtype) &&
           check_scalar_or_vector(g, n, 3, "weights zero point", dims[1]) &&
           set_type(g, n, out, DT_I32, src->rank, dims);
}

/* src, scale, zero point; weights, scale, zero point; dst scale, zero point; bias i32 [M] */
bool shape_qlinear_conv(Graph *g, const Node *n, TensorType *out)
{
    int64_t dims[MAX_RANK];
    const TensorType *src = in_type(g, n, 0), *weights = in_type(g, n, 3);
    return check_kind(g, n, 0, "src", TYPES_BYTE) && check_kind(g, n, 3, "weights", TYPES_BYTE) &&
           check_kind(g, n, 7, "dst zero point", TYPES_BYTE) &&
           conv_dst_dims(g, n, src, weights, dims) &&
           check_scale_and_zero(g, n, 1, "src", src->dtype, -1) &&
           check_scale_and_zero(g, n, 4, "weights", weights->dtype, dims[1]) &&
           check_scale_and_zero(g, n, 6, "dst", in_type(g, n, 7)->dtype, -1) &&
           check_dtype(g, n, 8, "bias", DT_I32) && check_dims(g, n, 8, "bias", 1, &dims[1]) &&
           set_type(g, n, out, in_type(g, n, 7)->dtype, src->rank, dims);
}
