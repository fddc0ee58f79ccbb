/* Apache-2.0. Indices that come with the data: no value of them reads or writes outside. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
//@begin
/* Negative indices count from the end; what is outside is clamped. */
NET_INLINE size_t dnnlc_index(int64_t i, int64_t size)
{
    i += i < 0 ? size : 0;
    return (size_t)(i < 0 ? 0 : i >= size ? size - 1 : i);
}
