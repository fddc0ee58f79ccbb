/* Apache-2.0. Padding by what stands in the tensor: every element is read from where the mode says. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $i$ i
#define $begin$ 0
#define $end$ 6
#define $p$ p
#define $source$ i < 2 ? 2 - i : i - 2
#define $row$ p * 4
#define $at_dst$ i
#define $at_src$ row + i
//@begin
$signature$
{
//@nest outer
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
//@for padded
        const size_t $p$ = $source$;
//@end
//@if has_row
        const size_t row = $row$;
//@end
//@for pieces
        for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
            dst[$at_dst$] = src[$at_src$];
//@end
    }
//@end
}
