/* Apache-2.0. Squares of 8 by 8 elements of four bytes, transposed in the registers of AVX2. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define DNNLC_SHUFFLES
void dnnlc_transpose_each(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t side, size_t bytes);
//@begin
#ifdef DNNLC_SHUFFLES
typedef uint32_t dnnlc_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t dnnlc_four __attribute__((vector_size(16), aligned(4), may_alias));
#define DNNLC_BESIDE(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define DNNLC_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define DNNLC_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define DNNLC_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define DNNLC_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#endif

/* dst[i][j] = src[j][i] for eight i and j; elements have four bytes, pitches are in elements. Halves of rows j and j + 4 are read side by
 * side, so that nothing crosses the middle of a register. */
NET_INLINE void dnnlc_transpose(void *restrict dst, const size_t dst_pitch, const void *restrict src, const size_t src_pitch)
{
#ifdef DNNLC_SHUFFLES
    dnnlc_eight row[8], column[8];
    for (size_t j = 0; j < 4; j++) {
        const uint32_t *from = (const uint32_t *)src + j * src_pitch;
        const dnnlc_four *upper = (const dnnlc_four *)from;
        const dnnlc_four *lower = (const dnnlc_four *)(from + 4 * src_pitch);
        row[j] = DNNLC_BESIDE(upper[0], lower[0]);
        row[j + 4] = DNNLC_BESIDE(upper[1], lower[1]);
    }
    for (size_t i = 0; i < 8; i += 4) {
        const dnnlc_eight a = DNNLC_LOW(row[i], row[i + 1]);
        const dnnlc_eight b = DNNLC_LOW(row[i + 2], row[i + 3]);
        const dnnlc_eight c = DNNLC_HIGH(row[i], row[i + 1]);
        const dnnlc_eight d = DNNLC_HIGH(row[i + 2], row[i + 3]);
        column[i] = DNNLC_LOW_PAIRS(a, b);
        column[i + 1] = DNNLC_HIGH_PAIRS(a, b);
        column[i + 2] = DNNLC_LOW_PAIRS(c, d);
        column[i + 3] = DNNLC_HIGH_PAIRS(c, d);
    }
    for (size_t i = 0; i < 8; i++)
        *(dnnlc_eight *)((uint32_t *)dst + i * dst_pitch) = column[i];
#else
    dnnlc_transpose_each(dst, dst_pitch, src, src_pitch, 8, 4);
#endif
}
