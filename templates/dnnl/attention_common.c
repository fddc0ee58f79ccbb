/* Attention in C: what all of a file share. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#define NET_INLINE static inline
#define NET_UNROLL
#define NET_LANES
typedef float panel_vector __attribute__((vector_size(32), aligned(4), may_alias));
enum { PANEL_LANES = 8 };
#define $transpose$ sample_transpose
static inline void sample_transpose(float *restrict dst, size_t dst_pitch, const float *restrict src, size_t src_pitch)
{
    dst[dst_pitch] = src[src_pitch];
}
static inline float dnnlc_exp2_negativef(float y)
{
    return exp2f(y);
}
//@begin
/* Attention in C. Keys and values of a head are packed once, in panels of as many columns as a tile has sums in a row; then a few rows of
 * the queries at a time go through both products and the softmax between them, so that their scores stay in the nearest cache. All
 * numbers are constants where these functions are put into others. */
enum { ATTENTION_ROWS = 6, ATTENTION_COLUMNS = 2 * PANEL_LANES };

/* How many of `left` columns the next panel has: the last one may have half of the others'. */
NET_INLINE size_t attention_width(size_t left)
{
    return left > PANEL_LANES ? ATTENTION_COLUMNS : PANEL_LANES;
}

/* Packs a panel of columns that are rows in memory, by squares in registers as far as these go; returns how many of its rows are done. */
NET_INLINE size_t attention_turn(const float *restrict from, size_t n, size_t to_column,
                                 size_t depth, float *restrict packed, size_t width)
{
    const size_t whole = n % PANEL_LANES ? 0 : depth - depth % PANEL_LANES;
    for (size_t k = 0; k < whole; k += PANEL_LANES)
        for (size_t j = 0; j < n; j += PANEL_LANES)
            $transpose$(packed + k * width + j, width, from + j * to_column + k, to_column);
    return whole;
}

/* A matrix of `depth` rows, so many columns and so many floats between them, in panels; columns that are not there are 0. */
NET_INLINE void attention_pack(const float *restrict from, size_t columns, size_t to_column,
                               size_t depth, size_t to_row, float *restrict packed)
{
    for (size_t first = 0; first < columns; first += ATTENTION_COLUMNS) {
        const size_t left = columns - first, width = attention_width(left);
        const size_t n = left < width ? left : width;
        const float *restrict begin = from + first * to_column;
        size_t k = to_row == 1 ? attention_turn(begin, n, to_column, depth, packed, width) : 0;
        for (packed += k * width; k < depth; k++, packed += width) {
            for (size_t j = 0; j < n; j++)
                packed[j] = begin[j * to_column + k * to_row];
            for (size_t j = n; j < width; j++)
                packed[j] = 0;
        }
    }
}

/* A tile of sums: rows that are `apart` floats apart, elements of a row `step`, by a panel. Multiplied by a factor for each row, if there are
 * such. */
NET_INLINE void attention_tile(const float *rows_of, size_t apart, size_t step, const float *panel,
                               size_t depth, float *dst, size_t dst_apart, const float *factor,
                               int rows, int vectors)
{
    panel_vector s[2 * ATTENTION_ROWS] = {{0}};
    for (size_t k = 0; k < depth; k++, panel += vectors * PANEL_LANES) {
        panel_vector column[2];
        NET_UNROLL
        for (int v = 0; v < vectors; v++)
            column[v] = *(const panel_vector *)(panel + v * PANEL_LANES);
        NET_UNROLL
        for (int i = 0; i < rows * vectors; i++)
            s[i] += rows_of[(size_t)(i / vectors) * apart + k * step] * column[i % vectors];
    }
    NET_UNROLL
    for (int i = 0; i < rows * vectors; i++) {
        const size_t at = (size_t)(i / vectors) * dst_apart + (size_t)(i % vectors) * PANEL_LANES;
        if (factor)
            s[i] *= factor[i / vectors];
        *(panel_vector *)(dst + at) = s[i];
    }
}

/* A few rows by all panels of a matrix. In `wide` rows of dst there is room for all columns of the last panel. */
NET_INLINE void attention_multiply(const float *rows_of, size_t apart, size_t step,
                                   const float *panel, size_t depth, float *dst, size_t dst_apart,
                                   size_t columns, const float *factor, int rows, int wide)
{
    const size_t last = columns % ATTENTION_COLUMNS, whole = columns - last;
    for (size_t first = 0; first < whole; first += ATTENTION_COLUMNS)
        attention_tile(rows_of, apart, step, panel + first * depth, depth, dst + first, dst_apart,
                       factor, rows, 2);
    if (!last)
        return;
    float sums[ATTENTION_ROWS * ATTENTION_COLUMNS];
    float *const to = wide ? dst + whole : sums;
    const size_t to_apart = wide ? dst_apart : (size_t)ATTENTION_COLUMNS;
    if (attention_width(last) == PANEL_LANES)
        attention_tile(rows_of, apart, step, panel + whole * depth, depth, to, to_apart, factor,
                       rows, 1);
    else
        attention_tile(rows_of, apart, step, panel + whole * depth, depth, to, to_apart, factor,
                       rows, 2);
    for (int i = 0; !wide && i < rows; i++)
        for (size_t j = 0; j < last; j++)
            dst[(size_t)i * dst_apart + whole + j] = sums[(size_t)i * ATTENTION_COLUMNS + j];
}

/* Pairs of these, then pairs of what they make, and so on: no chain of operations that wait for each other. */
NET_INLINE float attention_larger(float a, float b)
{
    return a > b ? a : b;
}
NET_INLINE float attention_largest(const float *v)
{
    const float a = attention_larger(v[0], v[1]), b = attention_larger(v[2], v[3]);
    const float c = attention_larger(v[4], v[5]), d = attention_larger(v[6], v[7]);
    return attention_larger(attention_larger(a, b), attention_larger(c, d));
}
NET_INLINE float attention_sum(const float *v)
{
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

/* Scores, times a positive scale, become e^(score - the largest) as powers of 2: probabilities but for a factor, which is the result. The row has
 * room for `padded` scores, of which those behind the last become 0. */
NET_INLINE float attention_softmax(float *restrict s, size_t keys, size_t padded, float scale)
{
    enum { LANES = 16, HALF = LANES / 2 };
    const float in_powers = scale * 1.44269504f; /* 1 / ln 2 */
    float part[LANES];
    for (size_t j = keys; j < padded; j++)
        s[j] = -INFINITY;
    for (size_t l = 0; l < LANES; l++)
        part[l] = s[l];
    for (size_t j = LANES; j < padded; j += LANES) {
        NET_LANES
        for (size_t l = 0; l < LANES; l++)
            part[l] = attention_larger(s[j + l], part[l]);
    }
    for (size_t l = 0; l < HALF; l++)
        part[l] = attention_larger(part[l + HALF], part[l]);
    const float most = attention_largest(part) * in_powers;
    for (size_t l = 0; l < LANES; l++)
        part[l] = 0;
    for (size_t j = 0; j < padded; j += LANES) {
        NET_LANES
        for (size_t l = 0; l < LANES; l++) {
            const float e = dnnlc_exp2_negativef(s[j + l] * in_powers - most);
            s[j + l] = e;
            part[l] += e;
        }
    }
    for (size_t l = 0; l < HALF; l++)
        part[l] += part[l + HALF];
    return 1 / attention_sum(part);
}
