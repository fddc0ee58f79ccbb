/* Apache-2.0. The error function in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* erf x, within 5 ulp: |x| P(x^2) up to 3.832, with a minimax polynomial P (relative error 2e-8) around the
 * middle of that range, with odd and even powers in two independent sums, to shorten the chain of dependent operations. It is exactly 1 from
 * there on, however P is rounded, since x (1 - erf x) has to vanish for large x. Clamping works on
 * the bits of floats as integers, which compilers vectorise better than comparisons. */
NET_INLINE float dnnlc_erff(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    bits = size < 0x40753f7du ? size : 0x40753f7du; /* 3.832 */
    float a;
    memcpy(&a, &bits, sizeof a);
    const float t = a * a * 0.134231791f - 1.0f, t2 = t * t;
    float odd = -6.3081979766e-4f, even = 1.6082596676e-3f;
    odd = odd * t2 - 1.2201446729e-3f;
    even = even * t2 + 1.8505545024e-3f;
    odd = odd * t2 - 6.5788347529e-3f;
    even = even * t2 + 1.2392187693e-2f;
    odd = odd * t2 - 1.8323206992e-2f;
    even = even * t2 + 2.7978494464e-2f;
    odd = odd * t2 - 4.1549475501e-2f;
    even = even * t2 + 5.6878158775e-2f;
    odd = odd * t2 - 7.3293420121e-2f;
    even = even * t2 + 9.0772322519e-2f;
    odd = odd * t2 - 1.1022057574e-1f;
    even = even * t2 + 1.3590824418e-1f;
    odd = odd * t2 - 1.8283942556e-1f;
    even = even * t2 + 3.6633502174e-1f;
    float p = odd * t + even;
    float y = a * p;
    memcpy(&bits, &y, sizeof bits);
    bits = (bits < 0x3f800000u && size < 0x40753f7du ? bits : 0x3f800000u) | sign;
    memcpy(&y, &bits, sizeof y);
    return isnan(x) ? x : y;
}
