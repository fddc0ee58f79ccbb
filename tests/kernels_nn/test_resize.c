/* Resize: every coordinate mode, rounding and kernel; axes anywhere. */
#include "nn.h"

static const char *const modes[] = {"half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel",
                                    "align_corners", "asymmetric",           "tf_crop_and_resize"};
static const char *const nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

static void resize(Harness *h, DType t, int rank, const int64_t *src, const int64_t *dst,
                   const char *kind, const char *mode, const char *rounding, bool exclude)
{
    double scales[8], roi[16];
    for (int d = 0; d < rank; d++) {
        scales[d] = (double)dst[d] / (double)src[d];
        roi[d] = src[d] == dst[d] ? 0 : 0.2;
        roi[d + rank] = src[d] == dst[d] ? 1 : 1.3;
    }
    ValueId x = harness_input(h, t, rank, src, -3, 3);
    Attr a[] = {ATTR_S("coordinate_transformation_mode", mode),
                ATTR_F("cubic_coeff_a", -0.75),
                ATTR_I("exclude_outside", exclude),
                ATTR_F("extrapolation_value", 7),
                ATTR_S("mode", kind),
                ATTR_S("nearest_mode", rounding),
                ATTR_FS("roi", roi, (size_t)rank * 2),
                ATTR_FS("scales", scales, (size_t)rank),
                ATTR_IS("sizes", dst, (size_t)rank),
                ATTR_END};
    harness_node(h, OP_Resize, &x, 1, 1, a);
}

static void test_resize(void **state)
{
    (void)state;
    Harness *h = harness_new("resize");
    harness_tolerance(h, 1e-4, 1e-5);
    for (size_t m = 0; m < COUNT_OF(modes); m++) {
        for (size_t i = 0; i < COUNT_OF(nearest); i++) {
            resize(h, DT_F32, 4, DIMS(1, 2, 4, 6), DIMS(1, 2, 8, 12), "nearest", modes[m],
                   nearest[i], false);
            resize(h, DT_F32, 4, DIMS(1, 2, 7, 6), DIMS(1, 2, 5, 9), "nearest", modes[m],
                   nearest[i], false);
        }
        resize(h, DT_U8, 4, DIMS(2, 3, 4, 2), DIMS(2, 7, 9, 2), "nearest", modes[m], nearest[0],
               false);
        resize(h, DT_F32, 4, DIMS(1, 2, 4, 6), DIMS(1, 2, 8, 9), "linear", modes[m], "floor",
               false);
        resize(h, DT_F32, 4, DIMS(1, 2, 9, 6), DIMS(1, 2, 4, 2), "linear", modes[m], "floor", true);
        resize(h, DT_F32, 4, DIMS(1, 2, 4, 6), DIMS(1, 2, 8, 9), "cubic", modes[m], "floor", false);
        resize(h, DT_F32, 4, DIMS(2, 6, 7, 3), DIMS(2, 4, 12, 3), "cubic", modes[m], "floor", true);
        resize(h, DT_F64, 5, DIMS(1, 2, 3, 4, 5), DIMS(1, 2, 5, 4, 8), "linear", modes[m], "floor",
               false);
        resize(h, DT_F32, 3, DIMS(2, 3, 4), DIMS(3, 5, 7), "linear", modes[m], "floor", false);
        resize(h, DT_F32, 1, DIMS(8), DIMS(3), "linear", modes[m], "floor", false);
    }
    resize(h, DT_F32, 2, DIMS(3, 2000), DIMS(5, 2001), "linear", "half_pixel", "floor", false);
    resize(h, DT_F32, 2, DIMS(3, 4), DIMS(3, 4), "linear", "half_pixel", "floor", false);
    resize(h, DT_F32, 3, DIMS(3, 4, 5), DIMS(6, 4, 10), "nearest", "asymmetric", "floor", false);
    assert_int_equal(harness_run(h), 0);
}

static void test_half(void **state)
{
    (void)state;
    Harness *h = harness_new("resize_half");
    resize(h, DT_F16, 4, DIMS(1, 2, 4, 6), DIMS(1, 2, 8, 9), "linear", "half_pixel", "floor",
           false);
    resize(h, DT_BF16, 4, DIMS(1, 2, 4, 6), DIMS(1, 2, 8, 9), "cubic", "half_pixel", "floor",
           false);
    resize(h, DT_F16, 4, DIMS(1, 2, 4, 6), DIMS(1, 2, 8, 9), "nearest", "tf_crop_and_resize",
           "floor", false);
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_resize), cmocka_unit_test(test_half)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
