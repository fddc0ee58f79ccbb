/* Reference operators that sample feature maps at computed places. */
#include "../ops/resize.h"
#include "nn.h"

#include <math.h>
#include <string.h>

/* --- GridSample
 * ------------------------------------------------------------------------------------------------
 */

typedef enum Padding { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION } Padding;

typedef struct Sampler {
    int n; /* spatial dimensions */
    const int64_t *dims;
    bool align_corners;
    Padding padding;
    int taps; /* 1 nearest, 2 linear, 4 cubic */
} Sampler;

/* Mirrors x at the borders until it lies between them. */
static double reflect(double x, double lo, double hi)
{
    double range = hi - lo;
    if (!(range > 0))
        return lo;
    double r = fmod(fabs(x - lo), 2 * range);
    return lo + (r > range ? 2 * range - r : r);
}

static double padded(const Sampler *s, int d, double x)
{
    double last = (double)(s->dims[d] - 1), margin = s->align_corners ? 0 : 0.5;
    if (x >= -margin && x <= last + margin)
        return x;
    if (s->padding == PAD_BORDER)
        return fmax(0, fmin(last, x));
    return s->padding == PAD_REFLECTION ? reflect(x, -margin, last + margin) : x;
}

/* The element a tap reads, or -1 for zero. */
static int64_t tap_index(const Sampler *s, int d, double x)
{
    int64_t last = s->dims[d] - 1;
    x = padded(s, d, x);
    if (s->padding == PAD_ZEROS)
        return x >= 0 && x <= (double)last ? (int64_t)x : -1;
    return (int64_t)fmax(0, fmin((double)last, x));
}

/* Source elements and weights along dimension d for normalised coordinate v. */
static void axis_taps(const Sampler *s, int d, double v, int64_t *index, double *weight)
{
    double size = (double)s->dims[d];
    double x = s->align_corners ? (v + 1) / 2 * (size - 1) : ((v + 1) * size - 1) / 2;
    if (!(fabs(x) < 0x1p40))
        x = -0x1p40; /* infinite or NaN: outside */
    if (s->taps == 1)
        x = rint((double)(float)x);
    x = padded(s, d, x);
    weight[0] = 1;
    const double first = s->taps == 1 ? x : tap_weights(s->taps, -0.75, x, weight);
    for (int k = 0; k < s->taps; k++)
        index[k] = tap_index(s, d, first + k);
}

/* The sum over all combinations of taps. */
static double sample(const Sampler *s, const double *plane, int64_t index[][4], double weight[][4])
{
    int64_t tap[MAX_RANK] = {0}, taps[MAX_RANK];
    double sum = 0;
    for (int d = 0; d < s->n; d++)
        taps[d] = s->taps;
    do {
        int64_t offset = 0;
        double w = 1;
        for (int d = 0; d < s->n; d++) {
            int64_t i = index[d][tap[d]];
            w = i < 0 ? 0 : w * weight[d][tap[d]];
            offset = offset * s->dims[d] + (i < 0 ? 0 : i);
        }
        if (w != 0)
            sum += w * plane[offset];
    } while (next_index(tap, taps, s->n));
    return sum;
}

static Sampler make_sampler(const Eval *e)
{
    const char *mode = attr_string(e->node, "mode", "linear");
    const char *padding = attr_string(e->node, "padding_mode", "zeros");
    const TensorType *src = &e->in[0]->type;
    return (Sampler){.n = src->rank - 2,
                     .dims = src->dims + 2,
                     .align_corners = attr_int(e->node, "align_corners", 0),
                     .padding = !strcmp(padding, "border")       ? PAD_BORDER
                                : !strcmp(padding, "reflection") ? PAD_REFLECTION
                                                                 : PAD_ZEROS,
                     .taps = !strcmp(mode, "nearest")  ? 1
                             : !strcmp(mode, "linear") ? 2
                                                       : 4};
}

