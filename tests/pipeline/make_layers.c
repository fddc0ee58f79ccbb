/* Layers: convolutions and what stands around them. */
#include "maker.h"

#include <math.h>

typedef struct Window {
    int64_t kernel[3], strides[3], dilations[3], pads[6];
} Window;

/* A window that fits; `dense` asks for dilation 1. */
static bool make_window(Maker *m, const TensorType *t, bool dense, Window *w)
{
    int n = t->rank - 2;
    bool same = chance(m, 3); /* the output has the input's size */
    for (int i = 0; i < n; i++) {
        int64_t size = t->dims[i + 2], reach;
        w->kernel[i] = same ? 1 + 2 * below(m, 2) : 1 + below(m, 3);
        w->strides[i] = same ? 1 : 1 + chance(m, 3);
        w->dilations[i] = dense || same || size < 3 || !chance(m, 5) ? 1 : 2;
        reach = (w->kernel[i] - 1) * w->dilations[i] + 1;
        w->pads[i] = same ? w->kernel[i] / 2 : below(m, (uint32_t)w->kernel[i]);
        w->pads[n + i] = same ? w->kernel[i] / 2 : below(m, (uint32_t)w->kernel[i]);
        if (size + w->pads[i] + w->pads[n + i] < reach)
            return false;
    }
    return true;
}

static int64_t random_group(Maker *m, int64_t c)
{
    return chance(m, 3) ? c : c % 2 == 0 && chance(m, 3) ? 2 : 1;
}

/* A convolution to `outs` channels, 0 for any. */
static ValueId conv_to(Maker *m, ValueId x, int64_t outs, bool keep_size)
{
    const TensorType t = *shape_in(m, x);
    int n = t.rank - 2;
    Window w;
    int64_t c = t.dims[1], group = random_group(m, c), dims[MAX_RANK];
    if (!make_window(m, &t, false, &w))
        return NO_VALUE;
    for (int i = 0; keep_size && i < n; i++) {
        w.kernel[i] = w.kernel[i] / 2 * 2 + 1;
        w.strides[i] = w.dilations[i] = 1;
        w.pads[i] = w.pads[n + i] = w.kernel[i] / 2;
    }
    if (outs && outs % group)
        group = 1;
    if (!outs)
        outs = chance(m, 2) && c % group == 0 ? c : group * (1 + below(m, 9));
    dims[0] = outs;
    dims[1] = c / group;
    double fan = (double)dims[1];
    for (int i = 0; i < n; i++) {
        dims[i + 2] = w.kernel[i];
        fan *= (double)w.kernel[i];
    }
    ValueId in[3] = {x, constant(m, t.rank, dims, 1.7 / sqrt(fan), 0),
                     chance(m, 2) ? constant(m, 1, &outs, 1, 0) : NO_VALUE};
    size_t s = (size_t)n;
    return op(m, OP_Conv, in, 3,
              (Attr[]){ATTR_IS("strides", w.strides, s), ATTR_IS("dilations", w.dilations, s),
                       ATTR_IS("pads", w.pads, 2 * s), ATTR_I("group", group), ATTR_END});
}

ValueId make_conv(Maker *m, ValueId x)
{
    ValueId y = conv_to(m, x, 0, false);
    if (has_value(y) && chance(m, 2))
        y = chance(m, 3) ? make_unary(m, y) : relu(m, y);
    return y;
}

ValueId make_conv_transpose(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int n = t.rank - 2;
    Window w;
    int64_t extra[3], dims[MAX_RANK], group = random_group(m, t.dims[1]), per = 1 + below(m, 4);
    if (!make_window(m, &t, true, &w))
        return NO_VALUE;
    dims[0] = t.dims[1];
    dims[1] = per;
    for (int i = 0; i < n; i++) {
        dims[i + 2] = w.kernel[i];
        extra[i] = w.strides[i] > 1 && chance(m, 2);
        w.dilations[i] = 1 + chance(m, 6);
        int64_t size = (t.dims[i + 2] - 1) * w.strides[i] + (w.kernel[i] - 1) * w.dilations[i] + 1 +
                       extra[i] - w.pads[i] - w.pads[n + i];
        if (size < 1)
            return NO_VALUE;
    }
    int64_t outs = per * group;
    ValueId in[3] = {x, constant(m, t.rank, dims, 0.6, 0),
                     chance(m, 2) ? constant(m, 1, &outs, 1, 0) : NO_VALUE};
    size_t s = (size_t)n;
    return op(m, OP_ConvTranspose, in, 3,
              (Attr[]){ATTR_IS("strides", w.strides, s), ATTR_IS("dilations", w.dilations, s),
                       ATTR_IS("pads", w.pads, 2 * s), ATTR_I("group", group),
                       ATTR_IS("output_padding", extra, s), ATTR_END});
}

