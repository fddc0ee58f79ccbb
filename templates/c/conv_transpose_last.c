/* Apache-2.0. A transposed convolution, channels innermost, in two steps: a product of pixels of the source with all taps of all filters, which gives
 * what each pixel brings to those of the result that it touches; then sums of that, a few vectors of filters of a pixel of the result at a time. The
 * product goes MADE rows of the source ahead; a ring of KEPT rows has what rows of the result still need. Weights are [taps][filters / LANES][channels][LANES]. */
#include <stddef.h>
#define NET_INLINE static inline
#define NET_LANES
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst, void *restrict scratch)
#define $fn$_vector sample_vector
#define $fn$_pixels sample_pixels
#define $fn$_product sample_product
#define $fn$_sums sample_sums
#define $result$(value, element, channel) (value)
#define $plus_bias$
#define $C$ 16
#define $M$ 16
#define $taps$ 9
#define $H$ 14
#define $W$ 14
#define $OH$ 7
#define $OW$ 7
#define $KH$ 3
#define $KW$ 3
#define $SH$ 2
#define $SW$ 2
#define $PH$ 1
#define $PW$ 1
#define $at_once$ 4
#define $made$ 7
#define $kept$ 7
#define $channels$ 16
#define $from$ 0
#define $to$ 1 * H
//@begin
typedef float $fn$_vector __attribute__((vector_size(32), aligned(4), may_alias));

/* What AT_ONCE pixels bring by one or two vectors of weights. */
NET_INLINE void $fn$_pixels(const float *restrict weights, const float *restrict src, float *restrict part, const size_t vectors)
{
    enum { C = $C$, ROW = $taps$ * $M$, LANES = 8, AT_ONCE = $at_once$ };
    $fn$_vector sum[AT_ONCE][2] = {{{0}}};
    const $fn$_vector *w = (const void *)weights;
    for (size_t c = 0; c < C; c++)
        for (size_t p = 0; p < AT_ONCE; p++)
            for (size_t v = 0; v < vectors; v++)
                sum[p][v] += src[p * C + c] * w[v * C + c];
    for (size_t p = 0; p < AT_ONCE; p++)
        for (size_t v = 0; v < vectors; v++)
            *($fn$_vector *)(void *)(part + p * ROW + v * LANES) = sum[p][v];
}

/* … what `pixels` bring by all weights, of which the first cache keeps two vectors; the last pixels at once may be some of those before again. */
NET_INLINE void $fn$_product(const float *restrict weights, const float *restrict src, float *restrict part, const size_t pixels)
{
    enum { C = $C$, ROW = $taps$ * $M$, LANES = 8, AT_ONCE = $at_once$ };
    for (size_t j = 0; j + 2 * LANES <= ROW; j += 2 * LANES)
        for (size_t next = 0; next < pixels; next += AT_ONCE) {
            const size_t p = next + AT_ONCE <= pixels ? next : pixels - AT_ONCE;
            $fn$_pixels(weights + j * C, src + p * C, part + p * ROW + j, 2);
        }
//@if odd
    for (size_t next = 0; next < pixels; next += AT_ONCE) {
        const size_t p = next + AT_ONCE <= pixels ? next : pixels - AT_ONCE, j = ROW - LANES;
        $fn$_pixels(weights + j * C, src + p * C, part + p * ROW + j, 1);
    }
//@end
}

/* CHANNELS sums for the pixel of the result at y, x, as the padding moves it: pixels top to bottom and left to right of the source touch it. */
NET_INLINE void $fn$_sums(const float *restrict part, const ptrdiff_t y, const ptrdiff_t top, const ptrdiff_t bottom, const ptrdiff_t x, float *restrict to)
{
    enum { M = $M$, W = $OW$, KW = $KW$, SH = $SH$, SW = $SW$, KEPT = $kept$, ROW = $taps$ * M };
    enum { LANES = 8, VECTORS = $channels$ / LANES };
    const ptrdiff_t left = x < KW ? 0 : (x - KW) / SW + 1, right = x / SW < W ? x / SW : W - 1;
    $fn$_vector sum[VECTORS] = {{0}};
    for (ptrdiff_t i = top; i <= bottom; i++)
        for (ptrdiff_t j = left; j <= right; j++) {
            const float *restrict at = part + (i % KEPT * W + j) * ROW;
            const float *restrict tap = at + ((y - i * SH) * KW + x - j * SW) * M;
            for (ptrdiff_t v = 0; v < VECTORS; v++)
                sum[v] += *(const $fn$_vector *)(const void *)(tap + v * LANES);
        }
    for (ptrdiff_t v = 0; v < VECTORS; v++)
        *($fn$_vector *)(void *)(to + v * LANES) = sum[v];
}

$signature$
{
    enum { C = $C$, M = $M$, H = $H$, W = $W$, OH = $OH$, OW = $OW$, KH = $KH$, SH = $SH$ };
    enum { TOP = $PH$, LEFT = $PW$, MADE = $made$, KEPT = $kept$, CHANNELS = $channels$ };
    enum { PART = OW * $taps$ * M }; /* of a row */
    float *restrict part = scratch;
    ptrdiff_t next = 0;
    for (ptrdiff_t i = $from$, begin = i; i < $to$; i++) {
        const float *restrict image = src + i / H * (OH * OW * C);
        const ptrdiff_t y = i % H + TOP, top = y < KH ? 0 : (y - KH) / SH + 1;
        const ptrdiff_t bottom = y / SH < OH ? y / SH : OH - 1;
        if (i == begin || i % H == 0)
            next = top / MADE * MADE;
        for (; next <= bottom; next += MADE) {
            const ptrdiff_t rows = OH - next < MADE ? OH - next : MADE;
            $fn$_product(weights, image + next * (OW * C), part + next % KEPT * PART, (size_t)rows * OW);
        }
        for (ptrdiff_t x = 0; x < W; x++)
            for (ptrdiff_t c = 0; c < M; c += CHANNELS) {
                const ptrdiff_t at = (i * W + x) * M;
                float sum[CHANNELS];
                $fn$_sums(part + c, y, top, bottom, x + LEFT, sum);
                NET_LANES
                for (ptrdiff_t f = 0; f < CHANNELS; f++)
                    dst[at + c + f] = $result$(sum[f]$plus_bias$, at + c + f, c + f);
            }
    }
}
