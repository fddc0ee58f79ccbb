/* Apache-2.0. A convolution of each channel with one filter, channels innermost: sums of neighbours in a line, and of one or a few vectors of
 * channels, stay in registers. The image is computed in strips, so that the rows under a filter are still in a near cache for the next one; these are wide enough that memory
 * is read line after line. */
#include <stddef.h>
#define NET_INLINE static inline
#define NET_LANES
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst)
#define $fn$_vector sample_vector
#define $fn$_tile sample_tile
#define $fn$_pixel sample_pixel
#define $result$(value, element, channel) (value)
#define $plus_bias$
#define $images$ 1
#define $C$ 32
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
#define $channels$ 16
#define $single$ 32
#define $block$ 32
#define $lanes$ 8
#define $bytes$ 32
#define $next$ next
#define $from$ 0
#define $to$ IMAGES * OH
//@begin
typedef float $fn$_vector __attribute__((vector_size($bytes$), aligned(4), may_alias));

/* AT_ONCE neighbours of dst, whose windows begin at `at`, have rows top to bottom - 1 within the image, and all columns. */
NET_INLINE void $fn$_tile(const float *restrict src, const ptrdiff_t at, const float *restrict weights, const ptrdiff_t top, const ptrdiff_t bottom, float (*restrict to)[$channels$])
{
    enum { C = $C$, W = $W$, KW = $KW$, SW = $SW$, DH = $LH$, DW = $LW$ };
    enum { AT_ONCE = $at_once$, LANES = $lanes$, VECTORS = $channels$ / LANES };
    $fn$_vector sum[AT_ONCE][VECTORS] = {{{0}}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = 0; x < KW; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * C;
            $fn$_vector weight[VECTORS];
            for (ptrdiff_t v = 0; v < VECTORS; v++)
                weight[v] = *(const $fn$_vector *)(tap + v * LANES);
            for (ptrdiff_t p = 0; p < AT_ONCE; p++)
                for (ptrdiff_t v = 0; v < VECTORS; v++) {
                    const void *element = s + p * SW * C + v * LANES;
                    const $fn$_vector *vector = element;
                    sum[p][v] += *vector * weight[v];
                }
        }
    for (ptrdiff_t p = 0; p < AT_ONCE; p++)
        for (ptrdiff_t v = 0; v < VECTORS; v++)
            *($fn$_vector *)(to[p] + v * LANES) = sum[p][v];
}

/* One pixel at the border, of whose window columns left to right - 1 are within the image. */
NET_INLINE void $fn$_pixel(const float *restrict src, const ptrdiff_t at, const float *restrict weights, const ptrdiff_t top, const ptrdiff_t bottom, const ptrdiff_t left, const ptrdiff_t right, float *restrict to)
{
    enum { C = $C$, W = $W$, KW = $KW$, DH = $LH$, DW = $LW$, LANES = $lanes$, VECTORS = $single$ / LANES };
    $fn$_vector sum[VECTORS] = {{0}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = left; x < right; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * C;
            for (ptrdiff_t v = 0; v < VECTORS; v++) {
                const void *element = s + v * LANES, *factor = tap + v * LANES;
                const $fn$_vector *vector = element, *weight = factor;
                sum[v] += *vector * *weight;
            }
        }
    for (ptrdiff_t v = 0; v < VECTORS; v++)
        *($fn$_vector *)(to + v * LANES) = sum[v];
}

$signature$
{
    enum { IMAGES = $images$, C = $C$, H = $H$, W = $W$, OH = $OH$, OW = $OW$, KH = $KH$, KW = $KW$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    enum { AT_ONCE = $at_once$, CHANNELS = $channels$, SINGLE = $single$, BLOCK = $block$ };
    enum { SPAN = (AT_ONCE - 1) * SW + (KW - 1) * DW + 1 }; /* of a line under all windows */
    /* Pixels of a strip: the lines under the windows of two rows are no more than so many bytes. */
    enum { BYTES = 65536 };
    const ptrdiff_t all = C, deep = all < BLOCK ? all : BLOCK;
    const ptrdiff_t most = BYTES / ((KH + 1) * SW * 4 * deep);
    const ptrdiff_t wide = most < AT_ONCE ? AT_ONCE : most / AT_ONCE * AT_ONCE;
    for (ptrdiff_t b = 0; b < C; b += BLOCK)
        for (ptrdiff_t strip = 0, stop = 0; strip < OW; strip = stop) {
            const ptrdiff_t end = C - b < BLOCK ? C : b + BLOCK;
            stop = (strip ? strip : (LEFT + SW - 1) / SW) + wide;
            stop = stop < OW ? stop : OW;
            for (ptrdiff_t i = $from$; i < $to$; i++)
                for (ptrdiff_t x = strip, n = 0; x < stop; x += n) {
                    const ptrdiff_t begin = x * SW - LEFT;
                    const int inside = x + AT_ONCE <= stop && begin >= 0 && begin + SPAN <= W;
                    const ptrdiff_t left = begin < 0 ? (DW - 1 - begin) / DW : 0;
                    const ptrdiff_t right = begin + (KW - 1) * DW < W ? KW : (W - begin + DW - 1) / DW;
                    n = inside ? AT_ONCE : 1;
                    const ptrdiff_t row = i % OH * SH - TOP, at = (i * OW + x) * C;
                    const ptrdiff_t top = row < 0 ? (DH - 1 - row) / DH : 0;
                    const ptrdiff_t bottom = row + (KH - 1) * DH < H ? KH : (H - row + DH - 1) / DH;
                    const ptrdiff_t window = ((i / OH * H + row) * W + begin) * C;
                    for (ptrdiff_t $next$ = inside ? b : end; $next$ < end; $next$ += CHANNELS) {
//@if overlap
                        const ptrdiff_t c = next < end - CHANNELS ? next : end - CHANNELS; /* the last tile overlaps with the one before */
//@end
                        float sum[AT_ONCE][CHANNELS];
                        $fn$_tile(src, window + c, weights + c, top, bottom, sum);
                        for (ptrdiff_t p = 0; p < AT_ONCE; p++) {
                            NET_LANES
                            for (ptrdiff_t f = 0; f < CHANNELS; f++)
                                dst[at + p * C + c + f] = $result$(sum[p][f]$plus_bias$, at + p * C + c + f, c + f);
                        }
                    }
                    for (ptrdiff_t $next$ = inside ? end : b; $next$ < end; $next$ += SINGLE) {
//@if overlap
                        const ptrdiff_t c = next < end - SINGLE ? next : end - SINGLE;
//@end
                        float sum[SINGLE];
                        $fn$_pixel(src, window + c, weights + c, top, bottom, left, right, sum);
                        NET_LANES
                        for (ptrdiff_t f = 0; f < SINGLE; f++)
                            dst[at + c + f] = $result$(sum[f]$plus_bias$, at + c + f, c + f);
                    }
                }
        }
}
