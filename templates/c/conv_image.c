/* Apache-2.0. A convolution of a few planes, an image, whose result has its channels last: the filters of a block lie across vectors, and each
 * element of the source is multiplied with all of them. */
#include <stddef.h>
#define NET_INLINE static inline
#define NET_LANES
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst)
#define $fn$_vector sample_vector
#define $fn$_tile sample_tile
#define $result$(value, element, channel) (value)
#define $sum$ sum[p][f]
#define $images$ 1
#define $C$ 3
#define $M$ 32
#define $H$ 9
#define $W$ 9
#define $OH$ 5
#define $OW$ 5
#define $KH$ 3
#define $KW$ 3
#define $SH$ 2
#define $SW$ 2
#define $LH$ 1
#define $LW$ 1
#define $PH$ 1
#define $PW$ 1
#define $at_once$ 4
#define $filters$ 16
#define $lanes$ 16
#define $bytes$ 64
#define $from$ 0
#define $to$ IMAGES * OH
#define NET_TABLE
//@begin
typedef float $fn$_vector __attribute__((vector_size($bytes$), aligned(4), may_alias));

/* FILTERS filters for AT_ONCE neighbours of dst: the lines of the source under them begin at line[0] + at, line[1] + at, … */
NET_INLINE void $fn$_tile(const float *const *restrict line, const ptrdiff_t at, const float *restrict w, float (*restrict to)[$filters$])
{
    enum { LINES = $C$ * $KH$, KW = $KW$, SW = $SW$, DW = $LW$, M = $M$ };
    enum { AT_ONCE = $at_once$, LANES = $lanes$, VECTORS = $filters$ / LANES };
    $fn$_vector sum[AT_ONCE][VECTORS] = {{{0}}};
    for (ptrdiff_t l = 0; l < LINES; l++)
        for (ptrdiff_t x = 0; x < KW; x++) {
            const float *restrict s = line[l] + at + x * DW;
            const float *restrict tap = w + (l * KW + x) * M;
            $fn$_vector weight[VECTORS];
            for (ptrdiff_t v = 0; v < VECTORS; v++)
                weight[v] = *(const $fn$_vector *)(tap + v * LANES);
            for (ptrdiff_t p = 0; p < AT_ONCE; p++)
                for (ptrdiff_t v = 0; v < VECTORS; v++)
                    sum[p][v] += s[p * SW] * weight[v];
        }
    for (ptrdiff_t p = 0; p < AT_ONCE; p++)
        for (ptrdiff_t v = 0; v < VECTORS; v++)
            *($fn$_vector *)(to[p] + v * LANES) = sum[p][v];
}

$signature$
{
    enum { C = $C$, M = $M$, H = $H$, W = $W$, OH = $OH$, OW = $OW$, KH = $KH$, KW = $KW$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    enum { IMAGES = $images$, AT_ONCE = $at_once$, FILTERS = $filters$, LINES = C * KH };
    enum { SPAN = (AT_ONCE - 1) * SW + (KW - 1) * DW + 1 }; /* of a line under all windows */
    NET_TABLE static const float outside[W] = {0};
    for (ptrdiff_t i = $from$; i < $to$; i++) {
        const float *line[LINES], *next[LINES]; /* next: under the next row of dst */
        for (ptrdiff_t l = 0; l < LINES; l++) {
            const ptrdiff_t y = i % OH * SH + l % KH * DH - TOP;
            const float *plane = src + (i / OH * C + l / KH) * (H * W);
            line[l] = y < 0 || y >= H ? outside : plane + y * W;
            next[l] = y < -SH || y >= H - SH ? outside : plane + (y + SH) * W;
        }
        for (ptrdiff_t x = 0; x < OW; x += AT_ONCE) {
            const float *edge[LINES], *const *lines = line;
            float padded[LINES][SPAN], sum[AT_ONCE][FILTERS];
            const ptrdiff_t left = x * SW - LEFT, ahead = x * SW + SPAN;
            const ptrdiff_t n = OW - x < AT_ONCE ? OW - x : AT_ONCE;
            const int inside = left >= 0 && left + SPAN <= W;
            for (ptrdiff_t l = 0; l < LINES; l++)
                if (l % KH >= KH - SH)
                    __builtin_prefetch(next[l] + (ahead < W ? ahead : W - 1));
            for (ptrdiff_t l = 0; l < (inside ? 0 : LINES); l++) {
                for (ptrdiff_t j = left; j < left + SPAN; j++)
                    padded[l][j - left] = j < 0 || j >= W ? 0 : line[l][j];
                edge[l] = padded[l];
                lines = edge;
            }
            for (ptrdiff_t m = 0; m < M; m += FILTERS) {
                $fn$_tile(lines, inside ? left : 0, weights + m, sum);
                for (ptrdiff_t p = 0; p < n; p++) {
                    const ptrdiff_t at = (i * OW + x + p) * M + m;
                    NET_LANES
                    for (ptrdiff_t f = 0; f < FILTERS; f++)
                        dst[at + f] = $result$($sum$, at + f, m + f);
                }
            }
        }
    }
}
