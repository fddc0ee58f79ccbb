/* Products by panels of weights: what all of a file share. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_KERNEL
#define NET_INLINE static inline
#define NET_UNROLL
#define NET_PANEL __attribute__((target("avx2,fma")))
#define NET_HAS_PANEL 1
typedef float panel_vector __attribute__((vector_size(32), aligned(4), may_alias));
enum { PANEL_LANES = 8 };
struct panel_end {
    float *dst;
};
static inline void panel_end(int ends, const struct panel_end *e, const float *sums, int row,
                             int rows, int width)
{
    e->dst[row] = sums[ends + rows * width];
}
#define $sums$ 28
#define $add$ _mm256_add_epi32
#define $multiply_add$ _mm256_madd_epi16
#define $all$ _mm256_set1_epi32
#define $integers$ __m256i
#define $convert$ _mm256_cvtepi32_ps
#define $complete$ pairs ? panel_floats(s[i]) : s[i]
#define $widen$ _mm256_cvtepi8_epi16
#define $ends$(...) __VA_ARGS__
#define $load_half$ _mm_loadu_si128
#define $row$ alone * PANEL_LANES
#define $column$ *(const panel_vector *)(from + i % alone * PANEL_LANES)
#define $order$(...) __VA_ARGS__
#define $element$ (order ? order[k] : k)
#define $multiply_bytes$ _mm256_maddubs_epi16
#define $all_halves$ _mm256_set1_epi16
//@begin
enum { PANEL_SUMS = $sums$ }; /* vectors in the largest tile */

//@if kinds
/* What weights are: elements of 32 bits in any case, whole numbers of 16 bits two to an element, or of 8, two such elements in 32 bits. */
enum { PANEL_PAIRS = 1, PANEL_BYTES };
//@end
//@if bytes_of_weights
NET_INLINE int panel_in_float(int pairs)
{
    return pairs == PANEL_BYTES ? 2 : 1;
}

//@end
//@if pairs
/* Adds to sums of 32 bits two products each: of both numbers of 16 bits that a is by the pairs in b. */
#if !defined(__x86_64__) || defined(DNNLC_NO_CLONES)
NET_INLINE panel_vector panel_pairs(panel_vector sums, const float *a, panel_vector b)
{
    (void)a;
    (void)b;
    return sums; /* without tiles nobody asks */
}
//@if ends
NET_INLINE panel_vector panel_floats(panel_vector sums)
{
    return sums;
}
//@end
#else
#include <immintrin.h>
NET_INLINE NET_PANEL panel_vector panel_pairs(panel_vector sums, const float *a, panel_vector b)
{
    int32_t pair;
    memcpy(&pair, a, sizeof pair);
    const $integers$ products = $multiply_add$($all$(pair), ($integers$)b);
    return (panel_vector)$add$(($integers$)sums, products);
}
//@if ends
NET_INLINE NET_PANEL panel_vector panel_floats(panel_vector sums)
{
    return (panel_vector)$convert$(($integers$)sums);
}
//@end
#endif
//@if bytes_of_weights

/* Vector i of the weights at b, which bytes are widened to. */
#if !defined(__x86_64__) || defined(DNNLC_NO_CLONES)
NET_INLINE panel_vector panel_column(const float *b, int i, int pairs)
{
    return *(const panel_vector *)(b + i * PANEL_LANES / panel_in_float(pairs)); /* as above */
}
#else
NET_INLINE NET_PANEL panel_vector panel_column(const float *b, int i, int pairs)
{
    if (pairs != PANEL_BYTES)
        return *(const panel_vector *)(b + i * PANEL_LANES);
    const float *half = b + i * PANEL_LANES / 2;
    return (panel_vector)$widen$($load_half$((const void *)half));
}
#endif
//@end

//@if mixed
/* Products of unsigned bytes of src by signed bytes of weights, four to an element of 32 bits: added two and two in 16 bits, where they saturate, then in 32. A layer of both kinds has them where
 * the weights prove that no sum of two leaves 16 bits, and pairs elsewhere. */
