/* Apache-2.0. e^x - 1 in float; argument reduction as in exp.c. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* e^x - 1, within 2 ulp, without cancellation near 0: 2^n (e^r - 1) + (2^n - 1). */
NET_INLINE float dnnlc_expm1f(float x)
{
    float c = x < -18.0f ? -18.0f : x;
    c = c > 89.0f ? 89.0f : c;
    float shifted = c * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    float r = c - n * 0.693359375f - n * -2.12194440e-4f;
    float p = 1.9913256193e-4f;
    p = p * r + 1.3942070556e-3f;
    p = p * r + 8.3332750053e-3f;
    p = p * r + 4.1666341669e-2f;
    p = p * r + 1.6666666807e-1f;
    p = p * r + 0.5f;
    p = r + r * r * p;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4b400000u + 126) << 23;
    float half; /* 2^(n-1): 2^128 would be infinite where the result is not */
    memcpy(&half, &bits, sizeof half);
    float y = half * p + (half - 0.5f);
    return y + y;
}
