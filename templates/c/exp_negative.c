/* Apache-2.0. e^x in float of what is at most 0: the exponentials of softmax, after the row's maximum is taken off. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* e^x for x <= 0, within 1.1 ulp where the result is a normal number, and 0 below -87.7: hardly any result is subnormal, as those of
 * masked elements would be, which cost processors a hundred cycles each. x = n ln2 + r with |r| <= ln2/2; e^r is a minimax
 * polynomial (error 4e-9). Adding 1.5 * 2^23 rounds to the nearest integer. At -88 n is -127, and the bits of 2^n are those of 0. NaN
 * goes through all of it. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    float c = x < -88.0f ? -88.0f : x;
    float shifted = c * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    float r = c - n * 0.693359375f - n * -2.12194440e-4f;
    float p = 1.3947557945e-3f;
    p = p * r + 8.3672349381e-3f;
    p = p * r + 4.1666267215e-2f;
    p = p * r + 1.6666538141e-1f;
    p = p * r + 0.5f;
    p = 1.0f + (r + r * r * p);
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4b400000u + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}
