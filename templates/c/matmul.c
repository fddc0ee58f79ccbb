/* Apache-2.0. The driver of the register-blocked product; see tile.c. */
#include <stddef.h>
#define NET_KERNEL
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, const float *restrict src2, float *restrict dst0)
#define $call$(x) src2
#define $call_batch$(x) a, b, dst
#define $batch$ 3
#define $T_x$ float
#define $T_dst$ float
#define $base_a$ src0 + batch * 12
#define $base_b$ src1
#define $base_dst$ dst0 + batch * 12
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
$signature$
{
//@if unused_c
    (void)src2; /* beta is 0 */
//@end
//@if batched
    for (size_t batch = 0; batch < $batch$; batch++) {
        const $T_x$ *a = $base_a$;
        const $T_x$ *b = $base_b$;
        $T_dst$ *dst = $base_dst$;
        $fn$_product($call_batch$($arg$));
    }
//@else
    $fn$_product($call$($arg$));
//@end
}
