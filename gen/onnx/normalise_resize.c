/* Resize and Upsample: sizes and scales for every dimension, whichever the model gives. */
#include "table.h"

#include <math.h>

typedef struct Scaling {
    ValueId src;
    int rank;
    int64_t sizes[MAX_RANK];
    double scales[MAX_RANK], roi[2 * MAX_RANK];
    bool has_roi;
    const char *mode, *coordinates, *nearest;
    double cubic_a, outside;
    bool exclude_outside;
} Scaling;

/* Integers are interpolated as floats, whose fraction goes. */
static bool finish_resize(OnnxNode *c, const Scaling *s)
{
    size_t r = (size_t)s->rank;
    for (int d = 0; d < s->rank; d++)
        if (s->sizes[d] < 0 || !(s->scales[d] > 0) || !isfinite(s->scales[d]))
            return refuse_onnx(c, "dimension %d cannot be resized by %g to %lld", d, s->scales[d],
                               (long long)s->sizes[d]);
    const DType type = dtype_of(c, s->src);
    const Attr *attrs = ATTRS(
        ATTR_IS("sizes", s->sizes, r), ATTR_FS("scales", s->scales, r), ATTR_S("mode", s->mode),
        ATTR_S("coordinate_transformation_mode", s->coordinates),
        ATTR_S("nearest_mode", s->nearest), ATTR_F("cubic_coeff_a", s->cubic_a),
        ATTR_I("exclude_outside", s->exclude_outside), ATTR_F("extrapolation_value", s->outside),
        s->has_roi ? ATTR_FS("roi", s->roi, 2 * r) : ATTR_END);
    if (dtype_is_float(type) || !strcmp(s->mode, "nearest"))
        return finish(c, 0, OP_Resize, IN(s->src), attrs);
    ValueId v = emit(c, OP_Resize, IN(cast(c, s->src, DT_F32)), attrs);
    return alias(c, 0, cast(c, v, type));
}

