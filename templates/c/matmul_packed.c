/* Apache-2.0. The product with the second operand copied to contiguous columns first; see tile.c. */
#include <stddef.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, const float *restrict src2, float *restrict dst0, void *restrict scratch)
#define $fn$_pack sample_pack
#define $fn$_rows(a, b, dst, c) ((void)(a), (void)(b), (void)(dst))
#define $batch$ 3
#define $K$ 64
#define $N$ 100
#define $C$ 24
#define $T_x$ float
#define $A_panel$ float
#define $ld_x$(x) (x)
#define $element$ b[j * 64 + k]
#define $b_column$ b + j * 64
#define $base_a$ src0 + batch * 12
#define $base_b$ src1
#define $base_dst$ dst0 + batch * 12
#define $rest_columns$ 4
#define $c_step$
//@begin
/* Copies a block of columns of b so that each row of the block is contiguous. */
NET_INLINE void $fn$_pack(const $T_x$ *restrict b, $A_panel$ *restrict panel, const size_t columns)
{
    for (size_t k = 0; k < $K$; k++)
        for (size_t j = 0; j < columns; j++)
            panel[k * $C$ + j] = $ld_panel$($element$);
}

$signature$
{
    $A_panel$ *panel = scratch;
//@if unused_c
    (void)src2; /* beta is 0 */
//@end
//@if batched
    for (size_t batch = 0; batch < $batch$; batch++) {
        const $T_x$ *a = $base_a$;
        const $T_x$ *b = $base_b$;
        $T_x$ *dst = $base_dst$;
        for (size_t j = 0; j < $full_columns$; j += $C$) {
            $fn$_pack($b_column$, panel, $C$);
            $fn$_rows(a, panel$c_step$, dst + j, $C$);
        }
    }
//@else
//@end
}
