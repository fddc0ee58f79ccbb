/* Convolution in C: what all such layers of a unit share. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
struct panel {
    int rows, width, blocks;
    size_t block_floats;
};
int omp_get_thread_num(void);
static void panel_multiply(const struct panel *p, const float *const *row, size_t at,
                           const float *b, const float *following, float *sums)
{
    sums[p->rows] = row[0][at] + b[0] + following[0];
}
#define NET_KERNEL
#define DNNLC_PARALLEL_FOR(threads) (void)(threads);
//@begin
struct indirect;
/* Bias and post-ops, which read operands, on the sums of channels `first` to `end`. */
typedef void indirect_finish(const struct indirect *w, const float *sums, const float *const *operand, float *dst, int first, int end);

/* Convolution as a matrix product, without a copy of src: a table has a pointer for each tap and pixel of dst to the pixel of src that
 * belongs there, or to zeros (Dukhan, "The Indirect Convolution Algorithm", 2019). The tiles read their rows through it. */
struct indirect {
    indirect_finish *finish;
    int channels, outputs; /* of src and of dst; both have the channels last */
    int images, size[3];   /* of src: depth, height, width */
    int out[3], window[3]; /* of dst, of the filters */
    int stride[3], dilation[3], pad[3];
    int src_pixel, dst_pixel; /* floats between neighbouring pixels */
    int pixels;               /* of dst */
    size_t zeros_at, sums_at; /* in scratch memory, behind the table: bytes */
    size_t sums_floats;       /* for each thread */
    const struct panel *panel; /* pixels of dst by taps and channels, times weights */
//@if pairs
    int pairs;       /* channels of src that become `channels` pairs; 0: all are floats */
    int float_pixel; /* from pixel to pixel of these */
    size_t pairs_at; /* in scratch memory: src as pairs, which is what the tiles read */
//@end
};

/* One tap's row of the table. */
static void indirect_tap(const struct indirect *w, const float *src, const float *zeros,
                         const int tap[3], const float **row)
{
    const size_t pixel = (size_t)w->src_pixel,
                 image = (size_t)w->size[0] * (size_t)w->size[1] * (size_t)w->size[2];
    const int x0 = tap[2] * w->dilation[2] - w->pad[2];
    for (int n = 0; n < w->images; n++)
        for (int oz = 0; oz < w->out[0]; oz++)
            for (int oy = 0; oy < w->out[1]; oy++) {
                const int z = oz * w->stride[0] + tap[0] * w->dilation[0] - w->pad[0];
                const int y = oy * w->stride[1] + tap[1] * w->dilation[1] - w->pad[1];
                const int inside = z >= 0 && z < w->size[0] && y >= 0 && y < w->size[1];
                const size_t line =
                    (size_t)n * image +
                    (inside ? ((size_t)z * (size_t)w->size[1] + (size_t)y) * (size_t)w->size[2]
                            : 0);
                for (int ox = 0; ox < w->out[2]; ox++) {
                    const int x = ox * w->stride[2] + x0;
                    *row++ = inside && x >= 0 && x < w->size[2] ? src + (line + (size_t)x) * pixel
                                                                : zeros;
                }
            }
}

/* Each pixel of dst comes from the same one of src. */
static int indirect_is_product(const struct indirect *w)
{
    for (int d = 0; d < 3; d++)
        if (w->window[d] != 1 || w->stride[d] != 1 || w->pad[d] || w->out[d] != w->size[d])
            return 0;
    return 1;
}

/* `zeros` are as many as src has channels. */
static void indirect_table(const struct indirect *w, const float *src, float *zeros,
                           const float **table)
{
    int tap[3];
    if (indirect_is_product(w)) {
        for (int i = 0; i < w->pixels; i++)
            table[i] = src + (size_t)i * (size_t)w->src_pixel;
        return;
    }
    memset(zeros, 0, (size_t)w->channels * sizeof *zeros);
    for (tap[0] = 0; tap[0] < w->window[0]; tap[0]++)
        for (tap[1] = 0; tap[1] < w->window[1]; tap[1]++)
            for (tap[2] = 0; tap[2] < w->window[2]; tap[2]++, table += w->pixels)
                indirect_tap(w, src, zeros, tap, table);
}

//@if pairs
/* Whole numbers of 16 bits, for an odd channel with a zero; dst has room for whole pairs. */
NET_KERNEL static void indirect_pairs(const struct indirect *w, const float *restrict src, int16_t *restrict dst)
{
    const size_t pixels = (size_t)w->images * (size_t)w->size[0] * (size_t)w->size[1] * (size_t)w->size[2];
    for (size_t i = 0; i < pixels; i++, src += w->float_pixel, dst += 2 * w->channels) {
        dst[2 * w->channels - 1] = 0;
        for (int c = 0; c < w->pairs; c++)
            dst[c] = (int16_t)(int32_t)src[c];
    }
}

/* Sums of 32 bits become floats. */
NET_KERNEL static void indirect_floats(float *sums, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t sum;
        memcpy(&sum, sums + i, sizeof sum);
        sums[i] = (float)sum;
    }
}

/* What the tiles read: src, or a copy of it. */
static const float *indirect_src(const struct indirect *w, const float *src, unsigned char *scratch)
{
    if (!w->pairs)
        return src;
    indirect_pairs(w, src, (void *)(scratch + w->pairs_at));
    return (void *)(scratch + w->pairs_at);
}

//@end
/* A block of columns, all pixels. */
static void indirect_block(const struct indirect *w, const float *const *table, const float *weights, const float *const *operand, float *dst, float *sums, int block)
{
    const struct panel *p = w->panel;
    const int first = block * p->width, left = w->outputs - first;
    weights += (size_t)block * p->block_floats;
    panel_multiply(p, table, 0, weights, weights + p->block_floats, sums);
//@if pairs
    if (w->pairs)
        indirect_floats(sums, (size_t)p->rows * (size_t)p->width);
//@end
    w->finish(w, sums, operand, dst, first, first + (left < p->width ? left : p->width));
}
//@if one_thread

static void indirect_compute(const struct indirect *w, const float *src, const float *weights, const float *const *operand, float *dst, unsigned char *scratch)
{
    const float **table = (void *)scratch;
//@if pairs
    src = indirect_src(w, src, scratch);
//@end
    indirect_table(w, src, (void *)(scratch + w->zeros_at), table);
    for (int block = 0; block < w->panel->blocks; block++)
        indirect_block(w, table, weights, operand, dst, (void *)(scratch + w->sums_at), block);
}
//@end
//@if shared

/* The same, shared between threads. */
static void indirect_compute_shared(const struct indirect *w, const float *src, const float *weights, const float *const *operand, float *dst, unsigned char *scratch, int threads)
{
    const float **table = (void *)scratch;
//@if pairs
    src = indirect_src(w, src, scratch);
//@end
    indirect_table(w, src, (void *)(scratch + w->zeros_at), table);
    DNNLC_PARALLEL_FOR(threads)
    for (int block = 0; block < w->panel->blocks; block++) {
#ifdef _OPENMP
        const size_t thread = (size_t)omp_get_thread_num();
#else
        const size_t thread = 0;
#endif
        float *sums = (float *)(void *)(scratch + w->sums_at) + thread * w->sums_floats;
        indirect_block(w, table, weights, operand, dst, sums, block);
    }
}
//@end
