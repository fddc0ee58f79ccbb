/* Apache-2.0. Einsum by its definition: a piece of the result's last dimension at a time, so that operands that run along it vectorise. */
#include <stddef.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src0, float *restrict dst)
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $i$ i
#define $begin$ 0
#define $end$ 4
#define $p$ p
#define $size$ 100
#define $piece$ 64
#define $acc$ double
#define $narrowed$(v) (float)v
#define src$n$ src0
#define a$n$ a0
#define $at_src$ p + j
#define $at_dst$ p
#define $factors$(x) (x)
//@begin
$signature$
{
//@nest outer
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
        for (size_t $p$ = 0; $p$ < $size$; $p$ += $piece$) {
            const size_t n = $size$ - $p$ < $piece$ ? $size$ - $p$ : $piece$;
            $acc$ acc[$piece$] = {0};
//@nest summed
            for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
                for (size_t j = 0; j < n; j++) {
//@for factors
                    const $A_x$ a$n$ = $ld_x$(src$n$[$at_src$]);
//@end
                    acc[j] += $factors$(a$n$);
                }
//@end
            for (size_t j = 0; j < n; j++)
                dst[$at_dst$ + j] = $st_x$($narrowed$(acc[j]));
        }
//@end
}
