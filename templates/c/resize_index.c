/* Apache-2.0. Along an axis of Resize, which element of the source an element of the result is. */
#include <stdint.h>
#define $axis$ index_x
#define $size$ 1
#define $entry$ 0, /* 0 */
#define NET_TABLE
//@begin
NET_TABLE static const int32_t $axis$[$size$] = {
//@for entries
    $entry$
//@end
};

