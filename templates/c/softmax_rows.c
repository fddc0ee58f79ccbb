/* Apache-2.0. Softmax of contiguous rows. */
#include <math.h>
#include <stddef.h>
#define NET_LANES
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $exp$ expf
#define $log$ logf
#define $lowest$ -INFINITY
#define $rows$ 4
#define $size$ 100
#define $full$ 96
#define $lanes$ 16
#define $again$ dst_row[i]
#define $factor$ 1 / sum
#define $result$ e * factor
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, SIZE = $size$, FULL = $full$, LANES = $lanes$ };
    for (size_t row = $from$; row < $to$; row++) {
        const $T_x$ *restrict src_row = src + row * SIZE;
        $T_x$ *restrict dst_row = dst + row * SIZE;
        $A_x$ part[LANES], max = $lowest$, sum = 0;
//@if full
        for (size_t l = 0; l < LANES; l++)
            part[l] = $ld_x$(src_row[l]);
        for (size_t i = LANES; i < FULL; i += LANES) {
            NET_LANES
            for (size_t l = 0; l < LANES; l++) {
                const $A_x$ v = $ld_x$(src_row[i + l]);
                part[l] = v > part[l] ? v : part[l];
            }
        }
        for (size_t w = LANES / 2; w > 0; w /= 2)
            for (size_t l = 0; l < w; l++)
                part[l] = part[l + w] > part[l] ? part[l + w] : part[l];
        max = part[0];
//@end
        for (size_t i = FULL; i < SIZE; i++)
            max = $ld_x$(src_row[i]) > max ? $ld_x$(src_row[i]) : max;
        for (size_t l = 0; l < LANES; l++)
            part[l] = 0;
//@if full
        for (size_t i = 0; i < FULL; i += LANES) {
            NET_LANES
            for (size_t l = 0; l < LANES; l++) {
                const $A_x$ e = $exp$($ld_x$(src_row[i + l]) - max);
//@if keep
                dst_row[i + l] = e;
//@end
                part[l] += e;
            }
        }
//@end
        for (size_t i = FULL; i < SIZE; i++) {
            const $A_x$ e = $exp$($ld_x$(src_row[i]) - max);
//@if keep
            dst_row[i] = e;
//@end
            sum += e;
        }
        for (size_t w = LANES / 2; w > 0; w /= 2)
            for (size_t l = 0; l < w; l++)
                part[l] += part[l + w];
        sum += part[0];
        const $A_x$ factor = $factor$;
        for (size_t i = 0; i < SIZE; i++) {
            const $A_x$ e = $again$;
            dst_row[i] = $st_x$($result$);
        }
    }
}
