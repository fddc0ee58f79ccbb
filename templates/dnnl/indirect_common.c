/* Convolution in C: what all such layers of a unit share. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
struct panel {
    int rows, width, blocks, whole;
    size_t block_floats;
};
struct panel_end {
    const float *const *operand;
    float *dst;
    int dst_pixel, pixel, channel;
};
typedef void panel_to_end(const struct panel *p, const float *const *row, size_t at, const float *b,
                          const float *following, float *sums, const struct panel_end *end);
#define NET_HAS_PANEL 1
int omp_get_thread_num(void);
static void panel_multiply(const struct panel *p, const float *const *row, size_t at,
                           const float *b, const float *following, float *sums)
{
    sums[p->rows] = row[0][at] + b[0] + following[0];
}
#define NET_KERNEL
#define NET_INLINE static inline
#define DNNLC_PARALLEL_FOR(threads) (void)(threads);
//@begin
struct indirect;
/* A part of dst: pixels from `pixel` on, of each the channels `first` to `end`. */
struct indirect_part {
    int pixel, pixels, first, end;
};
/* Bias and post-ops, which read operands, on the sums of a part of dst. */
typedef void indirect_finish(const struct indirect *w, const float *sums, const float *const *operand, float *dst, const struct indirect_part *part);

/* Convolution as a matrix product, without a copy of src: a table has a pointer for each tap and pixel of dst to the pixel of src that
 * belongs there, or to zeros (Dukhan, "The Indirect Convolution Algorithm", 2019). The tiles read their rows through it. */
struct indirect {
    indirect_finish *finish;
//@if ends
    panel_to_end *to_end; /* tiles that finish their sums themselves; NULL: there are none */
//@end
    int channels, outputs; /* of src and of dst; both have the channels last */
    int images, size[3];   /* of src: depth, height, width */
    int out[3], window[3]; /* of dst, of the filters */
    int stride[3], dilation[3], pad[3];
    int src_pixel, dst_pixel; /* floats between neighbouring pixels */
    int line;                 /* from line to line of what the tiles read */
    int pixels;               /* of dst */
    int band, bands; /* pixels for which there is a table at once, the first bands; the others have one less */
    size_t zeros_at, sums_at; /* in scratch memory, behind the table: bytes */
    size_t sums_floats;       /* for each thread */
    size_t set_bytes;         /* of scratch memory for a band */
    const struct panel *panel; /* pixels of a band by taps and channels, times weights */
//@if pairs
    int pairs;         /* channels of src that become `channels` pairs; 0: all are floats */
    int float_pixel;   /* from pixel to pixel of these */
    int width, before; /* pixels in a line of src, and of its padding in the copy in pairs */
    int room;          /* numbers of 16 bits from pixel to pixel there */
    int gathers;       /* no copy of all of src: rows become pairs band by band */
//@if mixed
    int fours;         /* a row begins with as many elements of four bytes, the others of it are pairs; 0: all are */
    int low;           /* added to channels that become bytes; negative: what makes the least of a row 0 */
//@end
    size_t pairs_at;   /* in scratch memory: src, or the rows of a band, as pairs, which is what the tiles read */
//@end
};

/* One tap's row of the table, for `pixels` pixels of dst from `pixel` on. */
static void indirect_tap(const struct indirect *w, const float *src, const float *zeros,
                         const int tap[3], int pixel, int pixels, const float **row)
{
    const size_t apart = (size_t)w->src_pixel, image = (size_t)w->size[0] * (size_t)w->size[1];
    const int x0 = tap[2] * w->dilation[2] - w->pad[2], end = pixel + pixels;
    while (pixel < end) {
        const int line = pixel / w->out[2], plane = line / w->out[1], n = plane / w->out[0];
        const int z = plane % w->out[0] * w->stride[0] + tap[0] * w->dilation[0] - w->pad[0];
        const int y = line % w->out[1] * w->stride[1] + tap[1] * w->dilation[1] - w->pad[1];
        const int inside = z >= 0 && z < w->size[0] && y >= 0 && y < w->size[1];
        const size_t before =
            (size_t)n * image + (inside ? (size_t)z * (size_t)w->size[1] + (size_t)y : 0);
        const float *of_line = src + before * (size_t)w->line;
        const int left = (line + 1) * w->out[2], stop = left < end ? left : end;
        for (int ox = pixel - line * w->out[2]; pixel < stop; pixel++, ox++) {
            const int x = ox * w->stride[2] + x0;
            *row++ = inside && x >= 0 && x < w->size[2] ? of_line + (size_t)x * apart : zeros;
        }
    }
}

