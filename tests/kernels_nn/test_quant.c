/* Quantisation: per tensor and per axis, all types; integer products. */
#include "nn.h"

static ValueId zeros(Harness *h, DType t, int64_t n)
{
    int64_t nothing[8] = {0};
    return harness_const(h, type_make(t, n ? 1 : 0, &n), nothing);
}

static void test_linear(void **state)
{
    (void)state;
    static const DType types[] = {DT_U8, DT_I8, DT_U16, DT_I16};
    static const DType floats[] = {DT_F32, DT_F16};
    Harness *h = harness_new("quantize_linear");
    int64_t three = 3;
    for (size_t i = 0; i < COUNT_OF(types); i++)
        for (size_t f = 0; f < COUNT_OF(floats); f++) {
            DType t = types[i], ft = floats[f];
            double lo = t == DT_U8 || t == DT_U16 ? 0 : -100;
            ValueId x = INPUT(h, ft, -300, 300, 2, 3, 7), q = INPUT(h, t, lo, 100, 2, 3, 7);
            ValueId s = harness_input(h, ft, 0, NULL, 0.8, 1.2);
            ValueId s3 = harness_input(h, ft, 1, &three, 0.5, 2);
            ValueId z = harness_input(h, t, 0, NULL, lo, 100);
            ValueId z3 = harness_input(h, t, 1, &three, lo, 100);
            Attr *to = ATTRS(ATTR_I("axis", 1), ATTR_I("to", t));
            NODE(h, OP_QuantizeLinear, 1, to, x, s, z);
            NODE(h, OP_QuantizeLinear, 1, to, x, s, zeros(h, t, 0));
            NODE(h, OP_QuantizeLinear, 1, to, x, s3, z3);
            NODE(h, OP_QuantizeLinear, 1, to, x, s3);
            Attr *axis = ATTRS(ATTR_I("axis", 1));
            NODE(h, OP_DequantizeLinear, 1, axis, q, s, z);
            NODE(h, OP_DequantizeLinear, 1, axis, q, s3, z3);
            NODE(h, OP_DequantizeLinear, 1, axis, q, s3);
            NODE(h, OP_DequantizeLinear, 1, axis, q, s3, zeros(h, t, 3));
        }
    ValueId big = INPUT(h, DT_I32, -100000, 100000, 2, 3, 7);
    ValueId s = harness_input(h, DT_F32, 0, NULL, 0.1, 0.2);
    NODE(h, OP_DequantizeLinear, 1, ATTRS(ATTR_I("axis", 1)), big, s);
    assert_int_equal(harness_run(h), 0);
}

/* The multiples of x from -200 to 310 times. */
static ValueId quotients(Harness *h, float x)
{
    enum { LOW = -200, HIGH = 310, SIZE = HIGH - LOW + 1 };
    const int64_t size = SIZE;
    float data[SIZE];
    for (int i = 0; i < SIZE; i++)
        data[i] = (float)(LOW + i) * x;
    return harness_data(h, type_make(DT_F32, 1, &size), data);
}

static void test_dynamic(void **state)
{
    (void)state;
    Harness *h = harness_new("dynamic_quantize");
    ValueId x = INPUT(h, DT_F32, -3, 5, 5, 13), y = INPUT(h, DT_F32, 1, 2, 5);
    ValueId z = INPUT(h, DT_F32, 0, 0, 32);
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, x);
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, y);
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, z);
    ValueId many = INPUT(h, DT_F32, -3, 5, 5, 1301); /* in blocks, and a rest */
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, many);
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, quotients(h, 0.5f)); /* ties, the scale being 1 */
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, quotients(h, 0.49999f));
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, quotients(h, 3e-37f));
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, quotients(h, 1e-41f)); /* no finite inverse */
    NODE(h, OP_DynamicQuantizeLinear, 3, NULL, quotients(h, 2e35f));
    harness_optimise(h);
    assert_int_equal(harness_run(h), 0);
}

