/* Apache-2.0. Running sums, or products, over the middle of [outer, axis, inner]. Sums are kept in double, or in an unsigned integer, which wraps. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void f(const float *restrict src, float *restrict dst)
#define $outer$ 2
#define $axis$ 3
#define $inner$ 100
#define $piece$ 64
#define $acc$ double
#define $step$ i
#define $element$ (double)src[at + j]
#define $result$ (float)sum[j]
#define $exclusive$ 0
#define $first$ 0
#define $add$ +=
//@begin
$signature$
{
    for (size_t o = 0; o < $outer$; o++)
        for (size_t c = 0; c < $inner$; c += $piece$) {
            const size_t n = $inner$ - c < $piece$ ? $inner$ - c : $piece$;
            $acc$ sum[$piece$];
            for (size_t j = 0; j < n; j++)
                sum[j] = $first$;
            for (size_t i = 0; i < $axis$; i++) {
                const size_t at = (o * $axis$ + $step$) * $inner$ + c;
                for (size_t j = 0; j < n; j++) {
                    const $acc$ x = $element$;
//@if exclusive
                    dst[at + j] = $result$;
                    sum[j] $add$ x;
//@else
                    sum[j] $add$ x;
                    dst[at + j] = $result$;
//@end
                }
            }
        }
}
