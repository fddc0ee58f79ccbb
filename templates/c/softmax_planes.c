/* Apache-2.0. Softmax along an axis that is not the innermost: a stretch of neighbouring vectors at a time. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $exp$ expf
#define $log$ logf
#define $outer$ 4
#define $size$ 100
#define $inner$ 49
#define $stretch$ 256
#define $again$ dst_block[i * INNER + j]
#define $factor$ 1 / sum[j]
#define $result$ e * sum[j]
#define $from$ 0
#define $to$ OUTER
//@begin
$signature$
{
    enum { OUTER = $outer$, SIZE = $size$, INNER = $inner$, STRETCH = $stretch$ };
    for (size_t block = $from$; block < $to$; block++)
        for (size_t first = 0; first < INNER; first += STRETCH) {
            const size_t n = INNER - first < STRETCH ? INNER - first : STRETCH;
            const $T_x$ *restrict src_block = src + block * (SIZE * INNER) + first;
            $T_x$ *restrict dst_block = dst + block * (SIZE * INNER) + first;
            $A_x$ max[STRETCH], sum[STRETCH];
            for (size_t j = 0; j < n; j++) {
                max[j] = $ld_x$(src_block[j]);
                sum[j] = 0;
            }
            for (size_t i = 1; i < SIZE; i++)
                for (size_t j = 0; j < n; j++) {
                    const $A_x$ v = $ld_x$(src_block[i * INNER + j]);
                    max[j] = v > max[j] ? v : max[j];
                }
            for (size_t i = 0; i < SIZE; i++)
                for (size_t j = 0; j < n; j++) {
                    const $A_x$ e = $exp$($ld_x$(src_block[i * INNER + j]) - max[j]);
//@if keep
                    dst_block[i * INNER + j] = e;
//@end
                    sum[j] += e;
                }
            for (size_t j = 0; j < n; j++)
                sum[j] = $factor$;
            for (size_t i = 0; i < SIZE; i++)
                for (size_t j = 0; j < n; j++) {
                    const $A_x$ e = $again$;
                    dst_block[i * INNER + j] = $st_x$($result$);
                }
        }
}
