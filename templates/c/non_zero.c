/* Apache-2.0. The coordinates of the elements that are not 0, a column for each. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void f(const float *restrict src0, int64_t *restrict dst0, int64_t *restrict dst1)
#define $rank$ 2
#define $n$ 100
#define $is_zero$ src0[i] <= 0 && src0[i] >= 0
#define $row$ 0
#define $coordinate$ i / 10
#define $columns$ 1
#define $count$ 1
//@begin
$signature$
{
    enum { RANK = $rank$, N = $n$ };
    uint32_t count = 0; /* clang 14 fails at vectors of 64-bit counts with AVX-512 */
    for (size_t i = 0; i < N; i++) {
        if ($is_zero$)
            continue;
//@for coordinates
        dst0[$row$ * (size_t)N + count] = (int64_t)($coordinate$);
//@end
        count++;
    }
//@if columns
    for (size_t d = 0; d < RANK; d++)
        memset(dst0 + d * N + count, 0, (N - count) * sizeof *dst0);
//@end
//@if count
    dst1[0] = (int64_t)count;
//@end
}
