/* Apache-2.0. The largest whole number whose square is not more. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
NET_INLINE uint64_t dnnlc_root(uint64_t x)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 62; bit; bit >>= 2) {
        const uint64_t with = root + bit;
        root >>= 1;
        if (x >= with) {
            x -= with;
            root += bit;
        }
    }
    return root;
}
