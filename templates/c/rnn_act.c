/* Apache-2.0. An activation of a recurrent layer. */
#include <math.h>
#define NET_INLINE static inline
#define $A_x$ float
#define $clip$ v = v < 1.0f ? v : 1.0f;
#define $result$ tanhf(v)
#define $prefix$_$letter$ sample_f
//@begin
NET_INLINE $A_x$ $prefix$_$letter$($A_x$ v)
{
    $clip$
    return $result$;
}

