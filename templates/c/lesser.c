/* Apache-2.0. The lesser of two floats that are not negative. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* Their bits are in order as integers, which compilers vectorise better than comparisons of floats. A NaN is more than any number. */
NET_INLINE float dnnlc_lesserf(float a, float b)
{
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = x < y ? x : y;
    memcpy(&a, &x, sizeof a);
    return a;
}
