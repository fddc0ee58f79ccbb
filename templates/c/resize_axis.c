/* Apache-2.0. Along an axis of Resize, which elements of the source an element of the result is a weighted sum of. */
#include <stdint.h>
#define $axis$ axis_x
#define $A_x$ float
#define $taps$ 2
#define $size$ 1
#define $entry$ {{0, 1}, {0.5f, 0.5f}},
#define NET_TABLE
//@begin
NET_TABLE static const struct {
    int32_t index[$taps$];
    $A_x$ weight[$taps$];
} $axis$[$size$] = {
//@for entries
    $entry$
//@end
};

