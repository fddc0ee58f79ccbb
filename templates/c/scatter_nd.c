/* Apache-2.0. Rows placed at coordinates in several dimensions, which are data. One outside writes nothing: clamped, it would overwrite
 * somebody else's row. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict indices, const float *restrict updates, float *restrict dst)
#define $bytes$ 100
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $combined$ x + y
#define $length$ 1
#define $bounds$(x) x
#define $bound$ 7
#define $tuples$ 5
#define $inner$ 4
#define NET_TABLE
//@begin
$signature$
{
    NET_TABLE static const int64_t dims[$length$] = {$bounds$($bound$)};
//@if in_place
    (void)src; /* already in place: it shares memory with the result */
//@else
    memcpy(dst, src, $bytes$);
//@end
    for (size_t i = 0; i < $tuples$; i++) {
        size_t at = 0, d = 0;
        for (; d < $length$; d++) {
            int64_t index = indices[i * $length$ + d];
            index += index < 0 ? dims[d] : 0;
            if (index < 0 || index >= dims[d])
                break;
            at = at * (size_t)dims[d] + (size_t)index;
        }
        for (size_t j = 0; d == $length$ && j < $inner$; j++) {
//@if replaces
            dst[at * $inner$ + j] = updates[i * $inner$ + j];
//@else
            const $A_x$ x = $ld_x$(dst[at * $inner$ + j]);
            const $A_x$ y = $ld_x$(updates[i * $inner$ + j]);
            dst[at * $inner$ + j] = $st_x$($combined$);
//@end
        }
    }
}
