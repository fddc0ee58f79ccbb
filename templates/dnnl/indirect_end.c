/* Convolution in C: bias and post-ops in a tile. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#define NET_INLINE static inline
#define NET_UNROLL
#define PANEL_COLUMNS
#include <math.h>
#include <stddef.h>
#define $label$ sample
#define $statement$ v = v < 0.0f ? 0.0f : v
#define $plus$ + bias[c]
#define $operand$ bias
#define $n$ 0
struct panel_end {
    const float *const *operand;
    float *dst;
    int dst_pixel, pixel, channel;
};
//@begin
NET_INLINE void end_$label$(const struct panel_end *e, const float *restrict sums, int row, int rows, int width)
{
    float *restrict dst = e->dst;
//@for operands
    const float *restrict $operand$ = e->operand[$n$];
//@end
//@if is_short
    NET_UNROLL
//@end
    for (int i = 0; i < rows; i++) {
        const size_t pixel = (size_t)(e->pixel + row + i) * (size_t)e->dst_pixel;
        PANEL_COLUMNS
        for (int j = 0; j < width; j++) {
            const int c = e->channel + j;
            const size_t at = pixel + (size_t)c;
            float v = sums[i * width + j]$plus$;
//@for post_ops
            $statement$;
//@end
            dst[at] = v;
        }
    }
}
