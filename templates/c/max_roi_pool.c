/* Apache-2.0. The maxima of regions cut into a fixed number of bins. */
#include <math.h>
#include <stddef.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, const float *restrict rois, float *restrict dst)
#define $fn$_edge sample_edge
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $images$ 2
#define $regions$ 2
#define $channels$ 3
#define $H$ 7
#define $W$ 7
#define $OH$ 7
#define $OW$ 7
#define $scale$ 1.0f
#define $round$ roundf
#define $floor$ floorf
#define $ceil$ ceilf
#define $roi_0$ rois[region * 5]
#define $roi_1$ rois[1]
#define $roi_2$ rois[2]
#define $roi_3$ rois[3]
#define $roi_4$ rois[4]
//@begin
/* Clamps a coordinate to an index from 0 to size. */
NET_INLINE ptrdiff_t $fn$_edge(const $A_x$ at, const ptrdiff_t size)
{
    return at > 0 ? at < ($A_x$)size ? (ptrdiff_t)at : size : 0;
}

$signature$
{
    enum { IMAGES = $images$, REGIONS = $regions$, C = $channels$, H = $H$, W = $W$ };
    enum { OH = $OH$, OW = $OW$ };
    for (ptrdiff_t i = 0; i < REGIONS * C; i++) {
        const ptrdiff_t region = i / C;
        const ptrdiff_t image = $fn$_edge($roi_0$, IMAGES - 1);
        const $A_x$ x = $round$($roi_1$ * $scale$);
        const $A_x$ y = $round$($roi_2$ * $scale$);
        $A_x$ w = $round$($roi_3$ * $scale$) - x + 1;
        $A_x$ h = $round$($roi_4$ * $scale$) - y + 1;
        w = (w > 1 ? w : 1) / OW;
        h = (h > 1 ? h : 1) / OH;
        const $T_x$ *restrict plane = src + (image * C + i % C) * (H * W);
        for (ptrdiff_t o = 0; o < OH * OW; o++) {
            const $A_x$ row = ($A_x$)(o / OW), column = ($A_x$)(o % OW);
            const ptrdiff_t y0 = $fn$_edge(y + $floor$(row * h), H);
            const ptrdiff_t y1 = $fn$_edge(y + $ceil$((row + 1) * h), H);
            const ptrdiff_t x0 = $fn$_edge(x + $floor$(column * w), W);
            const ptrdiff_t x1 = $fn$_edge(x + $ceil$((column + 1) * w), W);
            $A_x$ max = y0 < y1 && x0 < x1 ? $ld_x$(plane[y0 * W + x0]) : 0;
            for (ptrdiff_t j = y0; j < y1; j++)
                for (ptrdiff_t k = x0; k < x1; k++)
                    max = $ld_x$(plane[j * W + k]) > max ? $ld_x$(plane[j * W + k]) : max;
            dst[i * (OH * OW) + o] = $st_x$(max);
        }
    }
}
