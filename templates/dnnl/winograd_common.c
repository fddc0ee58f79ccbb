/* Winograd convolution F(4x4, 3x3): what all such layers of a unit share. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>
#define NET_KERNEL
#define NET_INLINE static inline
//@begin
/* Winograd convolution, F(4x4, 3x3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015): each
 * 6x6 tile d of src gives a 4x4 tile of dst, A^T [(G g G^T) . (B^T d B)] A. The 36 products per tile and channel pair
 * (instead of 144) are 36 matrix products over the channels, made by oneDNN for a block of tiles at a time, so that the
 * transformed tiles stay in the cache. The polynomials are interpolated at 0, +-1/sqrt(2), +-sqrt(2) and infinity,
 * which in float loses no more digits than a direct convolution does. */
enum { WINOGRAD_TILE = 4, WINOGRAD_IN = 6 };

struct winograd {
    int channels, outputs;     /* of src and of dst; both have the channels last */
    int height, width;         /* of src */
    int out_height, out_width; /* of dst */
    int pad_top, pad_left;
    int src_pixel, dst_pixel;    /* floats between neighbouring pixels */
    int rows, columns, tiles;    /* tiles down, across, in the whole batch */
    int block;                   /* tiles in one matrix product */
    size_t src_plane, dst_plane; /* floats between the 36 operands and between the 36 results */
};

struct winograd_place {
    int y, x;     /* of the tile's first row and column in dst */
    size_t image; /* in the batch */
};

#if defined(__clang__)
#define WINOGRAD_LANES _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define WINOGRAD_LANES _Pragma("GCC ivdep")
#else
#define WINOGRAD_LANES
#endif

NET_INLINE struct winograd_place winograd_place(const struct winograd *w, int tile)
{
    struct winograd_place p;
    p.image = (size_t)(tile / (w->rows * w->columns));
    p.y = tile / w->columns % w->rows * WINOGRAD_TILE;
    p.x = tile % w->columns * WINOGRAD_TILE;
    return p;
}

/* B^T d for one column or row d of 6. */
NET_INLINE void winograd_forward(const float *d, size_t step, float *o, size_t out_step)
{
    float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step],
          d5 = d[5 * step];
    float even = d4 - 2.0f * d2, odd = 0.707106781f * (d3 - 2.0f * d1);
    float even2 = d4 - 0.5f * d2, odd2 = 1.41421356f * (d3 - 0.5f * d1);
    o[0] = d0 + d4 - 2.5f * d2;
    o[out_step] = even + odd;
    o[2 * out_step] = even - odd;
    o[3 * out_step] = even2 + odd2;
    o[4 * out_step] = even2 - odd2;
    o[5 * out_step] = d1 + d5 - 2.5f * d3;
}

/* A^T m for one column or row m of 6. */
NET_INLINE void winograd_back(const float *m, size_t step, float *o, size_t out_step)
{
    float m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step];
    float sum = m1 + m2, difference = m1 - m2, sum2 = m3 + m4, difference2 = m3 - m4;
    o[0] = m[0] + sum + sum2;
    o[out_step] = 0.707106781f * (difference + 2.0f * difference2);
    o[2 * out_step] = 0.5f * sum + 2.0f * sum2;
    o[3 * out_step] = m[5 * step] + 0.353553391f * (difference + 8.0f * difference2);
}

/* The tile whose first pixel is at d, pixels `column` and lines `row` floats apart, into 36 planes. */
NET_INLINE void winograd_tile_in(const float *d, size_t row, size_t column, float *o, size_t plane,
                                 int channels)
{
    WINOGRAD_LANES
    for (int c = 0; c < channels; c++) {
        float t[36];
        winograd_forward(d + c, row, t, 6);
        winograd_forward(d + c + column, row, t + 1, 6);
        winograd_forward(d + c + 2 * column, row, t + 2, 6);
        winograd_forward(d + c + 3 * column, row, t + 3, 6);
        winograd_forward(d + c + 4 * column, row, t + 4, 6);
        winograd_forward(d + c + 5 * column, row, t + 5, 6);
        winograd_forward(t, 1, o + c, plane);
        winograd_forward(t + 6, 1, o + c + 6 * plane, plane);
        winograd_forward(t + 12, 1, o + c + 12 * plane, plane);
        winograd_forward(t + 18, 1, o + c + 18 * plane, plane);
        winograd_forward(t + 24, 1, o + c + 24 * plane, plane);
        winograd_forward(t + 30, 1, o + c + 30 * plane, plane);
    }
}

/* One channel of one tile of results, before bias and post-ops: o[4 * y + x]. */
NET_INLINE void winograd_tile_out(const float *m, size_t plane, float *o)
{
    float t[24];
    winograd_back(m, 6 * plane, t, 6);
    winograd_back(m + plane, 6 * plane, t + 1, 6);
    winograd_back(m + 2 * plane, 6 * plane, t + 2, 6);
    winograd_back(m + 3 * plane, 6 * plane, t + 3, 6);
    winograd_back(m + 4 * plane, 6 * plane, t + 4, 6);
    winograd_back(m + 5 * plane, 6 * plane, t + 5, 6);
    winograd_back(t, 1, o, 1);
    winograd_back(t + 6, 1, o + 4, 1);
    winograd_back(t + 12, 1, o + 8, 1);
    winograd_back(t + 18, 1, o + 12, 1);
}

/* A tile that reaches over the border: a copy of it with the padding. */
static void winograd_gather(const struct winograd *w, const float *src, int y0, int x0, float *edge)
{
    const size_t channels = (size_t)w->channels, pixel = (size_t)w->src_pixel;
    for (int y = y0; y < y0 + WINOGRAD_IN; y++)
        for (int x = x0; x < x0 + WINOGRAD_IN; x++, edge += channels) {
            if (y < 0 || y >= w->height || x < 0 || x >= w->width)
                memset(edge, 0, channels * sizeof *edge);
            else
                memcpy(edge, src + ((size_t)y * (size_t)w->width + (size_t)x) * pixel,
                       channels * sizeof *edge);
        }
}

/* Tiles `from` to `to` of the block that starts at tile `first` into the operands of the matrix products. After the last
 * tile of the batch comes the same one again. */
NET_KERNEL static void winograd_input(const struct winograd *w, const float *restrict src,
                                      float *restrict operand, float *restrict edge, int first,
                                      int from, int to)
{
    const size_t channels = (size_t)w->channels, column = (size_t)w->src_pixel,
                 row = (size_t)w->width * column;
    for (int i = from; i < to; i++) {
        const int tile = first + i < w->tiles ? first + i : w->tiles - 1;
        const struct winograd_place p = winograd_place(w, tile);
        const int y0 = p.y - w->pad_top, x0 = p.x - w->pad_left;
        const float *image = src + p.image * (size_t)w->height * row;
        float *o = operand + (size_t)i * channels;
        if (y0 >= 0 && x0 >= 0 && y0 + WINOGRAD_IN <= w->height && x0 + WINOGRAD_IN <= w->width) {
            winograd_tile_in(image + (size_t)y0 * row + (size_t)x0 * column, row, column, o,
                             w->src_plane, w->channels);
        } else {
            winograd_gather(w, image, y0, x0, edge);
            winograd_tile_in(edge, WINOGRAD_IN * channels, channels, o, w->src_plane, w->channels);
        }
    }
}
