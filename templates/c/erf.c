/* Apache-2.0. The error function in float. */
#include <math.h>
#define NET_INLINE static inline
float dnnlc_lesserf(float a, float b);
//@begin
/* erf x, within 7.5 ulp: |x| P(x^2) / Q(x^2), a minimax quotient (relative error 2e-8) on |x| <= 3.832, and constant farther out, where what is
 * 1 or more becomes 1: x (1 - erf x) has to vanish for large x. */
NET_INLINE float dnnlc_erff(float x)
{
    const float near = dnnlc_lesserf(fabsf(x), 3.832f), s = near * near;
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
    const float y = copysignf(dnnlc_lesserf(near * p / q, 1.0f), x);
    return isnan(x) ? x : y;
}
