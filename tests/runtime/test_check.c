/* The tolerance of --check. */
#include "testing.h"

#include "dnnlc_check.h"

#include <math.h>

enum { MAX = 8 };

static struct dnnlc_difference compare_f32(const float *out, const float *ref, size_t count,
                                           double rtol, double atol)
{
    float a[MAX], b[MAX];
    for (size_t i = 0; i < count; i++) {
        a[i] = out[i];
        b[i] = ref[i];
    }
    const struct dnnlc_array arrays[] = {
        {.dtype = DNNLC_F32, .rank = 1, .dims = {(int64_t)count}, .count = count, .data = a},
        {.dtype = DNNLC_F32, .rank = 1, .dims = {(int64_t)count}, .count = count, .data = b}};
    return dnnlc_compare(&arrays[0], &arrays[1], rtol, atol);
}

static bool agree(float out, float ref, double rtol, double atol)
{
    return compare_f32(&out, &ref, 1, rtol, atol).failed == 0;
}

static void exact_at_the_edge(void **state)
{
    (void)state;
    assert_true(agree(1.5f, 1, 0.5, 0));
    assert_false(agree(1.5f, 1, 0.4999, 0));
    assert_true(agree(0.25f, 0, 0, 0.25));
    assert_false(agree(0.25f, 0, 0, 0.24));
    assert_true(agree(1.75f, 1, 0.5, 0.25)); /* both tolerances add up */
    assert_false(agree(1.76f, 1, 0.5, 0.25));
    assert_true(agree(0, -0.0f, 0, 0));
    assert_false(agree(0x1p-149f, 0, 0, 0));
}

/* atol is scaled by the largest reference element, but never down; rtol by the element's own. */
static void scales(void **state)
{
    (void)state;
    static const float ref[] = {100, 0, 0.001f};
    const float shifted[] = {100, 0.5f, 0.001f};
    assert_int_equal(compare_f32(shifted, ref, 3, 0, 0.005).failed, 0);
    assert_int_equal(compare_f32(shifted, ref, 3, 0, 0.0049).failed, 1);
    assert_int_equal(compare_f32(shifted, ref, 3, 0.9, 0).failed, 1);
    assert_false(agree(0.5f, 0.001f, 0, 0.4));
    assert_true(agree(0.4f, 0.001f, 0, 0.4));
}

enum { MANY = 4000 };

/* `off` of MANY elements of size 1 are off by `by`; all others by `noise`. */
static struct dnnlc_distance measure(size_t off, float by, float noise)
{
    static float out[MANY], ref[MANY];
    for (size_t i = 0; i < MANY; i++) {
        ref[i] = i % 2 ? 1 : -1;
        out[i] = ref[i] + (i < off ? by : noise);
    }
    const struct dnnlc_array arrays[] = {
        {.dtype = DNNLC_F32, .rank = 1, .dims = {MANY}, .count = MANY, .data = out},
        {.dtype = DNNLC_F32, .rank = 1, .dims = {MANY}, .count = MANY, .data = ref}};
    return dnnlc_measure(&arrays[0], &arrays[1]);
}

static void bf16_as_a_whole(void **state)
{
    (void)state;
    struct dnnlc_distance d = measure(0, 0, 0);
    assert_true(d.agrees && d.diff == 0 && d.cosine == 1 && d.relative == 0);
    d = measure(0, 0, 0.03f);
    assert_true(d.agrees && fabs(d.relative - 0.03) < 1e-6 && fabs(d.rms - 0.03) < 1e-6);
    assert_false(measure(0, 0, 0.06f).agrees); /* all of it */
    d = measure(4, 0.5f, 0);                   /* one in a thousand may be an outlier */
    assert_true(d.agrees && d.outliers == 4 && d.rare == 4);
    assert_false(measure(5, 0.5f, 0).agrees);
    assert_false(measure(1, 100, 0).agrees); /* but not as wrong as that */
    d = measure(1, NAN, 0);
    assert_true(!d.agrees && d.misfits == 1);
    d = measure(1, INFINITY, 0);
    assert_true(!d.agrees && d.misfits == 1);
}

