/* Apache-2.0. ArgMax and ArgMin over the middle of [outer, axis, inner]: PIECE results at a time. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void f(const float *restrict src, int64_t *restrict dst)
#define $outer$ 2
#define $axis$ 3
#define $inner$ 100
#define $piece$ 64
#define $acc$ float
#define $first$ src[o * 300 + c + j]
#define $element$ src[o * 300 + i * 100 + c + j]
#define $better$ x > best[j]
//@begin
$signature$
{
    for (size_t o = 0; o < $outer$; o++)
        for (size_t c = 0; c < $inner$; c += $piece$) {
            const size_t n = $inner$ - c < $piece$ ? $inner$ - c : $piece$;
            $acc$ best[$piece$];
            int64_t at[$piece$];
            for (size_t j = 0; j < n; j++) {
                best[j] = $first$;
                at[j] = 0;
            }
            for (size_t i = 1; i < $axis$; i++)
                for (size_t j = 0; j < n; j++) {
                    const $acc$ x = $element$;
                    if ($better$) {
                        best[j] = x;
                        at[j] = (int64_t)i;
                    }
                }
            for (size_t j = 0; j < n; j++)
                dst[o * $inner$ + c + j] = at[j];
        }
}
