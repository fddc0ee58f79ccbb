/* Products by panels of weights: one tile. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
typedef float panel_vector __attribute__((vector_size(64), aligned(4), may_alias));
#define $tile$ tile_1x1
#define $rows$ 1
#define $width$ 16
#define $sum$ s0_0
#define $offset$ 0
#define $row$ r0
#define $i$ 0
#define $line$ 0
#define $column$ b0
#define $from$ 0
//@begin
/* $rows$ rows of sums, begun or gone on with: those of `taps` matrices whose rows are at row[0] + at, row[1] + at, …, those of the
 * next matrix `next` pointers on, times `depth` rows of b for each. Meanwhile the weights from `ahead` on come to L2. */
NET_INLINE void $tile$(const float *const *row, size_t next, size_t at, int taps, int depth,
                       const float *b, float *sums, int begins, const char *ahead, size_t step)
{
//@for sums
    panel_vector $sum$ = {0};
//@end
    if (!begins) {
//@for sums
        $sum$ = *(const panel_vector *)(sums + $offset$);
//@end
    }
    for (int tap = 0; tap < taps; tap++, row += next) {
//@for matrix_rows
        const float *$row$ = row[$i$] + at;
//@end
        for (int k = 0; k < depth; k++, b += $width$, ahead += step) {
//@for lines
            __builtin_prefetch(ahead + $line$, 0, 2);
//@end
//@for columns
            const panel_vector $column$ = *(const panel_vector *)(b + $from$);
//@end
//@for sums
            $sum$ += $row$[k] * $column$;
//@end
        }
    }
//@for sums
    *(panel_vector *)(sums + $offset$) = $sum$;
//@end
}
