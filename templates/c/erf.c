/* Apache-2.0. The error function in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* erf x, within 5 ulp: |x| P(x^2), with a minimax polynomial P (relative error 2e-8) on |x| <= 3.832, in powers of what is between -1 and 1
 * there. Every fourth power is in a sum of its own, to shorten the chain of dependent operations. Farther out P is constant, and what is
 * 1 or more becomes 1: x (1 - erf x) has to vanish for large x. Clamping works on the bits of floats as integers, which compilers
 * vectorise better than comparisons. */
NET_INLINE float dnnlc_erff(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    bits = size < 0x40753f7du ? size : 0x40753f7du; /* 3.832 */
    float a, near;
    memcpy(&a, &size, sizeof a);
    memcpy(&near, &bits, sizeof near);
    const float t = near * near * 0.134231791f - 1.0f, t2 = t * t, t4 = t2 * t2;
    float p0 = 1.8505545024e-3f, p1 = -1.2201446729e-3f;
    float p2 = 1.6082596676e-3f, p3 = -6.3081979766e-4f;
    p0 = p0 * t4 + 2.7978494464e-2f;
    p1 = p1 * t4 - 1.8323206992e-2f;
    p2 = p2 * t4 + 1.2392187693e-2f;
    p3 = p3 * t4 - 6.5788347529e-3f;
    p0 = p0 * t4 + 9.0772322519e-2f;
    p1 = p1 * t4 - 7.3293420121e-2f;
    p2 = p2 * t4 + 5.6878158775e-2f;
    p3 = p3 * t4 - 4.1549475501e-2f;
    p0 = p0 * t4 + 3.6633502174e-1f;
    p1 = p1 * t4 - 1.8283942556e-1f;
    p2 = p2 * t4 + 1.3590824418e-1f;
    p3 = p3 * t4 - 1.1022057574e-1f;
    float y = a * (p0 + p1 * t + (p2 + p3 * t) * t2);
    memcpy(&bits, &y, sizeof bits);
    bits = (bits < 0x3f800000u ? bits : 0x3f800000u) | sign;
    memcpy(&y, &bits, sizeof y);
    return isnan(x) ? x : y;
}
