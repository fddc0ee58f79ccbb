/* Apache-2.0. A convolution of groups of a few channels, channels innermost: sums of neighbours in a line, of a vector of filters each, stay in
 * registers. A vector has the filters of one group, by one channel at a time, or of several small ones, of which each multiplies its own channels. Weights
 * [filters / LANES][taps][channels of a group][LANES] are read from end to end. The image is computed in strips, as in conv_depthwise_tiles.c. */
#include <stddef.h>
#define NET_INLINE static inline
#define NET_LANES
#define DNNLC_EACH(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst)
#define $fn$_vector sample_vector
#define $fn$_tile sample_tile
#define $fn$_pixel sample_pixel
#define $result$(value, element, channel) (value)
#define $plus_bias$
#define $images$ 1
#define $sources$ 32
#define $filters$ 32
#define $of_group$ 4
#define $first$ c
#define $next$ v * LANES
#define $each$ 0, 0, 0, 0, 4, 4, 4, 4
#define $k$ 0
#define $H$ 9
#define $W$ 9
#define $OH$ 9
#define $OW$ 9
#define $KH$ 3
#define $KW$ 3
#define $SH$ 1
#define $SW$ 1
#define $LH$ 1
#define $LW$ 1
#define $PH$ 1
#define $PW$ 1
#define $at_once$ 3
#define $single$ 32
#define $block$ 32
#define $deep$ 32
#define $from$ 0
#define $to$ IMAGES * OH
//@begin
typedef float $fn$_vector __attribute__((vector_size(32), aligned(4), may_alias));

/* AT_ONCE neighbours of dst, whose windows begin at `at`, have rows top to bottom - 1 within the image, and all columns. */
NET_INLINE void $fn$_tile(const float *restrict src, const ptrdiff_t at, const float *restrict weights, const ptrdiff_t top, const ptrdiff_t bottom, float (*restrict to)[8])
{
    enum { C = $sources$, W = $W$, KW = $KW$, SW = $SW$, DH = $LH$, DW = $LW$ };
    enum { AT_ONCE = $at_once$, LANES = 8, CHANNELS = $of_group$ };
    $fn$_vector sum[AT_ONCE] = {{0}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = 0; x < KW; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * (CHANNELS * LANES);
            const $fn$_vector *weight = (const void *)tap;
//@if shuffled
            $fn$_vector pixel[AT_ONCE];
            for (ptrdiff_t p = 0; p < AT_ONCE; p++)
                pixel[p] = *(const $fn$_vector *)(const void *)(s + p * SW * C);
//@for channel
            for (ptrdiff_t p = 0; p < AT_ONCE; p++)
                sum[p] += DNNLC_EACH(pixel[p], $each$) * weight[$k$];
//@end
//@else
            NET_LANES /* which leaves registers for the sums */
            for (ptrdiff_t k = 0; k < CHANNELS; k++)
                for (ptrdiff_t p = 0; p < AT_ONCE; p++)
                    sum[p] += s[p * SW * C + k] * weight[k];
//@end
        }
    for (ptrdiff_t p = 0; p < AT_ONCE; p++)
        *($fn$_vector *)to[p] = sum[p];
}

/* One pixel at the border, of whose window columns left to right - 1 are within the image; of several vectors, as sums wait for themselves. */
NET_INLINE void $fn$_pixel(const float *restrict src, const ptrdiff_t at, const float *restrict weights, const ptrdiff_t top, const ptrdiff_t bottom, const ptrdiff_t left, const ptrdiff_t right, float *restrict to)
{
    enum { C = $sources$, W = $W$, KH = $KH$, KW = $KW$, DH = $LH$, DW = $LW$ };
    enum { LANES = 8, VECTORS = $single$ / LANES, CHANNELS = $of_group$ };
    enum { APART = KH * KW * CHANNELS }; /* vectors of weights */
    $fn$_vector sum[VECTORS] = {{0}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = left; x < right; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * (CHANNELS * LANES);
            const $fn$_vector *weight = (const void *)tap;
//@if shuffled
            for (ptrdiff_t v = 0; v < VECTORS; v++) {
                const $fn$_vector pixel = *(const $fn$_vector *)(const void *)(s + $next$);
//@for channel
                sum[v] += DNNLC_EACH(pixel, $each$) * weight[v * APART + $k$];
//@end
            }
//@else
            NET_LANES
            for (ptrdiff_t k = 0; k < CHANNELS; k++)
                for (ptrdiff_t v = 0; v < VECTORS; v++)
                    sum[v] += s[$next$ + k] * weight[v * APART + k];
//@end
        }
    for (ptrdiff_t v = 0; v < VECTORS; v++)
        *($fn$_vector *)(to + v * LANES) = sum[v];
}

