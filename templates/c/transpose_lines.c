/* Apache-2.0. Squares of 16 by 16 elements of four bytes, each row a cache line, transposed in the registers of AVX-512. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define DNNLC_SHUFFLES
void dnnlc_transpose_each(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t side, size_t bytes);
//@begin
#ifdef DNNLC_SHUFFLES
typedef uint32_t dnnlc_line __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t dnnlc_half_line __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t dnnlc_quarter_line __attribute__((vector_size(16), aligned(4), may_alias));
#define DNNLC_LINE_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define DNNLC_LINE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define DNNLC_LINE_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define DNNLC_LINE_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)

/* Four elements of each of four rows, of which every fourth is taken. */
NET_INLINE void dnnlc_quarters(dnnlc_line *to, const uint32_t *from, const size_t pitch)
{
    const dnnlc_quarter_line a = *(const dnnlc_quarter_line *)from;
    const dnnlc_quarter_line b = *(const dnnlc_quarter_line *)(from + 4 * pitch);
    const dnnlc_quarter_line c = *(const dnnlc_quarter_line *)(from + 8 * pitch);
    const dnnlc_quarter_line d = *(const dnnlc_quarter_line *)(from + 12 * pitch);
    const dnnlc_half_line low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    const dnnlc_half_line high = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
    *to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#endif

/* dst[i][j] = src[j][i] for sixteen i and j; elements have four bytes, pitches are in elements. Quarters of rows are read side by side, so
 * that nothing crosses the quarters of a register. */
NET_INLINE void dnnlc_transpose_lines(void *restrict dst, const size_t dst_pitch, const void *restrict src, const size_t src_pitch)
{
#ifdef DNNLC_SHUFFLES
    for (size_t i = 0; i < 16; i += 4) {
        const uint32_t *from = (const uint32_t *)src + i;
        uint32_t *to = (uint32_t *)dst + i * dst_pitch;
        dnnlc_line row[4];
        for (size_t j = 0; j < 4; j++)
            dnnlc_quarters(&row[j], from + j * src_pitch, src_pitch);
        const dnnlc_line a = DNNLC_LINE_LOW(row[0], row[1]), b = DNNLC_LINE_LOW(row[2], row[3]);
        const dnnlc_line c = DNNLC_LINE_HIGH(row[0], row[1]), d = DNNLC_LINE_HIGH(row[2], row[3]);
        *(dnnlc_line *)to = DNNLC_LINE_LOW_PAIRS(a, b);
        *(dnnlc_line *)(to + dst_pitch) = DNNLC_LINE_HIGH_PAIRS(a, b);
        *(dnnlc_line *)(to + 2 * dst_pitch) = DNNLC_LINE_LOW_PAIRS(c, d);
        *(dnnlc_line *)(to + 3 * dst_pitch) = DNNLC_LINE_HIGH_PAIRS(c, d);
    }
#else
    dnnlc_transpose_each(dst, dst_pitch, src, src_pitch, 16, 4);
#endif
}
