/* Apache-2.0. The driver of the register-blocked product; see tile.c. */
#include <stddef.h>
#define NET_KERNEL
#define $signature$ void sample(const float *restrict src, const float *restrict weights, const float *restrict bias, float *restrict dst)
#define $call$(x) bias
#define $call_batch$(x) a, b, matrix
#define $batch$ 3
#define $T_x$ float
#define $T_dst$ float
#define $base_a$ src + batch * 12
#define $base_b$ weights
#define $base_dst$ dst + batch * 12
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
$signature$
{
//@if unused_c
    (void)bias; /* beta is 0 */
//@end
//@if batched
    for (size_t batch = 0; batch < $batch$; batch++) {
        const $T_x$ *a = $base_a$;
        const $T_x$ *b = $base_b$;
        $T_dst$ *matrix = $base_dst$;
        $fn$_product($call_batch$($arg$));
    }
//@else
    $fn$_product($call$($arg$));
//@end
}
