/* Apache-2.0. Pooling, a block of rows of the result at a time: first the rows of src under each, whose neighbours are independent, then the
 * columns of what that gave, which has the border around it. By then it is in the cache, and no longer on its way there. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst, void *restrict scratch)
#define $first$ -INFINITY
#define $take$(acc, v) acc = v > acc ? v : acc
#define $join$(acc, v) acc = v > acc ? v : acc
#define $mean$(acc) rows > 0 ? acc / (rows * count[x]) : 0
#define $result$(value, element, channel) (value)
#define $column_rows$ *restrict column = scratch
#define $outside_row$ *restrict outside = column + AT_ONCE * PITCH
#define $count_row$ *restrict count = outside + W
#define $channels$ 2
#define $counts_x$ sx >= 0 && sx < W
#define $counts_y$ sy >= 0 && sy < H && sz >= 0 && sz < D
#define $inside$ sy >= 0 && sy < H && sz >= 0 && sz < D
#define $planes$ 2
#define $rows$ 7
#define $at_once$ 4
#define $blocks$ 2
#define $pitch$ 9
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
#define $y$ row
#define $ky$ tap
#define $source$ ((plane * D + sz) * H + sy) * W
#define $from$ 0
#define $to$ PLANES * BLOCKS
//@begin
$signature$
{
    enum { PLANES = $planes$, ROWS = $rows$, AT_ONCE = $at_once$, BLOCKS = $blocks$ };
    enum { TAPS = $taps$, KW = $KW$, H = $H$, W = $W$, OW = $OW$, PITCH = $pitch$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
//@if deep
    enum { D = $D$, OH = $OH$, KH = $KH$, SD = $SD$, DD = $LD$, FRONT = $PD$ };
//@end
    float $column_rows$;
//@if padded
    float $outside_row$;
    for (ptrdiff_t x = 0; x < AT_ONCE * PITCH; x++)
        column[x] = $first$;
    for (ptrdiff_t x = 0; x < W; x++)
        outside[x] = $first$;
//@end
//@if counted
    float $count_row$;
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
        const ptrdiff_t plane = i / BLOCKS, begin = i % BLOCKS * AT_ONCE;
        const ptrdiff_t end = begin + AT_ONCE < ROWS ? begin + AT_ONCE : ROWS;
        for (ptrdiff_t row = begin; row < end; row++) {
            const float *line[TAPS];
            for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
                const ptrdiff_t sy = $y$ * SH + $ky$ * DH - TOP;
//@if deep
                const ptrdiff_t sz = row / OH * SD + tap / KH * DD - FRONT;
//@end
//@if padded
                const int inside = $inside$;
                line[tap] = inside ? src + $source$ : outside;
//@else
                line[tap] = src + $source$;
//@end
            }
            float *const under = column + (row - begin) * PITCH + LEFT;
            for (ptrdiff_t x = 0; x < W; x++) {
                float sum = $first$;
                for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
                    const float v = line[tap][x];
                    $take$(sum, v);
                }
                under[x] = sum;
            }
        }
        for (ptrdiff_t row = begin; row < end; row++) {
//@if counted
            float rows = 0;
            for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
                const ptrdiff_t sy = $y$ * SH + $ky$ * DH - TOP;
//@if deep
                const ptrdiff_t sz = row / OH * SD + tap / KH * DD - FRONT;
//@end
                if ($counts_y$)
                    rows += 1;
            }
//@end
            const float *const line = column + (row - begin) * PITCH;
            const ptrdiff_t result = (plane * ROWS + row) * OW;
            for (ptrdiff_t x = 0; x < OW; x++) {
                float sum = $first$;
                for (ptrdiff_t kx = 0; kx < KW; kx++)
                    $join$(sum, line[x * SW + kx * DW]);
                dst[result + x] = $result$($mean$(sum), result + x, plane % $channels$);
            }
        }
    }
}
