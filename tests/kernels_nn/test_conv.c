/* Convolutions: gathered, 1x1 and depthwise; strides, dilations, padding, groups; integers; transposed. */
#include "nn.h"

typedef struct ConvCase {
    int64_t n, c, m, group;
    int spatial;
    int64_t src[3], kernel[3], stride[3], dilation[3], pads[6];
    bool bias;
} ConvCase;

static const ConvCase cases[] = {
    {1, 3, 16, 1, 2, {12, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
    {2, 5, 7, 1, 2, {9, 30}, {3, 2}, {2, 1}, {1, 2}, {0, 2, 1, 0}, true},
    {1, 8, 8, 2, 2, {6, 6}, {3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, false},
    {1, 8, 6, 2, 2, {6, 5}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, true},
    {2, 6, 11, 1, 2, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, false},
    {1, 6, 11, 1, 2, {7, 7}, {1, 1}, {2, 2}, {1, 1}, {0, 0, 0, 0}, true},
    {1, 6, 11, 1, 2, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
    {1, 3, 5, 1, 1, {50}, {5}, {3}, {1}, {2, 2}, true},
    {1, 1, 2, 1, 1, {9}, {9}, {1}, {1}, {0, 0}, false},
    {1, 2, 3, 1, 3, {5, 6, 7}, {3, 2, 3}, {1, 2, 1}, {1, 1, 2}, {1, 0, 1, 1, 1, 2}, true},
    {1, 2, 3, 1, 3, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, true},
    {2, 6, 6, 6, 2, {9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
    {1, 4, 8, 4, 2, {10, 11}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}, false},
    {1, 4, 4, 4, 2, {4, 3}, {5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}, true},
    {1, 4, 4, 4, 2, {8, 8}, {3, 3}, {1, 1}, {2, 3}, {2, 3, 2, 3}, true},
    {1, 3, 3, 3, 1, {20}, {4}, {2}, {1}, {3, 0}, true},
    {1, 2, 2, 2, 2, {3, 1100}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
    {1, 2, 2, 2, 2, {3, 40}, {1, 13}, {1, 1}, {1, 1}, {0, 6, 0, 6}, true},
    {1, 40, 9, 1, 2, {20, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
    {2, 4, 3, 1, 2, {5, 6}, {2, 2}, {3, 4}, {1, 1}, {0, 1, 1, 0}, true},
    {1, 5, 2, 1, 2, {6, 19}, {4, 4}, {2, 2}, {1, 1}, {1, 1, 1, 1}, true},
    {1, 3, 2, 1, 2, {7, 9}, {3, 3}, {2, 3}, {2, 2}, {3, 5, 3, 5}, false},
};

/* Along the width: several chunks of rows, images and blocks of filters; more zeros than the filter is wide; padding at the end only. */
static const ConvCase flat_cases[] = {
    {2, 3, 9, 1, 2, {30, 41}, {5, 4}, {1, 1}, {1, 1}, {2, 1, 2, 2}, true},
    {1, 4, 7, 1, 2, {50, 33}, {3, 7}, {1, 1}, {2, 1}, {2, 0, 3, 6}, true},
    {1, 2, 5, 1, 2, {3, 70}, {3, 3}, {1, 1}, {1, 1}, {4, 1, 0, 1}, false},
    {1, 2, 5, 1, 2, {5, 5}, {2, 2}, {1, 1}, {1, 1}, {3, 3, 3, 3}, true},
    {1, 2, 17, 1, 2, {6, 2}, {3, 5}, {1, 1}, {1, 1}, {1, 4, 1, 4}, true},
    {2, 3, 10, 1, 1, {300}, {9}, {1}, {3}, {12, 12}, true},
    {1, 1, 3, 1, 2, {40, 300}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
    {1,
     17,
     3,
     1,
     2,
     {20, 130},
     {9, 9},
     {1, 1},
     {1, 1},
     {4, 4, 4, 4},
     true}, /* one row of the result needs more than 64 KiB */
};

/* From planes to channels last: sizes that tiles do not divide, images smaller than one, windows wider than the image, padding of every kind. */
static const struct ImageCase {
    ConvCase conv;
    CPlan plan;
} image_cases[] = {
    {{1, 3, 16, 1, 2, {17, 37}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{2, 2, 32, 1, 2, {8, 33}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}, true}, {.at_once = 0}},
    {{1, 4, 24, 1, 2, {9, 40}, {2, 3}, {1, 2}, {1, 1}, {0, 2, 3, 5}, false}, {.at_once = 0}},
    {{1, 3, 8, 1, 2, {1, 5}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{1, 3, 48, 1, 2, {3, 2}, {3, 3}, {2, 2}, {1, 1}, {2, 2, 2, 2}, true}, {.at_once = 0}},
    {{1, 3, 64, 1, 2, {30, 41}, {7, 7}, {2, 2}, {1, 1}, {3, 3, 3, 3}, true}, {.at_once = 0}},
    {{2, 3, 16, 1, 2, {20, 21}, {3, 5}, {5, 3}, {2, 3}, {2, 6, 1, 7}, true}, {.at_once = 0}},
    {{1, 1, 8, 1, 2, {28, 30}, {5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}, true}, {.at_once = 0}},
    {{2, 1, 40, 1, 2, {4, 70}, {1, 64}, {1, 1}, {1, 1}, {0, 31, 0, 32}, true}, {.at_once = 0}},
    {{1, 1, 16, 1, 2, {7, 9}, {3, 3}, {1, 1}, {2, 1}, {2, 0, 2, 1}, false}, {.at_once = 0}},
    {{1, 3, 32, 1, 2, {9, 23}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, true},
     {.at_once = 3, .columns = 32, .lanes = 8}},
    {{1, 3, 48, 1, 2, {9, 23}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, true},
     {.at_once = 16, .columns = 16, .lanes = 4}},
};

/* Of each channel, with the channels last: images narrower than a tile, windows wider than the image or outside of it, strips of channels of which
 * the last is narrower, one vector and several. */
static const struct ImageCase depthwise_cases[] = {
    {{1, 16, 16, 16, 2, {9, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{2, 24, 24, 24, 2, {8, 33}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}, false}, {.at_once = 0}},
    {{1, 160, 160, 160, 2, {7, 7}, {5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}, true}, {.at_once = 0}},
    {{1, 32, 32, 32, 2, {2, 1}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{1, 64, 64, 64, 2, {4, 5}, {3, 3}, {2, 3}, {2, 3}, {5, 4, 2, 9}, true}, {.at_once = 0}},
    {{1, 8, 8, 8, 2, {3, 40}, {1, 7}, {1, 1}, {1, 2}, {3, 9, 2, 6}, true}, {.at_once = 0}},
    {{2, 208, 208, 208, 2, {6, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
     {.at_once = 5, .columns = 16, .width = 96, .lanes = 16}},
    {{1, 48, 48, 48, 2, {5, 11}, {4, 2}, {1, 1}, {1, 1}, {1, 0, 2, 1}, true},
     {.at_once = 2, .columns = 24, .width = 48, .lanes = 4}},
};

/* Of groups of two, four or eight filters, with the channels last: other numbers of channels for each, lines shorter than a tile, windows outside of the
 * image, strips of which the last is narrower, a vector and several. */
static const struct ImageCase group_cases[] = {
    {{1, 32, 32, 8, 2, {9, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{2, 24, 24, 12, 2, {8, 33}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}, false}, {.at_once = 0}},
    {{1, 40, 40, 5, 2, {7, 29}, {5, 3}, {1, 1}, {1, 1}, {2, 1, 2, 1}, true}, {.at_once = 0}},
    {{1, 9, 24, 3, 2, {6, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{1, 8, 8, 2, 2, {2, 1}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{1, 16, 16, 4, 2, {4, 5}, {3, 3}, {2, 3}, {2, 3}, {5, 4, 2, 9}, true}, {.at_once = 0}},
    {{1, 16, 16, 8, 2, {3, 40}, {1, 7}, {1, 1}, {1, 2}, {3, 9, 2, 6}, true}, {.at_once = 0}},
    {{2, 72, 72, 9, 2, {6, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, true},
     {.at_once = 5, .width = 48}},
    {{1, 96, 96, 24, 2, {5, 11}, {4, 2}, {1, 1}, {1, 1}, {1, 0, 2, 1}, true},
     {.at_once = 2, .width = 64}},
};

static uint32_t conv_attrs(const ConvCase *c, Attr *a)
{
    a[0] = ATTR_IS("dilations", c->dilation, (size_t)c->spatial);
    a[1] = ATTR_I("group", c->group);
    a[2] = ATTR_IS("kernel_shape", c->kernel, (size_t)c->spatial);
    a[3] = ATTR_IS("pads", c->pads, (size_t)c->spatial * 2);
    a[4] = ATTR_IS("strides", c->stride, (size_t)c->spatial);
    a[5] = ATTR_END;
    return 5;
}

static void dims_of(int64_t *dims, int64_t first, int64_t second, const int64_t *spatial, int n)
{
    dims[0] = first;
    dims[1] = second;
    memcpy(dims + 2, spatial, (size_t)n * sizeof *dims);
}

static void conv(Harness *h, DType t, const ConvCase *c)
{
    int64_t x[5], w[5];
    Attr a[6];
    dims_of(x, c->n, c->c, c->src, c->spatial);
    dims_of(w, c->m, c->c / c->group, c->kernel, c->spatial);
    conv_attrs(c, a);
    ValueId in[3] = {harness_input(h, t, c->spatial + 2, x, -1, 1),
                     harness_input(h, t, c->spatial + 2, w, -1, 1)};
    if (c->bias)
        in[2] = INPUT(h, t, -1, 1, c->m);
    harness_node(h, OP_Conv, in, c->bias ? 3 : 2, 1, a);
}

static void test_conv(void **state)
{
    (void)state;
    Harness *h = harness_new("conv");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        conv(h, DT_F32, &cases[i]);
        if (i % 3 == 0)
            conv(h, DT_F16, &cases[i]);
        if (i % 4 == 0)
            conv(h, DT_F64, &cases[i]);
        if (i % 5 == 0)
            conv(h, DT_BF16, &cases[i]);
    }
    for (size_t i = 0; i < COUNT_OF(flat_cases); i++)
        conv(h, DT_F32, &flat_cases[i]);
    assert_int_equal(harness_run(h), 0);
}

/* A convolution with the channels last, its weights constant. */
static void last(Harness *h, const ConvCase *c, CPlan plan)
{
    int64_t x[5], w[5];
    Attr a[6];
    dims_of(x, c->n, c->c, c->src, 2);
    dims_of(w, c->m, c->c / c->group, c->kernel, 2);
    conv_attrs(c, a);
    ValueId in[3] = {harness_input(h, DT_F32, 4, x, -1, 1), random_const(h, 4, w, 8, 0.125F)};
    if (c->bias)
        in[2] = INPUT(h, DT_F32, -1, 1, c->m);
    const NodeId id = harness_node(h, OP_Conv, in, c->bias ? 3 : 2, 1, a);
    harness_layout(h, in[1], c_conv_weights_last(harness_graph(h), node_at(harness_graph(h), id)));
    harness_layout(h, harness_out(h, id, 0), layout_nxc(4));
    if (plan.variant != C_conv_image)
        harness_layout(h, in[0], layout_nxc(4));
    harness_plan(h, plan);
    plan.at_once = 17;
    assert_false(harness_fits(h, plan));
    plan.at_once = 2;
    plan.columns = plan.width = c->m + 8; /* no part of the filters */
    assert_false(harness_fits(h, plan));
}

static void test_image(void **state)
{
    (void)state;
    Harness *h = harness_new("conv_image");
    for (size_t i = 0; i < COUNT_OF(image_cases); i++) {
        CPlan plan = image_cases[i].plan;
        plan.variant = C_conv_image;
        last(h, &image_cases[i].conv, plan);
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_depthwise(void **state)
{
    (void)state;
    Harness *h = harness_new("conv_depthwise_tiles");
    for (size_t i = 0; i < COUNT_OF(depthwise_cases); i++) {
        CPlan plan = depthwise_cases[i].plan;
        plan.variant = C_conv_depthwise_tiles;
        last(h, &depthwise_cases[i].conv, plan);
        plan.at_once = 1;
        plan.width = depthwise_cases[i].conv.c - 4; /* no part of the channels */
        assert_false(harness_fits(h, plan));
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_groups(void **state)
{
    (void)state;
    Harness *h = harness_new("conv_group_tiles");
    for (size_t i = 0; i < COUNT_OF(group_cases); i++) {
        CPlan plan = group_cases[i].plan;
        plan.variant = C_conv_group_tiles;
        last(h, &group_cases[i].conv, plan);
    }
    assert_int_equal(harness_run(h), 0);
}

static ValueId zero_point(Harness *h, DType t, int64_t n, bool constant)
{
    int8_t zeros[64] = {0};
    TensorType type = type_make(t, n == 0 ? 0 : 1, &n);
    return constant
               ? harness_const(h, type, zeros)
               : harness_input(h, t, type.rank, &n, t == DT_U8 ? 100 : -20, t == DT_U8 ? 150 : 20);
}

static void conv_integer(Harness *h, const ConvCase *c, DType x_type, DType w_type, int variant)
{
    int64_t x[5], w[5];
    Attr a[6];
    dims_of(x, c->n, c->c, c->src, c->spatial);
    dims_of(w, c->m, c->c / c->group, c->kernel, c->spatial);
    conv_attrs(c, a);
    double x_lo = x_type == DT_U8 ? 0 : -128, w_lo = w_type == DT_U8 ? 0 : -128;
    ValueId in[4] = {harness_input(h, x_type, c->spatial + 2, x, x_lo, x_lo + 255),
                     harness_input(h, w_type, c->spatial + 2, w, w_lo, w_lo + 255)};
    if (variant > 0)
        in[2] = zero_point(h, x_type, 0, variant == 1);
    if (variant > 1)
        in[3] = zero_point(h, w_type, variant == 2 ? 0 : c->m, false);
    harness_node(h, OP_ConvInteger, in, variant == 0 ? 2 : variant == 1 ? 3 : 4, 1, a);
}

static void qlinear_conv(Harness *h, const ConvCase *c, DType x_type, DType w_type, int variant)
{
    int64_t x[5], w[5];
    Attr a[6];
    dims_of(x, c->n, c->c, c->src, c->spatial);
    dims_of(w, c->m, c->c / c->group, c->kernel, c->spatial);
    conv_attrs(c, a);
    double x_lo = x_type == DT_U8 ? 0 : -128, w_lo = w_type == DT_U8 ? 0 : -128;
    bool by_channel = variant & 1, constant = variant & 2;
    ValueId in[9] = {harness_input(h, x_type, c->spatial + 2, x, x_lo, x_lo + 255),
                     harness_input(h, DT_F32, 0, NULL, 0.01, 0.02),
                     zero_point(h, x_type, 0, constant),
                     harness_input(h, w_type, c->spatial + 2, w, w_lo, w_lo + 255),
                     harness_input(h, DT_F32, by_channel, &c->m, 0.01, 0.02),
                     zero_point(h, w_type, by_channel ? c->m : 0, constant),
                     harness_input(h, DT_F32, 0, NULL, 0.5, 0.6),
                     zero_point(h, x_type, 0, constant)};
    if (c->bias)
        in[8] = INPUT(h, DT_I32, -1000, 1000, c->m);
    harness_node(h, OP_QLinearConv, in, c->bias ? 9 : 8, 1, a);
}

static void test_conv_integer(void **state)
{
    (void)state;
    Harness *h = harness_new("conv_integer");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        DType x = i & 1 ? DT_U8 : DT_I8, w = i & 2 ? DT_U8 : DT_I8;
        conv_integer(h, &cases[i], x, w, (int)(i % 4));
        qlinear_conv(h, &cases[i], x, w, (int)(i / 2 % 4));
    }
    assert_int_equal(harness_run(h), 0);
}

static void transposed_attrs(const ConvCase *c, int64_t *output_padding, Attr *a)
{
    uint32_t n = conv_attrs(c, a);
    for (int d = 0; d < c->spatial; d++)
        output_padding[d] = c->stride[d] > 1;
    a[n++] = ATTR_IS("output_padding", output_padding, (size_t)c->spatial);
    a[n] = ATTR_END;
}

/* The cases read as transposed: src is what goes in. */
static void conv_transpose(Harness *h, DType t, const ConvCase *c)
{
    int64_t x[5], w[5], output_padding[3] = {0};
    Attr a[7];
    dims_of(x, c->n, c->c, c->src, c->spatial);
    dims_of(w, c->c, c->m / c->group, c->kernel, c->spatial);
    transposed_attrs(c, output_padding, a);
    ValueId in[3] = {harness_input(h, t, c->spatial + 2, x, -1, 1),
                     harness_input(h, t, c->spatial + 2, w, -1, 1)};
    if (c->bias)
        in[2] = INPUT(h, t, -1, 1, c->m);
    harness_node(h, OP_ConvTranspose, in, c->bias ? 3 : 2, 1, a);
}

static void test_conv_transpose(void **state)
{
    (void)state;
    Harness *h = harness_new("conv_transpose");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        conv_transpose(h, DT_F32, &cases[i]);
        if (i % 4 == 0)
            conv_transpose(h, DT_F16, &cases[i]);
        if (i % 5 == 0)
            conv_transpose(h, DT_F64, &cases[i]);
    }
    static const ConvCase large[] = {
        {.spatial = 2,
         .n = 1,
         .c = 3,
         .m = 2,
         .group = 1,
         .src = {33, 32},
         .kernel = {3, 3},
         .stride = {2, 2},
         .dilation = {1, 1},
         .pads = {1, 1, 1, 1}},
        {.spatial = 2,
         .n = 1,
         .c = 2,
         .m = 1,
         .group = 1,
         .src = {31, 37},
         .kernel = {5, 4},
         .stride = {1, 2},
         .dilation = {1, 1},
         .pads = {2, 1, 2, 1},
         .bias = 1},
    };
    for (size_t i = 0; i < COUNT_OF(large); i++)
        conv_transpose(h, i ? DT_F64 : DT_F32, &large[i]);
    assert_int_equal(harness_run(h), 0);
}

/* Channels last, the weights constant: images whose rows are made at once or a few at a time, odd numbers of vectors, strides beyond the kernel. */
static const struct {
    ConvCase conv;
    CPlan plan;
} transposed_cases[] = {
    {{2, 5, 8, 1, 2, {3, 3}, {4, 4}, {2, 2}, {1, 1}, {1, 1, 1, 1}, true}, {.at_once = 0}},
    {{1, 7, 8, 1, 2, {5, 4}, {3, 3}, {2, 2}, {1, 1}, {1, 0, 0, 1}, false}, {.at_once = 0}},
    {{3, 3, 24, 1, 2, {7, 5}, {3, 5}, {2, 3}, {1, 1}, {0, 2, 2, 1}, true},
     {.at_once = 2, .width = 2}},
    {{1, 9, 64, 1, 2, {6, 2}, {5, 2}, {1, 2}, {1, 1}, {2, 0, 1, 1}, true},
     {.at_once = 1, .width = 1}},
    {{2, 4, 16, 1, 2, {4, 3}, {2, 1}, {3, 4}, {1, 1}, {0, 0, 0, 0}, true},
     {.at_once = 3, .width = 3}},
    {{1, 16, 48, 1, 2, {9, 11}, {8, 7}, {4, 2}, {1, 1}, {2, 3, 1, 2}, false},
     {.at_once = 8, .width = 4}},
    {{1, 8, 8, 1, 2, {1, 1}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 0, 0}, false}, {.at_once = 1}},
};

static void test_transposed_last(void **state)
{
    (void)state;
    Harness *h = harness_new("conv_transpose_last");
    for (size_t i = 0; i < COUNT_OF(transposed_cases); i++) {
        const ConvCase *c = &transposed_cases[i].conv;
        CPlan plan = transposed_cases[i].plan;
        int64_t x[4], w[4], output_padding[2];
        Attr a[7];
        dims_of(x, c->n, c->c, c->src, 2);
        dims_of(w, c->c, c->m, c->kernel, 2);
        transposed_attrs(c, output_padding, a);
        ValueId in[3] = {harness_input(h, DT_F32, 4, x, -1, 1), random_const(h, 4, w, 8, 0.125F)};
        if (c->bias)
            in[2] = INPUT(h, DT_F32, -1, 1, c->m);
        const NodeId id = harness_node(h, OP_ConvTranspose, in, c->bias ? 3 : 2, 1, a);
        plan.variant = C_conv_transpose_last;
        assert_false(harness_fits(h, plan)); /* row-major */
        const Graph *g = harness_graph(h);
        harness_layout(h, in[1], c_conv_weights_last(g, node_at(g, id)));
        harness_layout(h, harness_out(h, id, 0), layout_nxc(4));
        harness_layout(h, in[0], layout_nxc(4));
        harness_plan(h, plan);
        assert_false(harness_fits(h, (CPlan){.variant = C_conv_transpose}));
        plan.at_once = 9;
        assert_false(harness_fits(h, plan));
        plan.at_once = 1;
        plan.width = c->src[0] + 1; /* more rows than there are */
        assert_false(harness_fits(h, plan));
    }
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv),           cmocka_unit_test(test_image),
        cmocka_unit_test(test_depthwise),      cmocka_unit_test(test_groups),
        cmocka_unit_test(test_conv_integer),   cmocka_unit_test(test_conv_transpose),
        cmocka_unit_test(test_transposed_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