/* Each pixel of dst comes from the same one of src. */
static int indirect_is_product(const struct indirect *w)
{
    for (int d = 0; d < 3; d++)
        if (w->window[d] != 1 || w->stride[d] != 1 || w->pad[d] || w->out[d] != w->size[d])
            return 0;
    return w->line == w->out[2] * w->src_pixel;
}

/* `zeros` are as many as a pixel of what is read has. */
static void indirect_table(const struct indirect *w, const float *src, float *zeros, int pixel,
                           int pixels, const float **table)
{
    int tap[3];
    if (indirect_is_product(w)) {
        for (int i = 0; i < pixels; i++)
            table[i] = src + (size_t)(pixel + i) * (size_t)w->src_pixel;
        return;
    }
    memset(zeros, 0, w->sums_at - w->zeros_at);
    for (tap[0] = 0; tap[0] < w->window[0]; tap[0]++)
        for (tap[1] = 0; tap[1] < w->window[1]; tap[1]++)
            for (tap[2] = 0; tap[2] < w->window[2]; tap[2]++, table += pixels)
                indirect_tap(w, src, zeros, tap, pixel, pixels, table);
}

//@if pairs
/* Whole numbers of 16 bits; a pixel of dst has room for whole pairs: behind an odd channel comes a zero. */
NET_KERNEL static void indirect_halves(const float *restrict src, size_t pixel, int16_t *restrict dst, size_t room, int pixels, int channels)
{
    for (int i = 0; i < pixels; i++, src += pixel, dst += room) {
        dst[room - 1] = 0;
        for (int c = 0; c < channels; c++)
            dst[c] = (int16_t)(int32_t)src[c];
    }
}

/* The same of pixels anywhere. */
NET_KERNEL static void indirect_gather(const float *const *row, int16_t *restrict dst, size_t room, int pixels, int channels)
{
    for (int i = 0; i < pixels; i++, dst += room) {
        const float *restrict src = row[i];
        dst[room - 1] = 0;
        for (int c = 0; c < channels; c++)
            dst[c] = (int16_t)(int32_t)src[c];
    }
}

//@if mixed
/* A row as bytes and as pairs, and a last pair of what was added for the bytes: `low`, or if that is negative what makes the least of them 0. Behind the last channel come zeros. */
NET_KERNEL static void indirect_both(const float *restrict src, uint8_t *restrict bytes, int16_t *restrict pairs, int room, int channels, int low)
{
    int16_t least = 0;
    for (int c = 0; c < channels; c++)
        pairs[c] = (int16_t)(int32_t)src[c];
    memset(pairs + channels, 0, (size_t)(room - channels) * sizeof *pairs);
    for (int c = 0; c < (low < 0 ? channels : 0); c++)
        least = pairs[c] < least ? pairs[c] : least;
    const int16_t added = (int16_t)(low < 0 ? -least : low);
    for (int c = 0; c < room; c++)
        bytes[c] = (uint8_t)(pairs[c] + added);
    pairs[room] = pairs[room + 1] = added;
}

