/* Apache-2.0. Copies between strided arrangements: of rows, of squares where the two run along different dimensions, or element by
 * element, or of short rows of several parts side by side; before them what is left free may be filled. */
#include <stddef.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $operand$ src
#define $bytes$ 4
#define $value$ 1
#define $i$ i
#define $begin$ 0
#define $end$ 4
#define $tile$ b
#define $step$ 16
#define $tile_end$ b + 16
#define $dst$ dst
#define $src$ src
#define $at_dst$ 0
#define $at_src$ 0
#define $row$ 4
//@begin
$signature$
{
//@for in_place
    (void)$operand$; /* already in place: it shares memory with the other side */
//@end
//@for no_elements
    (void)$operand$; /* no elements */
//@end
//@for zeros
    memset($dst$, 0, $bytes$);
//@end
//@for fills
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
        $dst$[$at_dst$] = $value$;
//@end
//@end
//@for copies
//@if by_rows
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
        memcpy($dst$ + $at_dst$, $src$ + $at_src$, $row$ * sizeof *$dst$);
//@end
//@end
//@if by_tiles
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
//@nest tiled
        for (size_t $tile$ = $begin$; $tile$ < $end$; $tile$ += $step$)
//@nest tiled
            for (size_t $i$ = $tile$; $i$ < $tile_end$; $i$++)
                $dst$[$at_dst$] = $src$[$at_src$];
//@end
//@end
//@end
//@end
//@if by_parts
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
//@for pieces
//@if single
        $dst$[$at_dst$] = $src$[$at_src$];
//@else
        memcpy($dst$ + $at_dst$, $src$ + $at_src$, $row$ * sizeof *$dst$);
//@end
//@end
    }
//@end
//@end
//@if by_elements
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
        $dst$[$at_dst$] = $src$[$at_src$];
//@end
//@end
//@end
}
