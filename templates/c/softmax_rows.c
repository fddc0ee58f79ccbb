/* Apache-2.0. Softmax of contiguous rows. */
#include <math.h>
#include <stddef.h>
#define NET_LANES
#define NET_VECTORS
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $exp$ expf
#define $log$ logf
#define $rows$ 40
#define $block$ 8
#define $size$ 100
#define $full$ 96
#define $last$ 84
#define $lanes$ 16
#define $half$ 8
#define $unroll$ NET_LANES
#define $again$ src_row[i]
#define $factor$ 1 / sum[r]
#define $result$ e * sum[r]
#define $from$ 0
#define $to$ ROWS
//@begin
/* A few rows at a time: while one row's sum goes from lane to lane, and its logarithm or quotient is made, others are under way. */
$signature$
{
    enum { ROWS = $rows$, SIZE = $size$, BLOCK = $block$, LANES = $lanes$ };
    enum { FULL = $full$, LAST = $last$ };
//@if rest
    /* The last vector of a row begins before the one in front of it ends; what both have counts once. gcc takes a vector with a condition apart. */
    $A_x$ counts[LANES];
    for (size_t l = 0; l < LANES; l++)
        counts[l] = LAST + l < FULL ? 0 : 1;
//@end
    for (size_t first = $from$; first < $to$; first += BLOCK) {
        const $T_x$ *restrict src_rows = src + first * SIZE;
        $T_x$ *restrict dst_rows = dst + first * SIZE;
        const size_t rows = $to$ - first < BLOCK ? $to$ - first : BLOCK;
        $A_x$ max[BLOCK] = {0}, sum[BLOCK] = {0};
        for (size_t r = 0; r < rows; r++) {
            const $T_x$ *restrict src_row = src_rows + r * SIZE;
            $A_x$ part[LANES];
            for (size_t l = 0; l < LANES; l++)
                part[l] = $ld_x$(src_row[LAST + l]);
            for (size_t i = 0; i < FULL; i += LANES) {
                NET_LANES
                for (size_t l = 0; l < LANES; l++) {
                    const $A_x$ v = $ld_x$(src_row[i + l]);
                    part[l] = v > part[l] ? v : part[l];
                }
            }
//@for folds
            $unroll$
            for (size_t l = 0; l < $half$; l++)
                part[l] = part[l + $half$] > part[l] ? part[l + $half$] : part[l];
//@end
            max[r] = part[0];
        }
        for (size_t r = 0; r < rows; r++) {
            const $T_x$ *restrict src_row = src_rows + r * SIZE;
//@if keep
            $T_x$ *restrict dst_row = dst_rows + r * SIZE;
//@end
            $A_x$ part[LANES];
//@if rest
            NET_LANES
            for (size_t l = 0; l < LANES; l++) {
                const $A_x$ e = $exp$($ld_x$(src_row[LAST + l]) - max[r]);
//@if keep
                dst_row[LAST + l] = e;
//@end
                part[l] = e * counts[l];
            }
//@else
            for (size_t l = 0; l < LANES; l++)
                part[l] = 0;
//@end
            for (size_t i = 0; i < FULL; i += LANES) {
                NET_LANES
                for (size_t l = 0; l < LANES; l++) {
                    const $A_x$ e = $exp$($ld_x$(src_row[i + l]) - max[r]);
//@if keep
                    dst_row[i + l] = e;
//@end
                    part[l] += e;
                }
            }
//@for folds
            $unroll$
            for (size_t l = 0; l < $half$; l++)
                part[l] += part[l + $half$];
//@end
            sum[r] = part[0];
        }
        for (size_t r = 0; r < BLOCK; r++)
            sum[r] = $factor$;
        for (size_t r = 0; r < rows; r++) {
//@if of_src
            const $T_x$ *restrict src_row = src_rows + r * SIZE;
//@end
            $T_x$ *restrict dst_row = dst_rows + r * SIZE;
            for (size_t i = 0; i < SIZE; i++) {
                const $A_x$ e = $again$;
                dst_row[i] = $st_x$($result$);
            }
        }
    }
}
