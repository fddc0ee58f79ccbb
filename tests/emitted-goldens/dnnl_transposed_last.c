/* --- m_kernels_0.c --- */
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
 * Reorder x
 * src f32[1,32,28,28]
 * dst f32[1,32,28,28] acdb
 */
NET_KERNEL
static void m_reorder_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 784; b0 += 64)
        for (size_t b1 = 0; b1 < 32; b1 += 8) {
            const size_t i1 = b1;
            const size_t end = (b0 + 64 < 784 ? b0 + 64 : 784);
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 32 + i1, 32, src + i0 + i1 * 784, 784);
        }
}

void m_reorder_0(const float *restrict src, float *restrict dst)
{
    m_reorder_0_body(src, dst);
}

/*
 * ConvTranspose
 * src f32[1,32,28,28] acdb, f32[32,16,2,2] cdBa8b
 * dst f32[1,16,56,56] acdb
 */
typedef float m_convtranspose_1_vector __attribute__((vector_size(32), aligned(4), may_alias));

/* What AT_ONCE pixels bring by one or two vectors of weights. */
NET_INLINE void m_convtranspose_1_pixels(const float *restrict weights, const float *restrict src,
                                         float *restrict part, const size_t vectors)
{
    enum { C = 32, ROW = 4 * 16, LANES = 8, AT_ONCE = 5 };
    m_convtranspose_1_vector sum[AT_ONCE][2] = {{{0}}};
    const m_convtranspose_1_vector *w = (const void *)weights;
    for (size_t c = 0; c < C; c++)
        for (size_t p = 0; p < AT_ONCE; p++)
            for (size_t v = 0; v < vectors; v++)
                sum[p][v] += src[p * C + c] * w[v * C + c];
    for (size_t p = 0; p < AT_ONCE; p++)
        for (size_t v = 0; v < vectors; v++)
            *(m_convtranspose_1_vector *)(void *)(part + p * ROW + v * LANES) = sum[p][v];
}

/* … what `pixels` bring by all weights, of which the first cache keeps two vectors; the last pixels at once may be some of those before again. */
NET_INLINE void m_convtranspose_1_product(const float *restrict weights, const float *restrict src,
                                          float *restrict part, const size_t pixels)
{
    enum { C = 32, ROW = 4 * 16, LANES = 8, AT_ONCE = 5 };
    for (size_t j = 0; j + 2 * LANES <= ROW; j += 2 * LANES)
        for (size_t next = 0; next < pixels; next += AT_ONCE) {
            const size_t p = next + AT_ONCE <= pixels ? next : pixels - AT_ONCE;
            m_convtranspose_1_pixels(weights + j * C, src + p * C, part + p * ROW + j, 2);
        }
}

/* CHANNELS sums for the pixel of the result at y, x, as the padding moves it: pixels top to bottom and left to right of the source touch it. */
NET_INLINE void m_convtranspose_1_sums(const float *restrict part, const ptrdiff_t y,
                                       const ptrdiff_t top, const ptrdiff_t bottom,
                                       const ptrdiff_t x, float *restrict to)
{
    enum { M = 16, W = 28, KW = 2, SH = 2, SW = 2, KEPT = 28, ROW = 4 * M };
    enum { LANES = 8, VECTORS = 16 / LANES };
    const ptrdiff_t left = x < KW ? 0 : (x - KW) / SW + 1, right = x / SW < W ? x / SW : W - 1;
    m_convtranspose_1_vector sum[VECTORS] = {{0}};
    for (ptrdiff_t i = top; i <= bottom; i++)
        for (ptrdiff_t j = left; j <= right; j++) {
            const float *restrict at = part + (i % KEPT * W + j) * ROW;
            const float *restrict tap = at + ((y - i * SH) * KW + x - j * SW) * M;
            for (ptrdiff_t v = 0; v < VECTORS; v++)
                sum[v] += *(const m_convtranspose_1_vector *)(const void *)(tap + v * LANES);
        }
    for (ptrdiff_t v = 0; v < VECTORS; v++)
        *(m_convtranspose_1_vector *)(void *)(to + v * LANES) = sum[v];
}

NET_KERNEL
static void m_convtranspose_1_body(const float *restrict src, const float *restrict weights,
                                   float *restrict dst, void *restrict scratch)
{
    enum { C = 32, M = 16, H = 56, W = 56, OH = 28, OW = 28, KH = 2, SH = 2 };
    enum { TOP = 0, LEFT = 0, MADE = 28, KEPT = 28, CHANNELS = 16 };
    enum { PART = OW * 4 * M }; /* of a row */
    float *restrict part = scratch;
    ptrdiff_t next = 0;
    for (ptrdiff_t i = 0, begin = i; i < H; i++) {
        const float *restrict image = src + i / H * (OH * OW * C);
        const ptrdiff_t y = i % H + TOP, top = y < KH ? 0 : (y - KH) / SH + 1;
        const ptrdiff_t bottom = y / SH < OH ? y / SH : OH - 1;
        if (i == begin || i % H == 0)
            next = top / MADE * MADE;
        for (; next <= bottom; next += MADE) {
            const ptrdiff_t rows = OH - next < MADE ? OH - next : MADE;
            m_convtranspose_1_product(weights, image + next * (OW * C), part + next % KEPT * PART,
                                      (size_t)rows * OW);
        }
        for (ptrdiff_t x = 0; x < W; x++)
            for (ptrdiff_t c = 0; c < M; c += CHANNELS) {
                const ptrdiff_t at = (i * W + x) * M;
                float sum[CHANNELS];
                m_convtranspose_1_sums(part + c, y, top, bottom, x + LEFT, sum);
                NET_LANES
                for (ptrdiff_t f = 0; f < CHANNELS; f++)
                    dst[at + c + f] = sum[f];
            }
    }
}

void m_convtranspose_1(const float *restrict src, const float *restrict weights,
                       float *restrict dst, void *restrict scratch)
{
    m_convtranspose_1_body(src, weights, dst, scratch);
}

/*
 * Reorder y
 * src f32[1,16,56,56] acdb
 * dst f32[1,16,56,56]
 */
NET_KERNEL
static void m_reorder_2_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 16; b0 += 64)
        for (size_t b1 = 0; b1 < 3136; b1 += 8) {
            const size_t i1 = b1;
            const size_t end = (b0 + 64 < 16 ? b0 + 64 : 16);
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 3136 + i1, 3136, src + i0 + i1 * 16, 16);
        }
}

void m_reorder_2(const float *restrict src, float *restrict dst)
{
    m_reorder_2_body(src, dst);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    REORDER_0_DST = 401408,
    CONVTRANSPOSE_1_DST = 0,
    CONVTRANSPOSE_1_SCRATCH = 200704,
};

void m_c_0(const struct m_memory *m)
{
    /* reorder_0: Reorder x */
    m_reorder_0(m->in[0], workspace_at(m, REORDER_0_DST));
    m_trace(m, 0);
    /* convtranspose_1: ConvTranspose */
    m_convtranspose_1(workspace_at(m, REORDER_0_DST), weights_at(m, 0),
                      workspace_at(m, CONVTRANSPOSE_1_DST),
                      workspace_at(m, CONVTRANSPOSE_1_SCRATCH));
    m_trace(m, 1);
    /* reorder_2: Reorder y */
    m_reorder_2(workspace_at(m, CONVTRANSPOSE_1_DST), m->out[0]);
    m_trace(m, 2);
}
