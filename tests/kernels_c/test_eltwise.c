/* Every elementwise row of ops.def on every type it takes, with broadcasting; fused groups; layouts; in place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../kernel_harness.h"

static const DType all_types[] = {DT_F32, DT_F64, DT_F16, DT_BF16, DT_I8,  DT_U8,  DT_I16,
                                  DT_U16, DT_I32, DT_U32, DT_I64,  DT_U64, DT_BOOL};

#define DIMS(...)                                                                                  \
    (int64_t[])                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define COUNT(...) ((int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)))
#define INPUT(h, t, lo, hi, ...) harness_input(h, t, COUNT(__VA_ARGS__), DIMS(__VA_ARGS__), lo, hi)

/* What the rows that have attributes want; the others ignore them. */
static const Attr *attributes(Op op)
{
    static const Attr none[] = {{.name = NULL}};
    static Attr table[5];
    memset(table, 0, sizeof table);
    switch (op) {
    case OP_BitShift:
        table[0] = ATTR_I("left", 1);
        return table;
    case OP_Celu:
    case OP_Elu:
    case OP_LeakyRelu:
    case OP_Swish:
    case OP_ThresholdedRelu:
        table[0] = ATTR_F("alpha", 0.3);
        return table;
    case OP_Clip:
        table[0] = ATTR_F("max", 6);
        table[1] = ATTR_F("min", 1);
        return table;
    case OP_HardSigmoid:
        table[0] = ATTR_F("alpha", 0.2);
        table[1] = ATTR_F("beta", 0.5);
        return table;
    case OP_IsInf:
        table[0] = ATTR_I("detect_negative", 0);
        table[1] = ATTR_I("detect_positive", 1);
        return table;
    case OP_Mod:
        table[0] = ATTR_I("fmod", 1);
        return table;
    case OP_Selu:
        table[0] = ATTR_F("alpha", 1.6732632);
        table[1] = ATTR_F("gamma", 1.0507);
        return table;
    case OP_Shrink:
        table[0] = ATTR_F("bias", -0.25);
        table[1] = ATTR_F("lambd", 0.5);
        return table;
    default:
        return none;
    }
}

/* Inside the function's domain, so that the comparison says something. */
static void domain(Op op, DType t, double *lo, double *hi)
{
    *lo = dtype_is_float(t) || dtype_is_signed_int(t) ? -8 : 0;
    *hi = t == DT_BOOL ? 1 : 9;
    if (op == OP_Acos || op == OP_Asin || op == OP_Atanh)
        *lo = -0.99, *hi = 0.99;
    else if (op == OP_Acosh || op == OP_Log || op == OP_Sqrt || (op == OP_Pow && dtype_is_float(t)))
        *lo = 1.01, *hi = 5;
    else if (op == OP_Tan)
        *lo = -1.4, *hi = 1.4;
    else if ((op == OP_Div || op == OP_Reciprocal || op == OP_Mod) && dtype_is_float(t))
        *lo = 0.5, *hi = 9;
}

static void test_every_row(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT_OF(all_types); t++) {
        DType type = all_types[t];
        Harness *h = harness_new(dtype_name(type));
        int taken = 0;
        if (type == DT_F32)
            harness_tolerance(h, 4e-6, 1e-6);
        for (int op = 0; op < OP_COUNT; op++) {
            const OpInfo *info = op_info((Op)op);
            double lo, hi;
            if (info->class != CLASS_ELTWISE || !info->expr)
                continue;
            domain((Op)op, type, &lo, &hi);
            ValueId in[] = {INPUT(h, type, lo, hi, 3, 5, 7), INPUT(h, type, lo, hi, 5, 1)};
            NodeId id =
                harness_try_node(h, (Op)op, in, (uint32_t)info->min_in, 1, attributes((Op)op));
            taken += id.i != NO_NODE.i;
        }
        assert_true(taken > 3);
        assert_int_equal(harness_run(h), 0);
    }
}

