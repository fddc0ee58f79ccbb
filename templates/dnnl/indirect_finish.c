/* Convolution in C: bias and post-ops. SPDX-License-Identifier: Apache-2.0 */
#define NET_KERNEL
#include <math.h>
#include <stddef.h>
#define $label$ sample
#define $statement$ v += bias[c]
#define $operands$(...) __VA_ARGS__
#define $operand$ bias
struct panel {
    int width;
};
struct indirect {
    int pixels, outputs, dst_pixel;
    const struct panel *panel;
};
//@begin
/* Bias and post-ops on a block of sums, of whose columns the first is channel `first`. */
NET_KERNEL static void finish_$label$(const struct indirect *w, const float *restrict sums,
                                      $operands$(const float *restrict $operand$, )float *restrict dst,
                                      int first)
{
    const int width = w->panel->width,
              columns = w->outputs - first < width ? w->outputs - first : width;
    for (int i = 0; i < w->pixels; i++, sums += width)
        for (int k = 0; k < columns; k++) {
            const int c = first + k;
            const size_t at = (size_t)i * (size_t)w->dst_pixel + (size_t)c;
            float v = sums[k];
//@for post_ops
            $statement$;
//@end
            dst[at] = v;
        }
}
