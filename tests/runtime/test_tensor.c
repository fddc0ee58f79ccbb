/* Element types, conversions and sizes. */
#include "testing.h"

#include <math.h>

static void every_f16_survives(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 65536; bits++) {
        float value = dnnlc_f16_to_f32((uint16_t)bits);
        if (isnan(value))
            assert_true(isnan(dnnlc_f16_to_f32(dnnlc_f32_to_f16(value))));
        else
            assert_int_equal(dnnlc_f32_to_f16(value), bits);
    }
}

static void every_bf16_survives(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 65536; bits++) {
        float value = dnnlc_bf16_to_f32((uint16_t)bits);
        if (isnan(value))
            assert_true(isnan(dnnlc_bf16_to_f32(dnnlc_f32_to_bf16(value))));
        else
            assert_int_equal(dnnlc_f32_to_bf16(value), bits);
    }
}

static void known_f16_values(void **state)
{
    (void)state;
    assert_true(dnnlc_f16_to_f32(0x3c00) == 1.0f);
    assert_true(dnnlc_f16_to_f32(0xc000) == -2.0f);
    assert_true(dnnlc_f16_to_f32(0x7bff) == 65504.0f);
    assert_true(dnnlc_f16_to_f32(0x0001) == 0x1p-24f);
    assert_int_equal(dnnlc_f32_to_f16(65519.0f), 0x7bff);
    assert_int_equal(dnnlc_f32_to_f16(65520.0f), 0x7c00);
    assert_int_equal(dnnlc_f32_to_f16(-1e30f), 0xfc00);
}

/* Half-way between two neighbours the even one is taken; the least step beyond goes on. */
static void f16_ties_go_to_even(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7bff; bits++) {
        float low = dnnlc_f16_to_f32((uint16_t)bits), high = dnnlc_f16_to_f32((uint16_t)(bits + 1));
        float middle = (low + high) / 2;
        assert_int_equal(dnnlc_f32_to_f16(middle), bits + (bits & 1));
        assert_int_equal(dnnlc_f32_to_f16(nextafterf(middle, high)), bits + 1);
        assert_int_equal(dnnlc_f32_to_f16(nextafterf(middle, low)), bits);
    }
}

static void bf16_rounds(void **state)
{
    (void)state;
    assert_int_equal(dnnlc_f32_to_bf16(1.0f), 0x3f80);
    assert_int_equal(dnnlc_f32_to_bf16(1.0f + 0x1p-8f), 0x3f80);
    assert_int_equal(dnnlc_f32_to_bf16(1.0f + 0x3p-8f), 0x3f82);
    assert_int_equal(dnnlc_f32_to_bf16(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81);
    assert_int_equal(dnnlc_f32_to_bf16(3.4028235e38f), 0x7f80);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    char why[WHY];
    struct dnnlc_array array;
    const int64_t huge[] = {INT64_C(1) << 31, INT64_C(1) << 31}, empty[] = {0, INT64_MAX};
    const int64_t negative[] = {2, -1}, many[DNNLC_MAX_RANK + 1] = {0};
    assert_false(dnnlc_array_describe(&array, DNNLC_F32, 2, huge, why, sizeof why));
    assert_contains(why, "the shape has too many elements");
    assert_false(dnnlc_array_describe(&array, DNNLC_F32, 2, negative, why, sizeof why));
    assert_contains(why, "dimension 1 is -1");
    assert_false(
        dnnlc_array_describe(&array, DNNLC_F32, DNNLC_MAX_RANK + 1, many, why, sizeof why));
    assert_contains(why, "13 dimensions, at most 12 are supported");
    assert_false(dnnlc_array_describe(&array, 8, 0, NULL, why, sizeof why));
    assert_contains(why, "type 8");
    assert_false(dnnlc_array_describe(&array, DNNLC_F32, 2, empty, why, sizeof why));
    assert_true(dnnlc_array_describe(&array, DNNLC_U64, 1, empty, why, sizeof why));
    assert_int_equal(array.count, 0);
    assert_true(dnnlc_array_describe(&array, DNNLC_U64, 0, NULL, why, sizeof why));
    assert_int_equal(array.count, 1);
    assert_int_equal(array.bytes, 8);
}

static void elements_read_as_double(void **state)
{
    (void)state;
    static const unsigned char ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const double expected[] = {NAN, 255, -1,  65535,      -1,     -1, -1,
                                      255, NAN, NAN, 4294967295, 0x1p64, NAN};
    for (int i = 0; i < N_ALL_DTYPES; i++) {
        struct dnnlc_array array = counting_array(all_dtypes[i], 0, NULL);
        memcpy(array.data, ones, array.bytes);
        double value = dnnlc_array_element(&array, 0);
        assert_true(value == expected[i] || (isnan(value) && isnan(expected[i])));
        dnnlc_array_free(&array);
        assert_null(array.data);
    }
}

static void texts(void **state)
{
    (void)state;
    char shape[DNNLC_SHAPE_TEXT], why[16];
    int64_t dims[DNNLC_MAX_RANK];
    for (int d = 0; d < DNNLC_MAX_RANK; d++)
        dims[d] = INT64_MAX;
    assert_string_equal(dnnlc_shape_text(shape, DNNLC_BF16, 0, NULL), "bf16[]");
    assert_int_equal(strlen(dnnlc_shape_text(shape, DNNLC_F32, DNNLC_MAX_RANK, dims)), 244);
    assert_false(dnnlc_fail(why, sizeof why, "%s", "a\nb\tc and more than fits"));
    assert_string_equal(why, "a?b?c and more ");
    assert_false(dnnlc_fail(why, 0, "nothing is written"));
    assert_string_equal(why, "a?b?c and more ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_survives),
        cmocka_unit_test(every_bf16_survives),
        cmocka_unit_test(known_f16_values),
        cmocka_unit_test(f16_ties_go_to_even),
        cmocka_unit_test(bf16_rounds),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(elements_read_as_double),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
