/* Apache-2.0. The logistic function in float; the method is that of Cody and Waite (Software Manual for the Elementary Functions,
 * 1980). */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* 1 + e^-x, with x clamped to |x| <= 87.3365. -x = n ln2 - u with |u| <= ln2/2; e^-u is a minimax
 * polynomial (error 1e-7), to whose exponent n is added. Adding 1.5 * 2^23 rounds to the nearest integer and leaves n in the lowest bits. The
 * clamping works on the bits of x as integers, which compilers vectorise better than comparisons of floats: positive
 * floats are in order as signed integers, negative ones as unsigned ones the other way round. A NaN becomes a bound. */
NET_INLINE float dnnlc_logistic_divisorf(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits < 0x42aeac4f ? bits : 0x42aeac4f; /* 87.3365 */
    uint32_t k = (uint32_t)bits < 0xc2aeac4fu ? (uint32_t)bits : 0xc2aeac4fu;
    float c;
    memcpy(&c, &k, sizeof c);
    float shifted = c * -1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
#if defined(NET_CLONED) || defined(__FMA__) || defined(FP_FAST_FMAF)
    float u = fmaf(n, 0.693147182f, c); /* exact but for ln2, which lacks 2e-9 */
#else
    float u = c + n * 0.693359375f + n * -2.12194440e-4f;
#endif
    float p = -8.2894405350e-3f;
    p = p * u + 4.1897837073e-2f;
    p = p * u - 1.6667650640e-1f;
    p = p * u + 4.9999150634e-1f;
    p = p * u - 9.9999970198e-1f;
    p = p * u + 1.0f;
    uint32_t scaled;
    memcpy(&k, &shifted, sizeof k);
    memcpy(&scaled, &p, sizeof scaled);
    scaled += k << 23;
    memcpy(&p, &scaled, sizeof p);
    return p + 1.0f;
}

/* 1 / (1 + e^-x), within 3.5 ulp, or 6.5 with fused multiply-adds, where that is a normal number, the smallest one where it is not. */
NET_INLINE float dnnlc_sigmoidf(float x)
{
    float y = 1.0f / dnnlc_logistic_divisorf(x);
    return isnan(x) ? x : y;
}

/* x / (1 + e^-x), within 3.75 ulp of normal numbers, or 6.5 with fused multiply-adds. */
NET_INLINE float dnnlc_swishf(float x)
{
    return x / dnnlc_logistic_divisorf(x);
}
