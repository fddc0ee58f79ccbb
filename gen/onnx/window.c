/* Geometry of sliding windows: attributes with their defaults, auto_pad resolved, ceil_mode folded into the pads. */
#include "table.h"

static bool read_list(OnnxNode *c, const char *name, size_t n, int64_t least, int64_t *list)
{
    size_t given;
    const int64_t *v = get_ints(c, name, &given);
    for (size_t i = 0; i < n; i++)
        list[i] = least;
    if (!v)
        return ok(c);
    if (given != n)
        return refuse_onnx(c, "%s has %zu numbers, %zu are needed", name, given, n);
    for (size_t i = 0; i < n; i++) {
        if (v[i] < least || v[i] > INT32_MAX)
            return refuse_onnx(c, "%s[%zu] is %lld", name, i, (long long)v[i]);
        list[i] = v[i];
    }
    return true;
}

/* SAME: as many outputs as the source has strides; the odd pad goes to the end (UPPER) or the beginning (LOWER). */
static void same_pads(OnnxWindow *w, size_t d, bool upper)
{
    int64_t out = (w->src[d] + w->strides[d] - 1) / w->strides[d];
    int64_t extent = (w->kernel[d] - 1) * w->dilations[d] + 1;
    int64_t total = (out - 1) * w->strides[d] + extent - w->src[d];
    split_pads(w, d, total > 0 ? total : 0, upper);
}

/* ceil_mode rounds the number of windows up, but none may start beyond the source and its first padding. The end
 * padding grows so that the floor formula gives that number. */
static void ceil_pads(OnnxWindow *w, size_t d)
{
    int64_t extent = (w->kernel[d] - 1) * w->dilations[d] + 1, stride = w->strides[d];
    int64_t slack = w->src[d] + w->pads[d] + w->pads[w->n + d] - extent;
    if (slack < 0 || slack % stride == 0)
        return;
    int64_t last = (slack / stride + 1) * stride; /* where the additional window starts */
    if (last >= w->src[d] + w->pads[d])
        return;
    w->ceil_pads[d] = last - slack;
    w->pads[w->n + d] += w->ceil_pads[d];
}

static bool check_sizes(OnnxNode *c, const OnnxWindow *w)
{
    for (size_t d = 0; d < w->n; d++)
        if (w->kernel[d] < 1 || w->kernel[d] > INT32_MAX || w->src[d] > INT32_MAX)
            return refuse_onnx(c, "kernel size %lld of a source of size %lld is invalid",
                               (long long)w->kernel[d], (long long)w->src[d]);
    return true;
}

static bool read_kernel(OnnxNode *c, const int64_t *kernel, OnnxWindow *w)
{
    size_t n;
    const int64_t *given = get_ints(c, "kernel_shape", &n);
    if (failed(c) || (!given && !kernel))
        return refuse_onnx(c, "has no kernel_shape");
    if (given && n != w->n)
        return refuse_onnx(c, "kernel_shape has %zu numbers, %zu are needed", n, w->n);
    if (given && kernel && memcmp(given, kernel, n * sizeof *given))
        return refuse_onnx(c, "kernel_shape is not that of the weights");
    memcpy(w->kernel, given ? given : kernel, w->n * sizeof *kernel);
    return true;
}

bool onnx_window(OnnxNode *c, const TensorType *src, const int64_t *kernel, OnnxWindow *w)
{
    *w = (OnnxWindow){.n = (size_t)(src->rank < 2 ? 0 : src->rank - 2)};
    const char *auto_pad = get_string(c, "auto_pad", "NOTSET");
    bool upper = !strcmp(auto_pad, "SAME_UPPER"), lower = !strcmp(auto_pad, "SAME_LOWER");
    bool valid = !strcmp(auto_pad, "VALID");
    if (w->n < 1)
        return refuse_onnx(c, "its input has rank %d; at least 3 is needed", src->rank);
    if (!upper && !lower && !valid && strcmp(auto_pad, "NOTSET") && *auto_pad)
        return refuse_onnx(c, "auto_pad '%s' is unknown", auto_pad);
    memcpy(w->src, src->dims + 2, w->n * sizeof *w->src);
    if (!read_kernel(c, kernel, w) || !check_sizes(c, w) ||
        !read_list(c, "strides", w->n, 1, w->strides) ||
        !read_list(c, "dilations", w->n, 1, w->dilations) ||
        !read_list(c, "pads", 2 * w->n, 0, w->pads))
        return false;
    for (size_t d = 0; d < w->n; d++) {
        if (upper || lower)
            same_pads(w, d, upper);
        if (valid)
            w->pads[d] = w->pads[w->n + d] = 0;
        if (get_int(c, "ceil_mode", 0) && !upper && !lower)
            ceil_pads(w, d);
    }
    return ok(c);
}

bool conv_window(OnnxNode *c, ValueId src, uint32_t k, OnnxWindow *w)
{
    const TensorType t = value_type(c, src), weights = *type_in(c, k);
    if (weights.rank != t.rank || weights.rank < 3)
        return refuse_onnx(c, "source %s and weights %s do not belong together",
                           type_text(c->arena, &t), type_text(c->arena, &weights));
    return onnx_window(c, &t, weights.dims + 2, w);
}