static void test_broadcast(void **state)
{
    (void)state;
    Harness *h = harness_new("broadcast");
    harness_optimise(h);
    ValueId full = INPUT(h, DT_F32, -1, 1, 2, 3, 4, 5), row = INPUT(h, DT_F32, -1, 1, 5);
    ValueId channel = INPUT(h, DT_F32, -1, 1, 3, 1, 1), one = INPUT(h, DT_F32, -1, 1, 1);
    ValueId column = INPUT(h, DT_F32, -1, 1, 2, 1, 4, 1),
            scalar = harness_input(h, DT_F32, 0, NULL, 2, 3);
    ValueId others[] = {full, row, channel, one, column, scalar};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        for (size_t j = 0; j < COUNT_OF(others); j++)
            harness_node(h, OP_Sub, (ValueId[]){others[i], others[j]}, 2, 1, NULL);
    ValueId deep = INPUT(h, DT_F32, -1, 1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2);
    ValueId deeper = INPUT(h, DT_F32, -1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1);
    harness_node(h, OP_Mul, (ValueId[]){deep, deeper}, 2, 1, NULL);
    ValueId nothing = INPUT(h, DT_F32, -1, 1, 0, 3, 1);
    harness_node(h, OP_Add, (ValueId[]){nothing, INPUT(h, DT_F32, -1, 1, 3, 4)}, 2, 1, NULL);
    harness_node(h, OP_Add, (ValueId[]){full, full}, 2, 1, NULL);
    assert_int_equal(harness_run(h), 0);
}

static void test_integer_corners(void **state)
{
    (void)state;
    static const Op ops[] = {OP_Add, OP_Sub,   OP_Mul, OP_Div,   OP_Max,
                             OP_Min, OP_PRelu, OP_Pow, OP_Equal, OP_Less};
    Harness *h = harness_new("corners");
    for (size_t t = 0; t < COUNT_OF(all_types); t++) {
        DType type = all_types[t];
        if (dtype_is_float(type) || type == DT_BOOL)
            continue;
        int64_t values[] = {0,         1,         -1,  2,   -2,  3,     7,     INT64_MIN, INT64_MAX,
                            INT32_MIN, INT32_MAX, 127, 128, 255, 32768, 65535, -3};
        enum { N = sizeof values / sizeof *values };
        uint64_t x[N * N], y[N * N];
        for (size_t i = 0; i < N * N; i++) {
            elem_set_i64(type, x, i,
                         values[i / N] >> (dtype_size(type) == 8        ? 0
                                           : values[i / N] == INT64_MIN ? 64 - 8 * dtype_size(type)
                                                                        : 0));
            elem_set_i64(type, y, i, values[i % N]);
        }
        TensorType tt = type_make(type, 1, DIMS(N * N));
        ValueId in[] = {harness_data(h, tt, x), harness_data(h, tt, y)};
        for (size_t i = 0; i < COUNT_OF(ops); i++)
            harness_node(h, ops[i], in, 2, 1, NULL);
        for (int fmod = 0; fmod < 2; fmod++)
            harness_node(h, OP_Mod, in, 2, 1, (Attr[]){ATTR_I("fmod", fmod), ATTR_END});
        for (int left = 0; left < 2; left++)
            harness_try_node(h, OP_BitShift, in, 2, 1, (Attr[]){ATTR_I("left", left), ATTR_END});
        harness_node(h, OP_Abs, in, 1, 1, NULL);
        harness_node(h, OP_Sign, in, 1, 1, NULL);
        harness_try_node(h, OP_Neg, in, 1, 1, NULL);
        harness_node(h, OP_Clip, in, 1, 1,
                     (Attr[]){ATTR_F("max", 100), ATTR_F("min", -5), ATTR_END});
        harness_node(h, OP_Clip, in, 1, 1,
                     (Attr[]){ATTR_F("max", 3e19), ATTR_F("min", 2), ATTR_END});
        harness_node(h, OP_Sum, (ValueId[]){in[0], in[1], in[0], in[1]}, 4, 1, NULL);
    }
    assert_int_equal(harness_run(h), 0);
}

