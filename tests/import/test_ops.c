/* Operators in forms ONNX's own test data does not have: other opsets, corners of geometry, ONNX Runtime's domain.
 * Inputs count 1, 2, 3, …; expectations are worked out by hand. */
#include "../../gen/eval/eval.h"
#include "cases.h"

#include <math.h>

static void old_broadcast(void **state)
{
    Case c = one_op(state, 6, "1,2,2", "Add", "x w");
    build_attr_int(c.b, c.n, "broadcast", 1);
    build_attr_int(c.b, c.n, "axis", 1);
    F32(&c, "w", "2", 10, 20);
    GIVES(&c, "f32[1,2,2]", 11, 12, 23, 24);
    c = one_op(state, 6, "1,2,2", "PRelu", "x w");
    F32(&c, "w", "2", 10, 20);
    GIVES(&c, "f32[1,2,2]", 1, 2, 3, 4);
}

static void old_attributes(void **state)
{
    Case c = one_op(state, 1, "2,3", "Slice", "x");
    INTS(&c, "axes", 1);
    INTS(&c, "starts", -2);
    INTS(&c, "ends", 1000);
    GIVES(&c, "f32[2,2]", 2, 3, 5, 6);
    c = one_op(state, 2, "2", "Pad", "x");
    INTS(&c, "pads", 1, 2);
    number(&c, "value", 9);
    GIVES(&c, "f32[5]", 9, 1, 2, 9, 9);
    c = one_op(state, 6, "3", "Clip", "x");
    number(&c, "max", 2);
    GIVES(&c, "f32[3]", 1, 2, 2);
    c = one_op(state, 6, "3", "Clip", "x"); /* the maximum has the last word */
    number(&c, "min", 3);
    number(&c, "max", 2);
    GIVES(&c, "f32[3]", 2, 2, 2);
    c = one_op(state, 13, "3", "Clip", "x lo hi");
    F32(&c, "lo", "", 3);
    F32(&c, "hi", "", 2);
    GIVES(&c, "f32[3]", 2, 2, 2);
    c = one_op(state, 1, "3", "TopK", "x");
    build_attr_int(c.b, c.n, "k", 2);
    c.n->output = (char *[]){"y", "i"};
    c.n->n_output = 2;
    GIVES(&c, "f32[2]", 3, 2);
    c = one_op(state, 1, "3", "Cast", "x");
    text(&c, "to", "INT64");
    GIVES(&c, "i64[3]", 1, 2, 3);
    c = one_op(state, 11, "1,3", "Squeeze", "x");
    INTS(&c, "axes", -2);
    GIVES(&c, "f32[3]", 1, 2, 3);
    c = one_op(state, 6, "3", "Dropout", "x");
    build_attr_int(c.b, c.n, "is_test", 0);
    GIVES(&c, "f32[3]", 1, 2, 3);
}

static void old_upsample(void **state)
{
    Case c = one_op(state, 7, "1,1,1,2", "Upsample", "x");
    floats(&c, "scales", (float[]){1, 1, 2, 2}, 4);
    GIVES(&c, "f32[1,1,2,4]", 1, 1, 2, 2, 1, 1, 2, 2);
    c = one_op(state, 10, "1,1,1,4", "Resize", "x s");
    F32(&c, "s", "4", 1, 1, 1, 0.5f);
    GIVES(&c, "f32[1,1,1,2]", 1, 3);
}

static void negative_pads(void **state)
{
    Case c = one_op(state, 13, "4", "Pad", "x p");
    I64(&c, "p", "2", -1, 2);
    GIVES(&c, "f32[5]", 2, 3, 4, 0, 0);
    c = one_op(state, 13, "2", "Pad", "x p");
    I64(&c, "p", "2", -1, -2);
    expect_refused(c.f, c.b, NULL, "cut off more");
}

