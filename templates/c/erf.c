/* Apache-2.0. The error function in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* erf x, within 7.5 ulp: |x| P(x^2) / Q(x^2), a minimax quotient (relative error 2e-8) on |x| <= 3.832, and constant farther out, where what is
 * 1 or more becomes 1: x (1 - erf x) has to vanish for large x. Clamping works on the bits of floats as integers, which compilers
 * vectorise better than comparisons. */
NET_INLINE float dnnlc_erff(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    bits = size < 0x40753f7du ? size : 0x40753f7du; /* 3.832 */
    float near;
    memcpy(&near, &bits, sizeof near);
    const float s = near * near;
    float p = 0.05484411847f, q = s + 29.01732307f;
    p = p * s + 7.312523767f;
    p = p * s + 92.49573508f;
    p = p * s + 1334.448453f;
    p = p * s + 4755.299301f;
    p = p * s + 28757.97338f;
    q = q * s + 374.5814702f;
    q = q * s + 2870.61119f;
    q = q * s + 12709.62765f;
    q = q * s + 25486.09065f;
    float y = near * p / q;
    memcpy(&bits, &y, sizeof bits);
    bits = (bits < 0x3f800000u ? bits : 0x3f800000u) | sign;
    memcpy(&y, &bits, sizeof y);
    return isnan(x) ? x : y;
}
