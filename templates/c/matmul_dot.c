/* Apache-2.0. A few rows times a transposed matrix: every result is a dot product of two rows. */
#include <stddef.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, const float *restrict weights, const float *restrict bias, float *restrict dst)
#define $fn$_dots sample_dots
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $sum$ sum[r]
#define $result$(value, element, channel) (value)
#define $M$ 2
#define $K$ 64
#define $N$ 100
#define $full$ 100
#define $rest$ 3
#define $lanes$ 32
#define $from$ 0
#define $to$ M
//@begin
/* A few dot products of x with rows of w, in partial sums that are added up in pairs at the end. */
NET_INLINE void $fn$_dots(const $T_x$ *restrict x, const $T_x$ *restrict w, $A_x$ *restrict sum, const size_t rows)
{
    enum { K = $K$, LANES = $lanes$ };
    $A_x$ part[4][LANES] = {{0}};
//@if full_lanes
    for (size_t k = 0; k < K - K % LANES; k += LANES)
        for (size_t r = 0; r < rows; r++)
            for (size_t l = 0; l < LANES; l++)
                part[r][l] += $ld_x$(x[k + l]) * $ld_x$(w[r * K + k + l]);
//@end
    for (size_t r = 0; r < rows; r++) {
        sum[r] = 0;
        for (size_t k = K - K % LANES; k < K; k++)
            sum[r] += $ld_x$(x[k]) * $ld_x$(w[r * K + k]);
        for (size_t n = LANES / 2; n > 0; n /= 2)
            for (size_t l = 0; l < n; l++)
                part[r][l] += part[r][l + n];
        sum[r] += part[r][0];
    }
}

$signature$
{
    enum { M = $M$, K = $K$, N = $N$, FULL = $full$, REST = $rest$ };
//@if unused_c
    (void)bias; /* beta is 0 */
//@end
    for (size_t i = $from$; i < $to$; i++) {
        $A_x$ sum[4];
//@if full
        for (size_t j = 0; j < FULL; j += 4) {
            $fn$_dots(src + i * K, weights + j * K, sum, 4);
            for (size_t r = 0; r < 4; r++)
                dst[i * N + j + r] = $st_x$($sum$);
        }
//@end
//@if rest
        const size_t j = FULL;
        $fn$_dots(src + i * K, weights + j * K, sum, REST);
        for (size_t r = 0; r < REST; r++)
            dst[i * N + j + r] = $st_x$($sum$);
//@end
//@if epilogue
        for (size_t c = 0; c < N; c++)
            dst[i * N + c] = $result$($ld_x$(dst[i * N + c]), i * N + c, c);
//@end
    }
}