static void slices(void **state)
{
    Case c = one_op(state, 13, "5", "Slice", "x s e a t");
    I64(&c, "s", "1", -1);
    I64(&c, "e", "1", INT64_MIN);
    I64(&c, "a", "1", 0);
    I64(&c, "t", "1", -2);
    GIVES(&c, "f32[3]", 5, 3, 1);
    c = one_op(state, 13, "5", "Slice", "x s e a t");
    I64(&c, "s", "1", 4);
    I64(&c, "e", "1", 2);
    I64(&c, "a", "1", 0);
    I64(&c, "t", "1", INT64_MAX);
    expect_type(c.f, c.b, NULL, "f32[0]");
    c = one_op(state, 13, "5", "Slice", "x s e a t");
    I64(&c, "s", "1", 0);
    I64(&c, "e", "1", 5);
    I64(&c, "a", "1", 0);
    I64(&c, "t", "1", 0);
    expect_refused(c.f, c.b, NULL, "the step of axis 0 is 0");
}

static void reshapes(void **state)
{
    Case c = one_op(state, 13, "2,3", "Reshape", "x s");
    I64(&c, "s", "3", 0, -1, 1);
    expect_type(c.f, c.b, NULL, "f32[2,3,1]");
    c = one_op(state, 13, "2,3", "Reshape", "x s");
    I64(&c, "s", "2", -1, 4);
    expect_refused(c.f, c.b, NULL, "6 elements are no multiple of 4");
    c = one_op(state, 13, "2,3", "Reshape", "x s");
    I64(&c, "s", "2", -1, -1);
    expect_refused(c.f, c.b, NULL, "second -1");
    c = one_op(state, 14, "0,3", "Reshape", "x s");
    I64(&c, "s", "2", 0, 5);
    build_attr_int(c.b, c.n, "allowzero", 1);
    expect_type(c.f, c.b, NULL, "f32[0,5]");
    c = one_op(state, 13, "2,3", "Reshape", "x s");
    I64(&c, "s", "2", INT64_MAX, INT64_MAX);
    expect_refused(c.f, c.b, NULL, "the shape is too large");
}

/* A window may not start beyond the source and its first padding: 5 elements, kernel 2, stride 3 gives
 * ceil((5 - 2) / 3) + 1 = 2; with a source of 4, the second window starts at 3 and hangs over by one. */
static void ceil_mode(void **state)
{
    Case c = one_op(state, 13, "1,1,5", "MaxPool", "x");
    INTS(&c, "kernel_shape", 2);
    INTS(&c, "strides", 3);
    build_attr_int(c.b, c.n, "ceil_mode", 1);
    GIVES(&c, "f32[1,1,2]", 2, 5);
    c = one_op(state, 13, "1,1,4", "AveragePool", "x");
    INTS(&c, "kernel_shape", 2);
    INTS(&c, "strides", 3);
    build_attr_int(c.b, c.n, "ceil_mode", 1);
    build_attr_int(c.b, c.n, "count_include_pad", 1);
    GIVES(&c, "f32[1,1,2]", 1.5, 4);
    c = one_op(state, 13, "1,1,2", "MaxPool",
               "x"); /* kernel 1, stride 2, end pad 1: window 1 would start at 2 */
    INTS(&c, "kernel_shape", 1);
    INTS(&c, "strides", 2);
    build_attr_int(c.b, c.n, "ceil_mode", 1);
    GIVES(&c, "f32[1,1,1]", 1);
}

/* Kernel 2 with dilation 2 reaches 3 elements: SAME pads 2, one at either end. */
static void same_with_dilation(void **state)
{
    Case c = one_op(state, 13, "1,1,4", "Conv", "x w");
    F32(&c, "w", "1,1,2", 1, 1);
    text(&c, "auto_pad", "SAME_UPPER");
    INTS(&c, "dilations", 2);
    GIVES(&c, "f32[1,1,4]", 2, 4, 6, 3);
    c = one_op(state, 13, "1,1,3", "Conv", "x w");
    F32(&c, "w", "1,1,2", 1, 1);
    text(&c, "auto_pad", "SAME_LOWER");
    GIVES(&c, "f32[1,1,3]", 1, 3, 5);
    c = one_op(state, 13, "1,1,3", "Conv", "x w");
    F32(&c, "w", "1,1,2", 1, 1);
    INTS(&c, "kernel_shape", 3);
    expect_refused(c.f, c.b, NULL, "kernel_shape is not that of the weights");
    c = one_op(state, 13, "1,1,3", "Conv", "x w");
    F32(&c, "w", "1,1,2", 1, 1);
    INTS(&c, "pads", -1, 0);
    expect_refused(c.f, c.b, NULL, "pads[0] is -1");
}

