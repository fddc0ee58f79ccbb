/* GridSample, RoiAlign, MaxRoiPool. */
#include "nn.h"

static void test_grid_sample(void **state)
{
    (void)state;
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    static const char *const paddings[] = {"zeros", "border", "reflection"};
    Harness *h = harness_new("grid_sample");
    harness_tolerance(h, 1e-4, 1e-5);
    ValueId x = INPUT(h, DT_F32, -3, 3, 2, 3, 5, 6), g = INPUT(h, DT_F32, -1.7, 1.7, 2, 4, 5, 2);
    ValueId x3 = INPUT(h, DT_F32, -3, 3, 1, 2, 3, 4, 5),
            g3 = INPUT(h, DT_F32, -3, 3, 1, 2, 3, 4, 3);
    ValueId xd = INPUT(h, DT_F64, -3, 3, 1, 1, 1, 6), gd = INPUT(h, DT_F64, -9, 9, 1, 4, 5, 2);
    for (size_t m = 0; m < COUNT_OF(modes); m++)
        for (size_t p = 0; p < COUNT_OF(paddings); p++)
            for (int align = 0; align < 2; align++) {
                Attr *a = ATTRS(ATTR_I("align_corners", align), ATTR_S("mode", modes[m]),
                                ATTR_S("padding_mode", paddings[p]));
                NODE(h, OP_GridSample, 1, a, x, g);
                NODE(h, OP_GridSample, 1, a, x3, g3);
                NODE(h, OP_GridSample, 1, a, xd, gd);
            }
    assert_int_equal(harness_run(h), 0);
}

static void test_regions(void **state)
{
    (void)state;
    static const DType types[] = {DT_F32, DT_F64};
    Harness *h = harness_new("regions");
    harness_tolerance(h, 1e-4, 1e-5);
    double boxes[] = {1, 2, 7, 9, 0, 0, 3.5, 2.25, 5, 5, 30, 30, 4, 4, 4.25, 4.25};
    double rois[] = {0, 1, 2, 7, 9, 1, 0, 0, 3.5, 2.25, 1, 5, 5, 30, 30, 0, 4, 4, 2, 2};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        DType t = types[i];
        double typed[20], typed_rois[20];
        for (size_t j = 0; j < 16; j++)
            elem_set_f64(t, typed, j, boxes[j]);
        for (size_t j = 0; j < 20; j++)
            elem_set_f64(t, typed_rois, j, rois[j]);
        ValueId x = INPUT(h, t, -3, 3, 2, 3, 11, 12);
        ValueId b = harness_data(h, type_make(t, 2, DIMS(4, 4)), typed);
        ValueId r = harness_data(h, type_make(t, 2, DIMS(4, 5)), typed_rois);
        ValueId n = harness_data(h, type_make(DT_I64, 1, DIMS(4)), DIMS(0, 1, 1, 0));
        for (int v = 0; v < 8; v++)
            NODE(h, OP_RoiAlign, 1,
                 ATTRS(ATTR_I("half_pixel", v & 1), ATTR_S("mode", v & 2 ? "max" : "avg"),
                       ATTR_I("output_height", 3), ATTR_I("output_width", 4),
                       ATTR_I("sampling_ratio", v & 4 ? 2 : 0), ATTR_F("spatial_scale", 0.75)),
                 x, b, n);
        NODE(h, OP_MaxRoiPool, 1, ATTRS(INTS("pooled_shape", 3, 2), ATTR_F("spatial_scale", 1)), x,
             r);
        NODE(h, OP_MaxRoiPool, 1, ATTRS(INTS("pooled_shape", 3, 2), ATTR_F("spatial_scale", 0.5)),
             x, r);
    }
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid_sample),
                                       cmocka_unit_test(test_regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
