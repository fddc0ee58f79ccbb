/* Apache-2.0. A convolution with few filters, channels innermost: dot products over channels. */
#include <stddef.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst)
#define $fn$_dots sample_dots
#define $pixel$ pixel * M
#define $m$ m
#define $sum$ sum[(pixel - first) * M + m]
#define $result$(value, element, channel) (value)
#define $images$ 1
#define $C$ 32
#define $M$ 2
#define $at_once$ 4
#define $H$ 7
#define $W$ 7
#define $OH$ 7
#define $OW$ 7
#define $KH$ 3
#define $KW$ 3
#define $SH$ 1
#define $SW$ 1
#define $LH$ 1
#define $LW$ 1
#define $PH$ 1
#define $PW$ 1
#define $from$ 0
#define $to$ PIXELS
#define NET_TABLE
//@begin
/* All filters over a few pixels at once; the partial sums of a pixel's filters are neighbours, as their weights are. */
NET_INLINE void $fn$_dots(const float *const *restrict tap, const float *restrict w, float *restrict sum)
{
    enum { C = $C$, M = $M$, TAPS = $KH$ * $KW$, AT_ONCE = $at_once$, LANES = 16 };
    float part[AT_ONCE][M][LANES] = {{{0}}};
    for (ptrdiff_t i = 0; i < TAPS * C / LANES; i++) {
        const ptrdiff_t k = i / (C / LANES), c = i % (C / LANES) * LANES;
        for (ptrdiff_t p = 0; p < AT_ONCE; p++)
            for (ptrdiff_t m = 0; m < M; m++)
                for (ptrdiff_t l = 0; l < LANES; l++)
                    part[p][m][l] += tap[k * AT_ONCE + p][c + l] * w[(i * M + m) * LANES + l];
    }
    for (ptrdiff_t p = 0; p < AT_ONCE; p++)
        for (ptrdiff_t m = 0; m < M; m++) {
            for (ptrdiff_t l = 0; l < LANES / 2; l++)
                part[p][m][l] += part[p][m][l + LANES / 2];
            for (ptrdiff_t l = 0; l < LANES / 4; l++)
                part[p][m][l] += part[p][m][l + LANES / 4];
            sum[p * M + m] = part[p][m][0] + part[p][m][1] + (part[p][m][2] + part[p][m][3]);
        }
}

$signature$
{
    enum { IMAGES = $images$, C = $C$, M = $M$, H = $H$, W = $W$, OH = $OH$, OW = $OW$ };
    enum { KH = $KH$, KW = $KW$, PIXELS = IMAGES * OH * OW, AT_ONCE = $at_once$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    NET_TABLE static const float outside[C] = {0};
    for (ptrdiff_t first = $from$; first < $to$; first += AT_ONCE) {
        const float *tap[KH * KW * AT_ONCE]; /* the pixels under the filters */
        float sum[AT_ONCE * M];
        for (ptrdiff_t p = 0; p < AT_ONCE; p++) {
            const ptrdiff_t pixel = first + p < PIXELS ? first + p : PIXELS - 1;
            const float *restrict image = src + pixel / (OH * OW) * (H * W * C);
            for (ptrdiff_t k = 0; k < KH * KW; k++) {
                const ptrdiff_t y = pixel / OW % OH * SH + k / KW * DH - TOP;
                const ptrdiff_t x = pixel % OW * SW + k % KW * DW - LEFT;
                const ptrdiff_t at = y < 0 || y >= H || x < 0 || x >= W ? -1 : (y * W + x) * C;
                tap[k * AT_ONCE + p] = at < 0 ? outside : image + at;
            }
        }
        $fn$_dots(tap, weights, sum);
        for (ptrdiff_t pixel = first; pixel < first + AT_ONCE && pixel < PIXELS; pixel++) {
            const ptrdiff_t at = $pixel$;
            for (ptrdiff_t m = 0; m < M; m++)
                dst[at + $m$] = $result$($sum$, at + $m$, m);
        }
    }
}
