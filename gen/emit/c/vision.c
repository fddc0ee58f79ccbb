/* Portable C for the operators that sample feature maps at computed places. */
#include "algorithms.h"
#include "nn.h"

#include <string.h>

static Bindings *vision_bindings(CKernel *k)
{
    static const char *const functions[] = {"fabs", "rint", "floor", "ceil", "round", "fmod"};
    const TensorType *t = nn_in(k, 0);
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t->dtype);
    bind_int(b, "images", t->dims[0]);
    bind_int(b, "channels", t->dims[1]);
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        bind(b, functions[i], "%s", nn_math(k, t->dtype, functions[i]));
    return b;
}

/* --- GridSample ------------------------------------------------------------------------------------------------ */

static void bind_mode(CKernel *k, Bindings *b, int n)
{
    const char *mode = attr_string(k->node, "mode", "linear");
    const char *padding = attr_string(k->node, "padding_mode", "zeros");
    bool nearest = !strcmp(mode, "nearest"), linear = !strcmp(mode, "linear");
    int taps = nearest ? 1 : linear ? 2 : 4, count = 1;
    for (int d = 0; d < n; d++)
        count *= taps;
    bind_int(b, "taps", taps);
    bind_int(b, "count", count);
    bind_int(b, "nearest", nearest);
    bind_int(b, "linear", linear);
    bind_int(b, "cubic", taps == 4);
    bind_int(b, "border", !strcmp(padding, "border"));
    bind_int(b, "reflection", !strcmp(padding, "reflection"));
    bind_int(b, "zeros", !strcmp(padding, "zeros"));
}

void emit_c_grid_sample(CKernel *k)
{
    const TensorType *t = nn_in(k, 0), *grid = nn_in(k, 1);
    Arena *a = k->arena;
    const char *type = c_compute_type(t->dtype), *sizes = "";
    int n = t->rank - 2;
    bool align = attr_int(k->node, "align_corners", 0);
    Bindings *b = vision_bindings(k);
    bind_mode(k, b, n);
    for (int d = 0; d < n; d++)
        sizes = arena_printf(a, "%s%s%s", sizes, d ? ", " : "",
                             c_size(a, arena_printf(a, "size%d", d), t->dims[d + 2]));
    bind(b, "sizes", "%s", sizes);
    bind_int(b, "n", n);
    bind_int(b, "plane", dims_product(t, 2, t->rank));
    bind_int(b, "places", dims_product(grid, 1, grid->rank - 1));
    bind(b, "margin", "%s", nn_const(k, t->dtype, align ? 0 : 0.5));
    bind(b, "limit", "%s", nn_const(k, t->dtype, 1e9));
    bind(b, "place", align ? "(v + 1) / 2 * last" : "((v + 1) * (%s)size - 1) / 2", type);
    bind(b, "coordinate", "%s", nn_load(k, grid->dtype, "grid[i * DIMS + DIMS - 1 - d]"));
    nn_render(k, "c/grid_sample.c", b);
}

/* --- regions --------------------------------------------------------------------------------------------------- */

static void bind_regions(CKernel *k, Bindings *b)
{
    const TensorType *src = nn_in(k, 0), *dst = nn_out(k, 0);
    bind_int(b, "regions", dst->dims[0]);
    bind_int(b, "H", src->dims[2]);
    bind_int(b, "W", src->dims[3]);
    bind_int(b, "OH", dst->dims[2]);
    bind_int(b, "OW", dst->dims[3]);
    bind(b, "scale", "%s", nn_const(k, src->dtype, attr_float(k->node, "spatial_scale", 1)));
}

static const char *roi_element(CKernel *k, int columns, int i)
{
    const char *at =
        arena_printf(k->arena, i ? "rois[region * %d + %d]" : "rois[region * %d]", columns, i);
    return nn_load(k, nn_in(k, 1)->dtype, at);
}

/* Samples in a bin along one axis: as many as the model says, or as the bin is long. */
static const char *grid_size(CKernel *k, const char *bin)
{
    DType t = nn_in(k, 0)->dtype;
    int64_t ratio = attr_int(k->node, "sampling_ratio", 0);
    if (ratio > 0)
        return arena_printf(k->arena, "%lld", (long long)ratio);
    return arena_printf(k->arena, "%s > 0 && %s < %s ? (ptrdiff_t)%s(%s) : 0", bin, bin,
                        nn_const(k, t, 0x1p20), nn_math(k, t, "ceil"), bin);
}

void emit_c_roi_align(CKernel *k)
{
    DType t = nn_in(k, 0)->dtype;
    const char *type = c_compute_type(t);
    bool half_pixel = attr_int(k->node, "half_pixel", 1);
    bool max = !strcmp(attr_string(k->node, "mode", "avg"), "max");
    Bindings *b = vision_bindings(k);
    bind_regions(k, b);
    bind(b, "offset", "%s", nn_const(k, t, half_pixel ? 0.5 : 0));
    bind(b, "corner_x", "%s", roi_element(k, 4, 0));
    bind(b, "corner_y", "%s", roi_element(k, 4, 1));
    bind(b, "end_x", "%s", roi_element(k, 4, 2));
    bind(b, "end_y", "%s", roi_element(k, 4, 3));
    bind(b, "height", half_pixel ? "h" : "(h > 1 ? h : 1)");
    bind(b, "width", half_pixel ? "w" : "(w > 1 ? w : 1)");
    bind(b, "grid_h", "%s", grid_size(k, "bin_h"));
    bind(b, "grid_w", "%s", grid_size(k, "bin_w"));
    bind_int(b, "max", max);
    bind(b, "join", max ? "sum = k == 0 || v > sum ? v : sum;" : "sum += v;");
    bind(b, "result", max ? "sum" : "grid_h * grid_w > 0 ? sum / (%s)(grid_h * grid_w) : 0", type);
    nn_render(k, "c/roi_align.c", b);
}

void emit_c_max_roi_pool(CKernel *k)
{
    static const char *const names[] = {"roi_0", "roi_1", "roi_2", "roi_3", "roi_4"};
    Bindings *b = vision_bindings(k);
    bind_regions(k, b);
    for (int i = 0; i < 5; i++)
        bind(b, names[i], "%s", roi_element(k, 5, i));
    nn_render(k, "c/max_roi_pool.c", b);
}
