/* Apache-2.0. A convolution as a product of the weights with the source gathered by taps; see tile.c. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst, void *restrict scratch)
#define $fn$_gather sample_gather
#define $gather_params$(x) const float *restrict src, float *restrict panel, const ptrdiff_t first, const ptrdiff_t count
#define $T_x$ float
#define $T_dst$ float
#define $T_panel$ float
#define $C$ 3
#define $M$ 16
#define $images$ 2
#define $group$ 2
#define $filters$ 16
#define $panel_at$ 16
#define $channels$ 16
#define $multiplier$ 1
#define $panel$ scratch
#define $plane$ 49
#define $src_plane$ 49
#define $taps$ 9
#define $width$ 24
#define $full$ 48
#define $D$ 7
#define $H$ 7
#define $W$ 7
#define $OH$ 7
#define $OW$ 7
#define $KD$ 3
#define $KH$ 3
#define $KW$ 3
#define $SD$ 1
#define $SH$ 1
#define $SW$ 1
#define $LD$ 1
#define $LH$ 1
#define $LW$ 1
#define $PD$ 1
#define $PH$ 1
#define $PW$ 1
#define $unused_weights_zero$ weights
#define $unused_src_zero$ weights
#define $unused_dst_zero$ weights
#define $row$ (first + j) / OW
#define $at$ ((channel * D + sz) * H + sy) * W + sx
#define $gathered$ src[at + i * SW]
#define $call_gather$(item) x, panel, p, WIDTH
#define $call_gather_rest$(item) x, panel, FULL, PLANE - FULL
#define $call$(item) y, group, scale
#define $call_rest$(item) y
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
//@if padded
/* im2col: panel[tap][j] is the source element under a tap for output position first + j, zero in the padding. */
//@else
/* im2col: panel[tap][j] is the source element under a tap for output position first + j. */
//@end
NET_INLINE void $fn$_gather($gather_params$($param$))
{
    enum { C = $C$, TAPS = $taps$, WIDTH = $width$ };
    enum { W = $W$, OW = $OW$, KW = $KW$, SW = $SW$, DW = $LW$, LEFT = $PW$ };
//@if tall
    enum { H = $H$, KH = $KH$, SH = $SH$, DH = $LH$, TOP = $PH$ };
//@end
//@if deep
    enum { D = $D$, OH = $OH$, KD = $KD$, SD = $SD$, DD = $LD$, FRONT = $PD$ };
//@end
    for (ptrdiff_t tap = 0; tap < C * TAPS; tap++) {
        const ptrdiff_t channel = tap / TAPS, column = tap % KW * DW - LEFT;
        $T_panel$ *restrict row = panel + tap * WIDTH;
        for (ptrdiff_t j = 0, run; j < count; j += run) {
            const ptrdiff_t x = (first + j) % OW, sx = x * SW + column;
            run = OW - x < count - j ? OW - x : count - j;
//@if tall
            const ptrdiff_t y = $row$, sy = y * SH + tap / KW % KH * DH - TOP;
//@end
//@if deep
            const ptrdiff_t z = (first + j) / (OW * OH);
            const ptrdiff_t sz = z * SD + tap / (KW * KH) % KD * DD - FRONT;
//@end
            const ptrdiff_t at = $at$;
//@if padded
            ptrdiff_t lo = sx < 0 ? (-sx + SW - 1) / SW : 0;
            ptrdiff_t hi = sx < W ? (W - sx + SW - 1) / SW : 0;
//@if tall
            if (sy < 0 || sy >= H)
                hi = 0;
//@end
//@if deep
            if (sz < 0 || sz >= D)
                hi = 0;
//@end
            hi = hi < run ? hi : run;
            lo = lo < hi ? lo : hi;
            for (ptrdiff_t i = 0; i < lo; i++)
                row[j + i] = 0;
            for (ptrdiff_t i = lo; i < hi; i++)
                row[j + i] = $gathered$;
            for (ptrdiff_t i = hi; i < run; i++)
                row[j + i] = 0;
//@else
            for (ptrdiff_t i = 0; i < run; i++)
                row[j + i] = $gathered$;
//@end
        }
    }
}

$signature$
{
    enum { IMAGES = $images$, C = $C$, M = $M$, WIDTH = $width$, FULL = $full$ };
    enum { SRC_PLANE = $src_plane$, PLANE = $plane$ };
//@if grouped
    enum { GROUP = $group$, FILTERS = $filters$ };
//@end
//@if panel_at
    enum { PANEL_AT = $panel_at$ }; /* bytes */
//@end
    $T_panel$ *panel = $panel$;
//@if unused_weights_zero
    (void)$unused_weights_zero$; /* the zero point is 0 */
//@end
//@if unused_src_zero
    (void)$unused_src_zero$; /* the zero point is 0 */
//@end
//@if unused_dst_zero
    (void)$unused_dst_zero$; /* the zero point is 0 */
//@end
//@if quantised
    enum { CHANNELS = $channels$ };
    float *scale = scratch;
    for (size_t i = 0; i < CHANNELS; i++)
        scale[i] = $multiplier$;
//@end
    for (size_t image = 0; image < IMAGES; image++) {
//@if grouped
        const size_t group = image % GROUP;
//@end
        const $T_x$ *x = src + image * C * SRC_PLANE;
        $T_dst$ *y = dst + image * M * PLANE;
        for (size_t p = 0; p < FULL; p += WIDTH) {
            $fn$_gather($call_gather$($arg$));
            $fn$_product($call$($arg$));
        }
//@if rest
        $fn$_gather($call_gather_rest$($arg$));
        $fn$_product($call_rest$($arg$));
//@end
    }
}