static void splits(void **state)
{
    Case c = one_op(state, 18, "5", "Split", "x");
    c.n->output = (char *[]){"y", "z"};
    c.n->n_output = 2;
    build_attr_int(c.b, c.n, "num_outputs", 2);
    GIVES(&c, "f32[3]", 1, 2, 3);
    c.b->model.opset_import[0]->version = 13;
    expect_refused(c.f, c.b, NULL, "5 elements cannot be split into 2 equal parts");
    c.n->n_attribute = 0;
    INTS(&c, "split", 4, 2);
    expect_refused(c.f, c.b, NULL, "do not add up to 5");
}

static void group_norm_of_opset_18(void **state)
{
    Case c = one_op(state, 18, "1,4,1", "GroupNormalization", "x s b");
    F32(&c, "s", "2", 1, 2);
    F32(&c, "b", "2", 0, 5);
    build_attr_int(c.b, c.n, "num_groups", 2);
    number(&c, "epsilon", 0);
    GIVES(&c, "f32[1,4,1]", -1, 1, 3, 7);
}

/* [1, 2; 3, 4] has the means 2 and 3, and variances of 1. */
static void batch_norm_in_training(void **state)
{
    Case c = one_op(state, 15, "2,2", "BatchNormalization", "x s b m v");
    F32(&c, "s", "2", 1, 2);
    F32(&c, "b", "2", 0, 5);
    F32(&c, "m", "2", 10, 20);
    F32(&c, "v", "2", 3, 5);
    build_attr_int(c.b, c.n, "training_mode", 1);
    number(&c, "epsilon", 0);
    number(&c, "momentum", 0.5f);
    GIVES(&c, "f32[2,2]", -1, 3, 1, 7);
    c = one_op(state, 15, "2,2", "BatchNormalization", "x s b m v");
    F32(&c, "s", "2", 1, 2);
    F32(&c, "b", "2", 0, 5);
    F32(&c, "m", "2", 10, 20);
    F32(&c, "v", "2", 3, 5);
    c.n->n_output = 3;
    c.n->output = (char *[]){"unused", "y", "variance"};
    build_attr_int(c.b, c.n, "training_mode", 1);
    number(&c, "momentum", 0.5f);
    GIVES(&c, "f32[2]", 6, 11.5f);
    c.n->n_attribute = 0;
    expect_refused(c.f, c.b, NULL, "training mode is not supported");
}

static void resize_some_axes(void **state)
{
    Case c = one_op(state, 18, "1,1,1,2", "Resize", "x - - s");
    I64(&c, "s", "1", 4);
    INTS(&c, "axes", 3);
    GIVES(&c, "f32[1,1,1,4]", 1, 1, 2, 2);
    text(&c, "keep_aspect_ratio_policy", "not_larger");
    expect_type(c.f, c.b, NULL, "f32[1,1,1,4]");
    c = one_op(state, 18, "1,1,1,2", "Resize", "x");
    expect_refused(c.f, c.b, NULL, "needs either scales or sizes");
}

/* Sums without terms are 0. */
static void nothing_to_multiply(void **state)
{
    Case c = one_op(state, 13, "2,0", "MatMul", "x w");
    F32(&c, "w", "0,3", 0);
    GIVES(&c, "f32[2,3]", 0, 0, 0, 0, 0, 0);
    c = one_op(state, 13, "0,2", "Gemm", "x w b");
    F32(&c, "w", "0,3", 0);
    F32(&c, "b", "3", 1, 2, 3);
    build_attr_int(c.b, c.n, "transA", 1);
    number(&c, "beta", 2);
    GIVES(&c, "f32[2,3]", 2, 4, 6, 2, 4, 6);
}

