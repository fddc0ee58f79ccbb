/* Apache-2.0. Rounding to a quantised type. */
#include <math.h>
#include <stdint.h>
#define NET_INLINE static inline
#define $fn$_quantize sample_quantize
#define $T_q$ uint8_t
#define $low$ 0
#define $high$ 255
//@begin
/* Rounds half to even, adds the zero point, saturates. */
NET_INLINE $T_q$ $fn$_quantize(float x, int32_t zero)
{
    const float low = (float)($low$ - zero), high = (float)($high$ - zero);
    x = x > low ? x : low;
    x = x < high ? x : high;
    return ($T_q$)((int32_t)rintf(x) + zero);
}

