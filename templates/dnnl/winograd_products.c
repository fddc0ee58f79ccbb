/* Winograd convolution in C: the matrix products of a block. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
struct panel {
    int rows, width, blocks;
    size_t block_floats;
};
struct winograd {
    size_t src_plane, dst_plane;
    const struct panel *panel;
    int tile, window, taps;
};
static inline int winograd_tile_columns_in(int m, int r)
{
    return m + r - 1;
}
static inline int winograd_tile_lines_in(int m, int r)
{
    return m + r - 1;
}
static void panel_multiply(const struct panel *p, const float *const *row, size_t at,
                           const float *b, const float *following, float *sums)
{
    sums[p->width] += row[0][at] * b[0] + following[0];
}
//@begin
//@if taps
/* Where the weights of block k of a plane stand, in blocks: behind the taps of the window, [blocks, taps]. The planes at the corners of a tile, or at the ends of a
 * line, are taps at the corners of the window. */
static int winograd_behind_taps(const struct winograd *w, int plane, int k)
{
    const int blocks = w->panel->blocks, last_y = winograd_tile_lines_in(w->tile, w->window) - 1,
              last_x = winograd_tile_columns_in(w->tile, w->window) - 1;
    const int y = plane / (last_x + 1), x = plane % (last_x + 1);
    const int corners = y == 0 ? 1 : y < last_y ? 2 : 3; /* before a plane that is none */
    if ((x == 0 || x == last_x) && (y == 0 || y == last_y))
        return k * w->taps + (y ? w->taps - 3 : 0) + (x ? 2 : 0);
    return (w->taps + plane - corners) * blocks + k;
}

//@end
/* The weights of block k of a plane. */
static const float *winograd_block(const struct winograd *w, const float *weights, int plane, int k)
{
    int at = plane * w->panel->blocks + k; /* in blocks */
//@if taps
    if (w->taps)
        at = winograd_behind_taps(w, plane, k);
//@end
    return weights + (size_t)at * w->panel->block_floats;
}

/* Matrix products `from` to `to` of one block, whose rows in the first one are at row[0], row[1], … */
static void winograd_products(const struct winograd *w, const float *const *row,
                              const float *weights, float *product, int from, int to)
{
    const struct panel *p = w->panel;
    const size_t sums = (size_t)p->rows * (size_t)p->width;
    for (int plane = from; plane < to; plane++)
        for (int k = 0; k < p->blocks; k++) {
            const int is_last = k + 1 == p->blocks;
            /* The next block of tiles begins with `from` again. */
            const int then = !is_last ? plane : plane + 1 < to ? plane + 1 : from;
            panel_multiply(p, row, (size_t)plane * w->src_plane,
                           winograd_block(w, weights, plane, k),
                           winograd_block(w, weights, then, is_last ? 0 : k + 1),
                           product + (size_t)plane * w->dst_plane + (size_t)k * sums);
        }
}
