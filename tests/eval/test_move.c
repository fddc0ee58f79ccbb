/* Moving, gathering and scattering. */
#include "eval_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define M23 "f32[2,3] 1 2 3 4 5 6"

static void boxes(void **state)
{
    (void)state;
    check_eval("Reshape", M23, "shape=[3,2]", "f32[3,2] 1 2 3 4 5 6");
    check_eval("Reshape", "f32[1] 7", "shape=[]", "f32[] 7");
    check_eval("Reshape", "f32[0,4]", "shape=[2,0]", "f32[2,0]");
    check_eval("Transpose", M23, "perm=[1,0]", "f32[3,2] 1 4 2 5 3 6");
    check_eval("Transpose", "i8[2,1,3] 1 2 3 4 5 6", "perm=[2,1,0]", "i8[3,1,2] 1 4 2 5 3 6");
    check_eval("Transpose", "f64[2,2,2] 1 2 3 4 5 6 7 8", "perm=[0,2,1]",
               "f64[2,2,2] 1 3 2 4 5 7 6 8");
    check_eval("Transpose", "f16[] 3", "perm=[]", "f16[] 3");
    check_eval("Expand", "i64[] 5", "shape=[2,2]", "i64[2,2] 5 5 5 5");
    check_eval("Expand", "u8[2,1] 1 2", "shape=[2,2,3]", "u8[2,2,3] 1 1 1 2 2 2 1 1 1 2 2 2");
    check_eval("Tile", "f32[2,2] 1 2 3 4", "repeats=[2,2]",
               "f32[4,4] 1 2 1 2 3 4 3 4 1 2 1 2 3 4 3 4");
    check_eval("Tile", "f32[2] 1 2", "repeats=[0]", "f32[0]");
    check_eval("Concat", "f32[2,1] 1 2; f32[2,0]; f32[2,2] 3 4 5 6", "axis=1",
               "f32[2,3] 1 3 4 2 5 6");
    check_eval("Split", M23, "axis=1 split=[1,0,2]", "f32[2,1] 1 4; f32[2,0]; f32[2,2] 2 3 5 6");
    check_eval("Slice", M23, "starts=[1,2] steps=[-1,-2] sizes=[2,2]", "f32[2,2] 6 4 3 1");
    check_eval("Slice", M23, "starts=[0,1] steps=[1,1] sizes=[2,0]", "f32[2,0]");
    check_eval("Slice", M23, "starts=[1,0] steps=[9223372036854775807,1] sizes=[1,3]",
               "f32[1,3] 4 5 6");
}

static void padding(void **state)
{
    (void)state;
    check_eval("Pad", "f32[2,2] 1 2 3 4", "mode=constant pads=[1,0,0,1] value=9.0",
               "f32[3,3] 9 9 9 1 2 9 3 4 9");
    check_eval("Pad", "f32[3] 1 2 3", "mode=reflect pads=[2,2]", "f32[7] 3 2 1 2 3 2 1");
    check_eval("Pad", "f32[2] 1 2", "mode=edge pads=[3,1]", "f32[6] 1 1 1 1 2 2");
    check_eval("Pad", "f32[2] 1 2", "mode=wrap pads=[3,1]", "f32[6] 2 1 2 1 2 1");
    check_eval("Pad", "i32[0]", "mode=constant pads=[1,1] value=-2.5", "i32[2] -2 -2");
    check_eval("Pad", "f32[] 4", "mode=edge pads=[]", "f32[] 4");
    check_eval("Pad", "bool[1] 0", "mode=constant pads=[0,1] value=1.0", "bool[2] 0 1");
}

static void gathering(void **state)
{
    (void)state;
    check_eval("Gather", M23 "; i64[2] 2 -3", "axis=1", "f32[2,2] 3 1 6 4");
    check_eval("Gather", M23 "; i32[] 1", "axis=0", "f32[3] 4 5 6");
    check_eval("Gather", M23 "; i64[2] 99 -99", "axis=0", "f32[2,3] 4 5 6 1 2 3");
    check_eval("Gather", "f32[0,3]; i64[0]", "axis=0", "f32[0,3]");
    check_eval("Gather", M23 "; i64[1,2] 0 -9223372036854775808", "axis=1", "f32[2,1,2] 1 1 4 4");
    check_eval("GatherElements", M23 "; i64[2,2] 0 -1 1 1", "axis=1", "f32[2,2] 1 3 5 5");
    check_eval("GatherElements", M23 "; i64[1,3] 1 0 1", "axis=0", "f32[1,3] 4 2 6");
    check_eval("GatherND", M23 "; i64[2,2] 0 0 1 2", "batch_dims=0", "f32[2] 1 6");
    check_eval("GatherND", M23 "; i64[1,1] -1", "batch_dims=0", "f32[1,3] 4 5 6");
    check_eval("GatherND", M23 "; i64[2,1] 1 2", "batch_dims=1", "f32[2] 2 6");
    check_eval("GatherND", "f32[2,2,2] 1 2 3 4 5 6 7 8; i64[2,1] 1 0", "batch_dims=1",
               "f32[2,2] 3 4 5 6");
    check_eval("OneHot", "i64[3] 1 -1 9; f32[2] 0.5 2", "axis=1 depth=3",
               "f32[3,3] .5 2 .5 .5 .5 2 .5 .5 .5");
    check_eval("OneHot", "f32[2] 1 0; i8[2] 0 1", "axis=0 depth=2", "i8[2,2] 0 1 1 0");
    check_eval("OneHot", "i64[2] 1 0; i8[2] 0 1", "axis=0 depth=0", "i8[0,2]");
}

