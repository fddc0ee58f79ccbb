/* Apache-2.0. Squares of 8 by 8 elements of two bytes, transposed in the registers of SSE. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define DNNLC_SHUFFLES
void dnnlc_transpose_each(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t side, size_t bytes);
//@begin
#ifdef DNNLC_SHUFFLES
typedef uint16_t dnnlc_halves __attribute__((vector_size(16), aligned(2), may_alias));

/* Rows i and i + 4 element by element: doing so three times makes rows columns. */
NET_INLINE void dnnlc_interleave_halves(dnnlc_halves to[8], const dnnlc_halves from[8])
{
    for (size_t i = 0; i < 4; i++) {
        const dnnlc_halves a = from[i], b = from[i + 4];
        to[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        to[2 * i + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    }
}
#endif

/* dst[i][j] = src[j][i] for eight i and j; elements have two bytes, pitches are in elements. */
NET_INLINE void dnnlc_transpose_halves(void *restrict dst, const size_t dst_pitch, const void *restrict src, const size_t src_pitch)
{
#ifdef DNNLC_SHUFFLES
    dnnlc_halves x[8], y[8];
    for (size_t j = 0; j < 8; j++)
        x[j] = *(const dnnlc_halves *)((const uint16_t *)src + j * src_pitch);
    dnnlc_interleave_halves(y, x);
    dnnlc_interleave_halves(x, y);
    dnnlc_interleave_halves(y, x);
    for (size_t i = 0; i < 8; i++)
        *(dnnlc_halves *)((uint16_t *)dst + i * dst_pitch) = y[i];
#else
    dnnlc_transpose_each(dst, dst_pitch, src, src_pitch, 8, 2);
#endif
}
