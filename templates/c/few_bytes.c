/* Apache-2.0. Bytes that are copied a few at a time. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
/* Copies n bytes, hardly ever more than 16: a call of memcpy would take longer. */
NET_INLINE void dnnlc_few_bytes(void *restrict dst, const void *restrict src, const int32_t n)
{
    uint8_t *to = dst;
    const uint8_t *from = src;
#ifdef NET_HELIUM
    for (int32_t i = 0; i < n; i += 16) {
        const mve_pred16_t p = vctp8q((uint32_t)(n - i));
        vstrbq_p_u8(to + i, vldrbq_z_u8(from + i, p), p);
    }
#else
    for (int32_t i = 0; i < n; i++)
        to[i] = from[i];
#endif
}