$signature$
{
    enum { IMAGES = $images$, C = $sources$, M = $filters$, H = $H$, W = $W$, OH = $OH$, OW = $OW$ };
    enum { KH = $KH$, KW = $KW$, SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    enum { AT_ONCE = $at_once$, LANES = 8, SINGLE = $single$, BLOCK = $block$ };
    enum { SPAN = (AT_ONCE - 1) * SW + (KW - 1) * DW + 1 }; /* of a line under all windows */
    enum { WEIGHTS = KH * KW * $of_group$ };                /* of a filter */
    /* Pixels of a strip: the lines under the windows of two rows are no more than so many bytes. */
    enum { BYTES = 65536 };
    const ptrdiff_t most = BYTES / ((KH + 1) * SW * 4 * $deep$);
    const ptrdiff_t wide = most < AT_ONCE ? AT_ONCE : most / AT_ONCE * AT_ONCE;
    for (ptrdiff_t b = 0; b < M; b += BLOCK)
        for (ptrdiff_t strip = 0, stop = 0; strip < OW; strip = stop) {
            const ptrdiff_t end = M - b < BLOCK ? M : b + BLOCK;
            stop = (strip ? strip : (LEFT + SW - 1) / SW) + wide;
            stop = stop < OW ? stop : OW;
            for (ptrdiff_t i = $from$; i < $to$; i++)
                for (ptrdiff_t x = strip, n = 0; x < stop; x += n) {
                    const ptrdiff_t begin = x * SW - LEFT;
                    const int inside = x + AT_ONCE <= stop && begin >= 0 && begin + SPAN <= W;
                    const ptrdiff_t left = begin < 0 ? (DW - 1 - begin) / DW : 0;
                    const ptrdiff_t right = begin + (KW - 1) * DW < W ? KW : (W - begin + DW - 1) / DW;
                    n = inside ? AT_ONCE : 1;
                    const ptrdiff_t row = i % OH * SH - TOP, at = (i * OW + x) * M;
                    const ptrdiff_t top = row < 0 ? (DH - 1 - row) / DH : 0;
                    const ptrdiff_t bottom = row + (KH - 1) * DH < H ? KH : (H - row + DH - 1) / DH;
                    const ptrdiff_t window = ((i / OH * H + row) * W + begin) * C;
                    for (ptrdiff_t c = inside ? b : end; c < end; c += LANES) {
                        float sum[AT_ONCE][LANES];
                        $fn$_tile(src, window + $first$, weights + c * WEIGHTS, top, bottom, sum);
                        for (ptrdiff_t p = 0; p < AT_ONCE; p++) {
                            NET_LANES
                            for (ptrdiff_t f = 0; f < LANES; f++)
                                dst[at + p * M + c + f] = $result$(sum[p][f]$plus_bias$, at + p * M + c + f, c + f);
                        }
                    }
                    for (ptrdiff_t c = inside ? end : b; c < end; c += SINGLE) {
                        float sum[SINGLE];
                        $fn$_pixel(src, window + $first$, weights + c * WEIGHTS, top, bottom, left, right, sum);
                        NET_LANES
                        for (ptrdiff_t f = 0; f < SINGLE; f++)
                            dst[at + c + f] = $result$(sum[f]$plus_bias$, at + c + f, c + f);
                    }
                }
        }
}
