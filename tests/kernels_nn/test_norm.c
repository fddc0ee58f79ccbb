/* Normalisations and softmax. */
#include "nn.h"

static const DType types[] = {DT_F32, DT_F16, DT_F64, DT_BF16};

static void test_channels(void **state)
{
    (void)state;
    Harness *h = harness_new("channel_norm");
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        DType t = types[i];
        ValueId x = INPUT(h, t, -3, 3, 2, 6, 5, 7), x2 = INPUT(h, t, -3, 3, 4, 6);
        ValueId x3 = INPUT(h, t, -3, 3, 1, 6, 300), scale = INPUT(h, t, 0.5, 2, 6);
        ValueId shift = INPUT(h, t, -1, 1, 6), mean = INPUT(h, t, -1, 1, 6);
        ValueId var = INPUT(h, t, 0.1, 2, 6);
        Attr *eps = ATTRS(ATTR_F("epsilon", 1e-3));
        NODE(h, OP_BatchNormalization, 1, eps, x, scale, shift, mean, var);
        NODE(h, OP_BatchNormalization, 1, eps, x2, scale, shift, mean, var);
        NODE(h, OP_InstanceNormalization, 1, eps, x, scale, shift);
        NODE(h, OP_InstanceNormalization, 1, eps, x3, scale, shift);
        for (int64_t groups = 1; groups <= 6; groups += groups)
            if (6 % groups == 0)
                NODE(h, OP_GroupNormalization, 1,
                     ATTRS(ATTR_F("epsilon", 1e-5), ATTR_I("num_groups", groups)), x, scale, shift);
        for (int64_t size = 1; size < 8; size += 2)
            NODE(h, OP_LRN, 1,
                 ATTRS(ATTR_F("alpha", 0.1), ATTR_F("beta", size == 3 ? 0.5 : 0.75),
                       ATTR_F("bias", 1.5), ATTR_I("size", size)),
                 size == 5 ? x3 : x);
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_rows(void **state)
{
    (void)state;
    Harness *h = harness_new("row_norm");
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        DType t = types[i];
        ValueId x = INPUT(h, t, -3, 3, 2, 3, 5, 7), wide = INPUT(h, t, 5, 9, 3, 100);
        ValueId s7 = INPUT(h, t, 0.5, 2, 7), s57 = INPUT(h, t, 0.5, 2, 5, 7);
        ValueId s357 = INPUT(h, t, 0.5, 2, 3, 5, 7), s100 = INPUT(h, t, 0.5, 2, 100);
        Attr *last = ATTRS(ATTR_I("axis", 3), ATTR_F("epsilon", 1e-5));
        Attr *two = ATTRS(ATTR_I("axis", 2), ATTR_F("epsilon", 1e-5));
        Attr *one = ATTRS(ATTR_I("axis", 1), ATTR_F("epsilon", 1e-5));
        NODE(h, OP_LayerNormalization, 3, last, x, s7, s7);
        NODE(h, OP_LayerNormalization, 1, two, x, s57, s57);
        NODE(h, OP_LayerNormalization, 1, one, x, s357);
        NODE(h, OP_LayerNormalization, 1, one, wide, s100, s100);
        NODE(h, OP_RMSNormalization, 1, last, x, s7);
        NODE(h, OP_RMSNormalization, 1, one, wide, s100);
        for (int64_t axis = 0; axis < 4; axis++)
            NODE(h, OP_LpNormalization, 1, ATTRS(ATTR_I("axis", axis), ATTR_I("p", axis % 2 + 1)),
                 x);
        ValueId many = INPUT(h, t, -3, 3, 3, 300);
        for (int64_t axis = 0; axis < 2; axis++) {
            NODE(h, OP_LpNormalization, 1, ATTRS(ATTR_I("axis", axis), ATTR_I("p", 2)), many);
            many = INPUT(h, t, -3, 3, 300, 3);
        }
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_softmax(void **state)
{
    (void)state;
    static const Op ops[] = {OP_Softmax, OP_LogSoftmax, OP_Hardmax};
    Harness *h = harness_new("softmax");
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        DType t = types[i];
        ValueId x = INPUT(h, t, -8, 8, 2, 3, 5, 70), y = INPUT(h, t, -80, 80, 3, 300);
        ValueId z = INPUT(h, t, -8, 8, 1, 3, 520), one = INPUT(h, t, -1, 1, 4, 1);
        ValueId across = INPUT(h, t, -8, 8, 3, 67, 5), few = INPUT(h, t, -80, 80, 77, 21);
        ValueId ones = INPUT(h, t, -1, 1, 100, 1);
        ValueId odd = INPUT(h, t, -100, 8, 19, 197), whole = INPUT(h, t, -8, 8, 9, 24);
        ValueId short_ones = INPUT(h, t, -8, 8, 3, 3);
        for (size_t k = 0; k < COUNT_OF(ops); k++) {
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 3), ATTR_I("axis_end", 4)), x);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), x);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 4)), x);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), y);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 0), ATTR_I("axis_end", 1)), y);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), z);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), one);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 2), ATTR_I("axis_end", 3)), across);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), few);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), ones);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), odd);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), whole);
            NODE(h, ops[k], 1, ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2)), short_ones);
        }
    }
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_channels), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_softmax)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
