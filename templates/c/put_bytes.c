/* Apache-2.0. Sums of products to bytes: several of one channel, which have one scale. */
#include <stdint.h>
#define NET_INLINE static inline
#define NET_RARE static inline
int32_t dnnlc_requantize_exactly(int32_t x, int32_t scale);
int32_t dnnlc_requantize_limited(int32_t x, int32_t scale);
//@begin
#ifdef NET_HELIUM
/* Those of four that are next to the middle of two steps are done by themselves. */
NET_RARE int32x4_t dnnlc_requantize_four(int32x4_t x, int32x4_t steps, int32_t scale,
                                         mve_pred16_t middle)
{
    int32_t sum[4], r[4];
    vst1q_s32(sum, x);
    vst1q_s32(r, steps);
    for (int i = 0; i < 4; i++)
        if (middle >> 4 * i & 1)
            r[i] = dnnlc_requantize_exactly(sum[i], scale);
    return vld1q_s32(r);
}
#endif

/* dst[i] = sum[i] + addend in steps, within the limits, which are at most 511, and more by `zero`. */
NET_INLINE void dnnlc_put_bytes(const int32_t *sum, const int32_t n, const int32_t addend,
                                const int32_t scale, const int32_t low, const int32_t high,
                                const int32_t zero, void *dst)
{
    uint8_t *bytes = dst;
    int32_t i = 0;
#ifdef NET_HELIUM
    const int exponent = scale >> 23 & 0xff;
    if (exponent >= 96 && exponent <= 136) { /* as dnnlc_requantize_limited does it */
        const int up = exponent > 106 ? exponent - 106 : 0, bits = 125 + up - exponent;
        const int32_t factor = (int32_t)(((uint32_t)scale & 0x7fffff) << 7 | 0x40000000);
        const int32_t off = (1 << (bits - 13)) + 8;
        for (; i < n; i += 4) {
            const mve_pred16_t p = vctp32q((uint32_t)(n - i));
            const int32x4_t x = vaddq_n_s32(vldrwq_z_s32(sum + i, p), addend);
            const int32x4_t high_part = vmulhq_s32(vqshlq_r_s32(x, up), vdupq_n_s32(factor));
            const int32x4_t t = vaddq_n_s32(high_part, (1 << (bits - 1)) + off);
            const uint32x4_t fraction = vshlq_r_u32(vreinterpretq_u32_s32(t), 32 - bits);
            const uint32x4_t least = vdupq_n_u32((uint32_t)off << (33 - bits));
            const mve_pred16_t middle = vcmphiq_m_u32(least, fraction, p);
            int32x4_t steps = vshlq_r_s32(t, -bits);
            if (middle)
                steps = dnnlc_requantize_four(x, steps, scale, middle);
            steps = vminq_s32(vmaxq_s32(steps, vdupq_n_s32(low)), vdupq_n_s32(high));
            steps = vaddq_n_s32(steps, zero);
            vstrbq_p_u32(bytes + i, vreinterpretq_u32_s32(steps), p);
        }
    }
#endif
    for (; i < n; i++) {
        const int32_t x = (int32_t)((uint32_t)sum[i] + (uint32_t)addend);
        const int32_t steps = dnnlc_requantize_limited(x, scale);
        bytes[i] = (uint8_t)((steps < low ? low : steps > high ? high : steps) + zero);
    }
}
