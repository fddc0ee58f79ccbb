/* Winograd convolution in C: the matrix products of a block. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
struct panel {
    int rows, width, blocks;
    size_t block_floats;
};
struct winograd {
    size_t src_plane, dst_plane;
    const struct panel *panel;
};
static void panel_multiply(const struct panel *p, const float *const *row, size_t at,
                           const float *b, float *sums)
{
    sums[p->width] += row[0][at] * b[0];
}
//@begin
/* Matrix products `from` to `to` of one block, whose rows in the first one are at row[0], row[1], … */
static void winograd_products(const struct winograd *w, const float *const *row,
                              const float *weights, float *product, int from, int to)
{
    const struct panel *p = w->panel;
    const size_t sums = (size_t)p->rows * (size_t)p->width;
    for (int plane = from; plane < to; plane++)
        for (int k = 0; k < p->blocks; k++)
            panel_multiply(p, row, (size_t)plane * w->src_plane,
                           weights + (size_t)(plane * p->blocks + k) * p->block_floats,
                           product + (size_t)plane * w->dst_plane + (size_t)k * sums);
}
