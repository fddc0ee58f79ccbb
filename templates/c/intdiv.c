/* Apache-2.0. Integer division that does not trap: by 0 it gives 0, and the one quotient that overflows wraps. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
NET_INLINE int64_t dnnlc_div(int64_t x, int64_t y)
{
    if (y == 0)
        return 0;
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

/* The sign of the dividend. */
NET_INLINE int64_t dnnlc_rem(int64_t x, int64_t y)
{
    return y == 0 || y == -1 ? 0 : x % y;
}

/* The sign of the divisor. */
NET_INLINE int64_t dnnlc_mod(int64_t x, int64_t y)
{
    const int64_t r = dnnlc_rem(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
