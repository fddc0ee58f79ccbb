/* Apache-2.0. IEEE 754 binary16. Both ways are exact or rounded to nearest even, subnormals and NaN included. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* f16 -> f32: the exponent is rebiased by an addition to its bits. Subnormals get the exponent of 2^-14, which is taken off again: no
 * subnormal f32 is made on the way. */
NET_INLINE float dnnlc_f16_to_f32(uint16_t h)
{
    uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t bits = magnitude + 0x38800000, subnormal;
    float f;
    memcpy(&f, &bits, sizeof f);
    f -= 0x1p-14f;
    memcpy(&subnormal, &f, sizeof subnormal);
    bits = magnitude < 0x00800000 ? subnormal : bits - 0x00800000;
    bits = (magnitude >= 0x0f800000 ? bits | 0x7f800000 : bits) | sign;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* f32 -> f16: in the subnormal range the addition of 0.5 puts the last f16 bit where float rounds. */
NET_INLINE uint16_t dnnlc_f32_to_f16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    float tiny;
    memcpy(&tiny, &magnitude, sizeof tiny);
    tiny += 0.5f;
    uint32_t subnormal;
    memcpy(&subnormal, &tiny, sizeof subnormal);
    subnormal -= 0x3f000000;
    uint32_t r = magnitude < 0x38800000 ? subnormal : normal;
    r = magnitude >= 0x477ff000 ? 0x7c00 : r;
    r = magnitude > 0x7f800000 ? 0x7e00 : r;
    return (uint16_t)(r | sign);
}
