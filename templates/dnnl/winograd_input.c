/* Winograd convolution: the tiles of a block. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
struct winograd {
    int channels, height, width, pad_top, pad_left, src_pixel, src_row, src_short, tiles;
    size_t src_plane;
};
struct winograd_place {
    int y, x;
    size_t image;
};
static struct winograd_place winograd_place(const struct winograd *w, int tile)
{
    return (struct winograd_place){w->tiles, tile, 0};
}
static void winograd_gather(const struct winograd *w, const float *src, int y0, int x0, float *edge)
{
    edge[x0] = src[w->tiles + y0];
}
static void winograd_tile_in_2(const float *d, size_t row, size_t column, float *o, size_t plane,
                               int channels)
{
    o[plane] = d[row + column + (size_t)channels];
}
#define winograd_tile_in_$in$ winograd_tile_in_2
#define $tile$ 4
#define $window$ 3
#define $src_width$ w->width
static int winograd_tile_lines_in(int m, int r)
{
    return m + r - 1;
}
#define winograd_tile_columns_in winograd_tile_lines_in
static size_t winograd_image(int height, int row, int width, int pixel)
{
    return (size_t)height * (size_t)row + (size_t)width * (size_t)pixel;
}
//@begin
/* Tiles `from` to `to` of the block that starts at tile `first` into the operands of the matrix products. After the last
 * tile of the batch comes the same one again. */
NET_INLINE void winograd_input(int m, int r, const struct winograd *w, const float *restrict src,
                               float *restrict operand, float *restrict edge, int first, int from,
                               int to)
{
    const size_t channels = (size_t)w->channels;
    const int lines = winograd_tile_lines_in(m, r), columns = winograd_tile_columns_in(m, r);
    for (int i = from; i < to; i++) {
        const int tile = first + i < w->tiles ? first + i : w->tiles - 1;
        const struct winograd_place p = winograd_place(w, tile);
        const int y0 = p.y - w->pad_top, x0 = p.x - w->pad_left;
        const int inside =
            y0 >= 0 && x0 >= 0 && y0 + lines <= w->height && x0 + columns <= $src_width$;
        const float *image = src + p.image * winograd_image(w->height, w->src_row, w->width, w->src_pixel);
//@if uneven
        image -= p.image * (size_t)w->src_short * (size_t)w->src_row;
//@end
        float *o = operand + (size_t)i * channels;
        if (!inside)
            winograd_gather(w, image, y0, x0, edge);
        const size_t column = inside ? (size_t)w->src_pixel : channels,
                     row = inside ? (size_t)w->src_row : (size_t)columns * channels;
        const float *d = inside ? image + (size_t)y0 * row + (size_t)x0 * column : edge;
//@for forms
        if (m == $tile$ && r == $window$)
            winograd_tile_in_$in$(d, row, column, o, w->src_plane, w->channels);
//@end
    }
}
