/* Sliding windows: what convolutions and pooling share. Dimensions are the spatial ones only. */
#pragma once

#include "../graph/ir.h"

typedef struct Window {
    int n; /* spatial dimensions; a node without any gets one of size 1 */
    int64_t src[MAX_RANK], dst[MAX_RANK], kernel[MAX_RANK];
    int64_t stride[MAX_RANK], dilation[MAX_RANK];
    int64_t pad_begin[MAX_RANK], pad_end[MAX_RANK];
    int64_t src_size, dst_size, kernel_size; /* products */
} Window;

/* The window of a node with `strides`, `dilations` and `pads`; kernel holds the spatial dimensions
 * of the weights, or is NULL for the attribute `kernel_shape`. */
Window window_of(const Node *n, const TensorType *src, const TensorType *dst,
                 const int64_t *kernel);

/* The taps of dimension d that touch the source for output position o are those k with
 * 0 <= o * stride - pad_begin + k * dilation < src; this is the position of tap k. */
static inline int64_t window_at(const Window *w, int d, int64_t o, int64_t k)
{
    return o * w->stride[d] - w->pad_begin[d] + k * w->dilation[d];
}

/* Makes lines the last dimension of planes of one line each. */
void window_add_line(Window *w);
/* Some tap of some output lies outside the source. */
bool window_padded(const Window *w);
/* No window lies wholly in front of the source or behind it. */
bool window_touches(const Window *w);
/* The output positions [*lo, *hi) of dimension d for which tap k lies inside the source. */
void window_inside(const Window *w, int d, int64_t k, int64_t *lo, int64_t *hi);

/* Steps a multi-index of n digits through the box `dims`, last digit fastest; false after the last
 * one. */
bool next_index(int64_t *index, const int64_t *dims, int n);
