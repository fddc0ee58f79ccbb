/* Apache-2.0. The hyperbolic tangent in float. */
#include <math.h>
#define NET_INLINE static inline
float dnnlc_lesserf(float a, float b);
//@begin
/* tanh x, within 5.75 ulp: |x| P(x^2) / Q(x^2), a minimax quotient (relative error 2.1e-8, coefficients chosen among their neighbours for the least
 * error of the whole) on |x| <= 9.02, and constant farther out, where what is 1 or more becomes 1. */
NET_INLINE float dnnlc_tanhf(float x)
{
    const float near = dnnlc_lesserf(fabsf(x), 9.02f), s = near * near;
    float p = 1.332012811e-8f, q = 7.762489531e-7f;
    p = p * s + 2.058433347e-5f;
    p = p * s + 3.494087839e-3f;
    p = p * s + 0.1337976307f;
    p = p * s + 1.0f;
    q = q * s + 3.283178958e-4f;
    q = q * s + 2.587127499e-2f;
    q = q * s + 0.4671308398f;
    q = q * s + 1.0f;
    const float y = copysignf(dnnlc_lesserf(near * p / q, 1.0f), x);
    return isnan(x) ? x : y;
}
