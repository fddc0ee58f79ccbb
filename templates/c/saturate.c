/* Apache-2.0. Whole numbers in float as bytes. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* Converts an integral float to a byte with saturation. The order of positive floats is that of their bits as integers,
 * whose minimum and maximum compilers vectorise better than comparisons of floats. */
NET_INLINE uint8_t dnnlc_saturate_u8(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits > 0 ? bits : 0;
    bits = bits < 0x437f0000 ? bits : 0x437f0000; /* 255 */
    memcpy(&x, &bits, sizeof x);
    return (uint8_t)(int32_t)x;
}

NET_INLINE int8_t dnnlc_saturate_i8(float x)
{
    return (int8_t)(dnnlc_saturate_u8(x + 128.0f) - 128);
}
