/* Apache-2.0. bfloat16: the upper half of a float, rounded to nearest even. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
NET_INLINE float dnnlc_bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

NET_INLINE uint16_t dnnlc_f32_to_bf16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
}
