/* --- m_kernels_0.c --- */
/* x / s for s > 0, for no more than to be rounded to a whole number within limits: dnnlc has found for this s and these limits that each step comes
 * at the same x. 1 / s to twice the digits of a float is inverse + rest, both positive; they are known before a loop over x. */
NET_INLINE float dnnlc_quotient(float x, float s)
{
#if defined(NET_CLONED) || defined(__FMA__) || defined(FP_FAST_FMAF)
    float inverse = 1.0f / s;
    uint32_t bits;
    memcpy(&bits, &inverse, sizeof bits);
    bits -= fmaf(-inverse, s, 1.0f) < 0.0f; /* the next float below */
    memcpy(&inverse, &bits, sizeof inverse);
    const float rest = fmaf(-inverse, s, 1.0f) / s + 0x1p-126f; /* infinity times 0 would be NaN */
    return fmaf(x, inverse, x * rest);
#else
    return x / s;
#endif
}

/* Limits x to low … high, where high is not negative and low is not -0. The order of floats of one sign is that of their bits as integers, whose minimum and
 * maximum are one instruction each for a whole vector. As a quantised type has no NaN, one becomes a limit. */
NET_INLINE float dnnlc_limited(float x, float low, float high)
{
    int32_t bits, most;
    uint32_t magnitude, least;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&most, &high, sizeof most);
    memcpy(&least, &low, sizeof least);
    bits = bits < most ? bits : most;
    if (low >= 0.0f) {
        bits = bits > (int32_t)least ? bits : (int32_t)least;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    magnitude = (uint32_t)bits;
    magnitude = magnitude < least ? magnitude : least; /* signed; below it if x is positive */
    memcpy(&x, &magnitude, sizeof x);
    return x;
}

#if (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)) && defined(__x86_64__)
#define DNNLC_SHUFFLES
#else
/* dst[i][j] = src[j][i] for i and j below `side`; elements have so many bytes, pitches are in elements. */
NET_INLINE void dnnlc_transpose_each(void *restrict dst, const size_t dst_pitch,
                                     const void *restrict src, const size_t src_pitch,
                                     const size_t side, const size_t bytes)
{
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            memcpy((char *)dst + bytes * (i * dst_pitch + j),
                   (const char *)src + bytes * (j * src_pitch + i), bytes);
}
#endif

#ifdef DNNLC_SHUFFLES
typedef uint32_t dnnlc_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t dnnlc_four __attribute__((vector_size(16), aligned(4), may_alias));
#define DNNLC_BESIDE(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define DNNLC_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define DNNLC_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define DNNLC_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define DNNLC_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#endif

/* dst[i][j] = src[j][i] for eight i and j; elements have four bytes, pitches are in elements. Halves of rows j and j + 4 are read side by
 * side, so that nothing crosses the middle of a register. */
NET_INLINE void dnnlc_transpose(void *restrict dst, const size_t dst_pitch,
                                const void *restrict src, const size_t src_pitch)
{
#ifdef DNNLC_SHUFFLES
    dnnlc_eight row[8], column[8];
    for (size_t j = 0; j < 4; j++) {
        const uint32_t *from = (const uint32_t *)src + j * src_pitch;
        const dnnlc_four *upper = (const dnnlc_four *)from;
        const dnnlc_four *lower = (const dnnlc_four *)(from + 4 * src_pitch);
        row[j] = DNNLC_BESIDE(upper[0], lower[0]);
        row[j + 4] = DNNLC_BESIDE(upper[1], lower[1]);
    }
    for (size_t i = 0; i < 8; i += 4) {
        const dnnlc_eight a = DNNLC_LOW(row[i], row[i + 1]);
        const dnnlc_eight b = DNNLC_LOW(row[i + 2], row[i + 3]);
        const dnnlc_eight c = DNNLC_HIGH(row[i], row[i + 1]);
        const dnnlc_eight d = DNNLC_HIGH(row[i + 2], row[i + 3]);
        column[i] = DNNLC_LOW_PAIRS(a, b);
        column[i + 1] = DNNLC_HIGH_PAIRS(a, b);
        column[i + 2] = DNNLC_LOW_PAIRS(c, d);
        column[i + 3] = DNNLC_HIGH_PAIRS(c, d);
    }
    for (size_t i = 0; i < 8; i++)
        *(dnnlc_eight *)((uint32_t *)dst + i * dst_pitch) = column[i];
#else
    dnnlc_transpose_each(dst, dst_pitch, src, src_pitch, 8, 4);
#endif
}

