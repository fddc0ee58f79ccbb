/* Refusals that are nobody else's: sizes near the limits of their types, and what only the evaluator sees. */
#include "eval_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TRANSPOSED "pads=[0,0] output_padding=[0] "
#define LSTM                                                                                        \
    "direction=forward hidden_size=1 activations=Sigmoid,Tanh,Tanh activation_alpha=[0.0,0.0,0.0] " \
    "activation_beta=[0.0,0.0,0.0] "
#define ROI                                                                                        \
    "mode=avg output_height=1 output_width=1 sampling_ratio=0 spatial_scale=1.0 half_pixel=0"

static void sizes(void **state)
{
    (void)state;
    check_refusal("ConvTranspose", "f32[0,1,30000000000000]; f32[1,1,1]",
                  TRANSPOSED "dilations=[1] strides=[2147483647] group=1",
                  "spatial dimension 0 of dst is too large");
    check_refusal("ConvTranspose", "f32[1,0,1]; f32[0,30000000000000,1]",
                  TRANSPOSED "dilations=[1] strides=[1] group=2147483647",
                  "dst has too many channels");
    check_refusal("Conv", "f32[1,0,5]; f32[1,0,30000000000000]",
                  "pads=[0,0] dilations=[2147483647] strides=[1] group=1",
                  "kernel 30000000000000 with dilation 2147483647 is too large");
    check_refusal("Pad", "f32[2]", "mode=constant pads=[9223372036854775807,1]",
                  "the pads of axis 0 are too large");
    check_refusal("Reshape", "f32[1]", "shape=[1,1,1,1,1,1,1,1,1,1,1,1,1]",
                  "shape has 13 elements; at most 12 dimensions are supported");
    check_refusal("QuantizeLinear", "f32[2,2]; f32[2,2]; u8[2,2]", "axis=0 to=2",
                  "scale has shape [2,2]: quantisation in blocks is not supported");
    check_refusal("ScatterND", "f32[1,1,1,1,1,1,1]; i64[1,1,1,1,1,1,1,1,1]; f32[1]",
                  "reduction=none", "the updates would have more than 12 dimensions");
    check_refusal("Clip", "f32[2]", "min=2.0 max=1.0", "min, 2, is above max, 1");
}

static void equations(void **state)
{
    (void)state;
    check_refusal("Einsum", "f32[1]", "equation=i->I", "the equation has 'I' in its result");
    check_refusal("Einsum", "f32[1]", "equation=i->abcdefghijklm",
                  "the result has 13 dimensions; at most 12 are supported");
    check_refusal("Einsum", "f32[1]; f32[1]", "equation=i->i",
                  "the equation does not have 2 operands");
}

static void recurrent(void **state)
{
    (void)state;
    check_refusal("LSTM", "f32[1,1,4]; f32[1,4,1]; f32[1,4,1]", LSTM "projected=1",
                  "input 1 is there beside projected");
    check_refusal("LSTM", "f32[1,1,1]; f32[1,4,1]; f32[1,4,1]", LSTM "layout=1",
                  "layout is 1, not in 0 to 0");
    check_refusal("LSTM", "f32[1,1,1]; f32[1,4,1]; f32[1,4,1]; _; i32[1] 1",
                  LSTM "quantised_state=1", "a quantised state is f32, without sequence_lens");
    check_refusal("LSTM", "f32[1,1,1]; f32[1,4,1]; f32[1,4,1]; _; i32[1] 5", LSTM,
                  "sequence length 5 is outside 0..1");
}

static void places(void **state)
{
    (void)state;
    check_refusal("MaxUnpool", "f32[1,1,1]; i64[1,1,1] 99", "shape=[1,1,2]",
                  "index 99 is outside the output's 2 elements");
    check_refusal("RoiAlign", "f32[1,1,2,2]; f32[1,4] 0 0 1e30 1; i64[1]", ROI,
                  "a region is too large");
    check_refusal("RoiAlign", "f32[1,1,2,2]; f32[1,4]; i64[1] 7", ROI,
                  "batch index 7 is outside 0..0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(equations),
        cmocka_unit_test(recurrent),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
