/* Plans of kernels: what is free to choose gives right results whatever it is, and what is out of its bounds or does not go with the node
 * is refused. */
#include "nn.h"

#include "../../gen/kernel/conv_flat.h"

/* The last step is computed so. */
#define PLAN(h, ...) harness_plan(h, (CPlan){__VA_ARGS__})
#define REFUSED(h, ...) assert_false(harness_fits(h, (CPlan){__VA_ARGS__}))

static ValueId weights(Harness *h, int rank, const int64_t *dims)
{
    return random_const(h, rank, dims, 8, 0.125F);
}

static ValueId conv(Harness *h, const int64_t *src, const int64_t *w, int64_t group)
{
    const int64_t pad = w[2] / 2;
    ValueId x = harness_input(h, DT_F32, 4, src, -1, 1);
    NODE(h, OP_Conv, 1,
         ATTRS(ATTR_I("group", group), INTS("strides", 1, 1), INTS("dilations", 1, 1),
               INTS("pads", pad, pad, pad, pad)),
         x, weights(h, 4, w));
    return x;
}

static void test_conv(void **state)
{
    (void)state;
    Harness *h = harness_new("plan_conv");
    conv(h, DIMS(2, 9, 13, 11), DIMS(10, 9, 3, 3), 1);
    PLAN(h, .variant = C_conv_im2col, .rows = 3, .columns = 7, .width = 17);
    REFUSED(h, .variant = C_conv_im2col, .rows = 17);
    REFUSED(h, .variant = C_conv_im2col, .columns = -1);
    REFUSED(h, .variant = C_conv_im2col, .width = 13 * 11 + 1);
    REFUSED(h, .variant = C_conv_1x1);
    REFUSED(h, .variant = C_conv_depthwise);
    REFUSED(h, .variant = C_conv_few_last);
    REFUSED(h, .variant = C_matmul_tiles);
    conv(h, DIMS(2, 9, 13, 11), DIMS(10, 9, 3, 3), 1);
    PLAN(h, .variant = C_conv_flat, .at_once = 4, .rows = 3, .columns = 13);
    REFUSED(h, .variant = C_conv_flat, .at_once = 14);
    REFUSED(h, .variant = C_conv_flat, .rows = CONV_FLAT_FILTERS + 1);
    REFUSED(h, .variant = C_conv_flat, .columns = CONV_FLAT_COLUMNS + 1);
    conv(h, DIMS(1, 5, 7, 9), DIMS(6, 5, 1, 1), 1);
    PLAN(h, .variant = C_conv_1x1, .rows = 5, .columns = 10);
    conv(h, DIMS(1, 5, 7, 9), DIMS(6, 5, 1, 1), 1);
    PLAN(h, .variant = C_conv_im2col, .rows = 16, .columns = 1, .width = 1);
    conv(h, DIMS(1, 6, 7, 9), DIMS(6, 1, 3, 3), 6);
    PLAN(h, .variant = C_conv_im2col, .rows = 1, .columns = 64);
    ValueId last = conv(h, DIMS(1, 16, 7, 9), DIMS(3, 16, 3, 3), 1);
    REFUSED(h, .variant = C_conv_few_last); /* row-major */
    harness_layout(h, last, layout_nxc(4));
    REFUSED(h, .variant = C_conv_few_last, .at_once = 17);
    REFUSED(h, .variant = C_conv_im2col);
    harness_layout(h, last, layout_plain(4));
    NODE(h, OP_ConvTranspose, 1,
         ATTRS(ATTR_I("group", 1), INTS("strides", 2, 2), INTS("dilations", 1, 1),
               INTS("pads", 0, 0, 0, 0), INTS("output_padding", 0, 0)),
         INPUT(h, DT_F32, -1, 1, 1, 4, 5, 6), weights(h, 4, DIMS(4, 3, 3, 3)));
    PLAN(h, .variant = C_conv_transpose, .rows = 7, .columns = 5);
    assert_int_equal(harness_run(h), 0);
}

static void gemm(Harness *h, int64_t m, bool transposed)
{
    NODE(h, OP_Gemm, 1,
         ATTRS(ATTR_F("alpha", 1), ATTR_F("beta", 1), ATTR_I("transA", 0),
               ATTR_I("transB", transposed)),
         INPUT(h, DT_F32, -1, 1, m, 21),
         harness_input(h, DT_F32, 2, transposed ? DIMS(31, 21) : DIMS(21, 31), -1, 1));
}

