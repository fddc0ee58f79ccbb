/* Apache-2.0. A few rows times a matrix in row-major order, which is read once from start to end. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict weights, const float *restrict bias, float *restrict dst, size_t from, size_t to)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $first$ bias[0]
#define $result$(value, element, channel) (value)
#define $x0$ a[k]
#define $x1$ a[k + 1]
#define $x2$ a[k + 2]
#define $x3$ a[k + 3]
#define $x4$ a[k + 4]
#define $x5$ a[k + 5]
#define $x6$ a[k + 6]
#define $x7$ a[k + 7]
#define $row_a$ src + row * K
#define $row_b$ weights
#define $rows$ 2
#define $K$ 64
#define $N$ 100
#define $from$ 0
#define $to$ ROWS
#define $columns$ 64
#define $begin$ begin
#define $end$ end
//@begin
$signature$
{
    enum { ROWS = $rows$, K = $K$, N = $N$ };
//@if unused_c
    (void)bias; /* beta is 0 */
//@end
//@if by_columns
    const size_t begin = from * $columns$, end = to * $columns$ < N ? to * $columns$ : N;
//@end
    for (size_t row = $from$; row < $to$; row++) {
        const $T_x$ *restrict a = $row_a$;
        const $T_x$ *restrict b = $row_b$;
        $T_x$ *restrict dst_row = dst + row * N;
        for (size_t j = $begin$; j < $end$; j++)
            dst_row[j] = $st_x$($first$);
        size_t k = 0;
//@if eights
        for (; k < K - K % 8; k += 8, b += 8 * N) {
            const $A_x$ a0 = $x0$, a1 = $x1$, a2 = $x2$, a3 = $x3$;
            const $A_x$ a4 = $x4$, a5 = $x5$, a6 = $x6$, a7 = $x7$;
            for (size_t j = $begin$; j < $end$; j++) {
                const $A_x$ low =
                    a0 * $ld_x$(b[j]) + a1 * $ld_x$(b[N + j]) + a2 * $ld_x$(b[2 * N + j]) + a3 * $ld_x$(b[3 * N + j]);
                const $A_x$ high =
                    a4 * $ld_x$(b[4 * N + j]) + a5 * $ld_x$(b[5 * N + j]) + a6 * $ld_x$(b[6 * N + j]) + a7 * $ld_x$(b[7 * N + j]);
                dst_row[j] = $st_x$($ld_x$(dst_row[j]) + (low + high));
            }
        }
//@end
//@if four
        const $A_x$ a0 = $x0$, a1 = $x1$, a2 = $x2$, a3 = $x3$;
        for (size_t j = $begin$; j < $end$; j++) {
            const $A_x$ low = a0 * $ld_x$(b[j]) + a1 * $ld_x$(b[N + j]);
            const $A_x$ high = a2 * $ld_x$(b[2 * N + j]) + a3 * $ld_x$(b[3 * N + j]);
            dst_row[j] = $st_x$($ld_x$(dst_row[j]) + (low + high));
        }
        k += 4;
        b += 4 * N;
//@end
//@if rest_k
        for (; k < K; k++, b += N) {
            const $A_x$ x = $x0$;
            for (size_t j = $begin$; j < $end$; j++)
                dst_row[j] = $st_x$($ld_x$(dst_row[j]) + x * $ld_x$(b[j]));
        }
//@end
//@if epilogue
        for (size_t j = $begin$; j < $end$; j++)
            dst_row[j] = $result$($ld_x$(dst_row[j]), row * N + j, j);
//@end
    }
}
