/* Apache-2.0. A transposed convolution: per output channel a product that gives what each tap contributes, added to
 * the places the tap reaches; see tile.c. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst, void *restrict scratch)
#define $T_x$ float
#define $A_x$ float
#define $place$ sum[i]
#define $result$(value, element, channel) (value)
#define $channels$ 2
#define $first$ 0.0f
#define $sums$ dst + plane * PLANE
#define $weights$ weights
#define $M$ 16
#define $C$ 16
#define $planes$ 2
#define $taps$ 9
#define $plane$ 49
#define $src_plane$ 49
#define $H$ 7
#define $W$ 7
#define $D$ 7
#define $OD$ 7
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
#define $row$ r
#define $target$ (z * H + y) * W
#define $call$(x) image, w
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
$signature$
{
    enum { PLANES = $planes$, M = $M$, C = $C$, PLANE = $plane$, SRC_PLANE = $src_plane$ };
    enum { W = $W$, OW = $OW$, ROWS = SRC_PLANE / OW, TAPS = $taps$ };
    enum { KW = $KW$, SW = $SW$, DW = $LW$, LEFT = $PW$ };
//@if tall
    enum { H = $H$, KH = $KH$, SH = $SH$, DH = $LH$, TOP = $PH$ };
//@end
//@if deep
    enum { D = $D$, OH = $OH$, SD = $SD$, DD = $LD$, FRONT = $PD$ };
//@end
    $A_x$ *restrict part = scratch;
    for (ptrdiff_t plane = 0; plane < PLANES; plane++) {
        const $T_x$ *restrict image = src + plane / M * (C * SRC_PLANE);
        const $T_x$ *restrict w = $weights$;
        $A_x$ *restrict sum = $sums$;
        $fn$_product($call$($arg$));
        for (ptrdiff_t i = 0; i < PLANE; i++)
            sum[i] = $first$;
        for (ptrdiff_t i = 0; i < TAPS * ROWS; i++) {
            const ptrdiff_t tap = i / ROWS, column = tap % KW * DW - LEFT;
            ptrdiff_t hi = W > column ? (W - column + SW - 1) / SW : 0;
            const ptrdiff_t lo = column < 0 ? (-column + SW - 1) / SW : 0;
//@if tall
            const ptrdiff_t r = i % ROWS, y = $row$ * SH + tap / KW % KH * DH - TOP;
            if (y < 0 || y >= H)
                continue;
//@end
//@if deep
            const ptrdiff_t z = r / OH * SD + tap / (KW * KH) * DD - FRONT;
            if (z < 0 || z >= D)
                continue;
//@end
            $A_x$ *restrict to = sum + $target$;
            hi = hi < OW ? hi : OW;
            for (ptrdiff_t x = lo; x < hi; x++)
                to[x * SW + column] += part[i * OW + x];
        }
//@if last
        for (ptrdiff_t i = 0; i < PLANE; i++)
            $place$ = $result$(sum[i], plane * PLANE + i, plane % $channels$);
//@end
    }
}
