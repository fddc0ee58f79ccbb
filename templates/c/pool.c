/* Apache-2.0. Pooling, a row of the output at a time: tap by tap, or the rows of src under it first, which are contiguous, and then their
 * columns. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst, void *restrict scratch)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $T_dst$ float
#define $sum_row$ *restrict sum = scratch
#define $count_row$ *restrict count = sum + OW
#define $column_row$ *restrict column = sum + 2 * OW
#define $first$ -INFINITY
#define $take$(acc, v) acc = v > acc ? v : acc
#define $join$(acc, v) acc = v > acc ? v : acc
#define $mean$(acc) rows > 0 ? acc / (rows * count[x]) : 0
#define $result$(value, element, channel) (value)
#define $channels$ 2
#define $counts_x$ sx >= 0 && sx < W
#define $counts_y$ sy >= 0 && sy < H
#define $planes$ 2
#define $rows$ 7
#define $H$ 7
#define $W$ 7
#define $D$ 7
#define $OH$ 7
#define $OW$ 7
#define $taps$ 9
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
#define $lo$ lo
#define $hi$ hi
#define $y$ row
#define $ky$ tap
#define $is_signed$ 0
void dnnlc_greatest(void *most, const void *bytes, const int n, const int step, const int is_signed);
#define $source$ ((plane * D + sz) * H + sy) * W
#define $from$ 0
#define $to$ PLANES * ROWS
//@begin
$signature$
{
    enum { PLANES = $planes$, ROWS = $rows$, TAPS = $taps$, KW = $KW$ };
    enum { H = $H$, W = $W$, OW = $OW$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
//@if deep
    enum { D = $D$, OH = $OH$, KH = $KH$, SD = $SD$, DD = $LD$, FRONT = $PD$ };
//@end
    $A_x$ $sum_row$;
//@if columns
    $A_x$ $column_row$;
//@end
//@if counted
    $A_x$ $count_row$;
    for (ptrdiff_t x = 0; x < OW; x++) {
        count[x] = 0;
        for (ptrdiff_t kx = 0; kx < KW; kx++) {
            const ptrdiff_t sx = x * SW + kx * DW - LEFT;
            if ($counts_x$)
                count[x] += 1;
        }
    }
//@end
    for (ptrdiff_t i = $from$; i < $to$; i++) {
        const ptrdiff_t plane = i / ROWS, row = i % ROWS;
        $T_dst$ *restrict dst_row = dst + i * OW;
//@if counted
        $A_x$ rows = 0;
//@end
//@if columns
        for (ptrdiff_t x = 0; x < W; x++)
            column[x] = $first$;
//@else
        for (ptrdiff_t x = 0; x < OW; x++)
            sum[x] = $first$;
//@end
        for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
            const ptrdiff_t sy = $y$ * SH + $ky$ * DH - TOP;
//@if deep
            const ptrdiff_t sz = row / OH * SD + tap / KH * DD - FRONT;
//@end
//@if counted
            if ($counts_y$)
                rows += 1;
//@end
//@if padded
            if (sy < 0 || sy >= H)
                continue;
//@if deep
            if (sz < 0 || sz >= D)
                continue;
//@end
//@end
            const $T_x$ *restrict src_row = src + $source$;
//@if columns
//@if bytes
            dnnlc_greatest(column, src_row, W, 1, $is_signed$);
//@else
            for (ptrdiff_t x = 0; x < W; x++) {
                const $A_x$ v = $ld_x$(src_row[x]);
                $take$(column[x], v);
            }
//@end
//@else
            for (ptrdiff_t kx = 0; kx < KW; kx++) {
                const ptrdiff_t at = kx * DW - LEFT;
//@if padded
                const ptrdiff_t lo = at < 0 ? (-at + SW - 1) / SW : 0;
                ptrdiff_t hi = W > at ? (W - at + SW - 1) / SW : 0;
                hi = hi < OW ? hi : OW;
//@end
//@if bytes
                dnnlc_greatest(sum + $lo$, src_row + $lo$ * SW + at, (int32_t)($hi$ - $lo$), SW, $is_signed$);
//@else
                for (ptrdiff_t x = $lo$; x < $hi$; x++) {
                    const $A_x$ v = $ld_x$(src_row[x * SW + at]);
                    $take$(sum[x], v);
                }
//@end
            }
//@end
        }
//@if columns
        for (ptrdiff_t x = 0; x < OW; x++)
            sum[x] = $first$;
        for (ptrdiff_t kx = 0; kx < KW; kx++) {
            const ptrdiff_t at = kx * DW - LEFT;
//@if padded
            const ptrdiff_t lo = at < 0 ? (-at + SW - 1) / SW : 0;
            ptrdiff_t hi = W > at ? (W - at + SW - 1) / SW : 0;
            hi = hi < OW ? hi : OW;
//@end
//@if bytes
            dnnlc_greatest(sum + $lo$, column + $lo$ * SW + at, (int32_t)($hi$ - $lo$), SW, $is_signed$);
//@else
            for (ptrdiff_t x = $lo$; x < $hi$; x++)
                $join$(sum[x], column[x * SW + at]);
//@end
        }
//@end
        for (ptrdiff_t x = 0; x < OW; x++)
            dst_row[x] = $result$($mean$(sum[x]), i * OW + x, plane % $channels$);
    }
}