/* The same value, twice. */
static void output_listed_twice(void **state)
{
    Case c = one_op(state, 13, "2", "Neg", "x");
    build_output(c.b, "y", 0, NULL);
    const Graph *g = expect_type(c.f, c.b, NULL, "f32[2]");
    assert_int_equal(g->n_outputs, 2);
    assert_string_equal(g->outputs[1].name, "y_1");
    assert_true(same_value(g->outputs[0].value, g->outputs[1].value));
}

/* Sizes whose arithmetic would overflow, or divide INT64_MIN by -1. */
static void far_too_large(void **state)
{
    Case c = one_op(state, 13, "1", "Range", "s l d");
    I64(&c, "s", "", 0);
    I64(&c, "l", "", INT64_MIN);
    I64(&c, "d", "", -1);
    expect_refused(c.f, c.b, NULL, "9223372036854775808 elements are too many");
    c = one_op(state, 13, "1", "Range", "s l d");
    I64(&c, "s", "", 0);
    I64(&c, "l", "", INT64_MIN);
    I64(&c, "d", "", INT64_MIN);
    GIVES(&c, "i64[1]", 0);
    c = one_op(state, 13, "1,35184372088832,0,0", "SpaceToDepth", "x");
    build_attr_int(c.b, c.n, "blocksize", 65536);
    expect_refused(c.f, c.b, NULL, "too large");
    c = one_op(state, 13, "0,4294967296,281474976710656,1", "DepthToSpace", "x");
    build_attr_int(c.b, c.n, "blocksize", 65536);
    expect_refused(c.f, c.b, NULL, "too large");
}

static void einsum(void **state)
{
    Case c = one_op(state, 12, "2,2", "Einsum", "x x");
    text(&c, "equation", " i J , J k ");
    GIVES(&c, "f32[2,2]", 7, 10, 15, 22);
    c = one_op(state, 12, "1,2,2", "Einsum", "x w");
    text(&c, "equation", "...ij,...jk->...ik");
    F32(&c, "w", "2,2,2", 1, 0, 0, 1, 2, 0, 0, 2);
    GIVES(&c, "f32[2,2,2]", 1, 2, 3, 4, 2, 4, 6, 8);
    c = one_op(state, 12, "2,2", "Einsum", "x");
    text(&c, "equation", "ij->->i");
    expect_refused(c.f, c.b, NULL, "malformed");
    c = one_op(state, 12, "2,2", "Einsum", "x");
    text(&c, "equation", "ijk->i");
    expect_refused(c.f, c.b, NULL, "input 0 has rank 2");
}

static void shape_arithmetic(void **state)
{
    Case c = one_op(state, 13, "2,3,4", "Shape", "x");
    c.b->graph->n_node = 0;
    I64(&c, "zero", "1", 0);
    I64(&c, "minus", "1", -1);
    build_node(c.b, "Shape", "x", "s");
    build_node(c.b, "Gather", "s zero", "n");
    build_node(c.b, "Mul", "n n", "nn");
    build_attr_int(c.b, build_node(c.b, "Concat", "nn minus", "t"), "axis", 0);
    build_node(c.b, "Reshape", "x t", "y");
    Graph *g = expect_type(c.f, c.b, NULL, "f32[4,6]");
    assert_int_equal(g->n_nodes, 1);
}

static void large_fill(void **state)
{
    Case c = one_op(state, 13, "2", "ConstantOfShape", "s");
    I64(&c, "s", "2", 100, 100);
    assert_int_equal(expect_type(c.f, c.b, NULL, "f32[100,100]")->n_nodes, 1);
    c = one_op(state, 13, "2", "ConstantOfShape", "s");
    I64(&c, "s", "2", 10, 10);
    assert_int_equal(expect_type(c.f, c.b, NULL, "f32[10,10]")->n_nodes, 0);
    c = one_op(state, 13, "2", "ConstantOfShape", "s");
    I64(&c, "s", "2", INT64_MAX, 4);
    expect_refused(c.f, c.b, NULL, "too large");
}

