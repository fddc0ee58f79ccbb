/* Apache-2.0. Reductions of elements that are neighbours in memory: one result after the other. Long rows are summed in several partial
 * results, and pieces of them, so that they vectorise and errors do not build up. */
#include <math.h>
#include <stddef.h>
#define NET_LANES
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $A_x$ float
#define $i$ i
#define $begin$ 0
#define $end$ 4
#define $total$ total
#define $acc$ acc
#define $initial$ 0
#define $lanes$ 32
#define $half$ 16
#define $nan_flag$ int
#define $again$ 99968
#define $row$ 4096
#define $n$ 100000
#define $first$ b
#define $last$ end
#define $whole$ end - end % 32
#define $piece_end$ b + 4096
#define $load$(e) (e)
#define $update$(acc) acc + x
#define $merge$(a, b) a + b
#define $join$(a, b) a + b
#define $lane$(acc) acc + x
#define $finite$(total) (total < INFINITY ? total : 0)
#define $value$(total) (total)
#define $to_integer$(v) (float)(v)
#define $st_x$(v) (v)
#define $base$ i
#define $stride$ 1
#define $at_dst$ 0
//@begin
$signature$
{
//@nest kept
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
//@for passes
        $A_x$ $total$ = $initial$;
//@nest reduced
        for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
//@if partial
//@nest pieces
            for (size_t b = 0; b < $n$; b += $row$) {
//@if in_pieces
                const size_t end = $piece_end$;
//@end
                $A_x$ $acc$[$lanes$];
//@if is_order
//@if nan_flag
                $nan_flag$ nans[$lanes$];
//@end
                NET_LANES
                for (size_t j = 0; j < $lanes$; j++) {
                    $acc$[j] = $load$(src[$base$ + $again$ + j]);
//@if nan_flag
                    nans[j] = isnan($acc$[j]);
//@end
                }
//@else
                for (size_t j = 0; j < $lanes$; j++)
                    $acc$[j] = $initial$;
//@end
                for (size_t i = $first$; i + $lanes$ <= $last$; i += $lanes$) {
                    NET_LANES
                    for (size_t j = 0; j < $lanes$; j++) {
                        const $A_x$ x = $load$(src[$base$ + i + j]);
                        $acc$[j] = $lane$($acc$[j]);
//@if nan_flag
                        nans[j] |= isnan(x);
//@end
                    }
                }
//@if is_order
//@else
//@if rest
                for (size_t i = $whole$; i < $last$; i++) {
                    const $A_x$ x = $load$(src[$base$ + i]);
                    $total$ = $update$($total$);
                }
//@end
//@end
                for (size_t n = $half$; n > 0; n /= 2)
                    for (size_t j = 0; j < n; j++) {
                        $acc$[j] = $merge$($acc$[j], $acc$[j + n]);
//@if nan_flag
                        nans[j] |= nans[j + n];
//@end
                    }
//@if nan_flag
                if (nans[0])
                    $acc$[0] = NAN;
//@end
                $total$ = $join$($total$, $acc$[0]);
            }
//@end
//@else
            for (size_t i = 0; i < $n$; i++) {
                const $A_x$ x = $load$(src[$base$ + i * $stride$]);
                $total$ = $update$($total$);
            }
//@end
        }
//@end
//@if is_max
        $total$ = $finite$($total$);
//@end
//@end
//@if is_integer
        const double v = $value$(total);
        dst[$at_dst$] = $to_integer$(v);
//@else
        dst[$at_dst$] = $st_x$($value$(total));
//@end
    }
//@end
}
