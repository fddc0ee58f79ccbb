/* Apache-2.0. A few rows times a matrix that is packed in blocks of columns, each of which stands with its rows one after the other. */
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
        for (size_t first = 0; first < N; first += WIDTH) {
            const size_t columns = N - first < WIDTH ? N - first : WIDTH;
            float sum[WIDTH] = {0};
//@if fours
            for (size_t k = 0; k < K - K % 4; k += 4, b += 4 * WIDTH) {
                const float a0 = $x0$, a1 = $x1$, a2 = $x2$, a3 = $x3$;
                for (size_t j = 0; j < WIDTH; j++) {
                    const float low = a0 * b[j] + a1 * b[WIDTH + j];
                    const float high = a2 * b[2 * WIDTH + j] + a3 * b[3 * WIDTH + j];
                    sum[j] += low + high;
                }
            }
//@end
//@if rest_k
            for (size_t k = K - K % 4; k < K; k++, b += WIDTH) {
                const float x = $x0$;
                for (size_t j = 0; j < WIDTH; j++)
                    sum[j] += x * b[j];
            }
//@end
            for (size_t j = 0; j < columns; j++)
                dst[row * N + first + j] = $result$(sum[j] + $first$, row * N + first + j, first + j);
        }
    }
}
