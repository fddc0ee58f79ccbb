/* Apache-2.0. Rows by their coordinates in several dimensions, which are data. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict indices, float *restrict dst)
#define $T_index$ int64_t
#define $batches$ 2
#define $tuples$ 5
#define $length$ 1
#define $size$ 7
#define $coordinates$(x) x
#define $d$ 0
#define $bound$ 7
#define $step$ 1
#define $to$ b * 5 + i
#define $from$ at
#define $to_row$ (b * 5 + i)
#define $from_row$ (at)
#define $inner$ 4
static inline size_t dnnlc_index(int64_t i, int64_t size)
{
    return (size_t)(i < 0 ? i + size : i);
}
//@begin
$signature$
{
    for (size_t b = 0; b < $batches$; b++)
        for (size_t i = 0; i < $tuples$; i++) {
            const $T_index$ *const tuple = indices + (b * $tuples$ + i) * $length$;
            const size_t at = b * $size$ + $coordinates$(dnnlc_index(tuple[$d$], $bound$) * $step$);
//@if single
            dst[$to$] = src[$from$];
//@else
            memcpy(dst + $to_row$ * $inner$, src + $from_row$ * $inner$, $inner$ * sizeof *dst);
//@end
        }
}
