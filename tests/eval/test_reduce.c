/* Reductions, selections, scans, softmax, Einsum, Det. */
#include "eval_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define M23 "f32[2,3] 1 2 3 4 5 6"

static void reductions(void **state)
{
    (void)state;
    check_eval("ReduceSum", M23, "axes=[0,1] keepdims=0", "f32[] 21");
    check_eval("ReduceSum", M23, "axes=[0] keepdims=1", "f32[1,3] 5 7 9");
    check_eval("ReduceMean", M23, "axes=[1] keepdims=0", "f32[2] 2 5");
    check_eval("ReduceMax", "f32[3] 1 nan 3", "axes=[0] keepdims=0", "f32[] nan");
    check_eval("ReduceMin", "f32[3] 3 1 2", "axes=[0] keepdims=0", "f32[] 1");
    check_eval("ReduceProd", M23, "axes=[1] keepdims=1", "f32[2,1] 6 120");
    check_eval("ReduceL1", "f32[3] -1 2 -3", "axes=[0] keepdims=0", "f32[] 6");
    check_eval("ReduceL2", "f32[2] -3 4", "axes=[0] keepdims=0", "f32[] 5");
    check_eval("ReduceSumSquare", "f32[2] -3 4", "axes=[0] keepdims=0", "f32[] 25");
    check_eval("ReduceLogSum", "f32[2] 1 1", "axes=[0] keepdims=0", "f32[] 0.69314718055994531");
    check_eval("ReduceLogSumExp", "f32[2] 1000 1000", "axes=[0] keepdims=0",
               "f32[] 1000.6931471805599");
    check_eval("ReduceLogSumExp", "f32[3] 1 -inf 0", "axes=[0] keepdims=0",
               "f32[] 1.3132616875182228");
    check_eval("ReduceLogSumExp", "f32[2] inf 1", "axes=[0] keepdims=0", "f32[] inf");
    check_eval("ReduceSum", "f32[2,2,2] 1 2 3 4 5 6 7 8", "axes=[0,2] keepdims=0", "f32[2] 14 22");
    check_eval("ReduceSum", "f32[600,2] 1 2 3 4", "axes=[0] keepdims=0", "f32[2] 4 6");
    check_eval("ReduceSum", "f16[3] 2048 1 1", "axes=[0] keepdims=0", "f16[] 2050");
}

static void no_axes_and_nothing(void **state)
{
    (void)state;
    check_eval("ReduceSum", M23, "axes=[] keepdims=0", M23);
    check_eval("ReduceSumSquare", "f32[2] -3 4", "axes=[] keepdims=1", "f32[2] 9 16");
    check_eval("ReduceL1", "f32[] -3", "axes=[] keepdims=0", "f32[] 3");
    check_eval("ReduceSum", "f32[2,0]", "axes=[1] keepdims=0", "f32[2] 0 0");
    check_eval("ReduceProd", "i32[2,0]", "axes=[1] keepdims=0", "i32[2] 1 1");
    check_eval("ReduceMax", "f32[0]", "axes=[0] keepdims=0", "f32[] -inf");
    check_eval("ReduceMin", "f32[0]", "axes=[0] keepdims=0", "f32[] inf");
    check_eval("ReduceMean", "f32[0]", "axes=[0] keepdims=0", "f32[] nan");
    check_eval("ReduceLogSum", "f32[0]", "axes=[0] keepdims=0", "f32[] -inf");
    check_eval("ReduceLogSumExp", "f32[0]", "axes=[0] keepdims=0", "f32[] -inf");
    check_eval("ReduceMax", "i8[0]", "axes=[0] keepdims=0", "i8[] -128");
    check_eval("ReduceMin", "i64[0]", "axes=[0] keepdims=0", "i64[] 9223372036854775807");
    check_eval("ReduceMin", "u64[0]", "axes=[0] keepdims=0", "u64[] 18446744073709551615");
    check_eval("ReduceMin", "bool[0]", "axes=[0] keepdims=0", "bool[] 1");
    check_eval("ReduceSum", "f32[0,3]", "axes=[1] keepdims=1", "f32[0,1]");
}

