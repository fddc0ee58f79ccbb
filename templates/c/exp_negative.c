/* Apache-2.0. e^x in float of what is at most 0: the exponentials of softmax, after the row's maximum is taken off. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* e^x for x <= 0, within 1.1 ulp, and 0 below -87: no result is subnormal, as those of masked elements would be, which cost
 * processors a hundred cycles each. x = n ln2 + r with |r| <= ln2/2; e^r is a minimax
 * polynomial (error 4e-9). Adding 1.5 * 2^23 rounds to the nearest integer. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t kept = (bits & 0x7fffffffu) <= 0x42ae0000u ? 0xffffffffu : 0; /* 87 */
    bits &= kept;
    float c;
    memcpy(&c, &bits, sizeof c);
    float shifted = c * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    float r = c - n * 0.693359375f - n * -2.12194440e-4f;
    float p = 1.3947557945e-3f;
    p = p * r + 8.3672349381e-3f;
    p = p * r + 4.1666267215e-2f;
    p = p * r + 1.6666538141e-1f;
    p = p * r + 0.5f;
    p = 1.0f + (r + r * r * p);
    memcpy(&bits, &shifted, sizeof bits);
    bits = ((bits - 0x4b400000u + 127) << 23) & kept;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return isnan(x) ? x : p * scale;
}
