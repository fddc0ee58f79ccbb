/* Apache-2.0. Copies between strided arrangements: of rows, of squares where the two run along different dimensions, of
 * blocks of 16 by 16 elements whose rows are interleaved by fours, which twice transposes them, of squares that are
 * transposed in registers, strip by strip of a few lines of the cache, or element by element, or of short rows of several parts side by side; before them what is left free may be filled. */
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
#define $T$ float
#define $is_whole$ b + 16 <= 20
#define $i_rows$ i_rows
#define $i_columns$ i_columns
#define $at_rows$ b
#define $at_columns$ b
#define $pitch$ i_rows
#define $dst_pitch$ i_columns
#define $columns$ 20
#define $strip_end$ b + 16
#define $first_column$ b + 8 <= 20 ? b : 20 - 8
#define $side$ 8
#define $first$ 0
#define $transpose$ sample_transpose
static inline void sample_transpose(float *restrict dst, size_t dst_pitch, const float *restrict src, size_t src_pitch)
{
    dst[dst_pitch] = src[src_pitch];
}
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
//@if by_blocks
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
//@nest tiled
        for (size_t $tile$ = $begin$; $tile$ < $end$; $tile$ += $step$)
            if ($is_whole$) {
                $T$ x[256], y[256];
                const size_t $i_rows$ = $at_rows$, $i_columns$ = $at_columns$;
                for (size_t q = 0; q < 4; q++)
                    for (size_t j = 0; j < 16; j++) {
                        y[(q * 16 + j) * 4] = $src$[$at_src$ + q * $pitch$ + j];
                        y[(q * 16 + j) * 4 + 1] = $src$[$at_src$ + (q + 4) * $pitch$ + j];
                        y[(q * 16 + j) * 4 + 2] = $src$[$at_src$ + (q + 8) * $pitch$ + j];
                        y[(q * 16 + j) * 4 + 3] = $src$[$at_src$ + (q + 12) * $pitch$ + j];
                    }
                for (size_t j = 0; j < 64; j++) {
                    x[4 * j] = y[j];
                    x[4 * j + 1] = y[j + 64];
                    x[4 * j + 2] = y[j + 128];
                    x[4 * j + 3] = y[j + 192];
                }
                for (size_t j = 0; j < 16; j++)
                    memcpy($dst$ + $at_dst$ + j * $dst_pitch$, x + j * 16, 16 * sizeof *x);
            } else {
//@nest tiled
                for (size_t $i$ = $tile$; $i$ < $tile_end$; $i$++)
                    $dst$[$at_dst$] = $src$[$at_src$];
//@end
            }
//@end
//@end
//@end
//@if by_squares
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
//@nest strips
        for (size_t $tile$ = $begin$; $tile$ < $end$; $tile$ += $step$)
            for (size_t $at_columns$ = $first$; $at_columns$ < $columns$; $at_columns$ += $side$) {
                const size_t $i_columns$ = $first_column$;
                const size_t end = $strip_end$;
                size_t $i_rows$ = $at_rows$;
                for (; $i_rows$ + $side$ <= end; $i_rows$ += $side$)
                    $transpose$($dst$ + $at_dst$, $dst_pitch$, $src$ + $at_src$, $pitch$);
//@if rest
                for (; $i_rows$ < end; $i_rows$++)
                    for (size_t j = 0; j < $side$; j++)
                        $dst$[$at_dst$ + j] = $src$[$at_src$ + j * $pitch$];
//@end
            }
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
