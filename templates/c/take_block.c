/* Apache-2.0. The rows that count along several axes, no others being read, and zeros in the place of the others. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict count0, float *restrict dst)
#define $count$ count0
#define $n$ n
#define $most$ 3
#define $outer$ 3
#define $dst_row$ 4
#define $there$ i < n
#define $columns$ n
#define $inner$ 1
#define $from$ i * 4
//@begin
$signature$
{
//@for counts
    const size_t $n$ = $count$[0] < 0 ? 0 : $count$[0] < $most$ ? (size_t)$count$[0] : $most$;
//@end
    for (size_t i = 0; i < $outer$; i++) {
        const size_t row = $there$ ? $columns$ * $inner$ : 0;
        if (row > 0)
            memcpy(dst + i * $dst_row$, src + $from$, row * sizeof *dst);
        memset(dst + i * $dst_row$ + row, 0, ($dst_row$ - row) * sizeof *dst);
    }
}