/* Rows of a band for a layer of both kinds, found through the table, which points to them then. */
static void indirect_gather_both(const struct indirect *w, const float **table, float *rows, int pixels)
{
    for (int i = 0; i < pixels; i++, rows += 3 * w->fours + 1) {
        indirect_both(table[i], (void *)rows, (void *)(rows + w->fours), 4 * w->fours, w->pairs, w->low);
        table[i] = rows;
    }
}

//@end
/* Lines of src, in pairs. Where taps side by side are one the padding of lines is written, too. */
static void indirect_lines(const struct indirect *w, const float *src, int16_t *dst, int lines)
{
    const size_t numbers = 2 * (size_t)w->line, room = (size_t)w->room, pixel = (size_t)w->float_pixel;
    const size_t before = (size_t)w->before * room, end = before + (size_t)w->width * room;
    const int dense = pixel == room && w->room == w->pairs;
    for (int line = 0; line < lines; line++, src += (size_t)w->width * pixel, dst += numbers) {
        memset(dst, 0, before * sizeof *dst);
        if (numbers > end)
            memset(dst + end, 0, (numbers - end) * sizeof *dst);
        indirect_halves(src, pixel, dst + before, room, dense ? 1 : w->width, dense ? w->width * w->pairs : w->pairs);
    }
}

/* A sum of 32 bits. */
NET_INLINE float indirect_sum(const float *s)
{
    int32_t sum;
    memcpy(&sum, s, sizeof sum);
    return (float)sum;
}

//@end
/* What the tiles read for `pixels` pixels from `pixel` on, by scratch memory of a band. */
static void indirect_rows(const struct indirect *w, const float *src, unsigned char *set, int pixel, int pixels)
{
    const float **table = (void *)set;
    indirect_table(w, src, (void *)(set + w->zeros_at), pixel, pixels, table);
//@if pairs
    if (!w->gathers)
        return;
    float *pairs = (void *)(set + w->pairs_at);
//@if mixed
    if (w->fours) {
        indirect_gather_both(w, table, pairs, pixels);
        return;
    }
//@end
    indirect_gather(table, (void *)pairs, (size_t)w->room, pixels, w->pairs);
    for (int i = 0; i < pixels; i++)
        table[i] = pairs + (size_t)i * (size_t)w->channels;
//@end
}

/* The product of a band: the last ones may have a pixel less than w->panel. */
static struct panel indirect_band(const struct indirect *w, int band)
{
    struct panel p = *w->panel;
    if (band >= w->pixels - (w->band - 1) * w->bands) {
        p.rows--;
        p.whole--;
    }
    return p;
}

//@if mixed
/* Where the weights of a block are in those of a layer of both kinds, which begin with that. */
static const float *indirect_mixed_block(const float *weights, int block)
{
    int32_t start;
    memcpy(&start, weights + block, sizeof start);
    return weights + start;
}

//@end
/* A block of columns, for all pixels of a band, which begins with `pixel`; behind the last block of the last band come weights of another layer. */
static void indirect_block(const struct indirect *w, const struct panel *p, const float *const *table, const float *weights, const float *const *operand, float *dst, float *sums, int pixel, int block, int is_last)
{
    const int first = block * p->width, left = w->outputs - first;
    const float *b = weights + (size_t)block * p->block_floats;
    const float *following = block + 1 < p->blocks || is_last ? b + p->block_floats : weights;
//@if mixed
    if (w->fours) {
        b = indirect_mixed_block(weights, block);
        following = indirect_mixed_block(weights, block + 1 < p->blocks || is_last ? block + 1 : 0);
    }
//@end
//@if ends
    if (NET_HAS_PANEL && w->to_end && left >= p->width) {
        const struct panel_end end = {operand, dst, w->dst_pixel, pixel, first};
        w->to_end(p, table, 0, b, following, sums, &end);
        return;
    }
//@end
    panel_multiply(p, table, 0, b, following, sums);
    const struct indirect_part part = {pixel, p->rows, first, first + (left < p->width ? left : p->width)};
    w->finish(w, sums, operand, dst, &part);
}

