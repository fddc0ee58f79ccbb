/* Apache-2.0. Squares of 16 by 16 bytes, transposed in the registers of SSE. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define DNNLC_SHUFFLES
void dnnlc_transpose_each(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t side, size_t bytes);
//@begin
#ifdef DNNLC_SHUFFLES
typedef uint8_t dnnlc_bytes __attribute__((vector_size(16), aligned(1), may_alias));

/* Rows i and i + 8 element by element: doing so four times makes rows columns. */
NET_INLINE void dnnlc_interleave_bytes(dnnlc_bytes to[16], const dnnlc_bytes from[16])
{
    for (size_t i = 0; i < 8; i++) {
        const dnnlc_bytes a = from[i], b = from[i + 8];
        to[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        to[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
}
#endif

/* dst[i][j] = src[j][i] for sixteen i and j; elements are bytes, and so are pitches. */
NET_INLINE void dnnlc_transpose_bytes(void *restrict dst, const size_t dst_pitch, const void *restrict src, const size_t src_pitch)
{
#ifdef DNNLC_SHUFFLES
    dnnlc_bytes x[16], y[16];
    for (size_t j = 0; j < 16; j++)
        x[j] = *(const dnnlc_bytes *)((const uint8_t *)src + j * src_pitch);
    dnnlc_interleave_bytes(y, x);
    dnnlc_interleave_bytes(x, y);
    dnnlc_interleave_bytes(y, x);
    dnnlc_interleave_bytes(x, y);
    for (size_t i = 0; i < 16; i++)
        *(dnnlc_bytes *)((uint8_t *)dst + i * dst_pitch) = x[i];
#else
    dnnlc_transpose_each(dst, dst_pitch, src, src_pitch, 16, 1);
#endif
}
