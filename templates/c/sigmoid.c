/* Apache-2.0. The logistic function in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
float dnnlc_expf(float x);
//@begin
/* 1 / (1 + e^-x), within 2.5 ulp: with e = e^-|x|, 1 / (1 + e) for what is positive and e / (1 + e) else; neither overflows. */
NET_INLINE float dnnlc_sigmoidf(float x)
{
    float e = dnnlc_expf(-fabsf(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}
