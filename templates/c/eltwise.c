/* Apache-2.0. Elementwise operators, one or several fused ones: a loop nest over the elements of the result. A few elements that stand side by side are vectors of their own. */
#include <stddef.h>
#define NET_LANES
#define $signature$ void sample(const float *restrict src, const float *restrict addend, float *restrict dst)
#define $operand$ addend
#define $i$ i
#define $begin$ 0
#define $end$ 4
#define $A_x$ float
#define $scalar$ s
#define $input$ x
#define $name$ y
#define $value$ s * x
#define $result$ y
#define $from$ src
#define $at_src$ 0
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $o$ 0
#define $dst$ dst
#define $at_dst$ 0
//@begin
$signature$
{
//@for unused
    (void)$operand$;
//@end
//@for scalars
    const $A_x$ $scalar$ = $ld_x$($from$[$at_src$]);
//@end
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
//@if lanes
        NET_LANES
//@end
//@nest last
        for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
//@for loads
            const $A_x$ $input$ = $ld_x$($from$[$at_src$]);
//@end
//@for locals
            const $A_x$ $name$ = $value$;
//@end
//@for results
//@if rounded
            const $A_x$ r = $result$;
            $dst$[$at_dst$] = $st_x$(r);
//@else
            $dst$[$at_dst$] = $st_x$($result$);
//@end
//@end
        }
//@end
    }
//@end
}
