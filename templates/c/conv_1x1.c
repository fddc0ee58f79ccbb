/* Apache-2.0. A convolution whose kernel has one tap: a product of the weights with the source; see tile.c. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst, void *restrict scratch)
#define $T_x$ float
#define $T_dst$ float
#define $C$ 3
#define $M$ 16
#define $images$ 2
#define $group$ 2
#define $filters$ 16
#define $channels$ 16
#define $multiplier$ 1
#define $panel$ scratch
#define $plane$ 49
#define $unused_weights_zero$ weights
#define $unused_src_zero$ weights
#define $unused_dst_zero$ weights
#define $call_direct$(item) x, y, group, scale
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
$signature$
{
    enum { IMAGES = $images$, C = $C$, M = $M$, PLANE = $plane$ };
//@if grouped
    enum { GROUP = $group$, FILTERS = $filters$ };
//@end
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
    enum { CHANNELS = $channels$ };
    float *scale = scratch;
    for (size_t i = 0; i < CHANNELS; i++)
        scale[i] = $multiplier$;
//@end
    for (size_t image = 0; image < IMAGES; image++) {
//@if grouped
        const size_t group = image % GROUP;
//@end
        const $T_x$ *x = src + image * C * PLANE;
        $T_dst$ *y = dst + image * M * PLANE;
        $fn$_product($call_direct$($arg$));
    }
}