enum { PANEL_FOURS = 3, PANEL_MIXED };
#if !defined(__x86_64__) || defined(DNNLC_NO_CLONES)
NET_INLINE panel_vector panel_fours(panel_vector sums, const float *a, panel_vector b)
{
    (void)a;
    (void)b;
    return sums; /* as above */
}
#else
NET_INLINE NET_PANEL panel_vector panel_fours(panel_vector sums, const float *a, panel_vector b)
{
    int32_t four;
    memcpy(&four, a, sizeof four);
    const $integers$ twos = $multiply_bytes$($all$(four), ($integers$)b);
    return (panel_vector)$add$(($integers$)sums, $multiply_add$(twos, $all_halves$(1)));
}
#endif

//@end
//@end
/* Some rows, found through pointers, times panels of weights, which are packed: a block of columns after the other, each
 * one panel [taps, channels, width], or several of these that a tile reads side by side. */
struct panel {
    /* By tiles of the size that suits. */
    void (*multiply)(const struct panel *p, const float *const *row, size_t at, const float *b,
                     const float *following, float *sums);
    int rows, width; /* of the sums of a block */
    int blocks;      /* of columns */
    size_t block_floats; /* of weights, for each */
    int taps, channels;
    int taps_at_once, channels_at_once; /* in a piece, which all tiles use before the next */
    int tiles, whole; /* tiles of rows; how many of them have all their rows, the others one less */
    size_t step;      /* bytes of each panel fetched with each row of weights */
    int beside;       /* panels of a block beside the first one */
//@if pairs
    int pairs; /* an element is two whole numbers of 16 bits, a sum one of 32 */
//@end
};
//@if ends

/* The same by tiles that end with bias and post-ops. */
typedef void panel_to_end(const struct panel *p, const float *const *row, size_t at, const float *b,
                          const float *following, float *sums, const struct panel_end *end);
//@end

//@if mixed
/* order: where in its row each of the elements is that rows of b are for; NULL: they stand in line. */
//@end
/* A tile of sums, begun or gone on with: those of `taps` matrices whose rows are at row[0] + at, row[1] + at, …, those of the
 * next matrix `next` pointers on, times `depth` rows of b for each, which has `alone` vectors of a row in each panel, these `apart` floats
 * apart. Meanwhile the weights from `ahead` on come to L2, of each `step` bytes as many cache lines, and so from the other panels. */
NET_INLINE NET_PANEL void panel_tile(const float *const *row, size_t next, size_t at, int taps,
                                     int depth, const float *b, size_t apart, float *sums,
                                     int begins, const char *ahead, size_t step, int rows,
                                     int vectors, int alone, int lines, $ends$(int ends, const struct panel_end *end, int first, )$order$(const int32_t *order, )int pairs)
{
    panel_vector s[PANEL_SUMS] = {{0}};
    (void)pairs; /* 0 where no layer has them */
    if (!begins) {
        NET_UNROLL
        for (int i = 0; i < rows * vectors; i++)
            s[i] = *(const panel_vector *)(sums + i * PANEL_LANES);
    }
    for (int tap = 0; tap < taps; tap++, row += next) {
        const float *a[PANEL_SUMS];
        NET_UNROLL
        for (int i = 0; i < rows; i++)
            a[i] = row[i] + at;
        for (int k = 0; k < depth; k++, b += $row$, ahead += step) {
            panel_vector column[PANEL_SUMS];
            NET_UNROLL
            for (int i = 0; i < vectors / alone * lines; i++)
                __builtin_prefetch(ahead + (size_t)(i / lines) * apart * sizeof *b + i % lines * 64,
                                   0, 2);
            NET_UNROLL
            for (int i = 0; i < vectors; i++) {
                const float *from = b + (size_t)(i / alone) * apart;
                column[i] = $column$;
            }
            NET_UNROLL
            for (int i = 0; i < rows * vectors; i++) {
//@if mixed
                if (pairs == PANEL_FOURS) {
                    s[i] = panel_fours(s[i], a[i / vectors] + order[k], column[i % vectors]);
                    continue;
                }
//@end
//@if pairs
                if (pairs) {
                    s[i] = panel_pairs(s[i], a[i / vectors] + $element$, column[i % vectors]);
                    continue;
                }
//@end
                s[i] += a[i / vectors][k] * column[i % vectors];
            }
        }
    }
//@if ends
    if (ends && end) {
        float complete[PANEL_SUMS * PANEL_LANES]; /* in registers, as a rule */
        NET_UNROLL
        for (int i = 0; i < rows * vectors; i++)
            *(panel_vector *)(complete + i * PANEL_LANES) = $complete$;
        panel_end(ends, end, complete, first, rows, vectors * PANEL_LANES);
        return;
    }
//@end
    NET_UNROLL
    for (int i = 0; i < rows * vectors; i++)
        *(panel_vector *)(sums + i * PANEL_LANES) = s[i];
}

