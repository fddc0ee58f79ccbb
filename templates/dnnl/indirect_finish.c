/* Convolution in C: bias and post-ops. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#define NET_KERNEL
#include <math.h>
#include <stddef.h>
#define $label$ sample
#define $statement$ v = v < 0.0f ? 0.0f : v
#define $value$ sums[c - first] + bias[c]
#define $operand$ bias
#define $n$ 0
struct panel {
    int width;
};
struct indirect {
    int dst_pixel;
    const struct panel *panel;
};
struct indirect_part {
    int pixel, pixels, first, end;
};
//@begin
/* Bias and post-ops on the sums of a part of dst. */
NET_KERNEL static void finish_$label$(const struct indirect *w, const float *restrict sums, const float *const *operand, float *restrict dst, const struct indirect_part *part)
{
//@if operands
//@for operands
    const float *restrict $operand$ = operand[$n$];
//@end
//@else
    (void)operand;
//@end
    const int first = part->first, end = part->end;
    for (int i = 0; i < part->pixels; i++, sums += w->panel->width)
        for (int c = first; c < end; c++) {
            const size_t at = (size_t)(part->pixel + i) * (size_t)w->dst_pixel + (size_t)c;
            float v = $value$;
//@for post_ops
            $statement$;
//@end
            dst[at] = v;
        }
}
