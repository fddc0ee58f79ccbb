/* Shapes of the layers, and what they refuse. The elementwise, moving and reducing operators are in the tests that
 * evaluate them. */
#include "eval_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CONV(strides, dilations, pads, group)                                                      \
    "strides=" strides " dilations=" dilations " pads=" pads " group=" group
#define PLAIN CONV("[1,1]", "[1,1]", "[0,0,0,0]", "1")

static void convolutions(void **state)
{
    (void)state;
    check_shape("Conv", "f32[1,3,8,8]; f32[6,3,3,3]; f32[6]", PLAIN, "f32[1,6,6,6]");
    check_shape("Conv", "f32[1,3,8,9]; f32[6,3,3,3]", CONV("[2,2]", "[1,2]", "[1,1,0,1]", "1"),
                "f32[1,6,4,4]");
    check_shape("Conv", "f32[0,4,8]; f32[8,1,3]", CONV("[1]", "[1]", "[1,1]", "4"), "f32[0,8,8]");
    check_shape("ConvTranspose", "f32[1,4,3,3]; f32[4,2,3,3]",
                CONV("[2,2]", "[1,1]", "[1,1,1,1]", "2") " output_padding=[1,0]", "f32[1,4,6,5]");
    check_shape("ConvInteger", "u8[1,1,3,3]; i8[2,1,2,2]; u8[]; i8[2]", PLAIN, "i32[1,2,2,2]");
    check_shape("QLinearConv",
                "u8[1,1,3,3]; f32[]; u8[]; i8[2,1,2,2]; f32[2]; i8[2]; f32[]; i8[]; i32[2]", PLAIN,
                "i8[1,2,2,2]");
}

static void convolutions_refused(void **state)
{
    (void)state;
    check_refusal("Conv", "f32[1,4,5,5]; f32[6,3,3,3]", PLAIN,
                  "weights have 3 input channels per group, src has 4 with group 1");
    check_refusal("Conv", "f32[1,4,5,5]; f32[6,1,3,3]", CONV("[1,1]", "[1,1]", "[0,0,0,0]", "4"),
                  "6 output channels do not divide into 4 groups");
    check_refusal("Conv", "f32[1,3,2,5]; f32[6,3,3,3]", PLAIN,
                  "the kernel covers 3 elements of spatial dimension 0, the padded src has 2");
    check_refusal("Conv", "f32[1,3,5,5]; f32[6,3,3]", PLAIN, "do not go with src of rank 4");
    check_refusal("Conv", "f32[1,3]; f32[6,3]", CONV("[]", "[]", "[]", "1"),
                  "it needs a spatial dimension");
    check_refusal("Conv", "f32[1,3,5,5]; f32[6,3,3,3]; f32[5]", PLAIN,
                  "bias has shape [5], not [6]");
    check_refusal("Conv", "f32[1,3,5,5]; f16[6,3,3,3]", PLAIN, "weights has type f16, not f32");
    check_refusal("Conv", "f32[1,3,5,5]; f32[6,3,3,3]", "", "attribute 'dilations' is missing");
    check_refusal("Conv", "f32[1,3,5,5]; f32[6,3,3,3]", CONV("[1]", "[1,1]", "[0,0,0,0]", "1"),
                  "strides has 1 elements, not 2");
    check_refusal("Conv", "f32[1,3,5,5]; f32[6,3,3,3]", CONV("[0,1]", "[1,1]", "[0,0,0,0]", "1"),
                  "strides is 0, not in 1 to");
    check_refusal("Conv", "f32[1,3,5,5]; f32[6,3,3,3]", CONV("[1,1]", "[1,1]", "[-1,0,0,0]", "1"),
                  "pads is -1, not in 0 to");
    check_refusal("Conv", "f32[1,3,5,5]; f32[6,3,3,3]", CONV("[1,1]", "[1,1]", "[0,0,0,0]", "0"),
                  "group is 0");
    check_refusal("Conv", "f32[1,0,5,5]; f32[6,0,0,3]", PLAIN, "the kernel is empty");
    check_refusal("ConvTranspose", "f32[1,4,1,1]; f32[4,2,1,1]",
                  CONV("[1,1]", "[1,1]", "[1,1,1,1]", "1") " output_padding=[0,0]",
                  "spatial dimension 0 of dst would be -1");
    check_refusal("ConvTranspose", "f32[1,4,1,1]; f32[3,2,1,1]", PLAIN " output_padding=[0,0]",
                  "weights have 3 input channels, src has 4 with group 1");
    check_refusal("QLinearConv",
                  "u8[1,1,3,3]; f32[2]; u8[]; i8[2,1,2,2]; f32[2]; i8[2]; f32[]; i8[]; i32[2]",
                  PLAIN, "src scale has shape [2], it must be one number");
}

