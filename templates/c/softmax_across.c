/* Apache-2.0. Softmax of many short rows: vectors go across rows, not along them. */
#include <math.h>
#include <stddef.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $fn$_block sample_block
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $exp$ expf
#define $log$ logf
#define $rows$ 1000
#define $size$ 4
#define $stretch$ 64
#define $again$ x[i][j]
#define $factor$ 1 / sum[j]
#define $result$ e * sum[j]
#define $from$ 0
#define $to$ ROWS
//@begin
/* `n` rows, transposed to begin with and back in the end. */
NET_INLINE void $fn$_block(const $T_x$ *restrict src, $T_x$ *restrict dst, const size_t n)
{
    enum { SIZE = $size$, STRETCH = $stretch$ };
    $A_x$ x[SIZE][STRETCH], max[STRETCH], sum[STRETCH];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < SIZE; i++)
            x[i][j] = $ld_x$(src[j * SIZE + i]);
    for (size_t j = 0; j < n; j++) {
        max[j] = x[0][j];
        sum[j] = 0;
    }
    for (size_t i = 1; i < SIZE; i++)
        for (size_t j = 0; j < n; j++)
            max[j] = x[i][j] > max[j] ? x[i][j] : max[j];
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < n; j++) {
            const $A_x$ e = $exp$(x[i][j] - max[j]);
//@if keep
            x[i][j] = e;
//@end
            sum[j] += e;
        }
    for (size_t j = 0; j < n; j++)
        sum[j] = $factor$;
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < n; j++) {
            const $A_x$ e = $again$;
            x[i][j] = $result$;
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < SIZE; i++)
            dst[j * SIZE + i] = $st_x$(x[i][j]);
}

$signature$
{
    enum { ROWS = $rows$, SIZE = $size$, STRETCH = $stretch$ };
    size_t row = $from$;
    for (; row + STRETCH <= $to$; row += STRETCH)
        $fn$_block(src + row * SIZE, dst + row * SIZE, STRETCH);
    if (row < $to$)
        $fn$_block(src + row * SIZE, dst + row * SIZE, $to$ - row);
}