bool eval_grid_sample(Eval *e)
{
    const TensorType *out = &e->out[0]->type;
    Sampler s = make_sampler(e);
    double *src = eval_wide(e, 0), *grid = eval_wide(e, 1), *dst = eval_zeros(e, type_count(out));
    int64_t channels = out->dims[1], size = 1, plane = 1;
    for (int d = 0; d < s.n; d++) {
        size *= out->dims[d + 2];
        plane *= s.dims[d];
    }
    for (int64_t n = 0; n < out->dims[0] && plane > 0; n++)
        for (int64_t i = 0; i < size; i++) {
            int64_t index[MAX_RANK][4];
            double weight[MAX_RANK][4];
            const double *v = grid + (n * size + i) * s.n;
            for (int d = 0; d < s.n; d++) /* the grid's coordinates start with the innermost */
                axis_taps(&s, d, v[s.n - 1 - d], index[d], weight[d]);
            for (int64_t c = n * channels; c < (n + 1) * channels; c++)
                dst[c * size + i] = sample(&s, src + c * plane, index, weight);
        }
    eval_store(e, 0, dst);
    return true;
}

/* --- RoiAlign
 * --------------------------------------------------------------------------------------------------
 */

typedef struct RoiAlign {
    int64_t height, width;
    bool max;
    double y, x, bin_h, bin_w; /* of the current region */
    int64_t grid_h, grid_w;    /* samples in a bin */
} RoiAlign;

/* Two neighbours of coordinate v and the weight of the second; false when v is outside. */
static bool neighbours(double v, int64_t size, int64_t *lo, int64_t *hi, double *t)
{
    if (!(v >= -1 && v <= (double)size))
        return false;
    v = fmax(0, fmin((double)(size - 1), v));
    *lo = (int64_t)v;
    *hi = *lo + 1 < size ? *lo + 1 : *lo;
    *t = v - (double)*lo;
    return true;
}

/* Takes one sample into acc: the interpolated value when averaging, the largest of the four
 * weighted neighbours when not (that is ONNX's definition by example). */
static void take_sample(const RoiAlign *r, const double *plane, double y, double x, bool first,
                        double *acc)
{
    int64_t y0, y1, x0, x1;
    double ty, tx, v[4] = {0};
    if (neighbours(y, r->height, &y0, &y1, &ty) && neighbours(x, r->width, &x0, &x1, &tx)) {
        v[0] = (1 - ty) * (1 - tx) * plane[y0 * r->width + x0];
        v[1] = (1 - ty) * tx * plane[y0 * r->width + x1];
        v[2] = ty * (1 - tx) * plane[y1 * r->width + x0];
        v[3] = ty * tx * plane[y1 * r->width + x1];
    }
    double largest = fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
    if (r->max)
        *acc = first ? largest : fmax(*acc, largest);
    else
        *acc += v[0] + v[1] + v[2] + v[3];
}

static double align_bin(const RoiAlign *r, const double *plane, int64_t i, int64_t j)
{
    double acc = 0;
    int64_t count = r->grid_h * r->grid_w;
    for (int64_t k = 0; k < count; k++) {
        int64_t iy = k / r->grid_w, ix = k % r->grid_w;
        double y = r->y + r->bin_h * ((double)i + ((double)iy + 0.5) / (double)r->grid_h);
        double x = r->x + r->bin_w * ((double)j + ((double)ix + 0.5) / (double)r->grid_w);
        take_sample(r, plane, y, x, k == 0, &acc);
    }
    return r->max || count < 1 ? acc : acc / (double)count;
}

static bool place_region(const Eval *e, RoiAlign *r, const double *roi, const int64_t *out)
{
    double scale = attr_float(e->node, "spatial_scale", 1);
    bool half_pixel = attr_int(e->node, "half_pixel", 1);
    int64_t ratio = attr_int(e->node, "sampling_ratio", 0);
    double offset = half_pixel ? 0.5 : 0;
    r->x = roi[0] * scale - offset;
    r->y = roi[1] * scale - offset;
    double w = roi[2] * scale - offset - r->x, h = roi[3] * scale - offset - r->y;
    if (!half_pixel) {
        w = fmax(w, 1);
        h = fmax(h, 1);
    }
    r->bin_h = h / (double)out[2];
    r->bin_w = w / (double)out[3];
    if (!(fabs(r->bin_h) < 0x1p20 && fabs(r->bin_w) < 0x1p20 && ratio <= 1 << 16))
        return refuse_node(e->g, e->node, "a region is too large");
    r->grid_h = ratio > 0 ? ratio : (int64_t)fmax(0, ceil(r->bin_h));
    r->grid_w = ratio > 0 ? ratio : (int64_t)fmax(0, ceil(r->bin_w));
    return true;
}