static void products(void **state)
{
    (void)state;
    check_shape("MatMul", "f32[2,3]; f32[3,4]", "", "f32[2,4]");
    check_shape("MatMul", "f32[3]; f32[3]", "", "f32[]");
    check_shape("MatMul", "f32[3]; f32[5,3,4]", "", "f32[5,4]");
    check_shape("MatMul", "f32[5,1,2,3]; f32[7,3,4]", "", "f32[5,7,2,4]");
    check_shape("MatMul", "f32[2,3]; f32[3]", "", "f32[2]");
    check_shape("MatMul", "f32[2,0]; f32[0,4]", "", "f32[2,4]");
    check_shape("Gemm", "f32[3,2]; f32[4,3]; f32[4]", "alpha=1.0 beta=1.0 transA=1 transB=1",
                "f32[2,4]");
    check_shape("MatMulInteger", "u8[2,3]; i8[3,4]; u8[2]; i8[4]", "", "i32[2,4]");
    check_refusal("MatMul", "f32[2,3]; f32[4,5]", "", "the inner dimensions are 3 and 4");
    check_refusal("MatMul", "f32[]; f32[4,5]", "", "a scalar cannot be multiplied");
    check_refusal("MatMul", "f32[2,2,3]; f32[3,3,5]", "", "do not broadcast");
    check_refusal("Gemm", "f32[3,2]; f32[4,3]", "alpha=1.0 beta=1.0 transA=0 transB=1",
                  "the inner dimensions are 2 in A and 3 in B");
    check_refusal("Gemm", "f32[3,2]; f32[2,3]; f32[2]", "alpha=1.0 beta=1.0 transA=0 transB=0",
                  "C of shape [2] does not broadcast to [3,3]");
    check_refusal("MatMulInteger", "u8[2,3]; i8[3,4]; u8[3]", "",
                  "zero point of A has shape [3], it must be one number or [2]");
}

#define POOL(kernel, strides, dilations, pads)                                                     \
    "kernel_shape=" kernel " strides=" strides " dilations=" dilations " pads=" pads

static void pooling(void **state)
{
    (void)state;
    check_shape("MaxPool", "f32[1,3,8,8]", POOL("[2,2]", "[2,2]", "[1,1]", "[0,0,0,0]"),
                "f32[1,3,4,4]");
    check_shape("MaxPool", "i8[1,3,8]", POOL("[3]", "[2]", "[1]", "[1,1]") " storage_order=0",
                "i8[1,3,4]; i64[1,3,4]");
    check_shape("AveragePool", "f32[1,3,8]",
                POOL("[3]", "[2]", "[1]", "[0,1]") " count_include_pad=0 ceil_pads=[1]",
                "f32[1,3,4]");
    check_shape("MaxUnpool", "f32[1,1,2,2]; i64[1,1,2,2]", "shape=[1,1,4,4]", "f32[1,1,4,4]");
    check_refusal("MaxPool", "f32[1,3,8,8]", POOL("[2,2]", "[2,2]", "[1,1]", "[2,0,0,0]"),
                  "a window of spatial dimension 0 lies in the padding");
    check_refusal("MaxPool", "f32[1,3,6]", POOL("[2]", "[3]", "[1]", "[0,2]"),
                  "lies in the padding");
    check_refusal("MaxPool", "f32[1,3,2]", POOL("[2]", "[1]", "[3]", "[1,1]"),
                  "dilation 3 steps over the 2 elements");
    check_refusal("MaxPool", "f32[1,3,0]", POOL("[2]", "[1]", "[1]", "[1,1]"),
                  "lies in the padding");
    check_refusal("MaxPool", "f32[1,3,5]",
                  POOL("[9223372036854775807]", "[1]", "[2147483647]", "[0,0]"), "too large");
    check_refusal("AveragePool", "f32[1,3,8]",
                  POOL("[3]", "[2]", "[1]", "[0,1]") " count_include_pad=0 ceil_pads=[2]",
                  "ceil_pads 2 is not a part of the end pad 1");
    check_refusal("MaxUnpool", "f32[1,1,2,2]; i64[1,1,2,2]", "shape=[1,1,0,4]",
                  "src [1,1,2,2] has elements, dst [1,1,0,4] has none");
}