static void test_products(void **state)
{
    (void)state;
    Harness *h = harness_new("plan_products");
    gemm(h, 9, false);
    PLAN(h, .variant = C_matmul_rows);
    gemm(h, 9, false);
    PLAN(h, .variant = C_matmul_tiles, .rows = 2, .columns = 33);
    gemm(h, 9, false);
    PLAN(h, .variant = C_matmul_packed, .rows = 5, .columns = 6);
    REFUSED(h, .variant = C_matmul_dots);
    gemm(h, 2, false);
    PLAN(h, .variant = C_matmul_tiles);
    gemm(h, 9, true);
    PLAN(h, .variant = C_matmul_dots, .lanes = 4);
    REFUSED(h, .variant = C_matmul_dots, .lanes = 3);
    REFUSED(h, .variant = C_matmul_dots, .lanes = 512);
    REFUSED(h, .variant = C_matmul_rows);
    REFUSED(h, .variant = C_matmul_tiles); /* columns of transposed weights have to be packed */
    NODE(h, OP_MatMulInteger, 1, NULL, INPUT(h, DT_U8, 0, 255, 5, 17),
         INPUT(h, DT_I8, -128, 127, 17, 13));
    PLAN(h, .variant = C_matmul_integer, .rows = 2, .columns = 3);
    assert_int_equal(harness_run(h), 0);
}

static void pool(Harness *h, int64_t size)
{
    NODE(h, OP_MaxPool, 1,
         ATTRS(INTS("kernel_shape", size, size), INTS("strides", 1, 1), INTS("dilations", 1, 1),
               INTS("pads", 0, 0, 0, 0), ATTR_I("storage_order", 0)),
         INPUT(h, DT_F32, -1, 1, 1, 3, 9, 9));
}

static void softmax(Harness *h, int64_t axis)
{
    NODE(h, OP_Softmax, 1, ATTRS(ATTR_I("axis", axis), ATTR_I("axis_end", axis + 1)),
         INPUT(h, DT_F32, -3, 3, 5, 19, 23));
}

static void top_k(Harness *h)
{
    NODE(h, OP_TopK, 2,
         ATTRS(ATTR_I("axis", 1), ATTR_I("k", 6), ATTR_I("largest", 1), ATTR_I("sorted", 1)),
         INPUT(h, DT_F32, -3, 3, 4, 29));
}

static void test_rows(void **state)
{
    (void)state;
    Harness *h = harness_new("plan_rows");
    pool(h, 9);
    PLAN(h, .variant = C_pool_global, .lanes = 2);
    pool(h, 9);
    PLAN(h, .variant = C_pool_rows);
    pool(h, 9);
    PLAN(h, .variant = C_pool_columns);
    pool(h, 3);
    PLAN(h, .variant = C_pool_columns);
    pool(h, 3);
    REFUSED(h, .variant = C_pool_global);
    REFUSED(h, .variant = C_pool_places);
    softmax(h, 2);
    PLAN(h, .variant = C_softmax_rows, .lanes = 64);
    REFUSED(h, .variant = C_softmax_planes);
    softmax(h, 2);
    PLAN(h, .variant = C_softmax_across, .width = 7);
    REFUSED(h, .variant = C_softmax_across, .width = 64); /* more than a stack is for */
    softmax(h, 1);
    PLAN(h, .variant = C_softmax_planes, .width = 5);
    REFUSED(h, .variant = C_softmax_rows);
    NODE(h, OP_LayerNormalization, 1, ATTRS(ATTR_I("axis", 1), ATTR_F("epsilon", 1e-5)),
         INPUT(h, DT_F32, -2, 2, 6, 27), INPUT(h, DT_F32, -1, 1, 27));
    PLAN(h, .variant = C_norm_rows, .lanes = 1);
    REFUSED(h, .variant = C_sum_norm);
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, INPUT(h, DT_F32, -2, 3, 7, 41));
    PLAN(h, .variant = C_dynamic_quantize, .lanes = 16, .width = 100);
    top_k(h);
    PLAN(h, .variant = C_top_k_heap);
    top_k(h);
    PLAN(h, .variant = C_top_k_merge);
    top_k(h);
    PLAN(h, .variant = C_top_k_few);
    NODE(h, OP_CumSum, 1, ATTRS(ATTR_I("axis", 0), ATTR_I("exclusive", 0), ATTR_I("reverse", 0)),
         INPUT(h, DT_F32, -1, 1, 6, 40));
    PLAN(h, .variant = C_along, .width = 7);
    assert_int_equal(harness_run(h), 0);
}

static void reduce(Harness *h, Op op, int64_t axis)
{
    NODE(h, op, 1, ATTRS(INTS("axes", axis), ATTR_I("keepdims", 0)),
         INPUT(h, DT_F32, -2, 2, 7, 130));
}

