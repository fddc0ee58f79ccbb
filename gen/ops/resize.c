/* The coordinate formulas of Resize, and the tables made from them. */
#include "resize.h"

#include <math.h>
#include <string.h>

typedef struct Mapping {
    const char *mode, *nearest;
    double scale, roi_start, roi_end;
    double cubic_a;
    bool exclude_outside;
    double src, dst; /* sizes */
} Mapping;

/* The source coordinate of output coordinate x. */
static double source_of(const Mapping *m, double x)
{
    double resized = m->scale * m->src; /* the output size before rounding */
    if (!strcmp(m->mode, "asymmetric"))
        return x / m->scale;
    if (!strcmp(m->mode, "align_corners"))
        return resized == 1 ? 0 : x * (m->src - 1) / (resized - 1);
    if (!strcmp(m->mode, "pytorch_half_pixel") && resized <= 1)
        return resized == 1 ? -0.5 : 0;
    if (!strcmp(m->mode, "tf_half_pixel_for_nn"))
        return (x + 0.5) / m->scale;
    if (!strcmp(m->mode, "tf_crop_and_resize")) {
        double range = (m->roi_end - m->roi_start) * (m->src - 1);
        double within = resized == 1 ? range / 2 : x * range / (resized - 1);
        return m->roi_start * (m->src - 1) + within;
    }
    double half_pixel = (x + 0.5) / m->scale - 0.5;
    if (!strcmp(m->mode, "half_pixel_symmetric"))
        return m->src / 2 * (1 - m->dst / resized) + half_pixel;
    return half_pixel;
}

/* Coordinates are rounded to float first: that is where implementations agree on what lies halfway.
 */
static double nearest_of(const Mapping *m, double x)
{
    x = (double)(float)x;
    if (!strcmp(m->nearest, "floor"))
        return floor(x);
    if (!strcmp(m->nearest, "ceil"))
        return ceil(x);
    if (!strcmp(m->nearest, "round_prefer_ceil"))
        return floor(x + 0.5);
    return ceil(x - 0.5);
}

/* Keys' cubic convolution kernel at distance 1 + t, t, 1 - t and 2 - t. */
static void cubic_weights(double a, double t, double *w)
{
    double u = 1 - t;
    w[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
    w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
    w[2] = ((a + 2) * u - (a + 3)) * u * u + 1;
    w[3] = ((a * (u + 1) - 5 * a) * (u + 1) + 8 * a) * (u + 1) - 4 * a;
}

double tap_weights(int taps, double a, double x, double *weight)
{
    const double first = floor(x);
    if (taps == 4) {
        cubic_weights(a, x - first, weight);
        return first - 1;
    }
    weight[1] = x - first;
    weight[0] = 1 - weight[1];
    return first;
}

static void exclude_outside(int taps, double first, double limit, double *w)
{
    double sum = 0;
    for (int k = 0; k < taps; k++) {
        if (first + k < 0 || first + k >= limit)
            w[k] = 0;
        sum += w[k];
    }
    for (int k = 0; k < taps && sum != 0; k++)
        w[k] /= sum;
}

static void fill_taps(const Mapping *m, double x, int taps, int64_t *index, double *weight)
{
    weight[0] = 1;
    const double first = taps == 1 ? nearest_of(m, x) : tap_weights(taps, m->cubic_a, x, weight);
    if (m->exclude_outside && taps > 1)
        exclude_outside(taps, first, m->src, weight);
    for (int k = 0; k < taps; k++)
        index[k] = (int64_t)fmax(0, fmin(first + k, m->src - 1));
}

static ResizeAxis make_axis(const Mapping *m, int taps, int64_t size, Arena *arena)
{
    ResizeAxis axis = {.taps = taps, .size = size, .copied = m->src == m->dst};
    bool crop = !strcmp(m->mode, "tf_crop_and_resize");
    axis.index = ARENA_ARRAY(arena, int64_t, (size_t)(size * taps));
    axis.weight = ARENA_ARRAY(arena, double, (size_t)(size * taps));
    axis.outside = crop ? ARENA_ARRAY(arena, bool, (size_t)size) : NULL;
    for (int64_t i = 0; i < size; i++) {
        double x = source_of(m, (double)i);
        if (!(fabs(x) < 0x1p40)) /* a scale or region out of all proportion, or NaN */
            x = x > 0 ? 0x1p40 : -0x1p40;
        if (crop)
            axis.outside[i] = x < 0 || x > m->src - 1;
        int64_t *index = axis.index + i * taps;
        double *weight = axis.weight + i * taps;
        fill_taps(m, x, taps, index, weight);
        for (int k = 0; k < taps; k++)
            axis.copied = axis.copied && (weight[k] == 0 || (index[k] == i && weight[k] == 1));
        axis.copied = axis.copied && !(crop && axis.outside[i]);
    }
    return axis;
}

void resize_axes(const Node *n, const TensorType *src, const TensorType *dst, Arena *arena,
                 ResizeAxis *axes)
{
    const char *mode = attr_string(n, "mode", "nearest");
    int taps = !strcmp(mode, "nearest") ? 1 : !strcmp(mode, "linear") ? 2 : 4;
    size_t n_scales, n_roi;
    const double *scales = attr_floats(n, "scales", &n_scales);
    const double *roi = attr_floats(n, "roi", &n_roi);
    Mapping m = {.mode = attr_string(n, "coordinate_transformation_mode", "half_pixel"),
                 .nearest = attr_string(n, "nearest_mode", "round_prefer_floor"),
                 .cubic_a = attr_float(n, "cubic_coeff_a", -0.75),
                 .exclude_outside = attr_int(n, "exclude_outside", 0)};
    for (int d = 0; d < src->rank; d++) {
        m.src = (double)src->dims[d];
        m.dst = (double)dst->dims[d];
        m.scale = scales && (size_t)d < n_scales ? scales[d] : m.dst / m.src;
        bool has_roi = roi && (size_t)(d + src->rank) < n_roi;
        m.roi_start = has_roi ? roi[d] : 0;
        m.roi_end = has_roi ? roi[d + src->rank] : 1;
        axes[d] = make_axis(&m, taps, dst->dims[d], arena);
    }
}
