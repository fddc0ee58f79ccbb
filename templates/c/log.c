/* Apache-2.0. The natural logarithm in float. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* ln x, within 1.5 ulp. x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); ln(1 + f) = f - f^2/2 + f^3 P(f) with a minimax P;
 * ln2 in two parts (Cody and Waite 1980). Subnormals are scaled first; then ln 0 = -inf and ln of what is negative is NaN. */
NET_INLINE float dnnlc_logf(float x)
{
    float scale = x < 0x1p-126f ? 0x1p25f : 1.0f, bias = x < 0x1p-126f ? 25.0f : 0.0f;
    float scaled = x * scale;
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    bits -= 0x3f3504f3u;
    float e = (float)((int32_t)bits >> 23) - bias, m;
    bits = (bits & 0x7fffffu) + 0x3f3504f3u;
    memcpy(&m, &bits, sizeof m);
    float f = m - 1.0f, f2 = f * f, p = -7.8593985851e-2f;
    p = p * f + 1.2880948835e-1f;
    p = p * f - 1.3128489417e-1f;
    p = p * f + 1.4181282228e-1f;
    p = p * f - 1.6624594359e-1f;
    p = p * f + 2.0002282992e-1f;
    p = p * f - 2.5000809028e-1f;
    p = p * f + 3.3333316764e-1f;
    float y = f * f2 * p + e * -2.12194440e-4f - 0.5f * f2;
    y = f + y + e * 0.693359375f;
    y = x > 0.0f ? y : -INFINITY;
    y = x < 0.0f ? NAN : y;
    return x < INFINITY ? y : x;
}
