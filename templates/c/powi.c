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