/* The filter's weight at a distance in elements of the output. */
static double filter_at(const Scaling *s, double x)
{
    const double a = s->cubic_a;
    x = fabs(x);
    if (!strcmp(s->mode, "linear"))
        return x < 1 ? 1 - x : 0;
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* One row of the matrix that makes `size` elements smaller: the filter is as much wider as there are fewer elements. */
static void antialiased_row(const Scaling *s, double scale, int64_t size, double at, float *row)
{
    const double reach = (!strcmp(s->mode, "linear") ? 1 : 2) / scale, last = (double)(size - 1);
    double sum = 0;
    for (double k = ceil(at - reach); k <= at + reach; k++)
        if (!s->exclude_outside || (k >= 0 && k <= last))
            sum += filter_at(s, (k - at) * scale);
    for (double k = ceil(at - reach); k <= at + reach; k++)
        if (!s->exclude_outside || (k >= 0 && k <= last))
            row[(int64_t)fmax(0, fmin(k, last))] +=
                (float)(filter_at(s, (k - at) * scale) / (sum != 0 ? sum : 1));
}

/* Makes the source smaller along dimension d as antialias asks: a product with a constant. */
static bool antialias(OnnxNode *c, Scaling *s, int d)
{
    const TensorType t = *type_of(c->g, s->src);
    const int64_t from = t.dims[d], to = s->sizes[d];
    const double scale = s->scales[d];
    const bool half = !strcmp(s->coordinates, "half_pixel") ||
                      (!strcmp(s->coordinates, "pytorch_half_pixel") && to > 1);
    const TensorType matrix = {.dtype = DT_F32, .rank = 2, .dims = {to, from}};
    if (!half && strcmp(s->coordinates, "asymmetric"))
        return refuse_onnx(c, "antialias with coordinate_transformation_mode '%s' is not supported",
                           s->coordinates);
    if (to < 1 || !(scale > 0) || !dtype_is_float(t.dtype))
        return refuse_onnx(c, "antialias is not supported for this type or size");
    if (!type_valid(&matrix) || !onnx_claim(c->im, type_bytes(&matrix)))
        return refuse_onnx(c, "it is too large for antialias");
    float *w = arena_alloc(c->arena, type_bytes(&matrix));
    for (int64_t i = 0; i < to; i++)
        antialiased_row(s, scale, from, half ? ((double)i + 0.5) / scale - 0.5 : (double)i / scale,
                        w + i * from);
    ValueId m = cast(c, emit_const(c, matrix, w), t.dtype), v = s->src;
    int64_t rows[2] = {1, 1}; /* elements before and behind dimension d */
    for (int k = 0; k < t.rank; k++)
        if (k != d)
            rows[k > d] *= t.dims[k];
    if (d == t.rank - 1) {
        v = emit(c, OP_MatMul, IN(v, transpose(c, m, (int64_t[]){1, 0})), NULL);
    } else {
        v = reshape(c, v, 3, (int64_t[]){rows[0], from, rows[1]});
        v = emit(c, OP_MatMul, IN(m, v), NULL);
        TensorType out = t;
        out.dims[d] = to;
        v = reshape(c, v, t.rank, out.dims);
    }
    s->src = v;
    s->scales[d] = 1;
    return ok(c);
}

/* ONNX computes the size in single precision: 10 · 0.7f is 7 there and 6.999… in double. */
static int64_t scaled(int64_t size, double scale)
{
    double v = floor((double)((float)size * (float)scale));
    return v >= 0 && v < 1e15 ? (int64_t)v : -1;
}

static bool read_mode(OnnxNode *c, Scaling *s)
{
    const char *mode = get_string(c, "mode", "nearest");
    s->mode = !strcmp(mode, "bilinear") || !strcmp(mode, "trilinear") ? "linear" : mode;
    if (strcmp(s->mode, "nearest") && strcmp(s->mode, "linear") && strcmp(s->mode, "cubic"))
        return refuse_onnx(c, "mode '%s' is unknown", mode);
    return true;
}

/* Upsample, and Resize as it was in opset 10. */
bool norm_upsample(OnnxNode *c)
{
    Scaling s = {.coordinates = "asymmetric", .nearest = "floor", .cubic_a = -0.75};
    size_t n = 0;
    const double *scales;
    if (!read_mode(c, &s))
        return false;
    TensorType t = *type_in(c, 0);
    s.src = in_at(c, 0);
    double plane[] = {1, 1, get_float(c, "height_scale", 1), get_float(c, "width_scale", 1)};
    scales = has_attr(c, "scales") ? get_floats(c, "scales", &n)
             : has_in(c, 1)        ? known_floats(c, 1, "scales", &n)
                                   : NULL;
    if (ok(c) && !scales && has_attr(c, "height_scale")) {
        scales = plane;
        n = COUNT_OF(plane);
    }
    if (failed(c) || !scales || n != (size_t)t.rank)
        return refuse_onnx(c, "has %zu scales for rank %d", n, t.rank);
    s.rank = t.rank;
    for (int d = 0; d < t.rank; d++) {
        s.scales[d] = scales[d];
        s.sizes[d] = scaled(t.dims[d], scales[d]);
    }
    return finish_resize(c, &s);
}

/* Which words there are says the op's row. */
static bool read_attributes(OnnxNode *c, Scaling *s)
{
    s->coordinates = get_string(c, "coordinate_transformation_mode", "half_pixel");
    s->nearest = get_string(c, "nearest_mode", "round_prefer_floor");
    s->cubic_a = get_float(c, "cubic_coeff_a", -0.75);
    s->outside = get_float(c, "extrapolation_value", 0);
    s->exclude_outside = get_int(c, "exclude_outside", 0) != 0;
    s->has_roi = !strcmp(s->coordinates, "tf_crop_and_resize");
    return read_mode(c, s);
}

typedef struct Given {
    const int64_t *axes, *sizes;
    const double *scales, *roi;
    size_t n_axes, n_sizes, n_scales, n_roi;
} Given;

static bool read_given(OnnxNode *c, const Scaling *s, Given *g)
{
    *g = (Given){0};
    g->axes = get_ints(c, "axes", &g->n_axes);
    if (s->has_roi)
        g->roi = known_floats(c, 1, "roi", &g->n_roi);
    if (has_in(c, 2))
        g->scales = known_floats(c, 2, "scales", &g->n_scales);
    if (has_in(c, 3))
        g->sizes = known_ints(c, 3, "sizes", &g->n_sizes);
    if (g->n_scales == 0)
        g->scales = NULL; /* an empty tensor means that sizes count */
    if (g->n_sizes == 0)
        g->sizes = NULL;
    size_t n = g->axes ? g->n_axes : (size_t)s->rank;
    if (!g->scales == !g->sizes && !(g->scales && g->sizes && c->opset < 13))
        return refuse_onnx(c, "needs either scales or sizes");
    if ((g->sizes && g->n_sizes != n) || (g->scales && g->n_scales != n) ||
        (s->has_roi && g->n_roi != 2 * n))
        return refuse_onnx(c, "roi, scales or sizes do not have a number for each of %zu axes", n);
    return true;
}

/* keep_aspect_ratio_policy: one scale for all resized axes. */
static bool keep_aspect(OnnxNode *c, const TensorType *t, const bool *resized, Scaling *s)
{
    const char *policy = get_string(c, "keep_aspect_ratio_policy", "stretch");
    bool larger = !strcmp(policy, "not_larger"), smaller = !strcmp(policy, "not_smaller");
    double scale = larger ? INFINITY : 0;
    if (!larger && !smaller)
        return !strcmp(policy, "stretch") ||
               refuse_onnx(c, "keep_aspect_ratio_policy '%s' is unknown", policy);
    for (int d = 0; d < t->rank; d++)
        if (resized[d])
            scale = larger ? fmin(scale, s->scales[d]) : fmax(scale, s->scales[d]);
    for (int d = 0; d < t->rank; d++)
        if (resized[d]) {
            s->scales[d] = scale;
            double size = floor(scale * (double)t->dims[d] + 0.5);
            s->sizes[d] = size >= 0 && size < 1e15 ? (int64_t)size : -1;
        }
    return true;
}

bool norm_resize(OnnxNode *c)
{
    Scaling s = {0};
    Given g;
    if (!read_attributes(c, &s))
        return false;
    TensorType t = *type_in(c, 0);
    bool resized[MAX_RANK] = {0};
    s.rank = t.rank;
    s.src = in_at(c, 0);
    if (!read_given(c, &s, &g))
        return false;
    for (int d = 0; d < t.rank; d++) {
        s.sizes[d] = t.dims[d];
        s.scales[d] = 1;
        s.roi[t.rank + d] = 1;
    }
    size_t n = g.axes ? g.n_axes : (size_t)t.rank;
    for (size_t i = 0; i < n; i++) {
        int d = fix_axis(c, g.axes ? g.axes[i] : (int64_t)i, t.rank);
        double part = 1;
        resized[d] = true;
        if (s.has_roi) {
            s.roi[d] = g.roi[i];
            s.roi[t.rank + d] = g.roi[n + i];
            part = g.roi[n + i] - g.roi[i];
        }
        s.scales[d] =
            g.sizes ? (t.dims[d] ? (double)g.sizes[i] / (double)t.dims[d] : 1) : g.scales[i];
        s.sizes[d] = g.sizes ? g.sizes[i] : scaled(t.dims[d], s.scales[d] * part);
    }
    if (g.sizes && !keep_aspect(c, &t, resized, &s))
        return false;
    if (get_int(c, "antialias", 0) && strcmp(s.mode, "nearest"))
        for (int d = t.rank - 1; d >= 0; d--)
            if (s.scales[d] < 1 && !antialias(c, &s, d))
                return false;
    t = value_type(c, s.src);
    bool same = !s.has_roi;
    for (int d = 0; d < t.rank; d++)
        same = same && s.scales[d] == 1 && s.sizes[d] == t.dims[d];
    return same ? alias(c, 0, s.src) : finish_resize(c, &s);
}
