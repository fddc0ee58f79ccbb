/* Apache-2.0. A few rows times a matrix in row-major order, which is read once from start to end. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, const float *restrict src2, float *restrict dst0)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $first$ src2[0]
#define $store$ dst[j] = dst[j];
#define $x0$ a[k]
#define $x1$ a[k + 1]
#define $x2$ a[k + 2]
#define $x3$ a[k + 3]
#define $row_a$ src0 + row * 64
#define $row_b$ src1
#define $rows$ 2
#define $K$ 64
#define $N$ 100
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, K = $K$, N = $N$ };
//@if unused_c
    (void)src2; /* beta is 0 */
//@end
    for (size_t row = $from$; row < $to$; row++) {
        const $T_x$ *restrict a = $row_a$;
        const $T_x$ *restrict b = $row_b$;
        $T_x$ *restrict dst = dst0 + row * N;
        for (size_t j = 0; j < N; j++)
            dst[j] = $st_x$($first$);
//@if full_k
        for (size_t k = 0; k < K - K % 4; k += 4, b += 4 * N) {
            const $A_x$ a0 = $x0$, a1 = $x1$;
            const $A_x$ a2 = $x2$, a3 = $x3$;
            for (size_t j = 0; j < N; j++) {
                const $A_x$ low = a0 * $ld_x$(b[j]) + a1 * $ld_x$(b[N + j]);
                const $A_x$ high = a2 * $ld_x$(b[2 * N + j]) + a3 * $ld_x$(b[3 * N + j]);
                dst[j] = $st_x$($ld_x$(dst[j]) + (low + high));
            }
        }
//@end
//@if rest_k
        for (size_t k = K - K % 4; k < K; k++, b += N) {
            const $A_x$ a0 = $x0$;
            for (size_t j = 0; j < N; j++)
                dst[j] = $st_x$($ld_x$(dst[j]) + a0 * $ld_x$(b[j]));
        }
//@end
//@if tail
        for (size_t j = 0; j < N; j++)
            $store$
//@end
    }
}
