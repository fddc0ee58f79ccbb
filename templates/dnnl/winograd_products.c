/* Winograd convolution in C: the matrix products of one layer. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define $label$ sample
#define $panel$ winograd_panel_sample
#define $panels$ 4
#define $panel_floats$ 4096
struct winograd {
    int block, product_width;
    size_t src_plane, dst_plane;
};
static void winograd_panel_sample(const struct winograd *w, const float *const *row, size_t at,
                                  const float *b, float *sums)
{
    sums[w->block] += row[0][at] * b[0];
}
//@begin
/* Matrix products `from` to `to` of one block, whose rows in the first one are at row[0], row[1], … */
static void products_$label$(const struct winograd *w, const float *const *row,
                             const float *weights, float *product, int from, int to)
{
    const size_t sums = (size_t)w->block * (size_t)w->product_width;
    for (int plane = from; plane < to; plane++)
        for (int k = 0; k < $panels$; k++)
            $panel$(w, row, (size_t)plane * w->src_plane,
                    weights + (size_t)(plane * $panels$ + k) * $panel_floats$,
                    product + (size_t)plane * w->dst_plane + (size_t)k * sums);
}
