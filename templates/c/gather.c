/* Apache-2.0. Rows by their numbers, which are data. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict indices, float *restrict dst)
#define $i$ j
#define $begin$ 0
#define $end$ 5
#define $size$ 7
#define $to$ j
#define $from$ at
#define $to_row$ (j)
#define $from_row$ (at)
#define $inner$ 4
static inline size_t dnnlc_index(int64_t i, int64_t size)
{
    return (size_t)(i < 0 ? i + size : i);
}
//@begin
$signature$
{
//@nest loops
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
        const size_t at = dnnlc_index(indices[j], $size$);
//@if single
        dst[$to$] = src[$from$];
//@else
        memcpy(dst + $to_row$ * $inner$, src + $from_row$ * $inner$, $inner$ * sizeof *dst);
//@end
    }
//@end
}
