/* Apache-2.0. The sum of squares of a row that is normalised, in parts. */
#include <stddef.h>
#define NET_INLINE static inline
#define NET_LANES
#define NET_VECTORS
#define $fn$_square_sum sample_square_sum
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $size$ 100
#define $full$ 96
#define $lanes$ 16
#define $half$ 8
#define $unroll$ NET_LANES
#define $block$ 64
//@begin
/* The sum of the squared distances from the mean. */
NET_INLINE $A_x$ $fn$_square_sum(const $T_x$ *restrict x, const $A_x$ mean)
{
    enum { SIZE = $size$, FULL = $full$, LANES = $lanes$ };
//@if block
    double total = 0; /* of blocks, so that each partial sum has few terms */
    for (size_t first = 0; first < FULL; first += $block$) {
        const size_t end = FULL - first < $block$ ? FULL : first + $block$;
        $A_x$ part[LANES] = {0};
        for (size_t i = first; i < end; i += LANES) {
            NET_VECTORS
            for (size_t l = 0; l < LANES; l++) {
                const $A_x$ d = $ld_x$(x[i + l]) - mean;
                part[l] += d * d;
            }
        }
//@for folds
        $unroll$
        for (size_t l = 0; l < $half$; l++)
            part[l] += part[l + $half$];
//@end
        total += part[0];
    }
    for (size_t i = FULL; i < SIZE; i++) {
        const $A_x$ d = $ld_x$(x[i]) - mean;
        total += d * d;
    }
    return ($A_x$)total;
//@else
    $A_x$ part[LANES] = {0}, sum = 0;
//@if full
    for (size_t i = 0; i < FULL; i += LANES) {
        NET_VECTORS
        for (size_t l = 0; l < LANES; l++) {
            const $A_x$ d = $ld_x$(x[i + l]) - mean;
            part[l] += d * d;
        }
    }
//@end
    for (size_t i = FULL; i < SIZE; i++) {
        const $A_x$ d = $ld_x$(x[i]) - mean;
        sum += d * d;
    }
//@for folds
    $unroll$
    for (size_t l = 0; l < $half$; l++)
        part[l] += part[l + $half$];
//@end
    return sum + part[0];
//@end
}