static void scattering(void **state)
{
    (void)state;
    check_eval("ScatterElements", "f32[1,5] 1 2 3 4 5; i64[1,2] 1 -2; f32[1,2] 9 8",
               "axis=1 reduction=none", "f32[1,5] 1 9 3 8 5");
    check_eval("ScatterElements", "f32[3] 1 2 3; i64[3] 1 1 0; f32[3] 10 100 5",
               "axis=0 reduction=add", "f32[3] 6 112 3");
    check_eval("ScatterElements", "u64[1] 5; i64[1] 0; u64[1] 18446744073709551615",
               "axis=0 reduction=max", "u64[1] 18446744073709551615");
    check_eval("ScatterElements", "i8[1] 100; i64[2] 0 0; i8[2] 100 100", "axis=0 reduction=add",
               "i8[1] 44");
    check_eval("ScatterElements", "f16[1] 2048; i64[2] 0 0; f16[2] 1 1", "axis=0 reduction=add",
               "f16[1] 2050");
    check_eval("ScatterElements", "f32[2] 1 2; i64[0]; f32[0]", "axis=0 reduction=none",
               "f32[2] 1 2");
    check_eval("ScatterND", M23 "; i64[2,1] 1 0; f32[2,3] 1 1 1 2 2 2", "reduction=mul",
               "f32[2,3] 2 4 6 4 5 6");
    check_eval("ScatterND", M23 "; i64[1,2] 1 -1; f32[1] 0", "reduction=none",
               "f32[2,3] 1 2 3 4 5 0");
    check_eval("ScatterND", M23 "; i64[1,1] 0; f32[1,3] 2 nan 2", "reduction=min",
               "f32[2,3] 1 nan 2 4 5 6");
    check_refusal("ScatterElements", "f32[3]; i64[1] 3; f32[1]", "axis=0 reduction=none",
                  "index 3 is outside a dimension of 3");
    check_refusal("ScatterND", M23 "; i64[1,2] 0 -4; f32[1]", "reduction=none",
                  "index -4 is outside a dimension of 3");
}

static void triangles_and_sequences(void **state)
{
    (void)state;
    check_eval("Trilu", M23, "upper=1 k=0", "f32[2,3] 1 2 3 0 5 6");
    check_eval("Trilu", M23, "upper=0 k=0", "f32[2,3] 1 0 0 4 5 0");
    check_eval("Trilu", M23, "upper=1 k=-1", M23);
    check_eval("Trilu", M23, "upper=0 k=-1", "f32[2,3] 0 0 0 4 0 0");
    check_eval("Trilu", M23, "upper=1 k=9223372036854775807", "f32[2,3]");
    check_eval("Trilu", M23, "upper=0 k=9223372036854775807", M23);
    check_eval("Trilu", "f32[2,2,2] 1 2 3 4 5 6 7 8", "upper=0 k=-9223372036854775808",
               "f32[2,2,2]");
    check_eval("Trilu", "f32[2,0]", "upper=0 k=0", "f32[2,0]");
    check_eval("BitCast", "f32[2] 1 -0.0", "to=12", "u32[2] 1065353216 2147483648");
    check_eval("BitCast", "u8[2] 255 1", "to=3", "i8[2] -1 1");
    check_refusal("BitCast", "f32[2]", "to=7", "the bits of f32 are not those of i64");
    check_eval("Narrow", "f32[5] 1 -2 0.001953125 448 1000", "to=17 saturate=1 rounding=nearest",
               "u8[5] 56 192 1 126 126");
    check_eval("Narrow", "f32[4] 1000 inf -inf -0.0", "to=19 saturate=0 rounding=nearest",
               "u8[4] 100 124 252 128");
    check_eval("Narrow", "f32[5] 1.0625 1.1875 -0.0 -1000 0.0001",
               "to=18 saturate=0 rounding=nearest", "u8[5] 64 66 0 128 0");
    check_eval("Narrow", "f32[5] 0.5 -0.5 -2 6 5", "to=23 saturate=1 rounding=nearest",
               "u8[3] 145 124 6");
    check_eval("Narrow", "f32[4] 1.1 1.5 1.49 0", "to=24 saturate=1 rounding=nearest",
               "u8[4] 127 128 127 0");
    check_eval("Narrow", "f32[3] 1.1 1 0.4", "to=24 saturate=1 rounding=up", "u8[3] 128 127 126");
    check_eval("Narrow", "i8[2,2] -8 -1 7 8", "to=22 saturate=1 rounding=nearest", "u8[2] 248 135");
    check_eval("Narrow", "u8[5] 0 1 2 7 1", "to=25 saturate=1 rounding=nearest", "u8[2] 228 1");
    check_refusal("Narrow", "f32[2]", "to=22 saturate=1 rounding=nearest",
                  "has no codes in type 22");
    check_refusal("Narrow", "f32[2]", "to=10 saturate=1 rounding=nearest",
                  "has no codes in type 10");
    check_eval("ReverseSequence", "f32[3,2] 1 2 3 4 5 6; i64[2] 3 2", "batch_axis=1 time_axis=0",
               "f32[3,2] 5 4 3 2 1 6");
    check_eval("ReverseSequence", "f32[2,3,2] 1 2 3 4 5 6 7 8 9 10 11 12; i64[2] 0 3",
               "batch_axis=0 time_axis=1", "f32[2,3,2] 1 2 3 4 5 6 11 12 9 10 7 8");
    check_refusal("ReverseSequence", "f32[3,2]; i64[2] 4 2", "batch_axis=1 time_axis=0",
                  "sequence 0 has length 4, not in 0 to 3");
}

