/* Winograd convolution: what all such layers of a unit share. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>
#define NET_KERNEL
struct panel {
    int rows;
};
#define NET_INLINE static inline
#define $gather_width$ w->width
//@begin
/* Winograd convolution, F(m x m, r x r) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015): each
 * tile d of src, of m + r - 1 lines and columns, gives m x m pixels of dst, A^T [(G g G^T) . (B^T d B)] A. The (m + r - 1)^2 products per
 * tile and channel pair (instead of m^2 r^2) are as many matrix products over the channels, made for a block of tiles
 * at a time, so that the transformed tiles stay in the cache. */
struct winograd {
    int tile;                  /* m; 1: lines, F(1x4, 1 x r), of seven taps F(1x2, 1x7) */
    int window;                /* r */
    int channels, outputs;     /* of src and of dst; both have the channels last */
    int height, width;         /* of src */
    int out_height, out_width; /* of dst */
    int pad_top, pad_left;
    int src_pixel, dst_pixel;    /* floats between neighbouring pixels */
    int src_row, dst_row;        /* … and lines */
    //@if uneven
    int src_short, dst_short; /* lines of src and of dst, the last ones, with a pixel less than the others */
    //@end
    int rows, columns, tiles;    /* tiles down, across, in the whole batch */
    int block;                   /* tiles in one matrix product */
    size_t src_plane, dst_plane; /* floats from operand to operand, from product to product */
    int product_width; /* columns of a product that stand together; behind them those of the next tile */
                       //@if panels
    const struct panel *panel; /* of products in C: a matrix of a block times its weights */
    //@end
    //@if taps
    int taps; /* of the window that stand before the planes that are none; 0: planes only */
    //@end
    //@if whole
    int pairs; /* channels of src that become `channels` pairs of whole numbers; 0: all are floats */
    //@end
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

/* Where the rows of the first matrix of a block are. */
NET_INLINE void winograd_rows(const struct winograd *w, const float *operand, const float **row)
{
    for (int i = 0; i < w->block; i++)
        row[i] = operand + (size_t)i * (size_t)w->channels;
}

/* Columns of dst in a tile, which has m lines. */
NET_INLINE int winograd_tile_columns(int m, int r)
{
    return m > 1 ? m : r == 7 ? 2 : 4;
}

/* Columns and lines of src in a tile, of a window of r. */
NET_INLINE int winograd_tile_columns_in(int m, int r)
{
    return winograd_tile_columns(m, r) + r - 1;
}

NET_INLINE int winograd_tile_lines_in(int m, int r)
{
    return m == 1 ? 1 : m + r - 1;
}

/* Floats from image to image, whichever of lines and columns are the longer way. */
NET_INLINE size_t winograd_image(int height, int row, int width, int pixel)
{
    const size_t down = (size_t)height * (size_t)row, across = (size_t)width * (size_t)pixel;
    return down > across ? down : across;
}

//@if uneven
/* Pixels of line y of src, and of dst. */
NET_INLINE int winograd_src_width(const struct winograd *w, int y)
{
    return w->width - (y >= w->height - w->src_short);
}

NET_INLINE int winograd_dst_width(const struct winograd *w, int y)
{
    return w->out_width - (y >= w->out_height - w->dst_short);
}

//@end
/* Tiles follow each other in the order of memory: along the lines, or across them where their pixels alternate, which are columns then or
 * parts of a dilated line. */
NET_INLINE struct winograd_place winograd_place(const struct winograd *w, int tile)
{
    const int in_image = tile % (w->rows * w->columns), across = w->src_row < w->src_pixel;
    const int y = across ? in_image % w->rows : in_image / w->columns,
              x = across ? in_image / w->rows : in_image % w->columns;
    struct winograd_place p;
    p.image = (size_t)(tile / (w->rows * w->columns));
    p.y = y * w->tile;
    p.x = x * winograd_tile_columns(w->tile, w->window);
    return p;
}
//@if floats

/* A tile that reaches over the border: a copy of it with the padding. */
static void winograd_gather(const struct winograd *w, const float *src, int y0, int x0, float *edge)
{
    const size_t channels = (size_t)w->channels;
    const int lines = winograd_tile_lines_in(w->tile, w->window),
              columns = winograd_tile_columns_in(w->tile, w->window);
    for (int y = y0; y < y0 + lines; y++)
        for (int x = x0; x < x0 + columns; x++, edge += channels) {
            if (y < 0 || y >= w->height || x < 0 || x >= $gather_width$)
                memset(edge, 0, channels * sizeof *edge);
            else
                memcpy(edge,
                       src + (size_t)y * (size_t)w->src_row + (size_t)x * (size_t)w->src_pixel,
                       channels * sizeof *edge);
        }
}
//@end