//@if ends
/* Behind tile i of n: so many of them are finished together, or those that are left. Its sums are `sums`, and its first row is `row` of the block. */
NET_INLINE void panel_end_some(int ends, const struct panel_end *end, const float *sums, int row, int i, int n, int at_once, int rows, int width)
{
    const int before = i % at_once * rows;
    if ((i + 1) % at_once == 0 || i + 1 == n)
        panel_end(ends, end, sums - before * width, row - before, before + rows, width);
}

//@end
//@if mixed
/* What a block of a layer of both kinds begins with: how many of its rows of weights are of fours, and of pairs. For each of them follows where in a row of src its element is, then
 * come the weights, from a whole number of rows of them on. */
NET_INLINE size_t panel_mixed_head(const float *b, int width, int n[2])
{
    memcpy(n, b, 2 * sizeof *n);
    const size_t numbers = 2 + (size_t)n[0] + (size_t)n[1];
    return (numbers + (size_t)width - 1) / (size_t)width * (size_t)width;
}

/* The rows of weights of one kind, which begin or go on with the sums. */
NET_INLINE NET_PANEL void panel_mixed_part(const struct panel *p, const float *const *row, size_t at, const int32_t *order, int n, const float *b, const float *following, float *sums, int begun, int rows, int vectors, int lines, $ends$(int ends, const struct panel_end *end, )int kind)
{
    const int width = vectors * PANEL_LANES, fewer = rows - 1;
    const int pieces = (n - 1) / p->channels_at_once + 1, most = (n + pieces - 1) / pieces;
    for (int k = 0; k < n; k += most) {
        const int depth = n - k < most ? n - k : most, is_last = k + depth == n;
        const float *piece = b + (size_t)k * (size_t)width;
        const char *ahead = (const char *)(is_last ? following : piece + (size_t)depth * (size_t)width);
        const size_t fetched = p->step * (size_t)depth;
        const int begins = !begun && k == 0;
        const float *const *r = row;
        float *s = sums;
//@if ends
        const struct panel_end *last = is_last ? end : NULL;
//@end
        int i = 0;
        for (; i < p->whole; i++, ahead += fetched, r += rows, s += rows * width)
            panel_tile(r, 0, at, 1, depth, piece, 0, s, begins, ahead, p->step, rows, vectors, vectors, lines, $ends$(ends, last, i * rows, )order + k, kind);
        if (rows > 1)
            for (; i < p->tiles; i++, ahead += fetched, r += fewer, s += fewer * width)
                panel_tile(r, 0, at, 1, depth, piece, 0, s, begins, ahead, p->step, fewer, vectors, vectors, lines, $ends$(ends, last, i * fewer + p->whole, )order + k, kind);
    }
}

/* A block of both kinds. */
NET_INLINE NET_PANEL void panel_mixed(const struct panel *p, const float *const *row, size_t at, const float *b, const float *following, float *sums, int rows, int vectors, $ends$(int ends, const struct panel_end *end, )int lines)
{
    int n[2];
    const int width = vectors * PANEL_LANES;
    const float *weights = b + panel_mixed_head(b, width, n), *pairs = weights + (size_t)n[0] * (size_t)width;
    const int32_t *order = (const int32_t *)(const void *)b + 2;
    panel_mixed_part(p, row, at, order, n[0], weights, pairs, sums, 0, rows, vectors, lines, $ends$(ends, NULL, )PANEL_FOURS);
    panel_mixed_part(p, row, at, order + n[0], n[1], pairs, following, sums, n[0] > 0, rows, vectors, lines, $ends$(ends, end, )PANEL_PAIRS);
}

//@end
/* The sums [rows, width] of one block of columns by tiles of at most `rows` rows and as many vectors: rows of the first tap are at
 * row[0] + at, row[1] + at, …, those of the next one p->rows pointers on; b are the block's weights, `following` those that are multiplied next. */
