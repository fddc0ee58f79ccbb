/* How long the transformations of a Winograd convolution take: the emitted code itself, compiled as emitted code is. */
#include "dnnl_time.h"

#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-function" /* not all of the template is timed */
#include "../../templates/dnnl/winograd_common.c"
/* what follows uses its macros */
#include "../../templates/dnnl/winograd_2.c"
#include "../../templates/dnnl/winograd_forward_4.c"
/* and these its functions */
#include "../../templates/dnnl/winograd_1.c"
#include "../../templates/dnnl/winograd_2_5.c"
#include "../../templates/dnnl/winograd_4.c"
#include "../../templates/dnnl/winograd_back_8.c"
#include "../../templates/dnnl/winograd_forward_8.c"
/* and these its functions */
#include "../../templates/dnnl/winograd_1_5.c"
#include "../../templates/dnnl/winograd_1_7.c"
#include "../../templates/dnnl/winograd_1_8.c"
#include "../../templates/dnnl/winograd_4_5.c"

/* All that is called is inlined, as in emitted code: transformations that are not are no vectors. */
#define FLAT __attribute__((flatten))

typedef struct Block {
    struct winograd w;
    float *src, *operand, *product, *dst;
} Block;

/* A block of tiles inside src: those on the border take longer, but are few in layers worth it. */
NET_INLINE void tiles_in(const Block *b, int tile, int window)
{
    const size_t column = (size_t)b->w.src_pixel, row = (size_t)b->w.width * column;
    for (int i = 0; i < b->w.block; i++) {
        const struct winograd_place p = winograd_place(&b->w, i % b->w.tiles);
        const float *d = b->src + (size_t)p.y * row + (size_t)p.x * column;
        float *o = b->operand + (size_t)i * (size_t)b->w.channels;
        if (tile == 4 && window == 5)
            winograd_tile_in_4_5(d, row, column, o, b->w.src_plane, b->w.channels);
        else if (tile == 1 && window > 3)
            winograd_tile_in_1_8(d, row, column, o, b->w.src_plane, b->w.channels);
        else if (tile == 4 || window == 5)
            winograd_tile_in_4(d, row, column, o, b->w.src_plane, b->w.channels);
        else if (tile == 1)
            winograd_tile_in_1(d, row, column, o, b->w.src_plane, b->w.channels);
        else
            winograd_tile_in_2(d, row, column, o, b->w.src_plane, b->w.channels);
    }
}

NET_INLINE void tile_out(int tile, int window, const float *m, size_t plane, float *o)
{
    if (tile == 4 && window == 5)
        winograd_tile_out_4_5(m, plane, o);
    else if (tile == 4)
        winograd_tile_out_4(m, plane, o);
    else if (tile == 1 && window == 5)
        winograd_tile_out_1_5(m, plane, o);
    else if (window == 7)
        winograd_tile_out_1_7(m, plane, o);
    else if (tile == 1)
        winograd_tile_out_1(m, plane, o);
    else if (window == 5)
        winograd_tile_out_2_5(m, plane, o);
    else
        winograd_tile_out_2(m, plane, o);
}

NET_INLINE void tiles_out(const Block *b, size_t tile, int window)
{
    const size_t columns = (size_t)winograd_tile_columns((int)tile, window),
                 column = (size_t)b->w.dst_pixel, row = (size_t)b->w.columns * columns * column;
    for (int i = 0; i < b->w.block; i++) {
        const struct winograd_place p = winograd_place(&b->w, i % b->w.tiles);
        const float *m = b->product + (size_t)i * (size_t)b->w.outputs;
        float *to = b->dst + (size_t)p.y * row + (size_t)p.x * column;
        WINOGRAD_LANES
        for (int c = 0; c < b->w.outputs; c++) {
            float o[16];
            tile_out((int)tile, window, m + c, b->w.dst_plane, o);
            for (size_t k = 0; k < tile * columns; k++)
                to[k / columns * row + k % columns * column + (size_t)c] =
                    o[k] < 0.0f ? 0.0f : o[k];
        }
    }
}

NET_INLINE void both_of(const Block *b, int tile, int window)
{
    tiles_in(b, tile, window);
    tiles_out(b, (size_t)tile, window);
}

CLONES FLAT static void both_4(const Block *b)
{
    both_of(b, 4, 3);
}

CLONES FLAT static void both_2(const Block *b)
{
    both_of(b, 2, 3);
}

CLONES FLAT static void both_1(const Block *b)
{
    both_of(b, 1, 3);
}

CLONES FLAT static void both_4_of_5(const Block *b)
{
    both_of(b, 4, 5);
}

CLONES FLAT static void both_2_of_5(const Block *b)
{
    both_of(b, 2, 5);
}

CLONES FLAT static void both_1_of_5(const Block *b)
{
    both_of(b, 1, 5);
}

CLONES FLAT static void both_1_of_7(const Block *b)
{
    both_of(b, 1, 7);
}

static void both(void *data)
{
    const Block *b = data;
    if (b->w.tile == 4)
        (b->w.window == 5 ? both_4_of_5 : both_4)(b);
    else if (b->w.tile == 1)
        (b->w.window == 7 ? both_1_of_7 : b->w.window == 5 ? both_1_of_5 : both_1)(b);
    else
        (b->w.window == 5 ? both_2_of_5 : both_2)(b);
}

/* One image with room for whole tiles everywhere. */
bool winograd_time_transforms(const DnnlWinograd *w, double *ns)
{
    const size_t lines = (size_t)(w->rows * w->tile + w->window - 1),
                 width = (size_t)(w->columns * winograd_columns(w) + w->window - 1);
    Block b = {.w = {.tile = (int)w->tile,
                     .window = (int)w->window,
                     .channels = (int)w->channels,
                     .outputs = (int)w->outputs,
                     .width = (int)width,
                     .src_pixel = (int)w->channels,
                     .dst_pixel = (int)w->outputs,
                     .rows = (int)w->rows,
                     .columns = (int)w->columns,
                     .tiles = (int)(w->rows * w->columns),
                     .block = (int)w->block,
                     .src_plane = (size_t)w->src_plane,
                     .dst_plane = (size_t)w->dst_plane}};
    b.src = filled_floats(lines * width * (size_t)w->channels);
    b.dst = filled_floats(lines * width * (size_t)w->outputs);
    b.operand = filled_floats((size_t)(w->planes * w->src_plane));
    b.product = filled_floats((size_t)(w->planes * w->dst_plane));
    bool ok = b.src && b.dst && b.operand && b.product;
    if (ok)
        *ns = shortest_ns(both, &b, true);
    free(b.src);
    free(b.dst);
    free(b.operand);
    free(b.product);
    return ok;
}