static void normalisations(void **state)
{
    (void)state;
    check_shape("BatchNormalization", "f16[2,3]; f32[3]; f32[3]; f32[3]; f32[3]", "epsilon=0.00001",
                "f16[2,3]");
    check_shape("LayerNormalization", "f16[2,3,4]; f16[3,4]; f16[3,4]", "axis=1 epsilon=0.1",
                "f16[2,3,4]; f32[2,1,1]; f32[2,1,1]");
    check_shape("Softmax", "f32[]", "axis=0 axis_end=0", "f32[]");
    check_refusal("BatchNormalization", "f32[2,3]; f32[2]; f32[3]; f32[3]; f32[3]", "epsilon=0.1",
                  "scale has shape [2], not [3]");
    check_refusal("GroupNormalization", "f32[2,3]; f32[3]; f32[3]", "epsilon=0.1 num_groups=2",
                  "3 channels do not divide into 2 groups");
    check_refusal("LayerNormalization", "f32[2,3,4]; f32[4]", "axis=1 epsilon=0.1",
                  "scale has shape [4], not [3,4]");
    check_refusal("LRN", "f32[1,2,3]", "size=0 alpha=0.1 beta=0.1 bias=0.1", "size is 0");
}

static void sampling(void **state)
{
    (void)state;
#define RESIZE " coordinate_transformation_mode=asymmetric mode="
    check_shape("Resize", "f32[1,1,2,2]",
                "sizes=[1,1,4,3] scales=[1.0,1.0,2.0,1.5]" RESIZE "linear", "f32[1,1,4,3]");
    check_shape("GridSample", "f32[1,2,3,4]; f32[1,5,6,2]",
                "mode=linear padding_mode=zeros align_corners=0", "f32[1,2,5,6]");
    check_refusal("Resize", "f32[1,1,2,2]",
                  "sizes=[1,1,4,3] scales=[1.0,1.0,2.0,0.0]" RESIZE "linear",
                  "the scale of axis 3 is 0");
    check_refusal("Resize", "f32[0]", "sizes=[4] scales=[1.0]" RESIZE "linear",
                  "axis 0 is empty and cannot grow to 4");
    check_refusal("Resize", "f32[4]", "sizes=[4] scales=[1.0]" RESIZE "nearest",
                  "attribute 'nearest_mode' is missing");
    check_refusal("Resize", "f32[4]",
                  "sizes=[4] scales=[1.0] mode=linear "
                  "coordinate_transformation_mode=tf_crop_and_resize",
                  "attribute 'roi' is missing");
    check_refusal("GridSample", "f32[1,2,3,4]; f32[1,5,6,3]",
                  "mode=linear padding_mode=zeros align_corners=0",
                  "grid has shape [1,5,6,3], not [1,5,6,2]");
    check_refusal("GridSample", "f32[1,2,0,4]; f32[1,5,6,2]",
                  "mode=linear padding_mode=zeros align_corners=0", "has no element to sample");
    check_refusal("RoiAlign", "f32[1,2,3,4]; f32[1,5]; i64[1]",
                  "mode=avg output_height=1 output_width=1 sampling_ratio=0 half_pixel=0 "
                  "spatial_scale=1.0",
                  "rois has shape [1,5], not [1,4]");
}

