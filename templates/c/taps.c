/* Apache-2.0. Sums of products of one filter along a line of results. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
/* sum[i] for i < n, and on to a multiple of four, of a filter of kh rows of kw taps: result i reads of lines[y] what stands i * step and so
 * many times `apart` from its start. */
NET_INLINE void dnnlc_taps(const int16_t *const *lines, const int8_t *w, const int32_t kh,
                           const int32_t kw, const int32_t step, const int32_t apart,
                           const int32_t n, int32_t *sum)
{
#ifdef NET_HELIUM
    const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)step);
    int32_t i = 0;
    for (; i + 16 <= n && step == 1; i += 16) {
        const int8_t *tap = w;
        int32x4_t s0 = vdupq_n_s32(0), s1 = s0, s2 = s0, s3 = s0;
        for (int32_t y = 0; y < kh; y++) {
            const int16_t *at = lines[y] + i;
            for (int32_t x = 0; x < kw; x++, at += apart) {
                const int32_t t = *tap++;
                s0 = vmlaq_n_s32(s0, vldrhq_s32(at), t);
                s1 = vmlaq_n_s32(s1, vldrhq_s32(at + 4), t);
                s2 = vmlaq_n_s32(s2, vldrhq_s32(at + 8), t);
                s3 = vmlaq_n_s32(s3, vldrhq_s32(at + 12), t);
            }
        }
        vst1q_s32(sum + i, s0);
        vst1q_s32(sum + i + 4, s1);
        vst1q_s32(sum + i + 8, s2);
        vst1q_s32(sum + i + 12, s3);
    }
    for (; i < n; i += 4) {
        const int8_t *tap = w;
        int32x4_t s = vdupq_n_s32(0);
        for (int32_t y = 0; y < kh; y++)
            for (int32_t x = 0; x < kw; x++) {
                const int16_t *at = lines[y] + i * step + x * apart;
                const int32x4_t v =
                    step == 1 ? vldrhq_s32(at) : vldrhq_gather_shifted_offset_s32(at, places);
                s = vmlaq_n_s32(s, v, *tap++);
            }
        vst1q_s32(sum + i, s);
    }
#else
    for (int32_t i = 0; i < n; i += 4) {
        const int8_t *tap = w;
        int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int32_t y = 0; y < kh; y++) {
            const int16_t *at = lines[y] + i * step;
            int32_t x = 0;
#ifdef NET_PAIRS
            for (; x + 2 <= kw && apart == 1; x += 2, tap += 2, at += 2) {
                const int16x2_t two = (int16x2_t)(((uint32_t)tap[0] & 0xffff) | (uint32_t)tap[1] << 16);
                s0 = __smlad(two, (int16x2_t)dnnlc_word(at), s0);
                s1 = __smlad(two, (int16x2_t)dnnlc_word(at + step), s1);
                s2 = __smlad(two, (int16x2_t)dnnlc_word(at + 2 * step), s2);
                s3 = __smlad(two, (int16x2_t)dnnlc_word(at + 3 * step), s3);
            }
#endif
            for (; x < kw; x++, tap++, at += apart) {
                s0 += *tap * at[0];
                s1 += *tap * at[step];
                s2 += *tap * at[2 * step];
                s3 += *tap * at[3 * step];
            }
        }
        sum[i] = s0;
        sum[i + 1] = s1;
        sum[i + 2] = s2;
        sum[i + 3] = s3;
    }
#endif
}
