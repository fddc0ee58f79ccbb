/* Apache-2.0. Maxima of bytes along a row. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
/* most[i] becomes the greater of itself and bytes[i * step], for i < n. */
NET_INLINE void dnnlc_greatest(void *most, const void *bytes, const int32_t n, const int32_t step,
                               const int is_signed)
{
    int8_t *m8 = most;
    uint8_t *mu8 = most;
    const int8_t *i8 = bytes;
    const uint8_t *u8 = bytes;
    int32_t i = 0;
#ifdef NET_HELIUM
    const uint8x16_t places = vmulq_n_u8(vidupq_n_u8(0, 1), (uint8_t)step);
    for (; i < n && step <= 17; i += 16) { /* 15 steps are at most 255 */
        const mve_pred16_t p = vctp8q((uint32_t)(n - i));
        const uint8x16_t x = step == 1 ? vldrbq_z_u8(u8 + i, p)
                                       : vldrbq_gather_offset_z_u8(u8 + i * step, places, p);
        const uint8x16_t before = vldrbq_z_u8(mu8 + i, p);
        if (is_signed)
            vstrbq_p_s8(m8 + i, vmaxq_s8(vreinterpretq_s8_u8(before), vreinterpretq_s8_u8(x)), p);
        else
            vstrbq_p_u8(mu8 + i, vmaxq_u8(before, x), p);
    }
#endif
    for (; i < n && is_signed; i++)
        m8[i] = i8[i * step] > m8[i] ? i8[i * step] : m8[i];
    for (; i < n; i++)
        mu8[i] = u8[i * step] > mu8[i] ? u8[i * step] : mu8[i];
}
