/* Apache-2.0. Whether a compiler shuffles elements of two vectors, or what transposes a square without that. */
#include <stddef.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
#if (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)) && defined(__x86_64__)
#define DNNLC_SHUFFLES
#else
/* dst[i][j] = src[j][i] for i and j below `side`; elements have so many bytes, pitches are in elements. */
NET_INLINE void dnnlc_transpose_each(void *restrict dst, const size_t dst_pitch, const void *restrict src, const size_t src_pitch, const size_t side, const size_t bytes)
{
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            memcpy((char *)dst + bytes * (i * dst_pitch + j), (const char *)src + bytes * (j * src_pitch + i), bytes);
}
#endif
