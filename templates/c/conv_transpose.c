/* Apache-2.0. A transposed convolution: per output channel a product that gives what each tap contributes (see tile.c), added up for one
 * row of the result after the other. Columns that are SW apart get theirs from the same taps: their sums are neighbours, so that vectors
 * go along them, and are interleaved in the end. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst, void *restrict scratch)
#define $T_x$ float
#define $A_x$ float
#define $result$(value, element, channel) (value)
#define $channels$ 2
#define $first$ 0.0f
#define $T_dst$ float
#define $sum_at$ 100
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
#define $call$(x) image, w
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
$signature$
{
    enum { PLANES = $planes$, M = $M$, C = $C$, PLANE = $plane$, SRC_PLANE = $src_plane$ };
    enum { W = $W$, OW = $OW$, TAPS = $taps$, ROWS = PLANE / W, EACH = (W + $SW$ - 1) / $SW$ };
    enum { KW = $KW$, SW = $SW$, DW = $LW$, LEFT = $PW$ };
//@if tall
    enum { H = $H$, OH = $OH$, KH = $KH$, SH = $SH$, DH = $LH$, TOP = $PH$ };
//@end
//@if deep
    enum { OD = $OD$, SD = $SD$, DD = $LD$, FRONT = $PD$ };
//@end
    $A_x$ *restrict part = scratch, *restrict sum = part + $sum_at$;
    for (ptrdiff_t plane = 0; plane < PLANES; plane++) {
        const $T_x$ *restrict image = src + plane / M * (C * SRC_PLANE);
        const $T_x$ *restrict w = $weights$;
        $fn$_product($call$($arg$));
        for (ptrdiff_t row = 0; row < ROWS; row++) {
            for (ptrdiff_t i = 0; i < SW * EACH; i++)
                sum[i] = $first$;
            for (ptrdiff_t k = 0; k < TAPS / KW; k++) {
                ptrdiff_t from = 0; /* the row of src that this row of taps brings here */
//@if deep
                const ptrdiff_t z = row / H + FRONT - k / KH * DD;
                if (z < 0 || z % SD || z / SD >= OD)
                    continue;
                from = z / SD * OH;
//@end
//@if tall
                const ptrdiff_t y = row % H + TOP - k % KH * DH;
                if (y < 0 || y % SH || y / SH >= OH)
                    continue;
                from += y / SH;
//@end
                for (ptrdiff_t kx = 0; kx < KW; kx++) {
                    const ptrdiff_t first = kx * DW - LEFT, phase = (first % SW + SW) % SW;
                    const ptrdiff_t ahead = (first - phase) / SW, lo = ahead < 0 ? -ahead : 0;
                    const ptrdiff_t end = (W - phase + SW - 1) / SW - ahead;
                    const ptrdiff_t hi = end < OW ? end : OW;
                    const $A_x$ *restrict s = part + ((k * KW + kx) * (SRC_PLANE / OW) + from) * OW;
                    $A_x$ *restrict to = sum + phase * EACH;
                    for (ptrdiff_t x = lo; x < hi; x++)
                        to[x + ahead] += s[x];
                }
            }
            const ptrdiff_t at = plane * PLANE + row * W;
            $T_dst$ *restrict dst_row = dst + at;
            for (ptrdiff_t x = 0; x < W / SW; x++)
                for (ptrdiff_t p = 0; p < SW; p++)
                    dst_row[x * SW + p] = $result$(sum[p * EACH + x], at + x * SW + p, plane % $channels$);
//@if ragged
            for (ptrdiff_t x = W - W % SW; x < W; x++)
                dst_row[x] = $result$(sum[x % SW * EACH + x / SW], at + x, plane % $channels$);
//@end
        }
    }
}
