/* Convolution in C: bias and post-ops. SPDX-License-Identifier: Apache-2.0 */
#define NET_KERNEL
#include <math.h>
#include <stddef.h>
#define $label$ sample
#define $statement$ v = v < 0.0f ? 0.0f : v
#define $plus$ + bias[c]
#define $operand$ bias
#define $n$ 0
struct panel {
    int width;
};
struct indirect {
    int pixels, dst_pixel;
    const struct panel *panel;
};
//@begin
/* Bias and post-ops on sums of channels `first` to `end`. */
NET_KERNEL static void finish_$label$(const struct indirect *w, const float *restrict sums, const float *const *operand, float *restrict dst, int first, int end)
{
//@if operands
//@for operands
    const float *restrict $operand$ = operand[$n$];
//@end
//@else
    (void)operand;
//@end
    for (int i = 0; i < w->pixels; i++, sums += w->panel->width)
        for (int c = first; c < end; c++) {
            const size_t at = (size_t)i * (size_t)w->dst_pixel + (size_t)c;
            float v = sums[c - first]$plus$;
//@for post_ops
            $statement$;
//@end
            dst[at] = v;
        }
}