/*
 * Div, Round, Clip
 * src f32[1,23,18,18], f32[]
 * dst f32[1,23,18,18]
 */
NET_KERNEL
static void m_clip_0_body(const float *restrict dividend, const float *restrict divisor,
                          float *restrict dst)
{
    const float a1 = divisor[0];
    for (size_t i0 = 0; i0 < 7452; i0++) {
        const float t0 = dnnlc_quotient(dividend[i0], a1);
        const float t1 = rintf(t0);
        const float t2 = dnnlc_limited(t1, 0.0f, 255.0f);
        dst[i0] = t2;
    }
}

void m_clip_0(const float *restrict dividend, const float *restrict divisor, float *restrict dst)
{
    m_clip_0_body(dividend, divisor, dst);
}

/*
 * Reorder k
 * src f32[1,23,18,18]
 * dst f32[1,23,18,18] acdb
 */
NET_KERNEL
static void m_reorder_1_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 324; b0 += 64)
        for (size_t b1 = 0; b1 < 23; b1 += 8) {
            const size_t i1 = b1 + 8 <= 23 ? b1 : 15;
            const size_t end = (b0 + 64 < 324 ? b0 + 64 : 324);
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 23 + i1, 23, src + i0 + i1 * 324, 324);
            for (; i0 < end; i0++)
                for (size_t j = 0; j < 8; j++)
                    dst[i0 * 23 + i1 + j] = src[i0 + i1 * 324 + j * 324];
        }
}

void m_reorder_1(const float *restrict src, float *restrict dst)
{
    m_reorder_1_body(src, dst);
}

/*
 * Reorder n
 * src f32[1,32,18,18] acdb
 * dst f32[1,32,18,18]
 */
NET_KERNEL
static void m_reorder_3_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 32; b0 += 64)
        for (size_t b1 = 0; b1 < 324; b1 += 8) {
            const size_t i1 = b1 + 8 <= 324 ? b1 : 316;
            const size_t end = (b0 + 64 < 32 ? b0 + 64 : 32);
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 324 + i1, 324, src + i0 + i1 * 32, 32);
        }
}

void m_reorder_3(const float *restrict src, float *restrict dst)
{
    m_reorder_3_body(src, dst);
}
/* --- m_dnnl_0.c --- */
NET_INLINE panel_vector panel_pairs(panel_vector sums, const float *a, panel_vector b)
{
    (void)a;
    (void)b;
    return sums; /* without tiles nobody asks */
}
#else
#include <immintrin.h>
NET_INLINE NET_PANEL panel_vector panel_pairs(panel_vector sums, const float *a, panel_vector b)
{
    int32_t pair;
    memcpy(&pair, a, sizeof pair);
    const __m256i products = _mm256_madd_epi16(_mm256_set1_epi32(pair), (__m256i)b);
    return (panel_vector)_mm256_add_epi32((__m256i)sums, products);
}
#endif

/* Some rows, found through pointers, times panels of weights, which are packed: a block of columns after the other, each
 * one panel [taps, channels, width], or several of these that a tile reads side by side. */
