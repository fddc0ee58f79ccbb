/* Elementwise operators: broadcasting, integers, conversions. */
#include "eval_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void broadcasting(void **state)
{
    (void)state;
    check_eval("Add", "f32[2,3] 1 2 3 4 5 6; f32[3] 10 20 30", "", "f32[2,3] 11 22 33 14 25 36");
    check_eval("Add", "f32[2,1] 1 2; f32[1,3] 10 20 30", "", "f32[2,3] 11 21 31 12 22 32");
    check_eval("Sub", "f32[3] 1 2 3; f32[2,1,1] 1 2", "", "f32[2,1,3] 0 1 2 -1 0 1");
    check_eval("Mul", "f32[] 3; f32[2,2] 1 2 3 4", "", "f32[2,2] 3 6 9 12");
    check_eval("Mul", "f32[] 3; f32[] 4", "", "f32[] 12");
    check_eval("Add", "f32[0,3]; f32[3] 1 2 3", "", "f32[0,3]");
    check_eval("Add", "f32[1]; f32[0]", "", "f32[0]");
    check_eval("Add", "f32[2,1,2,1] 1 2 3 4; f32[1,2,1,2] 10 20 30 40", "",
               "f32[2,2,2,2] 11 21 12 22 31 41 32 42 13 23 14 24 33 43 34 44");
    check_eval("Where", "bool[2,1] 1 0; i64[3] 1 2 3; i64[] 9", "", "i64[2,3] 1 2 3 9 9 9");
    check_eval("Where", "bool[1] 0; f16[2] 1 2; f16[2] 0.5 inf", "", "f16[2] 0.5 inf");
    check_eval("Sum", "i8[2] 127 1; i8[2] 1 1; i8[2] 1 1", "", "i8[2] -127 3");
    check_eval("Sum", "f32[2] 1.5 2", "", "f32[2] 1.5 2");
}

/* More than one chunk, with rows that straddle chunks. */
static void long_rows(void **state)
{
    (void)state;
    check_eval("Relu", "f32[3,401] -1 5", "", "f32[3,401] 0 5");
    check_eval("Mul", "f32[401,3] 1 2 3 4 5 6; f32[3] 1 10 100", "",
               "f32[401,3] 1 20 300 4 50 600");
}

static void floats(void **state)
{
    (void)state;
    check_eval("Exp", "f32[2] 0 1", "", "f32[2] 1 2.71828182845904523");
    check_eval("Relu", "f32[3] -1 nan 2", "", "f32[3] 0 nan 2");
    check_eval("Max", "f32[3] 1 nan 2; f32[3] 2 1 nan", "", "f32[3] 2 nan nan");
    check_eval("Min", "f32[3] 1 nan 2; f32[3] 2 1 nan", "", "f32[3] 1 nan nan");
    check_eval("Round", "f32[5] 0.5 1.5 2.5 -0.5 -1.5", "", "f32[5] 0 2 2 0 -2");
    check_eval("Clip", "f32[3] -5 0 5", "min=-1.0 max=2.0", "f32[3] -1 0 2");
    check_eval("Clip", "f32[3] -5 0 5", "", "f32[3] -5 0 5");
    check_eval("Mod", "f32[4] 5 -5 5 -5; f32[4] 3 3 -3 -3", "fmod=1", "f32[4] 2 -2 2 -2");
    check_eval("IsInf", "f32[3] inf -inf nan", "detect_positive=1 detect_negative=0",
               "bool[3] 1 0 0");
    check_eval("IsNaN", "f16[3] inf 1 nan", "", "bool[3] 0 0 1");
    check_eval("Erf", "f64[1] 0.5", "", "f64[1] 0.52049987781304654");
    check_eval("Pow", "f32[3] 2 4 -1; i64[3] 3 -1 3", "", "f32[3] 8 0.25 -1");
    check_eval("Div", "f32[3] 1 -1 0; f32[3] 0 0 0", "", "f32[3] inf -inf nan");
}

/* A sum that needs 25 bits, computed wide, is rounded once: to even. */
static void rounds_once(void **state)
{
    (void)state;
    check_eval("Add", "f16[2] 2048 2048; f16[2] 1 3", "", "f16[2] 2048 2052");
    check_eval("Add", "f32[1] 16777216; f32[1] 1", "", "f32[1] 16777216");
    check_eval("Cast", "i64[1] 9007199791611905", "to=1", "f32[1] 9007200328482816");
    check_eval("Mul", "bf16[1] 3; bf16[1] 1.0078125", "", "bf16[1] 3.03125");
}

