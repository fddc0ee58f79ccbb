/* Apache-2.0. The error function in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
float dnnlc_expf(float x);
//@begin
/* erf x, within 1.5 ulp. Up to 1: x + x P(x^2). Beyond: 1 - e^-Q(|x| - 1), where Q approximates -ln erfc; from 4 on that is 1.
 * Both are minimax polynomials. */
NET_INLINE float dnnlc_erff(float x)
{
    float a = fabsf(x), z = x * x, s = (a > 4.0f ? 4.0f : a) - 1.0f;
    float p = 7.8538409652e-5f;
    p = p * z - 8.0101874488e-4f;
    p = p * z + 5.1883269825e-3f;
    p = p * z - 2.6853811565e-2f;
    p = p * z + 1.1283585140e-1f;
    p = p * z - 3.7612625823e-1f;
    p = p * z + 1.2837916570e-1f;
    float q = -1.8636018743e-4f;
    q = q * s + 1.8293168618e-3f;
    q = q * s - 9.8953755033e-3f;
    q = q * s + 4.1503441906e-2f;
    q = q * s + 8.4311762804e-1f;
    q = q * s + 2.6389668771f;
    q = q * s + 1.8496055157f;
    float small = x + x * p, large = copysignf(1.0f - dnnlc_expf(-q), x);
    return a < 1.0f ? small : large;
}