static void test_matmul(void **state)
{
    (void)state;
    Harness *h = harness_new("matmul_integer");
    int64_t m = 5, n = 30;
    ValueId a = INPUT(h, DT_U8, 0, 255, 5, 17), b = INPUT(h, DT_I8, -128, 127, 17, 30);
    ValueId za = harness_input(h, DT_U8, 0, NULL, 1, 200);
    ValueId zb = harness_input(h, DT_I8, 0, NULL, -20, 20);
    ValueId zam = harness_input(h, DT_U8, 1, &m, 1, 200),
            zbn = harness_input(h, DT_I8, 1, &n, -9, 9);
    NODE(h, OP_MatMulInteger, 1, NULL, a, b);
    NODE(h, OP_MatMulInteger, 1, NULL, a, b, za, zb);
    NODE(h, OP_MatMulInteger, 1, NULL, a, b, zam, zbn);
    NODE(h, OP_MatMulInteger, 1, NULL, a, b, zeros(h, DT_U8, 0), zbn);
    ValueId a3 = INPUT(h, DT_U8, 0, 255, 2, 3, 5, 17), b3 = INPUT(h, DT_I8, -128, 127, 3, 17, 30);
    NODE(h, OP_MatMulInteger, 1, NULL, a3, b3, za, zb);
    ValueId sa = harness_input(h, DT_F32, 0, NULL, 0.01, 0.02),
            sy = harness_input(h, DT_F32, 0, NULL, 0.5, 0.6);
    ValueId sb = harness_input(h, DT_F32, 1, &n, 0.01, 0.02),
            zy = harness_input(h, DT_U8, 0, NULL, 100, 140);
    ValueId sb1 = harness_input(h, DT_F32, 0, NULL, 0.01, 0.02);
    NODE(h, OP_QLinearMatMul, 1, NULL, a, sa, za, b, sb, zbn, sy, zy);
    NODE(h, OP_QLinearMatMul, 1, NULL, a3, sa, za, b3, sb1, zb, sy, zy);
    NODE(h, OP_QLinearMatMul, 1, NULL, a3, sa, za, b, sb, zeros(h, DT_I8, 0), sy,
         zeros(h, DT_U8, 0));
    ValueId half = harness_input(h, DT_F16, 0, NULL, 0.1, 0.2);
    NODE(h, OP_QLinearMatMul, 1, NULL, a, half, za, b, half, zb, half, zy);
    assert_int_equal(harness_run(h), 0);
}

/* Scales and limits of quantised types, and what has no steps or too many. */
static void test_quotients(void **state)
{
    (void)state;
    const double scales[] = {1, 0.5, 2, 3, 0.1, 2.8406289, 1.0 / 255, 0.0039215689, 1e-9, 1e9};
    for (size_t i = 0; i < COUNT_OF(scales); i++) {
        const double s = (double)(float)scales[i];
        assert_true(c_quotient_is_product(s, 0, 255));
        assert_true(c_quotient_is_product(s, -128, 127));
        assert_true(c_quotient_is_product(s, -114, 141));
        assert_true(c_quotient_is_product(s, -32768, 32767));
    }
    assert_false(c_quotient_is_product(0, 0, 255));
    assert_false(c_quotient_is_product(-1, 0, 255));
    assert_false(c_quotient_is_product((double)NAN, 0, 255));
    assert_false(c_quotient_is_product((double)INFINITY, 0, 255));
    assert_false(c_quotient_is_product(1e-30, 0, 255));
    assert_false(c_quotient_is_product(1, 0, (double)INFINITY));
    assert_false(c_quotient_is_product(1, (double)-INFINITY, 0));
    assert_false(c_quotient_is_product(1, 0, 255.5));
    assert_false(c_quotient_is_product(1, -1e6, 1e6));
    assert_true(c_limits_by_bits(0, 255) && c_limits_by_bits(-128, 127) && c_limits_by_bits(3, 7));
    assert_false(c_limits_by_bits(-0.0, 255) || c_limits_by_bits(-5, -1) ||
                 c_limits_by_bits(0, (double)INFINITY) || c_limits_by_bits(2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear), cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_dynamic), cmocka_unit_test(test_matmul)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
