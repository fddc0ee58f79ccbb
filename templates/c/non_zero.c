/* Apache-2.0. The coordinates of the elements that are not 0, a column for each. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void f(const float *restrict src, int64_t *restrict dst, int64_t *restrict count)
#define $rank$ 2
#define $n$ 100
#define $is_zero$ src[i] <= 0 && src[i] >= 0
#define $row$ 0
#define $coordinate$ i / 10
#define $columns$ 1
#define $count$ 1
//@begin
$signature$
{
    enum { RANK = $rank$, N = $n$ };
    uint32_t total = 0; /* clang 14 fails at vectors of 64-bit counts with AVX-512 */
    for (size_t i = 0; i < N; i++) {
        if ($is_zero$)
            continue;
//@for coordinates
        dst[$row$ * (size_t)N + total] = (int64_t)($coordinate$);
//@end
        total++;
    }
//@if columns
    for (size_t d = 0; d < RANK; d++)
        memset(dst + d * N + total, 0, (N - total) * sizeof *dst);
//@end
//@if count
    count[0] = (int64_t)total;
//@end
}