#define LSTM(names, alpha)                                                                         \
    "direction=forward hidden_size=2 activations=" names " activation_alpha=" alpha                \
    " activation_beta=" alpha

static void recurrent(void **state)
{
    (void)state;
    check_shape("LSTM", "f32[5,1,3]; f32[1,8,3]; f32[1,8,2]; f32[1,16]; _; f32[1,1,2]",
                LSTM("Sigmoid,Tanh,Tanh", "[0.0,0.0,0.0]"), "f32[5,1,1,2]; f32[1,1,2]; f32[1,1,2]");
    check_refusal("LSTM", "f32[5,1,3]; f32[1,6,3]; f32[1,8,2]",
                  LSTM("Sigmoid,Tanh,Tanh", "[0.0,0.0,0.0]"), "W has shape [1,6,3], not [1,8,3]");
    check_refusal("LSTM", "f32[5,1,3]; f32[1,8,3]; f32[1,8,2]",
                  LSTM("Sigmoid,Tanh", "[0.0,0.0,0.0]"), "2 activations are named, 3 are needed");
    check_refusal("LSTM", "f32[5,1,3]; f32[1,8,3]; f32[1,8,2]",
                  LSTM("Sigmoid,Tanh,", "[0.0,0.0,0.0]"), "activation '' is not supported");
    check_refusal("LSTM", "f32[5,1,3]; f32[1,8,3]; f32[1,8,2]",
                  LSTM("Sigmoid,Tanh,Gauss", "[0.0,0.0,0.0]"),
                  "activation 'Gauss' is not supported");
    check_refusal("LSTM", "f32[5,1,3]; f32[1,8,3]; f32[1,8,2]", LSTM("Sigmoid,Tanh,Tanh", "[0.0]"),
                  "activation_alpha has 1 elements, not 3");
    check_refusal("LSTM", "f32[5,1,3]; f32[1,8,3]; f32[1,8,2]; _; i64[1]",
                  LSTM("Sigmoid,Tanh,Tanh", "[0.0,0.0,0.0]"),
                  "sequence_lens has type i64, not i32");
}

static void quantisation(void **state)
{
    (void)state;
    check_shape("QuantizeLinear", "f32[2,3]; f32[3]; i8[3]", "axis=1 to=3", "i8[2,3]");
    check_shape("QuantizeLinear", "f32[2,3]; f32[1]; u8[]", "to=2", "u8[2,3]");
    check_shape("DequantizeLinear", "i32[2,3]; f16[2]", "axis=0", "f16[2,3]");
    check_shape("DynamicQuantizeLinear", "f32[2]", "", "u8[2]; f32[]; u8[]");
    check_refusal("QuantizeLinear", "f32[2,3]; f32[3]", "to=3", "attribute 'axis' is missing");
    check_refusal("QuantizeLinear", "f32[2,3]; f32[3]", "axis=0 to=3",
                  "scale has shape [3], not [2]");
    check_refusal("QuantizeLinear", "f32[2,3]; f32[]; i8[]", "to=2",
                  "zero point has type i8, not u8");
    check_refusal("QuantizeLinear", "f32[2,3]; f32[3]; i8[2]", "axis=1 to=3",
                  "zero point has shape [2], not [3]");
    check_refusal("QuantizeLinear", "f32[2,3]; f32[2,3]", "axis=1 to=3", "in blocks");
    check_refusal("QuantizeLinear", "f32[2]; f32[]", "to=7", "quantises to ONNX type 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions), cmocka_unit_test(convolutions_refused),
        cmocka_unit_test(products),     cmocka_unit_test(pooling),
        cmocka_unit_test(sampling),     cmocka_unit_test(normalisations),
        cmocka_unit_test(recurrent),    cmocka_unit_test(quantisation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