static void integers(void **state)
{
    (void)state;
    check_eval("ReduceSum", "i64[2] 9007199254740993 2", "axes=[0] keepdims=0",
               "i64[] 9007199254740995");
    check_eval("ReduceSum", "i8[2] 127 1", "axes=[0] keepdims=0", "i8[] -128");
    check_eval("ReduceMean", "i32[2] -3 0", "axes=[0] keepdims=0", "i32[] -1");
    check_eval("ReduceMax", "u64[2] 1 18446744073709551615", "axes=[0] keepdims=0",
               "u64[] 18446744073709551615");
    check_eval("ReduceMax", "bool[2,2] 0 0 0 1", "axes=[1] keepdims=0", "bool[2] 0 1");
    check_eval("ReduceL2", "i32[2] 3 4", "axes=[0] keepdims=0", "i32[] 5");
    check_eval("ReduceL1", "i32[2] -3 4", "axes=[0] keepdims=0", "i32[] 7");
}

static void selections(void **state)
{
    (void)state;
    check_eval("ArgMax", "f32[2,3] 1 3 3 4 nan 6", "axis=1 keepdims=0 select_last_index=0",
               "i64[2] 1 1");
    check_eval("ArgMax", "f32[2,3] 1 3 3 4 5 6", "axis=1 keepdims=1 select_last_index=1",
               "i64[2,1] 2 2");
    check_eval("ArgMin", "f32[2,2] 1 3 1 -3", "axis=0 keepdims=0 select_last_index=1",
               "i64[2] 1 1");
    check_eval("ArgMin", "f32[3] 1 nan 0", "axis=0 keepdims=0 select_last_index=0", "i64[] 1");
    check_eval("ArgMax", "f32[2] -0 0", "axis=0 keepdims=0 select_last_index=0", "i64[] 0");
    check_eval("ArgMax", "u64[2] 1 18446744073709551615", "axis=0 keepdims=0 select_last_index=0",
               "i64[] 1");
    check_eval("TopK", "f32[2,4] 1 3 3 2 -1 -2 nan -4", "axis=1 k=2 largest=1 sorted=1",
               "f32[2,2] 3 3 nan -1; i64[2,2] 1 2 2 0");
    check_eval("TopK", "f32[3,2] 1 2 1 0 nan 5", "axis=0 k=3 largest=0 sorted=1",
               "f32[3,2] 1 0 1 2 nan 5; i64[3,2] 0 1 1 0 2 2");
    check_eval("TopK", "i64[2] -9223372036854775808 9223372036854775807",
               "axis=0 k=1 largest=1 sorted=1", "i64[1] 9223372036854775807; i64[1] 1");
    check_eval("TopK", "f32[2,0]", "axis=1 k=0 largest=1 sorted=1", "f32[2,0]; i64[2,0]");
    check_eval("CumSum", M23, "axis=1 exclusive=0 reverse=0", "f32[2,3] 1 3 6 4 9 15");
    check_eval("CumSum", M23, "axis=1 exclusive=1 reverse=1", "f32[2,3] 5 3 0 11 6 0");
    check_eval("CumProd", M23, "axis=1 exclusive=0 reverse=0", "f32[2,3] 1 2 6 4 20 120");
    check_eval("CumProd", M23, "axis=1 exclusive=1 reverse=1", "f32[2,3] 6 3 1 30 6 1");
    check_eval("CumProd", "i8[2,1] 64 2", "axis=0 exclusive=0 reverse=0", "i8[2,1] 64 -128");
    check_eval("CumSum", "i8[2,1] 127 1", "axis=0 exclusive=0 reverse=0", "i8[2,1] 127 -128");
}

