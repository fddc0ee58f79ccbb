/* Apache-2.0. Elements placed at positions along one axis, which are data. One outside writes nothing: clamped, it would overwrite
 * somebody else's element. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict indices, const float *restrict updates, float *restrict dst)
#define $bytes$ 100
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $combined$ x + y
#define $i$ i
#define $begin$ 0
#define $end$ 5
#define $update$ i
#define $rest$ i +
#define $size$ 7
#define $along$ 5
//@begin
$signature$
{
//@if in_place
    (void)src; /* already in place: it shares memory with the result */
//@else
    memcpy(dst, src, $bytes$);
//@end
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
        int64_t at = indices[$update$];
        at += at < 0 ? $size$ : 0;
        if (at >= 0 && at < $size$) {
            const size_t to = $rest$(size_t)at * $along$;
//@if replaces
            dst[to] = updates[$update$];
//@else
            const $A_x$ x = $ld_x$(dst[to]);
            const $A_x$ y = $ld_x$(updates[$update$]);
            dst[to] = $st_x$($combined$);
//@end
        }
    }
//@end
}
