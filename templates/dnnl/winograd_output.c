/* Winograd convolution: the results of one block, with bias and post-ops. SPDX-License-Identifier: Apache-2.0 */
#define NET_KERNEL
#define NET_INLINE static inline
#define WINOGRAD_LANES
#define NET_UNROLL
#include <math.h>
#include <stddef.h>
#define $label$ sample
#define $statement$ v += bias[c]
#define $operands$(...) __VA_ARGS__
#define $operand$ bias
#define $tile$ 4
#define $columns$ 4
#define $form$ 4
#define $dst_width$ w->out_width
struct winograd {
    int outputs, out_height, out_width, dst_pixel, dst_row, dst_short, rows, columns, tiles, block, product_width;
    size_t dst_plane;
};
struct winograd_place {
    int y, x;
    size_t image;
};
static inline struct winograd_place winograd_place(const struct winograd *w, int tile)
{
    return (struct winograd_place){w->rows, tile, 0};
}
static inline size_t winograd_image(int height, int row, int width, int pixel)
{
    return (size_t)height * (size_t)row + (size_t)width * (size_t)pixel;
}
static inline void winograd_tile_out_$form$(const float *m, size_t plane, float *o)
{
    o[0] = m[plane];
}
//@begin
/* Bias and post-ops on v, the result that belongs into element `at` of dst, channel c. */
NET_INLINE void put_$label$(float v, int c, size_t at, $operands$(const float *restrict $operand$, )float *restrict dst)
{
    (void)c;
//@for post_ops
    $statement$;
//@end
    dst[at] = v;
}

NET_KERNEL static void output_$label$(const struct winograd *w, const float *restrict product,
                                      $operands$(const float *restrict $operand$, )float *restrict dst,
                                      float *restrict edge, int first, int from, int to)
{
    const int channels = w->outputs, width = w->product_width;
    const size_t column = (size_t)w->dst_pixel, row = (size_t)w->dst_row;
    const size_t plane = w->dst_plane,
                 image = winograd_image(w->out_height, w->dst_row, w->out_width, w->dst_pixel);
    for (int i = from; i < to && first + i < w->tiles; i++) {
        const struct winograd_place p = winograd_place(w, first + i);
        size_t at = p.image * image + (size_t)p.y * row + (size_t)p.x * column;
//@if uneven
        at -= p.image * (size_t)w->dst_short * (size_t)w->dst_row;
//@end
//@if whole_tiles
        const int whole = p.y + $tile$ <= w->out_height && p.x + $columns$ <= $dst_width$;
//@end
        for (int begin = 0; begin < channels; begin += width) {
            const int n = channels - begin < width ? channels - begin : width;
            const float *m =
                product + (size_t)begin * (size_t)w->block + (size_t)i * (size_t)width;
//@if whole_tiles
            if (whole) {
                WINOGRAD_LANES
                for (int c = 0; c < n; c++) {
                    float o[$tile$ * $columns$];
                    size_t a = at + (size_t)(begin + c);
                    winograd_tile_out_$form$(m + c, plane, o);
                    NET_UNROLL
                    for (size_t k = 0; k < $tile$ * $columns$; k++)
                        put_$label$(o[k], begin + c, a + k / $columns$ * row + k % $columns$ * column, $operands$($operand$, )dst);
                }
                continue;
            }
//@end
            WINOGRAD_LANES
            for (int c = 0; c < n; c++) {
                float o[$tile$ * $columns$];
                winograd_tile_out_$form$(m + c, plane, o);
                NET_UNROLL
                for (int k = 0; k < $tile$ * $columns$; k++)
                    edge[k * channels + begin + c] = o[k];
            }
        }
//@if whole_tiles
        if (whole)
            continue;
//@end
        for (int y = 0; y < $tile$ && p.y + y < w->out_height; y++)
            for (int x = 0; x < $columns$ && p.x + x < $dst_width$; x++) {
                const float *o = edge + (y * $columns$ + x) * channels;
                const size_t a = at + (size_t)y * row + (size_t)x * column;
                WINOGRAD_LANES
                for (int c = 0; c < channels; c++)
                    put_$label$(o[c], c, a + (size_t)c, $operands$($operand$, )dst);
            }
    }
}