struct panel {
    /* By tiles of the size that suits. */
    void (*multiply)(const struct panel *p, const float *const *row, size_t at, const float *b,
                     const float *following, float *sums);
    int rows, width;     /* of the sums of a block */
    int blocks;          /* of columns */
    size_t block_floats; /* of weights, for each */
    int taps, channels;
    int taps_at_once, channels_at_once; /* in a piece, which all tiles use before the next */
    int tiles, whole; /* tiles of rows; how many of them have all their rows, the others one less */
    size_t step;      /* bytes of each panel fetched with each row of weights */
    int beside;       /* panels of a block beside the first one */
    int pairs;        /* an element is two whole numbers of 16 bits, a sum one of 32 */
};

/* A tile of sums, begun or gone on with: those of `taps` matrices whose rows are at row[0] + at, row[1] + at, …, those of the
 * next matrix `next` pointers on, times `depth` rows of b for each, which has `alone` vectors of a row in each panel, these `apart` floats
 * apart. Meanwhile the weights from `ahead` on come to L2, of each `step` bytes as many cache lines, and so from the other panels. */
NET_INLINE NET_PANEL void panel_tile(const float *const *row, size_t next, size_t at, int taps,
                                     int depth, const float *b, size_t apart, float *sums,
                                     int begins, const char *ahead, size_t step, int rows,
                                     int vectors, int alone, int lines, int pairs)
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
        for (int k = 0; k < depth; k++, b += alone * PANEL_LANES, ahead += step) {
            panel_vector column[PANEL_SUMS];
            NET_UNROLL
            for (int i = 0; i < vectors / alone * lines; i++)
                __builtin_prefetch(ahead + (size_t)(i / lines) * apart * sizeof *b + i % lines * 64,
                                   0, 2);
            NET_UNROLL
            for (int i = 0; i < vectors; i++) {
                const float *from = b + (size_t)(i / alone) * apart;
                column[i] = *(const panel_vector *)(from + i % alone * PANEL_LANES);
            }
            NET_UNROLL
            for (int i = 0; i < rows * vectors; i++) {
                if (pairs) {
                    s[i] = panel_pairs(s[i], a[i / vectors] + k, column[i % vectors]);
                    continue;
                }
                s[i] += a[i / vectors][k] * column[i % vectors];
            }
        }
    }
    NET_UNROLL
    for (int i = 0; i < rows * vectors; i++)
        *(panel_vector *)(sums + i * PANEL_LANES) = s[i];
}

/* The sums [rows, width] of one block of columns by tiles of at most `rows` rows and as many vectors: rows of the first tap are at
 * row[0] + at, row[1] + at, …, those of the next one p->rows pointers on; b are the block's weights, `following` those that are multiplied next. */
NET_INLINE NET_PANEL void panel_by_tiles(const struct panel *p, const float *const *row, size_t at,
                                         const float *b, const float *following, float *sums,
                                         int rows, int vectors, int alone, int lines, int pairs)
{
    const int width = vectors * PANEL_LANES, fewer = rows - 1;
    const size_t next = (size_t)p->rows, apart = p->block_floats / (size_t)(vectors / alone);
    for (int tap = 0; tap < p->taps; tap += p->taps_at_once)
        for (int c = 0; c < p->channels; c += p->channels_at_once) {
            const int taps = p->taps - tap < p->taps_at_once ? p->taps - tap : p->taps_at_once;
            const int left = p->channels - c,
                      depth = left < p->channels_at_once ? left : p->channels_at_once;
            const float *const *r = row + (size_t)tap * next;
            const float *piece = b;
            b += (size_t)taps * (size_t)depth * (size_t)(alone * PANEL_LANES);
            const size_t from = at + (size_t)c, fetched = p->step * (size_t)taps * (size_t)depth;
            const int is_last = tap + taps == p->taps && c + depth == p->channels;
            const char *ahead = (const char *)(is_last ? following : b);
            const int begins = tap == 0 && c == 0;
            float *s = sums;
            int i = 0;
            for (; i < p->whole; i++, ahead += fetched, r += rows, s += rows * width) {
                panel_tile(r, next, from, taps, depth, piece, apart, s, begins, ahead, p->step,
                           rows, vectors, alone, lines, pairs);
            }
            if (rows > 1)
                for (; i < p->tiles; i++, ahead += fetched, r += fewer, s += fewer * width) {
                    panel_tile(r, next, from, taps, depth, piece, apart, s, begins, ahead, p->step,
                               fewer, vectors, alone, lines, pairs);
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
                if (p->pairs) {
                    panel_row_of_pairs(r, rows, at + (size_t)c, taps, depth, b, sums + i * apart,
                                       width);
                    continue;
                }
                panel_row(r, rows, at + (size_t)c, taps, depth, b, sums + i * apart, width);
            }
            b += (size_t)taps * (size_t)depth * (size_t)width;
        }
}

