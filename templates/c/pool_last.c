/* Apache-2.0. Pooling with the channels last: those of a pixel lie side by side, and so do their results. */
#include <math.h>
#include <stddef.h>
#define NET_LANES
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $T_dst$ float
#define $ld_x$(x) (x)
#define $first$ -INFINITY
#define $take$(acc, v) acc = v > acc ? v : acc
#define $mean$(acc) acc
#define $result$(value, element, channel) (value)
#define $images$ 2
#define $C$ 24
#define $lanes$ 16
#define $src_pitch$ 24
#define $dst_pitch$ 48
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
#define $to$ IMAGES * OH
//@begin
//@if rest
/* The last vector of channels begins before the one in front of it ends. */
//@end
//@if padded
/* In the place of taps beyond the border their neighbours within the window are taken once more, which changes no maximum. */
//@end
$signature$
{
    enum { IMAGES = $images$, C = $C$, H = $H$, W = $W$, OH = $OH$, OW = $OW$, KH = $KH$, KW = $KW$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    enum { SRC_PITCH = $src_pitch$, DST_PITCH = $dst_pitch$, LANES = $lanes$ };
    for (ptrdiff_t row = $from$; row < $to$; row++) {
        const $T_x$ *restrict image = src + row / OH * (H * W * SRC_PITCH);
        const ptrdiff_t top = row % OH * SH - TOP;
//@if padded
        ptrdiff_t y0 = 0, y1 = KH;
        while (top + y0 * DH < 0)
            y0++;
        while (top + (y1 - 1) * DH >= H)
            y1--;
//@end
        for (ptrdiff_t x = 0; x < OW; x++) {
            const ptrdiff_t left = x * SW - LEFT, pixel = (row * OW + x) * DST_PITCH;
            const $T_x$ *tap[KH * KW];
//@if padded
            ptrdiff_t x0 = 0, x1 = KW;
            while (left + x0 * DW < 0)
                x0++;
            while (left + (x1 - 1) * DW >= W)
                x1--;
//@end
            for (ptrdiff_t k = 0; k < KH * KW; k++) {
                ptrdiff_t ky = k / KW, kx = k % KW;
//@if padded
                ky = ky < y0 ? y0 : ky < y1 ? ky : y1 - 1;
                kx = kx < x0 ? x0 : kx < x1 ? kx : x1 - 1;
//@end
                tap[k] = image + ((top + ky * DH) * W + left + kx * DW) * SRC_PITCH;
            }
            for (ptrdiff_t i = 0; i < C; i += LANES) {
                const ptrdiff_t first = i + LANES <= C ? i : C - LANES;
                NET_LANES
                for (ptrdiff_t c = first; c < first + LANES; c++) {
                    $A_x$ acc = $first$;
                    for (ptrdiff_t k = 0; k < KH * KW; k++) {
                        const $A_x$ v = $ld_x$(tap[k][c]);
                        $take$(acc, v);
                    }
                    dst[pixel + c] = $result$($mean$(acc), pixel + c, c);
                }
            }
        }
    }
}
