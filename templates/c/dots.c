/* Apache-2.0. Sums of products of bytes by numbers of 16 bits, two filters by two windows at a time: eight numbers are loaded for four sums. With the
 * instructions that Cortex-M55 (Helium) and Cortex-M4 and M7 (two products of 16 bits in one) have for that, or whatever compilers make of C. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
#if defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE & 1
#include <arm_mve.h>
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>

NET_INLINE uint32_t dnnlc_word(const void *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}
#endif

/* Puts the numbers of a window in the order that dnnlc_dots wants: of each four the first and the third before the others, as instructions
 * leave bytes that they widen. */
NET_INLINE void dnnlc_order(int16_t *x, const int32_t n)
{
#if defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32) && !defined(__ARM_FEATURE_MVE)
    for (int32_t k = 0; k + 4 <= n; k += 4) {
        const int16_t second = x[k + 1];
        x[k + 1] = x[k + 2];
        x[k + 2] = second;
    }
#else
    (void)x;
    (void)n;
#endif
}

/* sum[2 * i + j] of filter i, w_row bytes behind the one before, and window j. */
NET_INLINE void dnnlc_dots(const int8_t *w, const int32_t w_row, const int16_t *x, const int32_t x_row,
                           const int32_t n, int32_t *sum)
{
    int32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    int32_t k = 0;
#if defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE & 1
    for (; k + 8 <= n; k += 8) {
        const int16x8_t a = vldrbq_s16(w + k), b = vldrbq_s16(w + k + w_row);
        const int16x8_t first = vldrhq_s16(x + k), second = vldrhq_s16(x + k + x_row);
        s00 = vmladavaq_s16(s00, a, first);
        s01 = vmladavaq_s16(s01, a, second);
        s10 = vmladavaq_s16(s10, b, first);
        s11 = vmladavaq_s16(s11, b, second);
    }
    w += k, x += k;
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32)
    for (; k + 4 <= n; k += 4, w += 4, x += 4) {
        const uint32_t a = dnnlc_word(w), b = dnnlc_word(w + w_row);
        const int16x2_t a0 = __sxtb16(a), a1 = __sxtb16(a >> 8);
        const int16x2_t x0 = (int16x2_t)dnnlc_word(x), x1 = (int16x2_t)dnnlc_word(x + 2);
        s00 = __smlad(a1, x1, __smlad(a0, x0, s00));
        const int16x2_t y0 = (int16x2_t)dnnlc_word(x + x_row), y1 = (int16x2_t)dnnlc_word(x + x_row + 2);
        s01 = __smlad(a1, y1, __smlad(a0, y0, s01));
        const int16x2_t b0 = __sxtb16(b), b1 = __sxtb16(b >> 8);
        s10 = __smlad(b1, x1, __smlad(b0, x0, s10));
        s11 = __smlad(b1, y1, __smlad(b0, y0, s11));
    }
#endif
    for (; k < n; k++, w++, x++) {
        const int32_t a = w[0], b = w[w_row], first = x[0], second = x[x_row];
        s00 += a * first;
        s01 += a * second;
        s10 += b * first;
        s11 += b * second;
    }
    sum[0] = s00;
    sum[1] = s01;
    sum[2] = s10;
    sum[3] = s11;
}
