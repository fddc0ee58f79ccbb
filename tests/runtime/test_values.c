/* What is said of all elements: in blocks and lanes, it is the same as one by one. */
#include "dnnlc_values.h"
#include "testing.h"

#include <math.h>

static struct dnnlc_array make(int dtype, size_t count)
{
    char why[256];
    struct dnnlc_array array;
    assert_true(
        dnnlc_array_describe(&array, dtype, 1, &(int64_t){(int64_t)count}, why, sizeof why));
    assert_true(dnnlc_array_alloc(&array, why, sizeof why));
    return array;
}

static void expect_summary(const struct dnnlc_array *array)
{
    const struct dnnlc_summary s = dnnlc_summarise(array);
    double least = INFINITY, largest = -INFINITY, sum = 0;
    size_t finite = 0, nans = 0;
    for (size_t i = 0; i < array->count; i++) {
        const double value = dnnlc_array_element(array, i);
        nans += isnan(value) != 0;
        if (!isfinite(value))
            continue;
        finite++;
        least = fmin(least, value);
        largest = fmax(largest, value);
        sum += value;
    }
    assert_true(s.finite == finite && s.nans == nans);
    assert_true(s.least == least && s.largest == largest);
    assert_true(fabs(s.sum - sum) <= 1e-12 * (double)array->count);
}

/* Around the ends of blocks of 256, each third element NaN or infinite in some of them. */
static void summaries(void **state)
{
    static const size_t counts[] = {0, 1, 15, 16, 255, 256, 257, 511, 512, 1000};
    static const float special[] = {1, NAN, INFINITY, -INFINITY};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
            struct dnnlc_array array = make(DNNLC_F32, counts[c]);
            dnnlc_random_fill(&array, c, k);
            for (size_t i = 2; i < array.count; i += 3)
                ((float *)array.data)[i] = special[k];
            expect_summary(&array);
            dnnlc_array_free(&array);
        }
}

static void summaries_of_types(void **state)
{
    static const int types[] = {DNNLC_U8, DNNLC_I64, DNNLC_F16, DNNLC_BF16, DNNLC_F64, DNNLC_BOOL};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct dnnlc_array array = make(types[t], 300);
        dnnlc_random_fill(&array, 7, t);
        expect_summary(&array);
        dnnlc_array_free(&array);
    }
}

/* The formula that other programs make the same inputs by. */
static void random_elements(void **state)
{
    struct dnnlc_array array = make(DNNLC_F32, 1000);
    (void)state;
    dnnlc_random_fill(&array, 42, 3);
    for (size_t i = 0; i < array.count; i++) {
        const uint64_t bits = dnnlc_splitmix64(42 * 1000003 + 3 * 7919 + i);
        const double unit = (double)(bits >> 11) * 0x1p-53;
        assert_true(((float *)array.data)[i] == (float)(-1.0 + 2.0 * unit));
    }
    dnnlc_array_free(&array);
}

/* What is allocated behind it is as good as before, and can be written as a whole. */
static void expected_heap(void **state)
{
    void *block[8];
    (void)state;
    dnnlc_heap_expect(100);
    dnnlc_heap_expect(3 << 20);
    dnnlc_heap_expect(SIZE_MAX);
    assert_true(dnnlc_heap_part(4096) == 4096 && dnnlc_heap_part(2 << 20) == 0);
    for (size_t i = 0; i < 8; i++) {
        block[i] = dnnlc_alloc_aligned((size_t)100 << 2 * i, DNNLC_ALIGN);
        assert_non_null(block[i]);
        memset(block[i], (int)i, (size_t)100 << 2 * i);
    }
    for (size_t i = 0; i < 8; i++) {
        for (size_t at = 0; at < (size_t)100 << 2 * i; at++)
            assert_true(((unsigned char *)block[i])[at] == i);
        free(block[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries),
        cmocka_unit_test(summaries_of_types),
        cmocka_unit_test(random_elements),
        cmocka_unit_test(expected_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