/* The same as the tiles compute, on CPUs that they are not made for. */
static void panel_by_rows(const struct panel *p, const float *const *row, size_t at, const float *b,
                          float *sums)
{
    const size_t panels = (size_t)p->beside + 1, width = (size_t)p->width / panels;
    for (size_t i = 0; i < (size_t)p->rows * (size_t)p->width; i++)
        sums[i] = 0;
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

NET_PANEL static void panel_of_pairs_5x2(const struct panel *p, const float *const *row, size_t at,
                                         const float *b, const float *following, float *sums)
{
    panel_by_tiles(p, row, at, b, following, sums, 5, 2, 2, 1, 1);
}

static const struct panel panel_conv_2 = {
    .multiply = panel_of_pairs_5x2,
    .rows = 25,
    .width = 16,
    .blocks = 2,
    .block_floats = 192,
    .taps = 1,
    .channels = 12,
    .taps_at_once = 1,
    .channels_at_once = 12,
    .tiles = 5,
    .whole = 5,
    .step = 13,
    .pairs = 1,
};

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
    int rows, columns, tiles;    /* tiles down, across, in the whole batch */
    int block;                   /* tiles in one matrix product */
    size_t src_plane, dst_plane; /* floats from operand to operand, from product to product */
    int product_width; /* columns of a product that stand together; behind them those of the next tile */
    const struct panel *panel; /* of products in C: a matrix of a block times its weights */
    int pairs; /* channels of src that become `channels` pairs of whole numbers; 0: all are floats */
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

/* The weights of block k of a plane. */
static const float *winograd_block(const struct winograd *w, const float *weights, int plane, int k)
{
    int at = plane * w->panel->blocks + k; /* in blocks */
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

/*
 * Conv, Round, Mul, Round
 * src f32[1,23,18,18] acdb, f32[36,2,12,16]
 * dst f32[1,32,18,18] acdb
 * Planned for: Winograd F(4x4, 3x3) over C, tiles of 5x16, pairs of 16 bits
 */
/* Bias and post-ops on v, the result that belongs into element `at` of dst, channel c. */
NET_INLINE void put_conv_2(float v, int c, size_t at, float *restrict dst)
{
    (void)c;
    v = 0.00170000002f * v + 0.0f;
    v = rintf(v);
    dst[at] = v;
}

NET_KERNEL static void output_conv_2(const struct winograd *w, const float *restrict product,
                                     float *restrict dst, float *restrict edge, int first, int from,
                                     int to)
{
    const int channels = w->outputs, width = w->product_width;
    const size_t column = (size_t)w->dst_pixel, row = (size_t)w->dst_row;
    const size_t plane = w->dst_plane,
                 image = winograd_image(w->out_height, w->dst_row, w->out_width, w->dst_pixel);
    for (int i = from; i < to && first + i < w->tiles; i++) {
        const struct winograd_place p = winograd_place(w, first + i);
        size_t at = p.image * image + (size_t)p.y * row + (size_t)p.x * column;
        const int whole = p.y + 4 <= w->out_height && p.x + 4 <= w->out_width;
        for (int begin = 0; begin < channels; begin += width) {
            const int n = channels - begin < width ? channels - begin : width;
            const float *m = product + (size_t)begin * (size_t)w->block + (size_t)i * (size_t)width;
            if (whole) {
                WINOGRAD_LANES
                for (int c = 0; c < n; c++) {
                    float o[4 * 4];
                    size_t a = at + (size_t)(begin + c);
                    winograd_tile_out_whole(m + c, plane, o);
                    NET_UNROLL
                    for (size_t k = 0; k < 4 * 4; k++)
                        put_conv_2(o[k], begin + c, a + k / 4 * row + k % 4 * column, dst);
                }
                continue;
            }
            WINOGRAD_LANES
            for (int c = 0; c < n; c++) {
                float o[4 * 4];
                winograd_tile_out_whole(m + c, plane, o);
                NET_UNROLL
                for (int k = 0; k < 4 * 4; k++)
                    edge[k * channels + begin + c] = o[k];
            }
        }
        if (whole)
            continue;
        for (int y = 0; y < 4 && p.y + y < w->out_height; y++)
            for (int x = 0; x < 4 && p.x + x < w->out_width; x++) {
                const float *o = edge + (y * 4 + x) * channels;
                const size_t a = at + (size_t)y * row + (size_t)x * column;
                WINOGRAD_LANES
                for (int c = 0; c < channels; c++)
                    put_conv_2(o[c], c, a + (size_t)c, dst);
            }
    }
}

static const struct winograd shape_conv_2 = {
    .block = 25,
    .tile = 4,
    .window = 3,
    .channels = 12,
    .outputs = 32,
    .height = 18,
    .width = 18,
    .out_height = 18,
    .out_width = 18,
    .pad_top = 1,
    .pad_left = 1,
    .src_pixel = 23,
    .dst_pixel = 32,
    .src_row = 414,
    .dst_row = 576,
    .rows = 5,
    .columns = 5,
    .tiles = 25,
    .src_plane = 320,
    .dst_plane = 816,
    .product_width = 16,
    .panel = &panel_conv_2,
    .pairs = 23,
};

static dnnl_status_t run_conv_2(const m_context *ctx, const struct m_memory *m)
{
    const struct winograd *w = &shape_conv_2;
    const float *src = workspace_at(m, 207360);
    float *dst = workspace_at(m, 165888);
    const float *weights = weights_at(m, 64);
    (void)ctx; /* knows of threads, if there are any */
    unsigned char *scratch = m->workspace + 0;
    float *product = (void *)(scratch + 46080);
    float *edge = (void *)(scratch + 163584);
    const float **rows = (void *)(scratch + 165632);
    winograd_rows(w, (const void *)scratch, rows);
    for (int block = 0; block < 1; block++) {
        const int first = block * 25;
        winograd_input_whole(w, src, (void *)scratch, edge, first, 0, 25);
        winograd_products(w, rows, weights, product, 0, 36);
        output_conv_2(w, product, dst, edge, first, 0, 25);
    }
    return dnnl_success;
}

struct dnnlc_layers m_dnnl_0_layers(void)
{
    return (struct dnnlc_layers){NULL, 0};
}

unsigned m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    /* clip_0: Div + Round + Clip */
    m_clip_0(m->in[0], weights_at(m, 0), workspace_at(m, 0));
    m_trace(m, 0);
    /* reorder_1: Reorder k */
    m_reorder_1(workspace_at(m, 0), workspace_at(m, 207360));
    m_trace(m, 1);
    DNNLC_TRY(m_ran(ctx, m, 2, run_conv_2(ctx, m)));
    return dnnl_success;
}
/* --- m_c_1.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONV_2_DST = 165888,
};

void m_c_1(const struct m_memory *m)
{
    /* reorder_3: Reorder n */
    m_reorder_3(workspace_at(m, CONV_2_DST), m->out[0]);
    m_trace(m, 3);
}
