/* Apache-2.0. Quantisation to the range that the data have; it always contains zero. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src0, uint8_t *restrict dst0, float *restrict dst1, uint8_t *restrict dst2)
#define $fn$_quantize(x, zero) ((uint8_t)((x) + (float)(zero)))
#define $size$ 49
#define $lanes$ 16
#define $full$ 48
#define $store$ dst0[i] = sample_quantize(src0[i] / scale, zero);
#define $store_scale$ dst1[0] = scale;
#define $store_zero$ dst2[0] = zero;
//@begin
$signature$
{
    enum { SIZE = $size$, FULL = $full$, LANES = $lanes$ };
    float low[LANES] = {0}, high[LANES] = {0};
//@if full
    for (size_t i = 0; i < FULL; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const float v = src0[i + l];
            low[l] = v < low[l] ? v : low[l];
            high[l] = v > high[l] ? v : high[l];
        }
//@end
    float min = 0, max = 0;
    for (size_t i = FULL; i < SIZE; i++) {
        min = src0[i] < min ? src0[i] : min;
        max = src0[i] > max ? src0[i] : max;
    }
    for (size_t l = 0; l < LANES; l++) {
        min = low[l] < min ? low[l] : min;
        max = high[l] > max ? high[l] : max;
    }
    const float scale = max == min ? 1 : (max - min) / 255;
    const uint8_t zero = $fn$_quantize(-min / scale, 0);
    for (size_t i = 0; i < SIZE; i++)
        dst0[i] = $fn$_quantize(src0[i] / scale, zero);
    dst1[0] = scale;
    dst2[0] = zero;
}