ValueId make_pool(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    bool average = chance(m, 2);
    Window w;
    const int64_t none[3] = {0, 0, 0};
    if (!make_window(m, &t, average, &w))
        return NO_VALUE;
    size_t s = (size_t)t.rank - 2;
    Attr attrs[] = {ATTR_IS("kernel_shape", w.kernel, s),
                    ATTR_IS("strides", w.strides, s),
                    ATTR_IS("dilations", w.dilations, s),
                    ATTR_IS("pads", w.pads, 2 * s),
                    ATTR_IS("ceil_pads", none, s),
                    ATTR_I("count_include_pad", below(m, 2)),
                    ATTR_END};
    if (!average)
        attrs[4] = ATTR_END;
    return op1(m, average ? OP_AveragePool : OP_MaxPool, x, attrs);
}

ValueId make_global_pool(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    const int64_t ones[3] = {1, 1, 1}, none[6] = {0};
    size_t s = (size_t)t.rank - 2;
    return op1(m, OP_AveragePool, x,
               (Attr[]){ATTR_IS("kernel_shape", t.dims + 2, s), ATTR_IS("strides", ones, s),
                        ATTR_IS("dilations", ones, s), ATTR_IS("pads", none, 2 * s),
                        ATTR_IS("ceil_pads", none, s), ATTR_I("count_include_pad", 0), ATTR_END});
}

ValueId make_batch_norm(Maker *m, ValueId x)
{
    int64_t c = shape_in(m, x)->dims[1];
    ValueId in[5] = {x, constant(m, 1, &c, 1, chance(m, 2) ? 1.5 : 0), constant(m, 1, &c, 1, 0),
                     constant(m, 1, &c, 1, 0), constant(m, 1, &c, 0.5, 1)};
    return op(m, OP_BatchNormalization, in, 5, (Attr[]){ATTR_F("epsilon", 1e-5), ATTR_END});
}

ValueId make_norm(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t c = t.dims[1], axis = 1 + below(m, (uint32_t)t.rank - 1);
    if (t.rank > 2 && chance(m, 3)) {
        ValueId in[3] = {x, constant(m, 1, &c, 1, 1.5), constant(m, 1, &c, 1, 0)};
        const Attr attrs[] = {ATTR_F("epsilon", 0.1), ATTR_I("num_groups", c % 2 ? 1 : 2),
                              ATTR_END};
        const Attr instance[] = {ATTR_F("epsilon", 0.1), ATTR_END};
        bool group = chance(m, 2);
        ValueId y = op(m, group ? OP_GroupNormalization : OP_InstanceNormalization, in, 3,
                       group ? attrs : instance);
        return chance(m, 2) ? make_unary(m, y) : y;
    }
    if (t.rank > 2 && chance(m, 4))
        return op1(m, OP_LRN, x,
                   (Attr[]){ATTR_F("alpha", 0.1), ATTR_F("beta", 0.75), ATTR_F("bias", 1),
                            ATTR_I("size", 1 + below(m, 4)), ATTR_END});
    ValueId in[3] = {x, constant(m, t.rank - (int)axis, t.dims + axis, 1, 1.5),
                     chance(m, 2) ? constant(m, t.rank - (int)axis, t.dims + axis, 1, 0)
                                  : NO_VALUE};
    return op(m, OP_LayerNormalization, in, 3,
              (Attr[]){ATTR_I("axis", axis), ATTR_F("epsilon", 0.1), ATTR_END});
}

ValueId make_softmax(Maker *m, ValueId x)
{
    int rank = shape_in(m, x)->rank;
    int64_t axis = below(m, (uint32_t)rank), end = chance(m, 5) ? rank : axis + 1;
    return op1(m, chance(m, 4) ? OP_LogSoftmax : OP_Softmax, x,
               (Attr[]){ATTR_I("axis", axis), ATTR_I("axis_end", end), ATTR_END});
}

ValueId make_reduce(Maker *m, ValueId x)
{
    static const Op ops[] = {OP_ReduceMean, OP_ReduceSum, OP_ReduceMax,
                             OP_ReduceMin,  OP_ReduceL2,  OP_ReduceMean};
    const TensorType t = *shape_in(m, x);
    int64_t axes[MAX_RANK];
    size_t n = 0;
    bool last = chance(m, 2);
    for (int d = 0; d < t.rank; d++)
        if (last ? d >= t.rank - 1 - (int)chance(m, 2) : chance(m, 2))
            axes[n++] = d;
    bool keepdims = chance(m, 2);
    if (!n || (!keepdims && (int)n == t.rank))
        return NO_VALUE;
    return op1(m, ops[below(m, 6)], x,
               (Attr[]){ATTR_IS("axes", axes, n), ATTR_I("keepdims", keepdims), ATTR_END});
}

