/* Apache-2.0. fminf and fmaxf (a NaN loses) that vectorise: the library's do not without -ffinite-math-only. */
#include <math.h>
#define NET_INLINE static inline
//@begin
NET_INLINE float dnnlc_fminf(float a, float b)
{
    float r = b < a ? b : a;
    return isnan(a) ? b : r;
}

NET_INLINE float dnnlc_fmaxf(float a, float b)
{
    float r = b > a ? b : a;
    return isnan(a) ? b : r;
}
