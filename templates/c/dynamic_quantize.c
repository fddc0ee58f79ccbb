/* Apache-2.0. Quantisation to the range that the data have; it always contains zero. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, uint8_t *restrict dst, float *restrict dst_scale, uint8_t *restrict dst_zero_point)
#define $fn$_quantize(x, zero) ((uint8_t)((x) + (float)(zero)))
#define $size$ 49
#define $lanes$ 16
#define $full$ 48
#define $block$ 256
#define $rest$ 49
//@begin
/* Multiplies by the inverse of the scale, which is much quicker than dividing. The product is at most 5e-5 off, and rounds as the
 * quotient does unless it is that close to the middle between two integers: then all elements are divided, and also where there are
 * NaNs or infinities. Adding 1.5 * 2^23 rounds and leaves the integer in the lowest bits. No saturation: two quotients that far
 * apart that both round outwards are both in the middle. */
NET_INLINE void $fn$_all(const float *restrict src, uint8_t *restrict dst, const float scale,
                         const uint8_t zero, const size_t size)
{
    const float inverse = 1 / scale;
    uint32_t worst = 0;
    for (size_t i = 0; i < size; i++) {
        const float x = src[i] * inverse, shifted = x + 12582912.0f;
        const float off = x - (shifted - 12582912.0f);
        uint32_t bits, k;
        memcpy(&bits, &off, sizeof bits);
        memcpy(&k, &shifted, sizeof k);
        bits &= 0x7fffffffu;
        worst = bits > worst ? bits : worst;
        dst[i] = (uint8_t)(k + zero);
    }
    if (worst <= 0x3effe5c9u) /* 0.4998 */
        return;
    for (size_t i = 0; i < size; i++)
        dst[i] = $fn$_quantize(src[i] / scale, zero);
}

$signature$
{
    enum { SIZE = $size$, FULL = $full$, LANES = $lanes$, BLOCK = $block$, REST = $rest$ };
    float low[LANES] = {0}, high[LANES] = {0};
//@if full
    for (size_t i = 0; i < FULL; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const float v = src[i + l];
            low[l] = v < low[l] ? v : low[l];
            high[l] = v > high[l] ? v : high[l];
        }
//@end
    float min = 0, max = 0;
    for (size_t i = FULL; i < SIZE; i++) {
        min = src[i] < min ? src[i] : min;
        max = src[i] > max ? src[i] : max;
    }
    for (size_t l = 0; l < LANES; l++) {
        min = low[l] < min ? low[l] : min;
        max = high[l] > max ? high[l] : max;
    }
    const float scale = max > min ? (max - min) / 255 : 1;
    const uint8_t zero = $fn$_quantize(-min / scale, 0);
    for (size_t i = 0; i + BLOCK <= SIZE; i += BLOCK)
        $fn$_all(src + i, dst + i, scale, zero, BLOCK);
    $fn$_all(src + (SIZE - REST), dst + (SIZE - REST), scale, zero, REST);
    dst_scale[0] = scale;
    dst_zero_point[0] = zero;
}