static void test_reductions(void **state)
{
    (void)state;
    Harness *h = harness_new("plan_reductions");
    reduce(h, OP_ReduceSum, 1);
    PLAN(h, .variant = C_reduce_rows, .lanes = 4, .summed = 28);
    REFUSED(h, .variant = C_reduce_rows, .lanes = 3);
    REFUSED(h, .variant = C_reduce_rows, .lanes = 256);
    REFUSED(h, .variant = C_reduce_rows, .lanes = 4, .summed = 30);
    REFUSED(h, .variant = C_reduce_rows, .lanes = 4, .summed = 132);
    REFUSED(h, .variant = C_reduce_none);
    reduce(h, OP_ReduceLogSumExp, 1);
    PLAN(h, .variant = C_reduce_rows, .lanes = 64, .summed = 64);
    reduce(h, OP_ReduceLogSumExp, 1);
    PLAN(h, .variant = C_reduce_columns, .width = 3);
    reduce(h, OP_ReduceMax, 0);
    PLAN(h, .variant = C_reduce_rows);
    REFUSED(h, .variant = C_reduce_rows, .lanes = 4); /* the elements are no neighbours */
    REFUSED(h, .variant = C_reduce_rows, .summed = 4);
    reduce(h, OP_ReduceL2, 0);
    PLAN(h, .variant = C_reduce_columns, .width = 1024);
    REFUSED(h, .variant = C_reduce_columns, .width = 1025);
    NODE(h, OP_Einsum, 1, ATTRS(ATTR_S("equation", "ab,bc->ac")), INPUT(h, DT_F32, -1, 1, 4, 5),
         INPUT(h, DT_F32, -1, 1, 5, 17));
    PLAN(h, .variant = C_einsum, .width = 6);
    assert_int_equal(harness_run(h), 0);
}

static void transpose(Harness *h, int64_t rows, int64_t columns)
{
    NODE(h, OP_Transpose, 1, ATTRS(INTS("perm", 0, 2, 1)),
         INPUT(h, DT_F32, -1, 1, 3, rows, columns));
}

static void slice(Harness *h, int64_t step)
{
    NODE(h, OP_Slice, 1, ATTRS(INTS("starts", 1, 3), INTS("steps", 1, step), INTS("sizes", 4, 7)),
         INPUT(h, DT_F32, -1, 1, 6, 21));
}

static void test_moves(void **state)
{
    (void)state;
    Harness *h = harness_new("plan_moves");
    transpose(h, 19, 33);
    PLAN(h, .variant = C_copy_tiles, .width = 5);
    REFUSED(h, .variant = C_copy_tiles, .width = 257);
    REFUSED(h, .variant = C_copy_rows);
    transpose(h, 19, 33);
    PLAN(h, .variant = C_copy_elements);
    transpose(h, 3, 2);
    PLAN(h, .variant = C_copy_tiles);
    transpose(h, 19, 33);
    PLAN(h, .variant = C_copy_blocks);
    REFUSED(h, .variant = C_copy_blocks, .width = 8);
    transpose(h, 15, 33);
    REFUSED(h, .variant = C_copy_blocks);
    PLAN(h, .variant = C_copy_tiles);
    transpose(h, 19, 4);
    PLAN(h, .variant = C_copy_planes);
    REFUSED(h, .variant = C_copy_rows);
    transpose(h, 19, 5);
    REFUSED(h, .variant = C_copy_planes);
    PLAN(h, .variant = C_copy_elements);
    slice(h, 1);
    PLAN(h, .variant = C_copy_rows);
    REFUSED(h, .variant = C_copy_planes);
    REFUSED(h, .variant = C_copy_tiles);
    slice(h, 2);
    REFUSED(h, .variant = C_copy_rows);
    const ValueId parts[] = {INPUT(h, DT_F32, -1, 1, 37, 1), INPUT(h, DT_F32, -1, 1, 37, 2)};
    harness_node(h, OP_Concat, parts, 2, 1, ATTRS(ATTR_I("axis", 1)));
    PLAN(h, .variant = C_parts);
    harness_node(h, OP_Concat, parts, 2, 1, ATTRS(ATTR_I("axis", 1)));
    PLAN(h, .variant = C_parts_rows);
    harness_node(h, OP_Concat, (ValueId[]){parts[0], parts[0]}, 2, 1, ATTRS(ATTR_I("axis", 0)));
    REFUSED(h, .variant = C_parts_rows);
    NODE(h, OP_Pad, 1, ATTRS(ATTR_S("mode", "reflect"), INTS("pads", 0, 2, 0, 1)),
         INPUT(h, DT_F32, -1, 1, 3, 5));
    REFUSED(h, .variant = C_pad_constant);
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv),  cmocka_unit_test(test_products),
        cmocka_unit_test(test_rows),  cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