/* Sums and scales where the product is halfway between two steps, next to that, or out of bounds. */
static void test_requantize(void **state)
{
    (void)state;
    static const float scales[] = {
        0.5f,     0.25f,      1.0f,           1.5f,           1 / 3.0f,       0.1f,
        0.01f,    2e-3f,      7.7e-4f,        0x1p-24f,       0x1p-33f,       1e-12f,
        1e-38f,   3.0f,       100.0f,         0x1p22f,        0x1.8p23f,      0x1p31f,
        0x1p120f, 0.9999999f, 0x1.fffffep-2f, 0x1.000002p-7f, 0x1.555556p-8f, 0x1.99999ap-9f};
    enum { SCALES = COUNT_OF(scales), SUMS = 6000 };
    Harness *h = harness_new("requantize");
    int32_t *x = calloc(SUMS, sizeof *x), bits[SCALES];
    uint32_t seed = 1;
    for (int i = 0; i < SUMS; i++) {
        seed = seed * 1664525u + 1013904223u;
        const int32_t far = (int32_t)seed >> (i % 24);
        x[i] = i < 2000 ? i - 1000 : i == 2000 ? INT32_MIN : i == 2001 ? INT32_MAX : far;
    }
    memcpy(bits, scales, sizeof bits);
    ValueId in[] = {harness_data(h, type_make(DT_I32, 2, DIMS(SUMS, 1)), x),
                    harness_data(h, type_make(DT_I32, 1, DIMS(SCALES)), bits)};
    harness_node(h, OP_Requantize, in, 2, 1, NULL);
    assert_int_equal(harness_run(h), 0);
    free(x);
}

