/* Apache-2.0. The logistic function in float; the method is that of Cody and Waite (Software Manual for the Elementary Functions,
 * 1980). */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* e^-x for |x| <= 87.3365, within 1.5 ulp, and for others as at that border. -x = n ln2 - u with |u| <= ln2/2; e^-u is a minimax
 * polynomial (error 4e-9), 2^n an addition to its exponent. Adding 1.5 * 2^23 rounds to the nearest integer. The border is
 * kept to by the integer that has the bits of |x|, which compilers vectorise better than comparisons of floats. */
NET_INLINE float dnnlc_exp_of_minusf(float x)
{
    uint32_t bits, k;
    memcpy(&bits, &x, sizeof bits);
    uint32_t size = bits & 0x7fffffffu;
    size = size < 0x42aeac4fu ? size : 0x42aeac4fu; /* 87.3365 */
    bits = (bits & 0x80000000u) | size;
    float c;
    memcpy(&c, &bits, sizeof c);
    float shifted = c * -1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    float u = c + n * 0.693359375f + n * -2.12194440e-4f;
    float p = 1.3947557945e-3f;
    p = p * u - 8.3672349381e-3f;
    p = p * u + 4.1666267215e-2f;
    p = p * u - 1.6666538141e-1f;
    p = p * u + 0.5f;
    p = p * u - 1.0f;
    p = p * u + 1.0f;
    memcpy(&k, &shifted, sizeof k);
    memcpy(&bits, &p, sizeof bits);
    bits += k << 23;
    memcpy(&p, &bits, sizeof p);
    return p;
}

/* 1 / (1 + e^-x), within 2.5 ulp where that is a normal number, the smallest one where it is not. */
NET_INLINE float dnnlc_sigmoidf(float x)
{
    float y = 1.0f / (1.0f + dnnlc_exp_of_minusf(x));
    return x == x ? y : x;
}

/* x / (1 + e^-x), within 2.5 ulp of normal numbers. */
NET_INLINE float dnnlc_swishf(float x)
{
    return x / (1.0f + dnnlc_exp_of_minusf(x));
}
