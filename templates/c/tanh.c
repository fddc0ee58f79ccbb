/* Apache-2.0. The hyperbolic tangent in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
float dnnlc_expm1f(float x);
//@begin
/* tanh x, within 3 ulp: t / (t + 2) with t = e^(2|x|) - 1; beyond 10 it is 1. */
NET_INLINE float dnnlc_tanhf(float x)
{
    float a = fabsf(x);
    a = a > 10.0f ? 10.0f : a;
    float t = dnnlc_expm1f(a + a);
    return copysignf(t / (t + 2.0f), x);
}