static void test_casts(void **state)
{
    (void)state;
    Harness *h = harness_new("casts");
    double wild[] = {
        0,         -0.0,   0.5,          -0.5,         1.5,           2.5,          -7.9,
        127,       128,    255,          256,          300,           -129,         65504,
        65535,     65520,  2147483647.0, 2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0,
        9.3e18,    1.8e19, 2e19,         -9.3e18,      1e30,          -1e30,        INFINITY,
        -INFINITY, NAN,    1e-8,         6e-8,         3.3e-5,        -3e-40};
    enum { N = sizeof wild / sizeof *wild };
    for (size_t from = 0; from < COUNT_OF(all_types); from++) {
        double data[N];
        for (size_t i = 0; i < N; i++)
            elem_set_f64(all_types[from], data, i, wild[i]);
        ValueId x = harness_data(h, type_make(all_types[from], 1, DIMS(N)), data);
        for (size_t to = 0; to < COUNT_OF(all_types); to++)
            harness_node(h, OP_Cast, &x, 1, 1, (Attr[]){ATTR_I("to", all_types[to]), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_where_and_pow(void **state)
{
    (void)state;
    Harness *h = harness_new("where");
    ValueId c = INPUT(h, DT_BOOL, 0, 1, 4, 1, 6);
    for (size_t t = 0; t < COUNT_OF(all_types); t++) {
        ValueId in[] = {c, INPUT(h, all_types[t], 0, 1, 5, 6), INPUT(h, all_types[t], 0, 1, 1)};
        harness_node(h, OP_Where, in, 3, 1, NULL);
    }
    static const float exponents[] = {2, 3, 1, -1, 0.5f, 2.5f};
    ValueId x = INPUT(h, DT_F32, 0.5, 4, 37);
    for (size_t i = 0; i < COUNT_OF(exponents); i++) {
        ValueId e = harness_const(h, type_make(DT_F32, 0, NULL), &exponents[i]);
        harness_node(h, OP_Pow, (ValueId[]){x, e}, 2, 1, NULL);
    }
    harness_node(h, OP_Pow, (ValueId[]){x, INPUT(h, DT_I32, -3, 3, 37)}, 2, 1, NULL);
    harness_node(h, OP_Pow, (ValueId[]){INPUT(h, DT_I32, -3, 3, 37), x}, 2, 1, NULL);
    harness_node(h, OP_Pow, (ValueId[]){INPUT(h, DT_I64, -3, 3, 37), INPUT(h, DT_I8, -3, 9, 37)}, 2,
                 1, NULL);
    assert_int_equal(harness_run(h), 0);
}

static ValueId op2(Harness *h, Op op, ValueId a, ValueId b)
{
    return harness_out(h, harness_node(h, op, (ValueId[]){a, b}, 2, 1, NULL), 0);
}

static ValueId op1(Harness *h, Op op, ValueId a)
{
    return harness_out(h, harness_node(h, op, &a, 1, 1, NULL), 0);
}

static void test_groups(void **state)
{
    (void)state;
    Harness *h = harness_new("groups");
    harness_optimise(h);
    ValueId x = INPUT(h, DT_F32, -3, 3, 4, 6, 9), scale = INPUT(h, DT_F32, -1, 1, 6, 1),
            shift = INPUT(h, DT_F32, -1, 1, 6, 1);
    harness_begin_group(h);
    op1(h, OP_Tanh, op2(h, OP_Add, op2(h, OP_Mul, x, scale), shift));
    harness_end_group(h);
    harness_begin_group(
        h); /* a value used twice; the sigmoid of a small operand; another type in between */
    ValueId s = op1(h, OP_Sigmoid, scale), less = op2(h, OP_Less, x, s);
    harness_node(h, OP_Where, (ValueId[]){less, op2(h, OP_Mul, x, s), op2(h, OP_Sub, x, x)}, 3, 1,
                 NULL);
    harness_end_group(h);
    ValueId bytes = INPUT(h, DT_U8, 0, 255, 4, 6, 9);
    harness_begin_group(h); /* sums of bytes wrap before they are compared */
    op2(h, OP_Greater, op2(h, OP_Add, bytes, bytes), bytes);
    harness_end_group(h);
    ValueId half = INPUT(h, DT_F16, -3, 3, 4, 6, 9);
    harness_begin_group(h);
    op2(h, OP_Mul, op1(h, OP_Exp, half), half);
    harness_end_group(h);
    assert_int_equal(harness_run(h), 0);
}

/* Sums of bytes become floats: every operator rounds as the evaluator's, to the last bit, whatever the CPU can fuse. */
static void test_rounded(void **state)
{
    (void)state;
    Harness *h = harness_new("rounded");
    harness_optimise(h);
    harness_tolerance(h, 0, 0);
    ValueId sums = INPUT(h, DT_I32, -100000, 100000, 7, 90), scale = INPUT(h, DT_F32, -1, 1, 90),
            bias = INPUT(h, DT_F32, -1000, 1000, 90);
    harness_begin_group(h);
    NodeId cast = harness_node(h, OP_Cast, &sums, 1, 1, (Attr[]){ATTR_I("to", DT_F32), ATTR_END});
    ValueId product = op2(h, OP_Mul, harness_out(h, cast, 0), scale);
    op2(h, OP_Sub, op2(h, OP_Add, product, bias), product);
    harness_end_group(h);
    assert_int_equal(harness_run(h), 0);
}

static void test_layouts(void **state)
{
    (void)state;
    Harness *h = harness_new("layouts");
    for (int i = 0; i < 2; i++) {
        Layout l = i ? (Layout){.rank = 4, .order = {2, 3, 0, 1}} : layout_nxc(4);
        ValueId x = INPUT(h, DT_F32, -1, 1, 2, 32, 3, 5), y = INPUT(h, DT_F32, -1, 1, 2, 32, 3, 5);
        ValueId channel = INPUT(h, DT_F32, -1, 1, 32, 1, 1), row = INPUT(h, DT_F32, -1, 1, 5);
        ValueId scalar = harness_input(h, DT_F32, 0, NULL, 2, 3);
        harness_layout(h, x, l);
        harness_layout(h, y, l);
        ValueId others[] = {y, channel, row, scalar};
        for (size_t j = 0; j < COUNT_OF(others); j++)
            harness_layout(h, op2(h, OP_Sub, x, others[j]), l);
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_in_place(void **state)
{
    (void)state;
    Harness *h = harness_new("in_place");
    ValueId x = INPUT(h, DT_F32, -1, 1, 5, 1000), y = INPUT(h, DT_F32, -1, 1, 1000);
    harness_in_place(h, harness_node(h, OP_Sub, (ValueId[]){x, y}, 2, 1, NULL), 0);
    ValueId z = INPUT(h, DT_F32, -1, 1, 5, 1000);
    harness_in_place(h, harness_node(h, OP_Div, (ValueId[]){y, z}, 2, 1, NULL), 1);
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row),       cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_integer_corners), cmocka_unit_test(test_requantize),
        cmocka_unit_test(test_casts),           cmocka_unit_test(test_where_and_pow),
        cmocka_unit_test(test_groups),          cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_layouts),         cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
