/* --- m_dnnl_0.c --- */
/* 2^y for y <= 0, within 2.5e-7 of it where y is above -126.5, and 0 below: hardly any result is subnormal, as those of masked elements would be,
 * which cost processors a hundred cycles each. y = n + f with |f| <= 1/2; 2^f is a minimax polynomial (error 7.5e-8). Adding 1.5 * 2^23 rounds
 * to the nearest integer; with 127 more the low bits of the sum are the exponent field of 2^n, 0 for n = -127. NaN goes through all of it. */
NET_INLINE float dnnlc_exp2_negativef(float y)
{
    float c = y < -127.0f ? -127.0f : y;
    float shifted = c + 12583039.0f, f = c - (shifted - 12583039.0f);
    float p = 1.3276472e-3f;
    p = p * f + 9.6755413e-3f;
    p = p * f + 5.5507133e-2f;
    p = p * f + 2.4022120e-1f;
    p = p * f + 6.9314697e-1f;
    p = p * f + 1.0000001f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}
/* e^x for x <= 0, within 2.5e-7 + 7.5e-8 |x| of it: sums of exponentials hardly notice those that are small. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    return dnnlc_exp2_negativef(x * 1.44269504f);
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

/* Before a loop over a few registers, whose bounds are constants where the function around it is put into another. */
#if defined(__clang__)
#define NET_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__) && __GNUC__ >= 8
#define NET_UNROLL _Pragma("GCC unroll 64")
#else
#define NET_UNROLL
#endif

/* 8 floats, computed at once where the CPU does so; anywhere in memory. */
typedef float panel_vector __attribute__((vector_size(32), aligned(4), may_alias));
enum { PANEL_LANES = 8 };

/* Tiles fill the vector registers of the CPUs that the model was planned for, and are compiled for these only. Others compute row by
 * row. */
#if !defined(__x86_64__) || defined(DNNLC_NO_CLONES)
#define NET_PANEL
#define NET_HAS_PANEL 0
#elif defined(__AVX2__)
#define NET_PANEL
#define NET_HAS_PANEL 1
#else
#define NET_PANEL __attribute__((target("avx2,fma")))
#define NET_HAS_PANEL (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif

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
            dnnlc_transpose(packed + k * width + j, width, from + j * to_column + k, to_column);
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

/*
 * Transpose, MatMul, Mul, Add, Softmax, MatMul
 * src f32[1,2,50,24], f32[1,2,50,24], f32[1,2,50,24], f32[1,1,50,50]
 * dst f32[1,2,50,24]
 * Planned for: C, heads in tiles
 */
/* Operations on the scores of a few rows, before the softmax. */
NET_INLINE void mask_attention_0(const float *mask0, size_t row, size_t rows,
                                 float *restrict scores)
{
    for (size_t r = 0; r < rows; r++) {
        float *restrict s = scores + r * 64;
        const float *restrict mask_0 = mask0 + (row + r) * 50;
        for (size_t i = 0; i < 50; i++) {
            float v = 0.204099998f * s[i];
            v = v + mask_0[i];
            s[i] = v;
        }
    }
}

/* A few rows of queries, from `row` on. */
NET_INLINE void rows_attention_0(const float *mask0, const float *query, const float *keys,
                                 const float *values, float *dst, float *scores, size_t row,
                                 int rows)
{
    float factor[ATTENTION_ROWS];
    query += row * 24;
    dst += row * 24;
    attention_multiply(query, 24, 1, keys, 24, scores, 64, 50, NULL, rows, 1);
    mask_attention_0(mask0, row, (size_t)rows, scores);
    for (int r = 0; r < rows; r++)
        factor[r] = attention_softmax(scores + r * 64, 50, 64, 1.0f);
    attention_multiply(scores, 64, 1, values, 50, dst, 24, 24, factor, rows, 0);
}

/* Rows of one head from `row` on. */
NET_INLINE void head_attention_0(const float *mask0, const float *query, const float *key,
                                 const float *value, float *dst, unsigned char *scratch, size_t row)
{
    float *scores = (void *)scratch;
    float *keys = (void *)(scratch + 1536), *values = (void *)(scratch + 7680);
    attention_pack(key, 50, 24, 24, 1, keys);
    attention_pack(value, 24, 1, 50, 24, values);
    for (int i = 0; i < 5; i++, row += 6)
        rows_attention_0(mask0, query, keys, values, dst, scores, row, 6);
    for (int i = 5; i < 9; i++, row += 6 - 1)
        rows_attention_0(mask0, query, keys, values, dst, scores, row, 6 - 1);
}

/* The same by the instructions that were planned for, and by others. */
NET_PANEL static void tiles_attention_0(const float *mask0, const float *query, const float *key,
                                        const float *value, float *dst, unsigned char *scratch,
                                        size_t row)
{
    head_attention_0(mask0, query, key, value, dst, scratch, row);
}
static void others_attention_0(const float *mask0, const float *query, const float *key,
                               const float *value, float *dst, unsigned char *scratch, size_t row)
{
    head_attention_0(mask0, query, key, value, dst, scratch, row);
}

/* Block `block`, with set `set` of scratch memory. */
static void block_attention_0(const m_context *ctx, const struct m_memory *m, int block, int set)
{
    (void)ctx;
    const size_t head = (size_t)block;
    const float *query = (const float *)m->in[0] + head * 1200;
    const float *key = (const float *)m->in[1] + head * 1200;
    const float *value = (const float *)m->in[2] + head * 1200;
    float *dst = (float *)m->out[0] + head * 1200;
    unsigned char *scratch = workspace_at(m, 0 + (size_t)set * 14080);
    const float *mask0 = m->in[3];
    if (NET_HAS_PANEL)
        tiles_attention_0(mask0, query, key, value, dst, scratch, 0);
    else
        others_attention_0(mask0, query, key, value, dst, scratch, 0);
}

static dnnl_status_t run_attention_0(const m_context *ctx, const struct m_memory *m)
{
    for (int block = 0; block < 2; block++)
        block_attention_0(ctx, m, block, 0);
    return dnnl_success;
}

struct dnnlc_layers m_dnnl_0_layers(void)
{
    return (struct dnnlc_layers){NULL, 0};
}

unsigned m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    DNNLC_TRY(m_ran(ctx, m, 0, run_attention_0(ctx, m)));
    return dnnl_success;
}
