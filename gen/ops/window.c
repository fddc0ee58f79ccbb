/* Sliding windows of convolutions and pooling. */
#include "window.h"

Window window_of(const Node *n, const TensorType *src, const TensorType *dst, const int64_t *kernel)
{
    Window w = {.n = src->rank - 2, .src_size = 1, .dst_size = 1, .kernel_size = 1};
    const int64_t *stride = attr_ints(n, "strides", NULL);
    const int64_t *dilation = attr_ints(n, "dilations", NULL);
    const int64_t *pads = attr_ints(n, "pads", NULL);
    if (!kernel)
        kernel = attr_ints(n, "kernel_shape", NULL);
    for (int d = 0; d < w.n; d++) {
        w.src[d] = src->dims[d + 2];
        w.dst[d] = dst->dims[d + 2];
        w.kernel[d] = kernel ? kernel[d] : 1;
        w.stride[d] = stride ? stride[d] : 1;
        w.dilation[d] = dilation ? dilation[d] : 1;
        w.pad_begin[d] = pads ? pads[d] : 0;
        w.pad_end[d] = pads ? pads[d + w.n] : 0;
        w.src_size *= w.src[d];
        w.dst_size *= w.dst[d];
        w.kernel_size *= w.kernel[d];
    }
    if (w.n < 1) {
        w.n = 1;
        w.src[0] = w.dst[0] = w.kernel[0] = w.stride[0] = w.dilation[0] = 1;
    }
    return w;
}

void window_add_line(Window *w)
{
    int64_t *const rows[] = {w->src,      w->dst,       w->kernel, w->stride,
                             w->dilation, w->pad_begin, w->pad_end};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int d = w->n; d > 0; d--)
            rows[i][d] = rows[i][d - 1];
        rows[i][0] = rows[i] != w->pad_begin && rows[i] != w->pad_end;
    }
    w->n++;
}

void window_inside(const Window *w, int d, int64_t k, int64_t *lo, int64_t *hi)
{
    int64_t first = w->pad_begin[d] - k * w->dilation[d]; /* o * stride >= first */
    int64_t end = w->src[d] + first;                      /* o * stride < end */
    *lo = first > 0 ? (first + w->stride[d] - 1) / w->stride[d] : 0;
    *hi = end > 0 ? (end + w->stride[d] - 1) / w->stride[d] : 0;
    if (*hi > w->dst[d])
        *hi = w->dst[d];
    if (*lo > *hi)
        *lo = *hi;
}

bool next_index(int64_t *index, const int64_t *dims, int n)
{
    for (int d = n - 1; d >= 0; d--) {
        if (++index[d] < dims[d])
            return true;
        index[d] = 0;
    }
    return false;
}

bool window_touches(const Window *w)
{
    for (int d = 0; d < w->n; d++)
        if (window_at(w, d, 0, w->kernel[d] - 1) < 0 ||
            window_at(w, d, w->dst[d] - 1, 0) >= w->src[d])
            return false;
    return true;
}

bool window_padded(const Window *w)
{
    for (int d = 0; d < w->n; d++)
        if (w->pad_begin[d] > 0 || window_at(w, d, w->dst[d] - 1, w->kernel[d] - 1) >= w->src[d])
            return true;
    return false;
}