static void groups(void **state)
{
    (void)state;
    check_eval("Softmax", "f32[2,2] 1000 1000 0 0", "axis=1 axis_end=2", "f32[2,2] .5 .5 .5 .5");
    check_eval("Softmax", "f32[2,2] 1 1 1 1", "axis=0 axis_end=2", "f32[2,2] .25 .25 .25 .25");
    check_eval("Softmax", "f32[2] 5 6", "axis=1 axis_end=1", "f32[2] 1 1");
    check_eval("LogSoftmax", "f32[2,1] 0 0", "axis=0 axis_end=1",
               "f32[2,1] -0.69314718055994531 -0.69314718055994531");
    check_eval("Hardmax", "f32[2,3] 1 3 3 -1 -2 -3", "axis=1 axis_end=2", "f32[2,3] 0 1 0 1 0 0");
    check_eval("LpNormalization", "f32[2,2] 3 4 0 0", "axis=1 p=2", "f32[2,2] 0.6 0.8 0 0");
    check_eval("LpNormalization", "f32[2,1] -1 3", "axis=0 p=1", "f32[2,1] -0.25 0.75");
}

static void einsum_and_det(void **state)
{
    (void)state;
    check_eval("Einsum", M23 "; f32[3,2] 1 0 0 1 1 1", "equation=ij,jk->ik", "f32[2,2] 4 5 10 11");
    check_eval("Einsum", M23, "equation=ij->ji", "f32[3,2] 1 4 2 5 3 6");
    check_eval("Einsum", "f32[2,2] 1 2 3 4", "equation=ii->", "f32[] 5");
    check_eval("Einsum", "f32[2,2] 1 2 3 4", "equation=ii->i", "f32[2] 1 4");
    check_eval("Einsum", "i32[2] 1 2; i32[2] 3 4; i32[] 5", "equation=i,j,->ij",
               "i32[2,2] 15 20 30 40");
    check_eval("Einsum", "f32[0]; f32[0]", "equation=i,i->", "f32[] 0");
    check_eval("Einsum", "f32[1,2,2] 1 2 3 4; f32[1,2,1] 5 6", "equation=bij,bjk->bik",
               "f32[1,2,1] 17 39");
    check_eval("Det", "f32[2,2,2] 1 2 3 4 0 1 1 0", "", "f32[2] -2 -1");
    check_eval("Det", "f32[3,3] 1 2 3 4 5 6 7 8 9.5", "", "f32[] -1.5");
    check_eval("Det", "f32[0,0]", "", "f32[] 1");
    check_eval("Det", "f32[2,2]", "", "f32[] 0");
}

static void refusals(void **state)
{
    (void)state;
    check_refusal("ReduceSum", M23, "axes=[1,0] keepdims=0", "axes are not in ascending order");
    check_refusal("ReduceSum", M23, "axes=[2] keepdims=0", "axes is 2, not in 0 to 1");
    check_refusal("ReduceSum", M23, "axes=[1.0] keepdims=0", "not a list of integers");
    check_refusal("ReduceSum", "bool[2]", "axes=[0] keepdims=0", "src of type bool");
    check_refusal("ArgMax", "f32[2,0]", "axis=1 keepdims=0 select_last_index=0",
                  "axis 1 of src [2,0] is empty");
    check_refusal("TopK", "f32[3]", "axis=0 k=4 largest=1 sorted=1", "has 1 outputs");
    check_refusal("Softmax", "f32[3]", "axis=1 axis_end=0", "axis_end is 0, not in 1 to 1");
    check_refusal("LpNormalization", "f32[3]", "axis=0 p=3", "p is 3, not in 1 to 2");
    check_refusal("Einsum", "f32[2,3]; f32[2,3]", "equation=ij,jk->ik",
                  "'j' is 3 and, in operand 1, 2");
    check_refusal("Einsum", "f32[2]", "equation=i,j->ij", "where '->' is expected");
    check_refusal("Einsum", "f32[2]; f32[2]", "equation=i->i", "does not have 2 operands");
    check_refusal("Einsum", "f32[2]", "equation=i->j", "'j' in the result is in no operand");
    check_refusal("Einsum", "f32[2]", "equation=i->ii", "'i' in the result is there twice");
    check_refusal("Einsum", "f32[2]", "equation=ij->i", "2 letters for operand 0 of shape [2]");
    check_refusal("Einsum", "f32[2]", "equation=i->I", "'I' in its result");
    check_refusal("Det", "f32[2,3]", "", "is not of square matrices");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions), cmocka_unit_test(no_axes_and_nothing),
        cmocka_unit_test(integers),   cmocka_unit_test(selections),
        cmocka_unit_test(groups),     cmocka_unit_test(einsum_and_det),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