static bool batch_in_range(const Eval *e, int64_t batch)
{
    int64_t n = e->in[0]->type.dims[0];
    return (batch >= 0 && batch < n) ||
           refuse_node(e->g, e->node, "batch index %lld is outside 0..%lld", (long long)batch,
                       (long long)n - 1);
}

bool eval_roi_align(Eval *e)
{
    const TensorType *src_type = &e->in[0]->type, *out = &e->out[0]->type;
    const Tensor *batches = e->in[2];
    RoiAlign r = {.height = src_type->dims[2],
                  .width = src_type->dims[3],
                  .max = !strcmp(attr_string(e->node, "mode", "avg"), "max")};
    double *src = eval_wide(e, 0), *rois = eval_wide(e, 1), *dst = eval_zeros(e, type_count(out));
    int64_t channels = out->dims[1], plane = r.height * r.width, size = out->dims[2] * out->dims[3];
    for (int64_t k = 0; k < out->dims[0] && plane > 0 && size > 0; k++) {
        int64_t batch = elem_i64(batches->type.dtype, batches->data, (size_t)k);
        if (!batch_in_range(e, batch) || !place_region(e, &r, rois + 4 * k, out->dims))
            return false;
        for (int64_t i = 0; i < channels * size; i++)
            dst[k * channels * size + i] =
                align_bin(&r, src + (batch * channels + i / size) * plane, i % size / out->dims[3],
                          i % out->dims[3]);
    }
    eval_store(e, 0, dst);
    return true;
}

/* --- MaxRoiPool
 * ------------------------------------------------------------------------------------------------
 */

/* The source range of bin i of `bins` over a region that starts at `start`, clipped to the plane.
 */
static void bin_range(double start, double length, int64_t bins, int64_t i, int64_t size,
                      int64_t *lo, int64_t *hi)
{
    double bin = length / (double)bins;
    *lo = (int64_t)fmax(0, fmin((double)size, start + floor((double)i * bin)));
    *hi = (int64_t)fmax(0, fmin((double)size, start + ceil((double)(i + 1) * bin)));
}

static double max_of(const double *plane, int64_t width, const int64_t *y, const int64_t *x)
{
    double best = 0;
    for (int64_t i = y[0]; i < y[1]; i++)
        for (int64_t j = x[0]; j < x[1]; j++) {
            double v = plane[i * width + j];
            best = (i == y[0] && j == x[0]) || v > best ? v : best;
        }
    return best;
}

/* Regions are rows [batch, x1, y1, x2, y2]; their ends are inclusive. */
bool eval_max_roi_pool(Eval *e)
{
    const TensorType *src_type = &e->in[0]->type, *out = &e->out[0]->type;
    int64_t height = src_type->dims[2], width = src_type->dims[3], channels = src_type->dims[1];
    double scale = attr_float(e->node, "spatial_scale", 1);
    double *src = eval_wide(e, 0), *rois = eval_wide(e, 1), *dst = eval_zeros(e, type_count(out));
    int64_t size = out->dims[2] * out->dims[3];
    for (int64_t k = 0; k < out->dims[0]; k++) {
        const double *roi = rois + 5 * k;
        int64_t batch = fabs(roi[0]) < 0x1p40 ? (int64_t)roi[0] : -1, y[2], x[2];
        if (!batch_in_range(e, batch))
            return false;
        double x1 = round(roi[1] * scale), y1 = round(roi[2] * scale);
        double h = fmax(round(roi[4] * scale) - y1 + 1, 1),
               w = fmax(round(roi[3] * scale) - x1 + 1, 1);
        for (int64_t i = 0; i < channels * size; i++) {
            bin_range(y1, h, out->dims[2], i % size / out->dims[3], height, &y[0], &y[1]);
            bin_range(x1, w, out->dims[3], i % out->dims[3], width, &x[0], &x[1]);
            dst[k * channels * size + i] =
                max_of(src + (batch * channels + i / size) * height * width, width, y, x);
        }
    }
    eval_store(e, 0, dst);
    return true;
}
