/* How far two tensors are apart: units in the last place, numbers that are none, fewer rows. */
#include "../../gen/layers/difference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static Tensor tensor(DType dtype, int rank, const int64_t *dims, const void *data)
{
    return (Tensor){type_make(dtype, rank, dims), (void *)(uintptr_t)data};
}

static Difference apart(DType dtype, int64_t n, const void *reference, const void *got,
                        double allowed)
{
    const Tensor a = tensor(dtype, 1, &n, reference), b = tensor(dtype, 1, &n, got);
    return difference_of(&a, &b, allowed);
}

static void floats(void **state)
{
    (void)state;
    const float reference[] = {1, -2, 0, 4, 1.5f},
                got[] = {1, -2.5f, 1e-45f, 4, nextafterf(1.5f, 2)};
    const Difference d = apart(DT_F32, 5, reference, got, 0.25);
    assert_int_equal(d.elements, 5);
    assert_int_equal(d.different, 3);
    assert_int_equal(d.off, 1);
    assert_true(d.absolute == 0.5 && d.largest == 4 && d.relative == 0.25);
    assert_true(d.at == 1 && d.reference == -2 && d.got == -2.5);
    assert_true(fabs(d.rms - sqrt(0.05)) < 1e-6);
    assert_true(fabs(d.signal_ratio - 10 * log10(23.25 / 0.25)) < 1e-6);
    assert_int_equal(d.ulps[0], 2);
    assert_int_equal(d.ulps[1], 2); /* also from 0 to the smallest there is */
    assert_int_equal(d.ulps[ULP_CLASSES - 1], 1);
}

static void across_zero(void **state)
{
    (void)state;
    const float reference[] = {0.0f, -1e-45f}, got[] = {-0.0f, 1e-45f};
    const Difference d = apart(DT_F32, 2, reference, got, 0);
    assert_int_equal(d.ulps[0], 1);
    assert_int_equal(d.ulps[2], 1);
    const uint16_t one[] = {0x3c00, 0x8001}, more[] = {0x3c05, 0x0001}; /* f16 */
    const Difference half = apart(DT_F16, 2, one, more, 0);
    assert_int_equal(half.ulps[3], 1); /* 5 */
    assert_int_equal(half.ulps[2], 1); /* 2 */
    const double x[] = {1, -1}, y[] = {nextafter(1, 2), 1};
    const Difference wide = apart(DT_F64, 2, x, y, 0);
    assert_int_equal(wide.ulps[1], 1);
    assert_int_equal(wide.ulps[ULP_CLASSES - 1], 1);
}

static void no_numbers(void **state)
{
    (void)state;
    const float same[] = {NAN, INFINITY, -INFINITY, 3};
    Difference d = apart(DT_F32, 4, same, same, 0);
    assert_true(d.absolute == 0 && d.different == 0 && d.largest == 3 && isinf(d.signal_ratio) &&
                d.signal_ratio > 0);
    const float others[][2] = {
        {NAN, 1}, {1, NAN}, {INFINITY, 1}, {1, -INFINITY}, {INFINITY, -INFINITY}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        d = apart(DT_F32, 1, &others[i][0], &others[i][1], 0);
        assert_true(isinf(d.absolute) && isinf(d.rms) && d.different == 1 && d.off == 1 &&
                    d.at == 0);
    }
}

static void integers(void **state)
{
    (void)state;
    const int8_t reference[] = {-128, 0, 127, 5}, got[] = {127, 1, 127, 2};
    const Difference d = apart(DT_I8, 4, reference, got, 0.5);
    assert_true(d.absolute == 255 && d.at == 0 && d.off == 3);
    assert_int_equal(d.ulps[0], 1);
    assert_int_equal(d.ulps[1], 1);
    assert_int_equal(d.ulps[2], 1);
    assert_int_equal(d.ulps[8], 1); /* 128 to 255 */
    const int64_t far[] = {INT64_MIN}, away[] = {INT64_MAX};
    assert_int_equal(apart(DT_I64, 1, far, away, 0).ulps[ULP_CLASSES - 1], 1);
    const Difference none = apart(DT_I8, 0, reference, got, 0);
    assert_true(none.elements == 0 && none.absolute == 0 && none.rms == 0);
}

/* Rows that data count: the first two of three columns are there, and one of two rows. */
static void fewer_rows(void **state)
{
    (void)state;
    const float reference[] = {1, 2, 3, 4, 5, 6}, got[] = {1, 9};
    const Tensor a = tensor(DT_F32, 2, (int64_t[]){2, 3}, reference),
                 b = tensor(DT_F32, 2, (int64_t[]){1, 2}, got);
    const Difference d = difference_of(&a, &b, 0);
    assert_true(d.elements == 2 && d.absolute == 7 && d.at == 1 && d.reference == 2 && d.got == 9);
}

static void texts(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_string_equal(ulp_class_text(arena, 0), "0");
    assert_string_equal(ulp_class_text(arena, 1), "1");
    assert_string_equal(ulp_class_text(arena, 2), "2-3");
    assert_string_equal(ulp_class_text(arena, 11), "1024-2047");
    assert_string_equal(ulp_class_text(arena, ULP_CLASSES - 1), "2048 or more");
    const TensorType type = type_make(DT_F32, 3, (int64_t[]){2, 3, 4}),
                     scalar = type_make(DT_F32, 0, NULL);
    assert_string_equal(index_text(arena, &type, 23), "[1,2,3]");
    assert_string_equal(index_text(arena, &scalar, 0), "[]");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats),   cmocka_unit_test(across_zero), cmocka_unit_test(no_numbers),
        cmocka_unit_test(integers), cmocka_unit_test(fewer_rows),  cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
