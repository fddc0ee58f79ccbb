/* Winograd convolution, F(4x4, 3x3) of whole numbers. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_KERNEL
#define NET_INLINE static inline
#define WINOGRAD_LANES
#define NET_UNROLL
struct winograd {
    int channels, height, width, pad_top, pad_left, src_pixel, src_row, tiles, pairs;
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
static size_t winograd_image(int height, int row, int width, int pixel)
{
    return (size_t)height * (size_t)row + (size_t)width * (size_t)pixel;
}
//@begin
/* F(4x4, 3x3) of whole numbers, which is exact: the polynomials are interpolated at 0, +-1, +-2 and infinity. What tiles and weights become
 * fits into 16 bits; sums of their products, and what is added up of these, may wrap around at 32 bits, since only the result has to fit. */

/* B^T d for one column or row d of 6. */
NET_INLINE void winograd_forward_whole(const int16_t *d, size_t step, int16_t *o, size_t out_step)
{
    const int d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step],
              d5 = d[5 * step];
    o[0] = (int16_t)(4 * d0 - 5 * d2 + d4);
    o[out_step] = (int16_t)(d3 + d4 - 4 * (d1 + d2));
    o[2 * out_step] = (int16_t)(d4 - d3 + 4 * (d1 - d2));
    o[3 * out_step] = (int16_t)(d4 - d2 + 2 * (d3 - d1));
    o[4 * out_step] = (int16_t)(d4 - d2 - 2 * (d3 - d1));
    o[5 * out_step] = (int16_t)(4 * d1 - 5 * d3 + d5);
}

/* A tile of whole numbers, [6, 6, channels], into 36 planes. */
NET_INLINE void winograd_tile_in_whole(const int16_t *restrict d, int16_t *restrict o, size_t plane,
                                       size_t channels)
{
    WINOGRAD_LANES
    for (size_t c = 0; c < channels; c++) {
        int16_t t[36];
        NET_UNROLL
        for (size_t x = 0; x < 6; x++)
            winograd_forward_whole(d + c + x * channels, 6 * channels, t + x, 6);
        NET_UNROLL
        for (size_t y = 0; y < 6; y++)
            winograd_forward_whole(t + 6 * y, 1, o + c + 6 * y * plane, plane);
    }
}

/* The tile whose first pixel is at (y0, x0) of an image, with the padding: floats become whole numbers, an odd channel gets a zero beside it. */
NET_INLINE void winograd_gather_whole(const struct winograd *w, const float *restrict src, int y0,
                                      int x0, int16_t *restrict edge)
{
    const size_t both = 2 * (size_t)w->channels, channels = (size_t)w->pairs;
    for (int y = y0; y < y0 + 6; y++)
        for (int x = x0; x < x0 + 6; x++, edge += both) {
            if (y < 0 || y >= w->height || x < 0 || x >= w->width) {
                memset(edge, 0, both * sizeof *edge);
                continue;
            }
            const float *d =
                src + (size_t)y * (size_t)w->src_row + (size_t)x * (size_t)w->src_pixel;
            edge[both - 1] = 0;
            for (size_t c = 0; c < channels; c++)
                edge[c] = (int16_t)(int32_t)d[c];
        }
}

/* Tiles `from` to `to` of the block that starts at tile `first` into the operands of the matrix products. After the last
 * tile of the batch comes the same one again. */
NET_KERNEL static void winograd_input_whole(const struct winograd *w, const float *restrict src,
                                            float *restrict operand, float *restrict edge,
                                            int first, int from, int to)
{
    int16_t *tile_in = (void *)edge;
    for (int i = from; i < to; i++) {
        const int tile = first + i < w->tiles ? first + i : w->tiles - 1;
        const struct winograd_place p = winograd_place(w, tile);
        const float *image =
            src + p.image * winograd_image(w->height, w->src_row, w->width, w->src_pixel);
        int16_t *o = (void *)(operand + (size_t)i * (size_t)w->channels);
        winograd_gather_whole(w, image, p.y - w->pad_top, p.x - w->pad_left, tile_in);
        winograd_tile_in_whole(tile_in, o, 2 * w->src_plane, 2 * (size_t)w->channels);
    }
}

/* A^T m for one column or row m of 6. */
NET_INLINE void winograd_back_whole(const uint32_t m[6], uint32_t *o, size_t out_step)
{
    const uint32_t sum = m[1] + m[2], difference = m[1] - m[2], sum2 = m[3] + m[4],
                   difference2 = m[3] - m[4];
    o[0] = m[0] + sum + sum2;
    o[out_step] = difference + 2 * difference2;
    o[2 * out_step] = sum + 4 * sum2;
    o[3 * out_step] = difference + 8 * difference2 + 3 * m[5];
}

/* One channel of one tile of results, before bias and post-ops: o[4 * y + x]. */
NET_INLINE void winograd_tile_out_whole(const float *m, size_t plane, float *o)
{
    const uint32_t inverse = 954437177; /* of 9, modulo 2^32 */
    uint32_t t[24], whole[16];
    NET_UNROLL
    for (size_t x = 0; x < 6; x++) {
        uint32_t column[6];
        NET_UNROLL
        for (size_t y = 0; y < 6; y++)
            memcpy(column + y, m + (6 * y + x) * plane, sizeof *column);
        winograd_back_whole(column, t + x, 6);
    }
    NET_UNROLL
    for (size_t y = 0; y < 4; y++)
        winograd_back_whole(t + 6 * y, whole + 4 * y, 1);
    NET_UNROLL
    for (size_t k = 0; k < 16; k++) {
        int32_t sum; /* times 64: that of 576 is left */
        whole[k] *= inverse;
        memcpy(&sum, whole + k, sizeof sum);
        o[k] = 0.015625f * (float)sum;
    }
}
