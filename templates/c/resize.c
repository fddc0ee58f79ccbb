/* Apache-2.0. Resize by weighted sums: the rows that an output row needs are blended first, then the columns. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst, void *restrict scratch)
#define $T_x$ float
#define $A_x$ float
#define $st_x$(x) (x)
#define $W$ 7
#define $OW$ 7
#define $inner$ 1
#define $pitch$ 1
#define $rows$ 21
#define $blended$ 4
#define $row_buffer$ *restrict row = scratch
#define $factor$ axis_x[y].weight[t]
#define $source$ r + axis_x[y].index[t]
#define $load$ line[x]
#define $cropped$ x < 3
#define $outside$ 0
#define $taps_x$ 2
#define y r
static const struct {
    int32_t index[2];
    float weight[2];
} axis_x[7] = {{{0, 1}, {0.5f, 0.5f}}};
#define $axis_x$ axis_x
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, W = $W$, OW = $OW$, INNER = $inner$, PITCH = $pitch$ };
    $A_x$ $row_buffer$;
    for (ptrdiff_t r = $from$; r < $to$; r++) {
        for (ptrdiff_t x = 0; x < W * INNER; x++)
            row[x] = 0;
        for (ptrdiff_t t = 0; t < $blended$; t++) {
            const $A_x$ weight = $factor$;
            const $T_x$ *restrict line = src + ($source$) * (W * INNER);
            for (ptrdiff_t x = 0; x < W * INNER; x++)
                row[x] += weight * $load$;
        }
        $T_x$ *restrict dst_row = dst + r * (OW * PITCH);
        for (ptrdiff_t x = 0; x < OW; x++)
            for (ptrdiff_t i = 0; i < INNER; i++) {
                $A_x$ sum = 0;
                for (ptrdiff_t t = 0; t < $taps_x$; t++)
                    sum += $axis_x$[x].weight[t] * row[$axis_x$[x].index[t] * INNER + i];
                dst_row[x * PITCH + i] = $st_x$(sum);
            }
//@if cropped
        for (ptrdiff_t x = 0; x < OW; x++)
            for (ptrdiff_t i = 0; i < INNER; i++)
                if ($cropped$)
                    dst_row[x * PITCH + i] = $outside$;
//@end
    }
}