ValueId make_resize(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t sizes[MAX_RANK];
    double scales[MAX_RANK];
    for (int d = 0; d < t.rank; d++) {
        scales[d] = d < 2 || !chance(m, 2) ? 1 : 2;
        sizes[d] = t.dims[d] * (int64_t)scales[d];
    }
    bool nearest = chance(m, 2);
    size_t r = (size_t)t.rank;
    return op1(m, OP_Resize, x,
               (Attr[]){ATTR_IS("sizes", sizes, r), ATTR_FS("scales", scales, r),
                        ATTR_S("mode", nearest ? "nearest" : "linear"),
                        ATTR_S("coordinate_transformation_mode", nearest        ? "asymmetric"
                                                                 : chance(m, 2) ? "align_corners"
                                                                                : "half_pixel"),
                        ATTR_S("nearest_mode", "floor"), ATTR_END});
}

ValueId make_pad(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t pads[2 * MAX_RANK];
    for (int d = 0; d < 2 * t.rank; d++)
        pads[d] = chance(m, 3);
    return op1(m, OP_Pad, x,
               (Attr[]){ATTR_S("mode", "constant"), ATTR_IS("pads", pads, 2 * (size_t)t.rank),
                        ATTR_F("value", chance(m, 2) ? 0 : 0.5), ATTR_END});
}

/* x + conv(x), conv(conv(x)) + x, conv(x) + conv(x), conv(x) + y, with and without an activation. */
ValueId make_residual(Maker *m, ValueId x)
{
    int64_t c = shape_in(m, x)->dims[1];
    ValueId a = x, b = NO_VALUE, in[2];
    uint32_t depth = 1 + below(m, 2), shape = below(m, 5);
    for (uint32_t i = 0; i < depth && has_value(a); i++) {
        a = conv_to(m, a, c, true);
        if (has_value(a) && i + 1 < depth && chance(m, 2))
            a = relu(m, a);
    }
    if (shape == 0)
        b = conv_to(m, x, c, true);
    else if (shape == 1)
        b = pick_like(m, x);
    else if (shape == 2 && has_value(a))
        b = a;
    if (!has_value(b))
        b = x;
    if (!has_value(a) || !same_shape(shape_in(m, a), shape_in(m, b)))
        return NO_VALUE;
    if (chance(m, 4))
        keep(m, a);
    bool swap = chance(m, 2);
    in[0] = swap ? b : a;
    in[1] = swap ? a : b;
    ValueId sum = op(m, OP_Add, in, 2, NULL);
    return chance(m, 2) ? relu(m, sum) : sum;
}

static ValueId joined(Maker *m, ValueId a, ValueId b)
{
    ValueId in[2] = {a, b};
    if (chance(m, 3)) {
        in[0] = b;
        in[1] = a;
    }
    return op(m, OP_Concat, in, 2, (Attr[]){ATTR_I("axis", 1), ATTR_END});
}

/* Each layer reads what all before it have made, side by side in the channels, and adds some: parts of wider tensors are read
 * and written by convolutions of all kinds, pools, elementwise nodes and residuals. */
ValueId make_dense_block(Maker *m, ValueId x)
{
    uint32_t layers = 1 + below(m, 3);
    for (uint32_t k = 0; k < layers; k++) {
        ValueId y = x;
        if (chance(m, 2))
            y = chance(m, 2) ? make_batch_norm(m, y) : make_broadcast(m, y);
        if (has_value(y) && chance(m, 2))
            y = relu(m, y);
        if (has_value(y) && !chance(m, 6))
            y = conv_to(m, y, 1 + below(m, 12), true);
        if (has_value(y) && chance(m, 3))
            y = chance(m, 2) ? make_residual(m, y) : make_unary(m, y);
        if (!has_value(y) || shape_in(m, y)->rank != shape_in(m, x)->rank)
            continue;
        bool fits = true;
        for (int d = 0; d < shape_in(m, x)->rank; d++)
            fits = fits && (d == 1 || shape_in(m, y)->dims[d] == shape_in(m, x)->dims[d]);
        if (!fits || y.i == x.i)
            continue;
        if (chance(m, 4))
            keep(m, y);
        x = joined(m, x, y);
        if (chance(m, 4))
            keep(m, x);
    }
    ValueId y = chance(m, 2) ? conv_to(m, x, 0, true) : chance(m, 2) ? make_split(m, x) : x;
    return has_value(y) ? y : x;
}

/* Channels last outside, channels first inside, as converted models have it. */
ValueId make_island(Maker *m, ValueId x)
{
    static const int64_t to_first[] = {0, 3, 1, 2}, to_last[] = {0, 2, 3, 1};
    ValueId y = transposed(m, x, to_first);
    y = chance(m, 3) ? make_pool(m, y) : make_conv(m, y);
    if (has_value(y) && chance(m, 3))
        y = make_residual(m, y);
    if (!has_value(y))
        return NO_VALUE;
    if (chance(m, 5))
        keep(m, y);
    return transposed(m, y, to_last);
}
