/* Apache-2.0. Integer powers, modulo 2^64. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
NET_INLINE uint64_t dnnlc_powi(uint64_t x, uint64_t y)
{
    uint64_t r = 1;
    for (; y > 0; y >>= 1, x *= x)
        r = y & 1 ? r * x : r;
    return r;
}

/* A negative exponent gives a fraction, truncated. */
NET_INLINE int64_t dnnlc_pows(int64_t x, int64_t y)
{
    if (y >= 0)
        return (int64_t)dnnlc_powi((uint64_t)x, (uint64_t)y);
    if (x == -1)
        return y & 1 ? -1 : 1;
    return x == 1;
}
