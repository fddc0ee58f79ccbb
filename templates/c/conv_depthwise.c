/* Apache-2.0. A convolution of each channel with filters of its own, row by row. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst, void *restrict scratch)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $T_dst$ float
#define $result$(value, element, channel) (value)
#define $sum_row$ *restrict sum = scratch
#define $M$ 16
#define $planes$ 2
#define $plane_in$ plane
#define $first$ 0.0f
#define $weight$ w[0]
#define $source$ s[x * SW - LEFT]
#define $lo$ 1
#define $hi$ 6
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
#define $to$ PLANES
//@begin
$signature$
{
    enum { PLANES = $planes$, M = $M$, KH = $KH$, KW = $KW$, LO = $lo$, HI = $hi$ };
    enum { H = $H$, W = $W$, OH = $OH$, OW = $OW$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    $A_x$ $sum_row$;
    for (ptrdiff_t plane = $from$; plane < $to$; plane++) {
        const $T_x$ *restrict src_plane = src + $plane_in$ * H * W;
        for (ptrdiff_t y = 0; y < OH; y++) {
            $T_dst$ *restrict dst_row = dst + (plane * OH + y) * OW;
            for (ptrdiff_t x = 0; x < OW; x++)
                sum[x] = $first$;
            for (ptrdiff_t ky = 0; ky < KH; ky++) {
                const ptrdiff_t sy = y * SH + ky * DH - TOP;
                if (sy < 0 || sy >= H)
                    continue;
                const $T_x$ *restrict s = src_plane + sy * W;
                const $T_x$ *restrict w = weights + (plane % M * KH + ky) * KW;
                for (ptrdiff_t x = LO; x < HI; x++) {
                    $A_x$ v = sum[x];
//@for tap
                    v += $weight$ * $source$;
//@end
                    sum[x] = v;
                }
//@if edges
                for (ptrdiff_t x = 0; x < LO; x++)
                    for (ptrdiff_t kx = 0; kx < KW; kx++) {
                        const ptrdiff_t sx = x * SW + kx * DW - LEFT;
                        if (sx >= 0 && sx < W)
                            sum[x] += $ld_x$(w[kx]) * $ld_x$(s[sx]);
                    }
                for (ptrdiff_t x = HI; x < OW; x++)
                    for (ptrdiff_t kx = 0; kx < KW; kx++) {
                        const ptrdiff_t sx = x * SW + kx * DW - LEFT;
                        if (sx >= 0 && sx < W)
                            sum[x] += $ld_x$(w[kx]) * $ld_x$(s[sx]);
                    }
//@end
            }
            for (ptrdiff_t x = 0; x < OW; x++)
                dst_row[x] = $result$(sum[x], (plane * OH + y) * OW + x, plane % M);
        }
    }
}
