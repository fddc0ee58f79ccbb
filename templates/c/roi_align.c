/* Apache-2.0. Regions resampled to a fixed size by bilinear interpolation. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, const float *restrict rois, const int64_t *restrict batch_indices, float *restrict dst)
#define $fn$_sample sample_sample
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
#define $offset$ 0.5f
#define $grid_h$ 2
#define $grid_w$ 2
#define $corner_x$ rois[0]
#define $corner_y$ rois[0]
#define $end_x$ rois[0]
#define $end_y$ rois[0]
#define $height$ h
#define $width$ w
#define $join$ sum += v;
#define $result$ sum / (float)(grid_h * grid_w)
//@begin
/* Bilinear interpolation of the source; zero outside. */
NET_INLINE $A_x$ $fn$_sample(const $T_x$ *restrict src, $A_x$ y, $A_x$ x)
{
    enum { H = $H$, W = $W$ };
    if (!(y >= -1 && y <= H && x >= -1 && x <= W))
        return 0;
    y = y < 0 ? 0 : y < H - 1 ? y : H - 1;
    x = x < 0 ? 0 : x < W - 1 ? x : W - 1;
    const ptrdiff_t y0 = (ptrdiff_t)y, x0 = (ptrdiff_t)x;
    const ptrdiff_t y1 = y0 + 1 < H ? y0 + 1 : y0, x1 = x0 + 1 < W ? x0 + 1 : x0;
    const $A_x$ ty = y - ($A_x$)y0, tx = x - ($A_x$)x0;
    const $A_x$ a = (1 - ty) * (1 - tx) * $ld_x$(src[y0 * W + x0]);
    const $A_x$ b = (1 - ty) * tx * $ld_x$(src[y0 * W + x1]);
    const $A_x$ c = ty * (1 - tx) * $ld_x$(src[y1 * W + x0]);
    const $A_x$ d = ty * tx * $ld_x$(src[y1 * W + x1]);
//@if max
    const $A_x$ upper = a > b ? a : b, lower = c > d ? c : d;
    return upper > lower ? upper : lower;
//@else
    return a + b + c + d;
//@end
}

$signature$
{
    enum { IMAGES = $images$, REGIONS = $regions$, C = $channels$, H = $H$, W = $W$ };
    enum { OH = $OH$, OW = $OW$ };
    for (ptrdiff_t i = 0; i < REGIONS * C; i++) {
        const ptrdiff_t region = i / C;
        int64_t image = batch_indices[region] < 0 ? 0 : batch_indices[region];
        image = image < IMAGES ? image : IMAGES - 1;
        const $T_x$ *restrict src_plane = src + (image * C + i % C) * (H * W);
        $T_x$ *restrict dst_plane = dst + i * (OH * OW);
        const $A_x$ x = $corner_x$ * $scale$ - $offset$;
        const $A_x$ y = $corner_y$ * $scale$ - $offset$;
        const $A_x$ w = $end_x$ * $scale$ - $offset$ - x;
        const $A_x$ h = $end_y$ * $scale$ - $offset$ - y;
        const $A_x$ bin_h = $height$ / OH, bin_w = $width$ / OW;
        const ptrdiff_t grid_h = $grid_h$;
        const ptrdiff_t grid_w = $grid_w$;
        for (ptrdiff_t o = 0; o < OH * OW; o++) {
            $A_x$ sum = 0;
            for (ptrdiff_t k = 0; k < grid_h * grid_w; k++) {
                const $A_x$ dy = (($A_x$)(k / grid_w) + 0.5f) / ($A_x$)grid_h;
                const $A_x$ dx = (($A_x$)(k % grid_w) + 0.5f) / ($A_x$)grid_w;
                const $A_x$ at_y = y + bin_h * (($A_x$)(o / OW) + dy);
                const $A_x$ at_x = x + bin_w * (($A_x$)(o % OW) + dx);
                const $A_x$ v = $fn$_sample(src_plane, at_y, at_x);
                $join$
            }
            dst_plane[o] = $st_x$($result$);
        }
    }
}