static void refusals(void **state)
{
    (void)state;
    check_refusal("Reshape", M23, "shape=[4,2]", "cannot reshape [2,3] (6 elements) to [4,2] (8)");
    check_refusal("Reshape", M23, "shape=[-1]", "shape is -1, less than 0");
    check_refusal("Reshape", "f32[0]", "shape=[0,4611686018427387904,4]", "too large");
    check_refusal("Reshape", M23, "shape=[1,1,1,1,1,1,1,1,1,1,1,1,1,6]", "shape has 14 elements");
    check_refusal("Reshape", M23, "shape=6", "attribute 'shape' is not a list of integers");
    check_refusal("Transpose", M23, "perm=[0,0]", "perm names axis 0 twice");
    check_refusal("Transpose", M23, "perm=[0]", "perm has 1 elements, not 2");
    check_refusal("Transpose", M23, "perm=[0,2]", "perm is 2, not in 0 to 1");
    check_refusal("Expand", M23, "shape=[2,2]", "cannot expand [2,3] to [2,2]");
    check_refusal("Expand", "f32[1]", "shape=[281474976710656]", "too large");
    check_refusal("Tile", M23, "repeats=[9223372036854775807,2]", "are too many");
    check_refusal("Concat", "f32[2,3]; f32[3,3]", "axis=1",
                  "operand 1 has shape [3,3], which does not go with [2,3] on axis 1");
    check_refusal("Concat", "f32[2]; f32[2]", "axis=-1", "axis is -1, not in 0 to 0");
    check_refusal("Concat", "f32[]; f32[]", "axis=0", "axis is 0, not in 0 to -1");
    check_refusal("Split", "f32[4]", "axis=0 split=[3]", "split adds up to 3, axis 0 has 4");
    check_refusal("Slice", "f32[4]", "starts=[2] steps=[2] sizes=[2]",
                  "axis 0: 2 elements from 2 in steps of 2 do not lie in a dimension of 4");
    check_refusal("Slice", "f32[4]", "starts=[0] steps=[0] sizes=[1]", "the step of axis 0 is 0");
    check_refusal("Slice", "f32[4]", "starts=[1] steps=[4611686018427387904] sizes=[9]",
                  "do not lie in");
    check_refusal("Pad", "f32[3]", "mode=reflect pads=[3,0]",
                  "pad 3 of axis 0 reflects past its 3 elements");
    check_refusal("Pad", "f32[0]", "mode=edge pads=[1,0]", "axis 0 is empty");
    check_refusal("Pad", "f32[3]", "mode=mirror pads=[3,0]", "mode is 'mirror', not one of");
    check_refusal("Pad", "f32[3]", "mode=edge pads=[9223372036854775807,1]", "too large");
    check_refusal("Gather", "f32[0]; i64[1]", "axis=0", "indexes axis 0 of [0], which is empty");
    check_refusal("Gather", "f32[2]; f32[1]", "axis=0", "indices of type f32");
    check_refusal("Gather", "f32[1,1,1,1,1,1,1,1]; i64[1,1,1,1,1,1]", "axis=0",
                  "more than 12 dimensions");
    check_refusal("GatherElements", M23 "; i64[3,1]", "axis=1", "reach outside data");
    check_refusal("GatherND", M23 "; i64[2,3]", "batch_dims=0", "index tuples of 3 elements");
    check_refusal("GatherND", M23 "; i64[3,1]", "batch_dims=1", "batch dimension 0 is 2 in data");
    check_refusal("ScatterND", M23 "; i64[1,1]; f32[1,2]", "reduction=none",
                  "updates has shape [1,2], not [1,3]");
    check_refusal("ScatterElements", "bool[1]; i64[1]; bool[1]", "axis=0 reduction=add",
                  "reduction add of bool");
    check_refusal("OneHot", "i64[2]; f32[3]", "axis=1 depth=3", "values has shape [3], not [2]");
    check_refusal("OneHot", "i64[2]; f32[2]", "axis=1 depth=-1", "depth is -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),     cmocka_unit_test(padding),
        cmocka_unit_test(gathering), cmocka_unit_test(scattering),
        cmocka_unit_test(refusals),  cmocka_unit_test(triangles_and_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
