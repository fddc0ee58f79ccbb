/* Apache-2.0. Reductions to results that are neighbours in memory: a piece of the results at a time. A few of them are vectors of their own. */
#include <math.h>
#include <stddef.h>
#define NET_LANES
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $i$ i
#define $begin$ 0
#define $end$ 4
#define $acc$ acc
#define $initial$ 0
#define $piece$ 64
#define $size$ 100
#define $n$ 64
#define $load$(e) (e)
#define $update$(acc) acc + x
#define $finite$(acc) (acc < INFINITY ? acc : 0)
#define $value$(acc) (acc)
#define $to_integer$(v) (float)(v)
#define $st_x$(v) (v)
#define $at_src$ c + j + i
#define $element$ column[j]
#define $at_dst$ c + j
//@begin
$signature$
{
//@nest kept
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
        for (size_t c = 0; c < $size$; c += $piece$) {
            const size_t n = $n$;
//@for passes
            $A_x$ $acc$[$piece$];
            for (size_t j = 0; j < n; j++)
                $acc$[j] = $initial$;
//@nest reduced
            for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
//@if strided
                $T_x$ column[$piece$];
                for (size_t j = 0; j < n; j++)
                    column[j] = src[$at_src$];
//@end
//@if lanes
                NET_LANES
//@end
                for (size_t j = 0; j < n; j++) {
                    const $A_x$ x = $load$($element$);
                    $acc$[j] = $update$($acc$[j]);
                }
            }
//@end
//@if is_max
            for (size_t j = 0; j < n; j++)
                $acc$[j] = $finite$($acc$[j]);
//@end
//@end
//@if is_integer
            for (size_t j = 0; j < n; j++) {
                const double v = $value$(acc[j]);
                dst[$at_dst$] = $to_integer$(v);
            }
//@else
            for (size_t j = 0; j < n; j++)
                dst[$at_dst$] = $st_x$($value$(acc[j]));
//@end
        }
//@end
}