/* In a short array no element may be an outlier; nothing is compared with nothing. */
static void bf16_short(void **state)
{
    (void)state;
    float out[] = {1, 2, 3.5f, 0}, ref[] = {1, 2, 3, 0}, zero[] = {0, 0, 0, 0};
    const struct dnnlc_array a = {
        .dtype = DNNLC_F32, .rank = 1, .dims = {4}, .count = 4, .data = out};
    struct dnnlc_array b = a;
    b.data = ref;
    assert_false(dnnlc_measure(&a, &b).agrees);
    out[2] = 3.1f;
    assert_true(dnnlc_measure(&a, &b).agrees);
    b.data = zero;
    assert_false(dnnlc_measure(&a, &b).agrees);
    out[0] = out[1] = out[2] = 1e-6f;
    assert_true(dnnlc_measure(&a, &b).agrees);
    b.count = 0;
    assert_true(dnnlc_measure(&b, &b).agrees);
}

static void not_a_number(void **state)
{
    (void)state;
    assert_true(agree(NAN, NAN, 0, 0));
    assert_true(agree(-NAN, NAN, 0, 0));
    assert_false(agree(NAN, 1, 1e9, 1e9));
    assert_false(agree(1, NAN, 1e9, 1e9));
    assert_false(agree(NAN, INFINITY, 1e9, 1e9));
    assert_false(agree(INFINITY, NAN, 1e9, 1e9));
}

/* An infinite reference neither lets finite values pass nor widens the others' tolerance. */
static void infinity(void **state)
{
    (void)state;
    assert_true(agree(INFINITY, INFINITY, 0, 0));
    assert_true(agree(-INFINITY, -INFINITY, 0, 0));
    assert_false(agree(INFINITY, -INFINITY, 1, 1));
    assert_false(agree(3e38f, INFINITY, 1, 1));
    assert_false(agree(INFINITY, 3e38f, 1, 1));
    static const float ref[] = {INFINITY, 1}, out[] = {INFINITY, 2};
    assert_int_equal(compare_f32(out, ref, 2, 1e-3, 1e-5).failed, 1);
}

static void worst_element(void **state)
{
    (void)state;
    static const float ref[] = {1, 1, 1000, 1}, out[] = {1, 1.25f, 1001, 1.125f};
    struct dnnlc_difference d = compare_f32(out, ref, 4, 0.125, 0);
    assert_int_equal(d.failed, 1);
    assert_int_equal(d.worst, 1);
    assert_true(d.diff == 0.25 && d.allowed == 0.125 && d.share == 2);
    d = compare_f32(ref, ref, 4, 0, 0);
    assert_true(d.failed == 0 && d.diff == 0 && d.share == 0);
    static const float nan[] = {5, 1, 1000, NAN};
    d = compare_f32(nan, ref, 4, 0.125, 0);
    assert_int_equal(d.failed, 2);
    assert_int_equal(d.worst, 3);
}

static void integers(void **state)
{
    (void)state;
    int64_t a[] = {INT64_MAX, INT64_MIN, 7}, b[] = {INT64_MAX - 1, INT64_MAX, 7};
    uint8_t t[] = {0, 1, 255}, f[] = {0, 1, 1};
    struct dnnlc_array out = {.dtype = DNNLC_I64, .count = 3, .data = a};
    struct dnnlc_array ref = {.dtype = DNNLC_I64, .count = 3, .data = b};
    struct dnnlc_difference d = dnnlc_compare(&out, &ref, 0, 0);
    assert_int_equal(d.failed, 2);
    assert_int_equal(dnnlc_compare(&out, &ref, 1e-3, 0).failed, 1);
    assert_true(dnnlc_compare(&out, &ref, 1e-3, 0).diff == 0x1p64);
    out = (struct dnnlc_array){.dtype = DNNLC_BOOL, .count = 3, .data = t};
    ref = (struct dnnlc_array){.dtype = DNNLC_BOOL, .count = 3, .data = f};
    d = dnnlc_compare(&out, &ref, 1e-3, 1e-5);
    assert_int_equal(d.failed, 1);
    assert_int_equal(d.worst, 2);
}

static void no_elements(void **state)
{
    (void)state;
    assert_int_equal(compare_f32(NULL, NULL, 0, 0, 0).failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_at_the_edge), cmocka_unit_test(scales),
        cmocka_unit_test(bf16_as_a_whole),   cmocka_unit_test(bf16_short),
        cmocka_unit_test(not_a_number),      cmocka_unit_test(infinity),
        cmocka_unit_test(worst_element),     cmocka_unit_test(integers),
        cmocka_unit_test(no_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