NET_INLINE NET_PANEL void panel_by_tiles(const struct panel *p, const float *const *row, size_t at,
                                         const float *b, const float *following, float *sums,
                                         int rows, int vectors, int alone, int lines, $ends$(int ends, const struct panel_end *end, int at_once, )int pairs)
{
//@if mixed
    if (pairs == PANEL_MIXED) {
        panel_mixed(p, row, at, b, following, sums, rows, vectors, $ends$(ends, end, )lines);
        return;
    }
//@end
    const int width = vectors * PANEL_LANES, fewer = rows - 1;
    const size_t next = (size_t)p->rows, apart = p->block_floats / (size_t)(vectors / alone);
    for (int tap = 0; tap < p->taps; tap += p->taps_at_once)
        for (int c = 0; c < p->channels; c += p->channels_at_once) {
            const int taps = p->taps - tap < p->taps_at_once ? p->taps - tap : p->taps_at_once;
            const int left = p->channels - c,
                      depth = left < p->channels_at_once ? left : p->channels_at_once;
            const float *const *r = row + (size_t)tap * next;
            const float *piece = b;
//@if bytes_of_weights
            b += (size_t)taps * (size_t)depth * (size_t)(alone * PANEL_LANES) /
                 (size_t)panel_in_float(pairs);
//@else
            b += (size_t)taps * (size_t)depth * (size_t)(alone * PANEL_LANES);
//@end
            const size_t from = at + (size_t)c, fetched = p->step * (size_t)taps * (size_t)depth;
            const int is_last = tap + taps == p->taps && c + depth == p->channels;
            const char *ahead = (const char *)(is_last ? following : b);
            const int begins = tap == 0 && c == 0;
            float *s = sums;
//@if ends
            const struct panel_end *last = is_last ? end : NULL, *own = at_once > 1 ? NULL : last;
//@end
            int i = 0;
            for (; i < p->whole; i++, ahead += fetched, r += rows, s += rows * width) {
                panel_tile(r, next, from, taps, depth, piece, apart, s, begins, ahead, p->step,
                           rows, vectors, alone, lines, $ends$(ends, own, i * rows, )$order$(NULL, )pairs);
//@if ends
                if (at_once > 1 && last)
                    panel_end_some(ends, last, s, i * rows, i, p->whole, at_once, rows, width);
//@end
            }
            if (rows > 1)
                for (; i < p->tiles; i++, ahead += fetched, r += fewer, s += fewer * width) {
                    panel_tile(r, next, from, taps, depth, piece, apart, s, begins, ahead, p->step,
                               fewer, vectors, alone, lines, $ends$(ends, own, i * fewer + p->whole, )$order$(NULL, )pairs);
//@if ends
                    if (at_once > 1 && last)
                        panel_end_some(ends, last, s, i * fewer + p->whole, i - p->whole, p->tiles - p->whole, at_once, fewer, width);
//@end
                }
        }
}

/* Goes on with one row of sums: those of `taps` matrices times `depth` rows of b for each, as in a tile. */
NET_KERNEL static void panel_row(const float *const *row, size_t next, size_t at, int taps,
                                 int depth, const float *restrict b, float *restrict sums,
                                 int width)
{
    for (int tap = 0; tap < taps; tap++, row += next)
        for (int k = 0; k < depth; k++, b += width)
            for (int j = 0; j < width; j++)
                sums[j] += row[0][at + (size_t)k] * b[j];
}

//@if pairs
/* The same with pairs. */
NET_KERNEL static void panel_row_of_pairs(const float *const *row, size_t next, size_t at, int taps,
                                          int depth, const float *b, float *sums, int width)
{
    for (int tap = 0; tap < taps; tap++, row += next)
        for (int k = 0; k < depth; k++, b += width)
            for (int j = 0; j < width; j++) {
                int16_t x[2], w[2];
                uint32_t sum; /* may wrap around, as in the tiles */
                memcpy(x, row[0] + at + (size_t)k, sizeof x);
                memcpy(w, b + j, sizeof w);
                memcpy(&sum, sums + j, sizeof sum);
                sum += (uint32_t)(x[0] * w[0] + x[1] * w[1]);
                memcpy(sums + j, &sum, sizeof sum);
            }
}

