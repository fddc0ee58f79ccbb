/* Apache-2.0. A few rows times a matrix that is packed in panels of columns, each of which stands with its rows one after the other. Narrow ones are read side by side. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict weights, const float *restrict bias, float *restrict dst)
#define $first$ bias[first + j]
#define $result$(value, element, channel) (value)
#define $x0$ a[k]
#define $x1$ a[k + 1]
#define $x2$ a[k + 2]
#define $x3$ a[k + 3]
#define $rows$ 2
#define $K$ 64
#define $N$ 100
#define $width$ 32
#define $from$ 0
#define $to$ ROWS
#define $first_column$ 0
#define $end_column$ N
#define $at_once$ 2 * WIDTH
#define $several$ 2
#define $beside$ 1
//@begin
$signature$
{
    enum { ROWS = $rows$, K = $K$, N = $N$, WIDTH = $width$ };
//@if unused_c
    (void)bias; /* beta is 0 */
//@end
    for (size_t row = $from$; row < $to$; row++) {
        const float *restrict a = src + row * K;
        const float *restrict b = weights;
//@for columns
        for (size_t first = $first_column$; first < $end_column$; first += $at_once$) {
            const size_t columns = N - first < $at_once$ ? N - first : $at_once$;
            float sum[$at_once$] = {0};
//@if fours
            for (size_t k = 0; k < K - K % 4; k += 4, b += 4 * WIDTH) {
                const float a0 = $x0$, a1 = $x1$, a2 = $x2$, a3 = $x3$;
                for (size_t p = 0; p < $several$; p++)
                    for (size_t j = 0; j < WIDTH; j++) {
                        const float *c = b + p * K * WIDTH + j;
                        const float low = a0 * c[0] + a1 * c[WIDTH];
                        const float high = a2 * c[2 * WIDTH] + a3 * c[3 * WIDTH];
                        sum[p * WIDTH + j] += low + high;
                    }
            }
//@end
//@if rest_k
            for (size_t k = K - K % 4; k < K; k++, b += WIDTH) {
                const float x = $x0$;
                for (size_t p = 0; p < $several$; p++)
                    for (size_t j = 0; j < WIDTH; j++)
                        sum[p * WIDTH + j] += x * b[p * K * WIDTH + j];
            }
//@end
//@if beside
            b += $beside$ * K * WIDTH;
//@end
            for (size_t j = 0; j < columns; j++)
                dst[row * N + first + j] = $result$(sum[j] + $first$, row * N + first + j, first + j);
        }
//@end
    }
}