/* Halved: each result has the filter's weights 1/8, 3/8, 3/8, 1/8, where what is outside counts as the edge or not at all. */
static void antialias(void **state)
{
    Case c = one_op(state, 18, "1,4", "Resize", "x - - z");
    I64(&c, "z", "2", 1, 2);
    text(&c, "mode", "linear");
    build_attr_int(c.b, c.n, "antialias", 1);
    GIVES(&c, "f32[1,2]", 1.625, 3.375);
    build_attr_int(c.b, c.n, "exclude_outside", 1);
    GIVES(&c, "f32[1,2]", 12 / 7.0, 23 / 7.0);
    c = one_op(state, 13, "1", "Resize", "q - - z");
    c.b->graph->n_input = 0;
    build_input(c.b, "q", U8, "1,2"); /* 1, 2 -> 1, 1.25, 1.75, 2 */
    I64(&c, "z", "2", 1, 4);
    text(&c, "mode", "linear");
    GIVES(&c, "u8[1,4]", 1, 1, 1, 2);
}

/* x f32[2,2] + w, of which two elements are given. */
static Case sparse(void **state, const char *dims, const int64_t *index)
{
    Case c = one_op(state, 13, "2,2", "Add", "x w");
    Onnx__SparseTensorProto *t = arena_alloc(c.f->arena, sizeof *t);
    onnx__sparse_tensor_proto__init(t);
    t->values = build_tensor(c.b, "w", DT_F32, "2", (const float[]){5, 7});
    t->indices = build_tensor(c.b, "", DT_I64, dims, index);
    t->n_dims = 2;
    t->dims = arena_copy(c.f->arena, (const int64_t[]){2, 2}, 2 * sizeof *t->dims);
    c.b->graph->n_sparse_initializer = 1;
    c.b->graph->sparse_initializer = arena_copy(c.f->arena, &t, sizeof t);
    return c;
}

static void sparse_initialisers(void **state)
{
    Case c = sparse(state, "2", (const int64_t[]){1, 3});
    GIVES(&c, "f32[2,2]", 1, 7, 3, 11);
    c = sparse(state, "2,2", (const int64_t[]){1, 0, 1, 1});
    GIVES(&c, "f32[2,2]", 1, 2, 8, 11);
    c = sparse(state, "2", (const int64_t[]){1, 4});
    expect_refused(c.f, c.b, NULL, "an index is out of range");
    c = sparse(state, "2,2", (const int64_t[]){1, 0, 1, -1});
    expect_refused(c.f, c.b, NULL, "an index is out of range");
    c = sparse(state, "1,2", (const int64_t[]){1, 0});
    expect_refused(c.f, c.b, NULL, "its values and indices do not belong together");
    ProtobufCBinaryData text = {1, (uint8_t[]){'a'}};
    Onnx__TensorProto *strings = build_tensor(c.b, "w", DT_STRING, "1", NULL);
    strings->string_data = &text;
    strings->n_string_data = 1;
    c.b->graph->sparse_initializer[0]->values = strings;
    expect_refused(c.f, c.b, NULL, "sparse strings are not supported");
    c.b->graph->sparse_initializer[0]->indices = NULL;
    expect_refused(c.f, c.b, NULL, "its values or indices are missing");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(old_broadcast),
        TEST(old_attributes),
        TEST(old_upsample),
        TEST(negative_pads),
        TEST(slices),
        TEST(reshapes),
        TEST(ceil_mode),
        TEST(same_with_dilation),
        TEST(splits),
        TEST(group_norm_of_opset_18),
        TEST(batch_norm_in_training),
        TEST(resize_some_axes),
        TEST(nothing_to_multiply),
        TEST(output_listed_twice),
        TEST(far_too_large),
        TEST(einsum),
        TEST(shape_arithmetic),
        TEST(large_fill),
        TEST(antialias),
        TEST(sparse_initialisers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