//@end
//@if bytes_of_weights
/* The same with pairs of bytes. */
NET_KERNEL static void panel_row_of_bytes(const float *const *row, size_t next, size_t at, int taps,
                                          int depth, const float *b, float *sums, int width)
{
    const signed char *w = (const signed char *)b;
    for (int tap = 0; tap < taps; tap++, row += next)
        for (int k = 0; k < depth; k++, w += 2 * width)
            for (int j = 0; j < width; j++) {
                int16_t x[2];
                int32_t sum;
                memcpy(x, row[0] + at + (size_t)k, sizeof x);
                memcpy(&sum, sums + j, sizeof sum);
                sum += x[0] * w[2 * j] + x[1] * w[2 * j + 1];
                memcpy(sums + j, &sum, sizeof sum);
            }
}

//@end
//@if mixed
/* One row of sums of a block of both kinds. */
NET_KERNEL static void panel_row_of_both(const float *row, const float *b, float *sums, int width)
{
    int n[2];
    const signed char *w = (const signed char *)(b + panel_mixed_head(b, width, n));
    const int32_t *order = (const int32_t *)(const void *)b + 2;
    for (int k = 0; k < n[0]; k++, w += 4 * width)
        for (int j = 0; j < width; j++) {
            unsigned char x[4];
            int32_t sum;
            memcpy(x, row + order[k], sizeof x);
            memcpy(&sum, sums + j, sizeof sum);
            for (int i = 0; i < 4; i++)
                sum += x[i] * w[4 * j + i];
            memcpy(sums + j, &sum, sizeof sum);
        }
    for (int k = 0; k < n[1]; k++, w += 4 * width) {
        const float *element = row + order[n[0] + k];
        panel_row_of_pairs(&element, 0, 0, 1, 1, (const float *)(const void *)w, sums, width);
    }
}

//@end
/* The columns of one panel, as many as `width`, by all rows, whose sums are p->width apart. */
static void panel_alone_by_rows(const struct panel *p, const float *const *row, size_t at,
                                const float *b, float *sums, int width)
{
    const size_t rows = (size_t)p->rows, apart = (size_t)p->width;
    for (int tap = 0; tap < p->taps; tap += p->taps_at_once)
        for (int c = 0; c < p->channels; c += p->channels_at_once) {
            const int taps = p->taps - tap < p->taps_at_once ? p->taps - tap : p->taps_at_once;
            const int left = p->channels - c,
                      depth = left < p->channels_at_once ? left : p->channels_at_once;
            for (size_t i = 0; i < rows; i++) {
                const float *const *r = row + (size_t)tap * rows + i;
//@if bytes_of_weights
                if (p->pairs == PANEL_BYTES) {
                    panel_row_of_bytes(r, rows, at + (size_t)c, taps, depth, b, sums + i * apart,
                                       width);
                    continue;
                }
//@end
//@if pairs
                if (p->pairs) {
                    panel_row_of_pairs(r, rows, at + (size_t)c, taps, depth, b, sums + i * apart,
                                       width);
                    continue;
                }
//@end
                panel_row(r, rows, at + (size_t)c, taps, depth, b, sums + i * apart, width);
            }
//@if bytes_of_weights
            b += (size_t)taps * (size_t)depth * (size_t)width / (size_t)panel_in_float(p->pairs);
//@else
            b += (size_t)taps * (size_t)depth * (size_t)width;
//@end
        }
}

/* The same as the tiles compute, on CPUs that they are not made for. */
static void panel_by_rows(const struct panel *p, const float *const *row, size_t at, const float *b,
                          float *sums)
{
    const size_t panels = (size_t)p->beside + 1, width = (size_t)p->width / panels;
    for (size_t i = 0; i < (size_t)p->rows * (size_t)p->width; i++)
        sums[i] = 0;
//@if mixed
    if (p->pairs == PANEL_MIXED) {
        for (size_t i = 0; i < (size_t)p->rows; i++)
            panel_row_of_both(row[i] + at, b, sums + i * width, (int)width);
        return;
    }
//@end
    for (size_t i = 0; i < panels; i++)
        panel_alone_by_rows(p, row, at, b + i * (p->block_floats / panels), sums + i * width,
                            (int)width);
}

/* The sums [rows, width] of one block of columns, from rows at row[0] + at, row[1] + at, … and so on for each tap. Weights from `following` on are fetched
 * meanwhile. */
static void panel_multiply(const struct panel *p, const float *const *row, size_t at,
                           const float *b, const float *following, float *sums)
{
    if (NET_HAS_PANEL)
        p->multiply(p, row, at, b, following, sums);
    else
        panel_by_rows(p, row, at, b, sums);
}