static void integers(void **state)
{
    (void)state;
    check_eval("Div", "i32[5] 7 -7 7 -7 5; i32[5] 2 2 -2 -2 0", "", "i32[5] 3 -3 -3 3 0");
    check_eval("Div", "i32[1] -2147483648; i32[1] -1", "", "i32[1] -2147483648");
    check_eval("Div", "i64[2] -9223372036854775808 1; i64[2] -1 0", "",
               "i64[2] -9223372036854775808 0");
    check_eval("Div", "u64[1] 18446744073709551615; u64[1] 2", "", "u64[1] 9223372036854775807");
    check_eval("Mod", "i32[6] 5 -5 5 -5 3 0; i32[6] 3 3 -3 -3 0 5", "fmod=0",
               "i32[6] 2 1 -1 -2 0 0");
    check_eval("Mod", "i32[4] 5 -5 5 -5; i32[4] 3 3 -3 -3", "fmod=1", "i32[4] 2 -2 2 -2");
    check_eval("Mod", "i64[1] -9223372036854775808; i64[1] -1", "fmod=0", "i64[1] 0");
    check_eval("Mod", "u64[1] 18446744073709551615; u64[1] 10", "fmod=0", "u64[1] 5");
    check_eval("Pow", "i32[6] 2 3 -2 1 -1 5; i32[6] 10 0 3 -5 -3 -1", "",
               "i32[6] 1024 1 -8 1 -1 0");
    check_eval("Pow", "i32[2] 4 2; f32[2] 0.5 3", "", "i32[2] 2 8");
    check_eval("Pow", "i64[1] 3; i32[1] 40", "", "i64[1] -6289078614652622815");
    check_eval("Add", "i8[2] 127 -128; i8[2] 1 -1", "", "i8[2] -128 127");
    check_eval("Add", "i64[1] 9223372036854775807; i64[1] 1", "", "i64[1] -9223372036854775808");
    check_eval("Mul", "u32[1] 4294967295; u32[1] 4294967295", "", "u32[1] 1");
    check_eval("Mul", "i64[1] 9223372036854775807; i64[1] 2", "", "i64[1] -2");
    check_eval("Sub", "u8[1] 0; u8[1] 1", "", "u8[1] 255");
    check_eval("Neg", "i64[2] -9223372036854775808 5", "", "i64[2] -9223372036854775808 -5");
    check_eval("Abs", "i8[3] -128 -1 1", "", "i8[3] -128 1 1");
    check_eval("Abs", "u64[1] 18446744073709551615", "", "u64[1] 18446744073709551615");
    check_eval("Sign", "u64[2] 18446744073709551615 0", "", "u64[2] 1 0");
    check_eval("Max", "u64[1] 18446744073709551615; u64[1] 1", "", "u64[1] 18446744073709551615");
    check_eval("Less", "u64[1] 18446744073709551615; u64[1] 1", "", "bool[1] 0");
    check_eval("Min", "i64[1] -1; i64[1] 1", "", "i64[1] -1");
    check_eval("Clip", "i32[3] -5 0 5", "min=-1.5 max=2.5", "i32[3] -1 0 2");
    check_eval("Clip", "u8[3] 0 100 255", "min=-3.0 max=1000.0", "u8[3] 0 100 255");
    check_eval("Clip", "u64[1] 18446744073709551615", "min=1.0", "u64[1] 18446744073709551615");
}

static void integer_root(void **state)
{
    (void)state;
    check_eval("IntegerRoot", "i64[7] 0 1 3 4 -4 9223372036854775807 1000000000000000000", "",
               "i64[7] 0 1 1 2 0 3037000499 1000000000");
    check_eval("IntegerRoot", "u64[2] 18446744073709551615 18446744065119617025", "",
               "u64[2] 4294967295 4294967295");
    check_eval("IntegerRoot", "u8[3] 255 225 224", "", "u8[3] 15 15 14");
}

/* By 0.5, 0.25, 0.1 and what is next to 0.5. */
static void requantize(void **state)
{
    (void)state;
    check_eval("Requantize", "i32[5] 1 3 5 -3 -5; i32[1] 1056964608", "", "i32[5] 0 2 2 -2 -2");
    check_eval("Requantize", "i32[4] 1 2 6 -10; i32[1] 1048576000", "", "i32[4] 0 0 2 -2");
    check_eval("Requantize", "i32[4] 5 15 25 35; i32[1] 1036831949", "", "i32[4] 0 2 2 4");
    check_eval("Requantize", "i32[2] 16777217 2147483647; i32[1] 1065353216", "",
               "i32[2] 16777216 2147483647");
    check_refusal("Requantize", "i8[2]; i32[2]", "", "operand 0 of type i8");
}

