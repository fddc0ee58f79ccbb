/* NonMaxSuppression, NonZero, Unique: rows that count and those that do not, against the evaluator. */
#include "nn.h"

/* Few values: many are equal. */
static ValueId rounded(Harness *h, ValueId x)
{
    return node_at(harness_graph(h), NODE(h, OP_Round, 1, NULL, x))->out[0];
}

/* Every way the operands may be given. */
static void test_non_max_suppression(void **state)
{
    (void)state;
    Harness *h = harness_new("suppression");
    const float iou_value = 0.4F, least_value = 0.1F;
    const int64_t most_value = 5;
    ValueId iou = harness_data(h, type_make(DT_F32, 0, NULL), &iou_value);
    ValueId least = harness_data(h, type_make(DT_F32, 1, DIMS(1)), &least_value);
    ValueId most = harness_data(h, type_make(DT_I64, 1, DIMS(1)), &most_value);
    for (int64_t n = 1; n < 200; n = n * 3 + 1) {
        ValueId boxes = INPUT(h, DT_F32, 0, 3, 2, n, 4), scores = INPUT(h, DT_F32, -1, 1, 2, 3, n);
        ValueId coarse = rounded(h, INPUT(h, DT_F32, -3, 3, 2, 3, n));
        for (unsigned given = 0; given < 8; given++)
            for (int64_t center = 0; center < 2; center++)
                NODE(h, OP_NonMaxSuppression, 2,
                     ATTRS(ATTR_I("center_point_box", center),
                           ATTR_I("limit", given == 3 && n > 9 ? 9 : n)),
                     boxes, given & 4 ? scores : coarse, given & 1 ? most : NO_VALUE,
                     given & 2 ? iou : NO_VALUE, given & 4 ? least : NO_VALUE);
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_no_rows(void **state)
{
    (void)state;
    Harness *h = harness_new("no_rows");
    ValueId boxes = INPUT(h, DT_F32, 0, 3, 1, 5, 4), scores = INPUT(h, DT_F32, -1, 1, 1, 2, 5);
    NODE(h, OP_NonMaxSuppression, 2, ATTRS(ATTR_I("center_point_box", 0), ATTR_I("limit", 0)),
         boxes, scores);
    assert_int_equal(harness_run(h), 0);
}

static const DType types[] = {DT_F32, DT_F64, DT_F16, DT_BF16, DT_I8,
                              DT_U8,  DT_I64, DT_U64, DT_BOOL};

static void test_non_zero(void **state)
{
    (void)state;
    Harness *h = harness_new("non_zero");
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const double low = dtype_is_float(types[t]) || types[t] == DT_I8 ? -1 : 0;
        ValueId x = INPUT(h, types[t], low, 1, 3, 1, 7), line = INPUT(h, types[t], low, 1, 40);
        if (dtype_is_float(types[t])) {
            x = rounded(h, x);
            line = rounded(h, line);
        }
        NODE(h, OP_NonZero, 2, NULL, x);
        NODE(h, OP_NonZero, 2, NULL, line);
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_unique(void **state)
{
    (void)state;
    Harness *h = harness_new("unique");
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int64_t axis = 0; axis < 3; axis++)
            for (int64_t sorted = 0; sorted < 2; sorted++) {
                const double low = dtype_is_float(types[t]) || types[t] == DT_I8 ? -1 : 0;
                ValueId x = INPUT(h, types[t], low, types[t] == DT_BOOL ? 1 : 2, axis ? 1 : 50, 2,
                                  axis == 2 ? 50 : 1);
                if (dtype_is_float(types[t]))
                    x = rounded(h, x);
                NODE(h, OP_Unique, 4, ATTRS(ATTR_I("axis", axis), ATTR_I("sorted", sorted)), x);
            }
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_non_max_suppression),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_non_zero),
        cmocka_unit_test(test_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
