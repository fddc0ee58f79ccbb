/* Apache-2.0. ln(1 + x) in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
float dnnlc_logf(float x);
//@begin
/* ln(1 + x), within 2.5 ulp: ln u + c / u, where u = 1 + x as rounded and c is what rounding lost (Kahan's correction). */
NET_INLINE float dnnlc_log1pf(float x)
{
    float u = 1.0f + x, c = x - (u - 1.0f);
    c = x < 0x1p24f ? c : 0.0f;
    c = u > 0.0f ? c / u : 0.0f;
    return dnnlc_logf(u) + c;
}