static void bits(void **state)
{
    (void)state;
    check_eval("BitShift", "u8[4] 1 1 255 1; u8[4] 7 8 1 200", "left=1", "u8[4] 128 0 254 0");
    check_eval("BitShift", "u64[3] 8 1 18446744073709551615; u64[3] 2 64 63", "left=0",
               "u64[3] 2 0 1");
    check_eval("BitwiseNot", "u8[2] 0 255", "", "u8[2] 255 0");
    check_eval("BitwiseXor", "i32[2] 5 -1; i32[1] 3", "", "i32[2] 6 -4");
    check_eval("Not", "bool[2] 0 1", "", "bool[2] 1 0");
    check_eval("Xor", "bool[4] 0 0 1 1; bool[4] 0 1 0 1", "", "bool[4] 0 1 1 0");
    check_eval("And", "bool[2,1] 0 1; bool[2] 0 1", "", "bool[2,2] 0 0 0 1");
    check_eval("Equal", "bool[2] 0 1; bool[2] 1 1", "", "bool[2] 0 1");
}

static void casts(void **state)
{
    (void)state;
    check_eval("Cast", "f32[5] 1.9 -1.9 nan 3e9 -3e9", "to=6",
               "i32[5] 1 -1 -2147483648 -2147483648 -2147483648");
    check_eval("Cast", "f32[3] 1e30 -0.5 nan", "to=7",
               "i64[3] -9223372036854775808 0 -9223372036854775808");
    check_eval("Cast", "f32[4] 300.7 -1 255 1e20", "to=2", "u8[4] 44 255 255 0");
    check_eval("Cast", "f32[2] 4294967040 -1", "to=12", "u32[2] 4294967040 4294967295");
    check_eval("Cast", "f64[3] 18446744073709549568 -1 1e30", "to=13",
               "u64[3] 18446744073709549568 18446744073709551615 0");
    check_eval("Cast", "f32[3] 0 0.25 nan", "to=9", "bool[3] 0 1 1");
    check_eval("Cast", "i64[2] 256 257", "to=9", "bool[2] 1 1");
    check_eval("Cast", "i64[2] 256 257", "to=2", "u8[2] 0 1");
    check_eval("Cast", "u64[1] 18446744073709551615", "to=1", "f32[1] 18446744073709551616");
    check_eval("Cast", "bool[2] 0 1", "to=1", "f32[2] 0 1");
    check_eval("Cast", "f32[2] 1 2", "to=1", "f32[2] 1 2");
    check_eval("Cast", "f32[3] 65504 65520 1e-8", "to=10", "f16[3] 65504 inf 0");
}

static void refusals(void **state)
{
    (void)state;
    check_refusal("Add", "f32[2,3]; f32[2]", "", "shapes [2,3] and [2] do not broadcast");
    check_refusal("Add", "f32[2]; i32[2]", "", "operand 1 has type i32, not f32");
    check_refusal("Add", "f32[2]; _", "", "needs 2 inputs, has 1");
    check_refusal("Acos", "i32[2]", "", "operand 0 of type i32 is not supported");
    check_refusal("And", "i32[2]; i32[2]", "", "operand 0 of type i32 is not supported");
    check_refusal("BitShift", "i32[2]; i32[2]", "left=1", "operand 0 of type i32");
    check_refusal("Elu", "f32[2]", "", "attribute 'alpha' is missing");
    check_refusal("Elu", "f32[2]", "alpha=1", "attribute 'alpha' is not a float");
    check_refusal("Elu", "f32[2]", "alpha=inf", "alpha is not a finite number");
    check_refusal("Celu", "f32[2]", "alpha=0.0", "divides by it");
    check_refusal("Clip", "f32[2]", "min=nan", "min is not a number");
    check_refusal("Mod", "f32[2]; f32[2]", "fmod=0", "fmod is 0, which is for integers");
    check_refusal("Mod", "i32[2]; i32[2]", "fmod=2", "fmod is 2, not in 0 to 1");
    check_refusal("Cast", "f32[2]", "to=17", "to is ONNX type 17, which is not supported");
    check_refusal("Cast", "f32[2]", "to=0", "to is ONNX type 0");
    check_refusal("Where", "f32[2]; f32[2]; f32[2]", "", "the condition has type f32, not bool");
    check_refusal("Sum", "f32[2]; f32[1]", "", "an operand has shape [1], not [2]");
    check_refusal("Add", "f32[0,16777216,1,1]; f32[1,1,16777216,1]", "", "too large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcasting), cmocka_unit_test(long_rows), cmocka_unit_test(floats),
        cmocka_unit_test(rounds_once),  cmocka_unit_test(integers),  cmocka_unit_test(bits),
        cmocka_unit_test(integer_root), cmocka_unit_test(requantize),   cmocka_unit_test(casts),     cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
