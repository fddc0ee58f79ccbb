/* Apache-2.0. Bytes less their zero point, as numbers of 16 bits. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* x[i] = bytes[i] - zero. With `crossed`, the second and third of each four stand in each other's place, as instructions for pairs leave
 * bytes that they widen: see dnnlc_dots. */
NET_INLINE void dnnlc_samples(int16_t *x, const void *bytes, const int32_t n, const int32_t zero,
                              const int is_signed, const int crossed)
{
    const int8_t *i8 = bytes;
    const uint8_t *u8 = bytes;
    int32_t k = 0;
    (void)crossed;
#if defined(NET_HELIUM)
    for (; k < n; k += 8) {
        const mve_pred16_t p = vctp16q((uint32_t)(n - k));
        const int16x8_t v = is_signed ? vldrbq_z_s16(i8 + k, p)
                                      : vreinterpretq_s16_u16(vldrbq_z_u16(u8 + k, p));
        vstrhq_p_s16(x + k, vsubq_n_s16(v, (int16_t)zero), p);
    }
#elif defined(NET_PAIRS)
    const uint32_t less = ((uint32_t)-zero & 0xffff) * 0x10001;
    for (; k + 4 <= n; k += 4) {
        const uint32_t four = dnnlc_word(u8 + k);
        const uint32_t even = is_signed ? (uint32_t)__sxtab16((int16x2_t)less, (int8x4_t)four)
                                        : __uxtab16(less, four);
        const uint32_t odd = is_signed ? (uint32_t)__sxtab16((int16x2_t)less, (int8x4_t)(four >> 8))
                                       : __uxtab16(less, four >> 8);
        const uint32_t first = crossed ? even : (even & 0xffff) | odd << 16;
        const uint32_t second = crossed ? odd : even >> 16 | (odd & 0xffff0000);
        memcpy(x + k, &first, sizeof first);
        memcpy(x + k + 2, &second, sizeof second);
    }
#else
    for (; k + 4 <= n; k += 4)
        for (int32_t i = k; i < k + 4; i++)
            x[i] = (int16_t)((is_signed ? i8[i] : u8[i]) - zero);
#endif
    for (; k < n; k++)
        x[k] = (int16_t)((is_signed ? i8[k] : u8[k]) - zero);
}
