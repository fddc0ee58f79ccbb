/* Apache-2.0. Indices that come with the data: no value of them reads or writes outside. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
//@begin
/* Negative indices count from the end; what is outside is clamped, in a branch that is not taken: minima and maxima of 64 bits make
 * compilers gather in vectors, which is slower. */
NET_INLINE size_t dnnlc_index(int64_t i, int64_t size)
{
    i += size & -(int64_t)(i < 0);
    return (uint64_t)i < (uint64_t)size ? (size_t)i : i < 0 ? 0 : (size_t)size - 1;
}
