/* The mathematical helpers of emitted C against the C library's double functions, over the whole range of floats. The
 * templates are included as they stand: what comes before //@begin is for them to compile alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../templates/c/exp.c"
#include "../../templates/c/exp_negative.c"
#include "../../templates/c/expm1.c"
#include "../../templates/c/log.c"

#include "../../templates/c/lesser.c"
#include "../../templates/c/erf.c"
#include "../../templates/c/gelu.c"
#include "../../templates/c/log1p.c"
#include "../../templates/c/mish.c"
#include "../../templates/c/sigmoid.c"
#include "../../templates/c/tanh.c"
/* and as it is where the processor has fused multiply-adds */
#define NET_CLONED
#define dnnlc_logistic_divisorf dnnlc_fused_divisorf
#define dnnlc_sigmoidf dnnlc_fused_sigmoidf
#define dnnlc_swishf dnnlc_fused_swishf
#include "../../templates/c/sigmoid.c"
#undef dnnlc_logistic_divisorf
#undef dnnlc_sigmoidf
#undef dnnlc_swishf

#include "../../gen/base/dtype.h"
#include "../../runtime-stub/dnnlc_denormals.h"
#include "../../templates/c/bf16.c"
#include "../../templates/c/f16.c"
#include "../../templates/c/requantize.c"

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* In units of the last place of the result; subnormal results in those of the smallest normal number. */
static double error(float y, double ref)
{
    int exponent;
    if (isnan(ref) || isnan(y))
        return isnan(ref) && isnan(y) ? 0 : INFINITY;
    if (isinf(y) || isinf((float)ref))
        return y == (float)ref || fabs(ref) > 3.4028e38 ? 0 : INFINITY;
    frexp(ref, &exponent);
    return fabs(y - ref) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

/* Every STEP-th float (a prime, so that all mantissas are met), and the corners. */
static void check(float (*f)(float), double (*g)(double), double allowed)
{
    static const float corners[] = {0.0f,   -0.0f,     INFINITY,   -INFINITY, NAN,    1.0f,
                                    -1.0f,  0x1p-149f, -0x1p-149f, 0x1p-126f, 88.72f, 88.73f,
                                    -87.4f, -103.97f,  -104.1f,    10.0f,     4.0f,   -0.99999994f};
    enum { STEP = 1009 };
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        if (error(f(corners[i]), g(corners[i])) > allowed)
            fail_msg("at %a: %a, not %a", corners[i], f(corners[i]), g(corners[i]));
    for (uint64_t u = 0; u <= UINT32_MAX; u += STEP) {
        float x = float_of((uint32_t)u), y = f(x);
        double ref = g(x);
        if (error(y, ref) > allowed)
            fail_msg("at %a: %a, not %a", x, y, ref);
    }
}

/* Relative errors of powers of what is at most 0. Where the result is no normal number it may be 0, and below -88 it is. */
static void test_negative(void **state)
{
    (void)state;
    enum { STEP = 1009 };
    for (uint64_t u = 0x80000000u; u <= 0xff800000u; u += STEP) {
        const float x = float_of((uint32_t)u), y = dnnlc_exp_negativef(x),
                    y2 = dnnlc_exp2_negativef(x);
        const double e = exp((double)x), e2 = exp2((double)x);
        if (x < -88 ? y != 0 : fabs((double)y - e) > (2.6e-7 - 7.5e-8 * (double)x) * e + 0x1p-126)
            fail_msg("e^ at %a: %a, not %a", (double)x, (double)y, e);
        if (x < -127 ? y2 != 0 : fabs((double)y2 - e2) > 2.6e-7 * e2 + 0x1p-126)
            fail_msg("2^ at %a: %a, not %a", (double)x, (double)y2, e2);
    }
    assert_float_equal(dnnlc_exp_negativef(0), 1, 2.5e-7);
    assert_true(dnnlc_exp_negativef(-INFINITY) == 0);
    assert_true(isnan(dnnlc_exp_negativef(NAN)) && isnan(dnnlc_exp2_negativef(NAN)));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Where the result is no normal number it need not be exact: the smallest one serves. */
static float normal_of(float y, float x)
{
    double ref = sigmoid(x);
    return ref < 0x1p-126 && y >= 0 && y < 0x1.1p-126f ? (float)ref : y;
}

static float normal_sigmoid(float x)
{
    return normal_of(dnnlc_sigmoidf(x), x);
}

static float fused_sigmoid(float x)
{
    return normal_of(dnnlc_fused_sigmoidf(x), x);
}

static double swish(double x)
{
    return isinf(x) ? x : x / (1 + exp(-x));
}

/* Below -87 the divisor stays as it is there. */
static float near_of(float y, float x)
{
    return x < -87 && y <= 0 && y >= x * 0x1.1p-126f ? (float)swish(x) : y;
}

static float near_swish(float x)
{
    return near_of(dnnlc_swishf(x), x);
}

static float fused_swish(float x)
{
    return near_of(dnnlc_fused_swishf(x), x);
}

static double mish(double x)
{
    return x * tanh(log1p(exp(x)));
}

/* Below -87 a small result is the product of x and a subnormal number. */
static float near_mish(float x)
{
    const float y = dnnlc_mishf(x);
    const double ref = mish(x);
    return x < -87 && fabs((double)y - ref) <= fabs((double)x) * 0x1p-149 ? (float)ref : y;
}

/* Half of the sum of one and the error function is exact to some 1e-7, so that a small result has an error of x's size. */
static void test_gelu(void **state)
{
    (void)state;
    for (uint64_t u = 0; u <= UINT32_MAX; u += 1009) {
        const float x = float_of((uint32_t)u), y = dnnlc_geluf(x);
        const double ref = 0.5 * (double)x * erfc(-(double)x * 0.70710678118654752);
        if (isnan(ref)) /* of NaN and minus infinity */
            assert_true(isnan(y));
        else if (isinf(x) || x > 5.5F || x < -5.5F)
            assert_true(x > 0 ? y >= x && y <= x : y >= 0 && y <= 0);
        else if (fabs((double)y - ref) > 2.5e-7 * fabs((double)x) + 0x1p-149)
            fail_msg("at %a: %a, not %a", (double)x, (double)y, ref);
    }
}

static void test_functions(void **state)
{
    (void)state;
    check(dnnlc_expf, exp, 1.1);
    check(dnnlc_expm1f, expm1, 2);
    check(dnnlc_logf, log, 1.5);
    check(dnnlc_log1pf, log1p, 2.5);
    check(dnnlc_tanhf, tanh, 5.75);
    check(normal_sigmoid, sigmoid, 3.5);
    check(near_swish, swish, 3.75);
    check(fused_sigmoid, sigmoid, 6.5);
    check(fused_swish, swish, 6.5);
    check(near_mish, mish, 4);
    check(dnnlc_erff, erf, 7.5);
    for (uint32_t u = 0x40753f7d; u <= 0x7f800000;
         u += 1009) /* 3.832 to infinity: x (1 - erf x) vanishes */
        assert_true(1 - dnnlc_erff(float_of(u)) <= 0 && 1 + dnnlc_erff(-float_of(u)) <= 0);
    for (uint32_t u = 0x411051ec; u <= 0x7f800000;
         u += 1009) /* 9.02 to infinity: so does 1 - tanh x */
        assert_true(1 - dnnlc_tanhf(float_of(u)) <= 0 && 1 + dnnlc_tanhf(-float_of(u)) <= 0);
}

static void test_halves(void **state)
{
    (void)state;
    for (uint32_t h = 0; h <= UINT16_MAX; h++) {
        float a = dnnlc_f16_to_f32((uint16_t)h), b = f16_to_f32((uint16_t)h);
        assert_true(a == b || (isnan(a) && isnan(b)));
        a = dnnlc_bf16_to_f32((uint16_t)h), b = bf16_to_f32((uint16_t)h);
        assert_true(a == b || (isnan(a) && isnan(b)));
    }
    for (uint64_t u = 0; u <= UINT32_MAX; u += 1009) {
        float x = float_of((uint32_t)u);
        assert_int_equal(dnnlc_f32_to_f16(x), f32_to_f16(x));
        assert_int_equal(dnnlc_f32_to_bf16(x), f32_to_bf16(x));
    }
}

/* As a run of a model computes: subnormal f32 are read and made as 0, and those of f16 are no less what they are. */
static void test_halves_without_denormals(void **state)
{
    (void)state;
    static uint32_t bits[UINT16_MAX + 1], back[UINT16_MAX + 1];
    const uint64_t before = dnnlc_flush_denormals();
    for (uint32_t h = 0; h <= UINT16_MAX; h++) {
        const float x = dnnlc_f16_to_f32((uint16_t)h);
        memcpy(&bits[h], &x, sizeof x);
        back[h] = dnnlc_f32_to_f16(x);
    }
    dnnlc_restore_denormals(before);
    for (uint32_t h = 0; h <= UINT16_MAX; h++) {
        const float x = f16_to_f32((uint16_t)h);
        assert_true(float_of(bits[h]) == x || (isnan(float_of(bits[h])) && isnan(x)));
        assert_true(back[h] == h || isnan(x));
    }
}

static int32_t limited(double x)
{
    enum { MOST = 511 };
    return x < -MOST ? -MOST : x > MOST ? MOST : (int32_t)x;
}

/* Sums and scales whose product is within the limits of bytes, half of them next to the middle of two steps, and others of any size. */
static void test_requantize_limited(void **state)
{
    enum { CASES = 1000000, LEAST = 90, EXPONENTS = 50, STEPS = 550 };
    (void)state;
    uint32_t seed = 1;
    for (int i = 0; i < CASES; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t exponent = LEAST + (seed >> 8) % EXPONENTS;
        seed = seed * 1664525u + 1013904223u;
        const uint32_t bits = exponent << 23 | (i % 4 == 0 ? 0 : seed >> 9);
        seed = seed * 1664525u + 1013904223u;
        const float scale = float_of(bits);
        const double near = ((int)((seed >> 8) % (2 * STEPS)) - STEPS + 0.5) / scale;
        const int32_t far = (int32_t)seed >> (i >> 2) % 32;
        const int32_t x = i % 2 || !(fabs(near) < INT32_MAX) ? far : (int32_t)near + i / 8 % 2;
        const int32_t steps = dnnlc_requantize_limited(x, (int32_t)bits);
        assert_int_equal(limited(steps), limited(nearbyint((float)x * scale)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions),
                                       cmocka_unit_test(test_negative),
                                       cmocka_unit_test(test_gelu),
                                       cmocka_unit_test(test_halves),
                                       cmocka_unit_test(test_halves_without_denormals),
                                       cmocka_unit_test(test_requantize_limited)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
