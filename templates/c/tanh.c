/* Apache-2.0. The hyperbolic tangent in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
float dnnlc_expm1_insidef(float x);
//@begin
/* tanh x, within 3 ulp: t / (t + 2) with t = e^(2|x|) - 1; beyond 10, found by the bits of |x| as an integer, it is 1. */
NET_INLINE float dnnlc_tanhf(float x)
{
    uint32_t size;
    memcpy(&size, &x, sizeof size);
    size &= 0x7fffffffu;
    size = size < 0x41200000u ? size : 0x41200000u; /* 10 */
    float a;
    memcpy(&a, &size, sizeof a);
    float t = dnnlc_expm1_insidef(a + a);
    float y = copysignf(t / (t + 2.0f), x);
    return isnan(x) ? x : y;
}