/* A band, which begins with `pixel`. */
static void indirect_whole_band(const struct indirect *w, const struct panel *p, const float *src, const float *weights, const float *const *operand, float *dst, unsigned char *set, int pixel)
{
    const float *const *table = (void *)set;
    float *sums = (void *)(set + w->sums_at);
    const int is_last = pixel + p->rows == w->pixels;
    indirect_rows(w, src, set, pixel, p->rows);
    for (int block = 0; block < p->blocks; block++)
        indirect_block(w, p, table, weights, operand, dst, sums, pixel, block, is_last);
}
//@if one_thread

//@if pairs
/* What the tables point to: src, or a copy of it. */
static const float *indirect_src(const struct indirect *w, const float *src, unsigned char *scratch)
{
    if (!w->pairs || w->gathers)
        return src;
    indirect_lines(w, src, (void *)(scratch + w->pairs_at), w->images * w->size[0] * w->size[1]);
    return (void *)(scratch + w->pairs_at);
}

//@end
static void indirect_compute(const struct indirect *w, const float *src, const float *weights, const float *const *operand, float *dst, unsigned char *scratch)
{
//@if pairs
    src = indirect_src(w, src, scratch);
//@end
    for (int band = 0, pixel = 0; band < w->bands; band++) {
        const struct panel p = indirect_band(w, band);
        indirect_whole_band(w, &p, src, weights, operand, dst, scratch, pixel);
        pixel += p.rows;
    }
}
//@end
//@if shared

//@if pairs
/* What the tables point to: src, or a copy of it, which threads make together. */
static const float *indirect_src_shared(const struct indirect *w, const float *src, unsigned char *scratch, int threads)
{
    int16_t *pairs = (void *)(scratch + w->pairs_at);
    const int lines = w->images * w->size[0] * w->size[1];
    if (!w->pairs || w->gathers)
        return src;
    DNNLC_PARALLEL_FOR(threads)
    for (int part = 0; part < threads; part++) {
        const int from = (int)((long long)lines * part / threads), to = (int)((long long)lines * (part + 1) / threads);
        indirect_lines(w, src + (size_t)from * (size_t)w->width * (size_t)w->float_pixel, pairs + (size_t)from * 2 * (size_t)w->line, to - from);
    }
    return (void *)pairs;
}

//@end
/* Which thread this is. */
static size_t indirect_thread(void)
{
#ifdef _OPENMP
    return (size_t)omp_get_thread_num();
#else
    return 0;
#endif
}

/* The same, shared between threads: bands, each with scratch memory of its own, or the blocks of the only one. */
static void indirect_compute_shared(const struct indirect *w, const float *src, const float *weights, const float *const *operand, float *dst, unsigned char *scratch, int threads)
{
//@if pairs
    src = indirect_src_shared(w, src, scratch, threads);
//@end
    if (w->bands > 1) {
        DNNLC_PARALLEL_FOR(threads)
        for (int band = 0; band < w->bands; band++) {
            unsigned char *set = scratch + indirect_thread() * w->set_bytes;
            const struct panel p = indirect_band(w, band);
            const int shorter = w->band * w->bands - w->pixels, whole = w->bands - shorter;
            const int pixel = band * w->band - (band > whole ? band - whole : 0);
            indirect_whole_band(w, &p, src, weights, operand, dst, set, pixel);
        }
        return;
    }
    const struct panel *p = w->panel;
    const float *const *table = (void *)scratch;
    indirect_rows(w, src, scratch, 0, p->rows);
    DNNLC_PARALLEL_FOR(threads)
    for (int block = 0; block < p->blocks; block++) {
        float *sums = (float *)(void *)(scratch + w->sums_at) + indirect_thread() * w->sums_floats;
        indirect_block(w, p, table, weights, operand, dst, sums, 0, block, 1);
    }
}
//@end
