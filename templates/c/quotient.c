/* Apache-2.0. Quotients that are rounded to whole numbers and limited next. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
#define NET_CLONED
//@begin
/* x / s for s > 0, for no more than to be rounded to a whole number within limits: dnnlc has found for this s and these limits that each step comes
 * at the same x. 1 / s to twice the digits of a float is inverse + rest, both positive; they are known before a loop over x. */
NET_INLINE float dnnlc_quotient(float x, float s)
{
#if defined(NET_CLONED) || defined(__FMA__) || defined(FP_FAST_FMAF)
    float inverse = 1.0f / s;
    uint32_t bits;
    memcpy(&bits, &inverse, sizeof bits);
    bits -= fmaf(-inverse, s, 1.0f) < 0.0f; /* the next float below */
    memcpy(&inverse, &bits, sizeof inverse);
    const float rest = fmaf(-inverse, s, 1.0f) / s + 0x1p-126f; /* infinity times 0 would be NaN */
    return fmaf(x, inverse, x * rest);
#else
    return x / s;
#endif
}
