/* Apache-2.0. A convolution whose kernel has one tap: a product of the weights with the source; see tile.c. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, float *restrict dst0, void *restrict scratch)
#define $T_x$ float
#define $T_dst$ float
#define $C$ 3
#define $M$ 16
#define $images$ 2
#define $group$ 2
#define $channels$ 16
#define $multiplier$ 1
#define $panel$ scratch
#define $plane$ 49
#define $unused_weights_zero$ src1
#define $unused_src_zero$ src1
#define $unused_dst_zero$ src1
#define $call_direct$(x) src, dst, group, scale
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
$signature$
{
    enum { IMAGES = $images$, C = $C$, M = $M$, PLANE = $plane$ };
//@if unused_weights_zero
    (void)$unused_weights_zero$; /* the zero point is 0 */
//@end
//@if unused_src_zero
    (void)$unused_src_zero$; /* the zero point is 0 */
//@end
//@if unused_dst_zero
    (void)$unused_dst_zero$; /* the zero point is 0 */
//@end
//@if quantised
    float *scale = scratch;
    for (size_t i = 0; i < $channels$; i++)
        scale[i] = $multiplier$;
//@end
    for (size_t image = 0; image < IMAGES; image++) {
//@if grouped
        const size_t group = image % $group$;
//@end
        const $T_x$ *src = src0 + image * C * PLANE;
        $T_dst$ *dst = dst0 + image * M * PLANE;
        $fn$_product($call_direct$($arg$));
    }
}
