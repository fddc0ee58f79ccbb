/* Apache-2.0. An activation of a recurrent layer. */
#include <math.h>
#define NET_INLINE static inline
#define $A_x$ float
#define $lo$ -1.0f
#define $hi$ 1.0f
#define $result$(v) tanhf(v)
#define $prefix$_$letter$ sample_f
//@begin
NET_INLINE $A_x$ $prefix$_$letter$($A_x$ v)
{
//@if clips
    v = v < $lo$ ? $lo$ : v > $hi$ ? $hi$ : v;
//@end
    return $result$(v);
}

