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
 * Conv, Clip
 * src f32[1,32,28,28] acdb, f32[32,1,3,3] cdab
 * dst f32[1,32,28,28] acdb
 */
/* Epilogue for one element: Clip. */
NET_INLINE float m_conv_1_epilogue(const float x)
{
    return x < 0.0f ? 0.0f : x > 6.0f ? 6.0f : x;
}

typedef float m_conv_1_vector __attribute__((vector_size(32), aligned(4), may_alias));

/* AT_ONCE neighbours of dst, whose windows begin at `at`, have rows top to bottom - 1 within the image, and all columns. */
NET_INLINE void m_conv_1_tile(const float *restrict src, const ptrdiff_t at,
                              const float *restrict weights, const ptrdiff_t top,
                              const ptrdiff_t bottom, float (*restrict to)[16])
{
    enum { C = 32, W = 28, KW = 3, SW = 1, DH = 1, DW = 1 };
    enum { AT_ONCE = 3, LANES = 8, VECTORS = 16 / LANES };
    m_conv_1_vector sum[AT_ONCE][VECTORS] = {{{0}}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = 0; x < KW; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * C;
            m_conv_1_vector weight[VECTORS];
            for (ptrdiff_t v = 0; v < VECTORS; v++)
                weight[v] = *(const m_conv_1_vector *)(tap + v * LANES);
            for (ptrdiff_t p = 0; p < AT_ONCE; p++)
                for (ptrdiff_t v = 0; v < VECTORS; v++) {
                    const void *element = s + p * SW * C + v * LANES;
                    const m_conv_1_vector *vector = element;
                    sum[p][v] += *vector * weight[v];
                }
        }
    for (ptrdiff_t p = 0; p < AT_ONCE; p++)
        for (ptrdiff_t v = 0; v < VECTORS; v++)
            *(m_conv_1_vector *)(to[p] + v * LANES) = sum[p][v];
}

/* One pixel at the border, of whose window columns left to right - 1 are within the image. */
NET_INLINE void m_conv_1_pixel(const float *restrict src, const ptrdiff_t at,
                               const float *restrict weights, const ptrdiff_t top,
                               const ptrdiff_t bottom, const ptrdiff_t left, const ptrdiff_t right,
                               float *restrict to)
{
    enum { C = 32, W = 28, KW = 3, DH = 1, DW = 1, LANES = 8, VECTORS = 32 / LANES };
    m_conv_1_vector sum[VECTORS] = {{0}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = left; x < right; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * C;
            for (ptrdiff_t v = 0; v < VECTORS; v++) {
                const void *element = s + v * LANES, *factor = tap + v * LANES;
                const m_conv_1_vector *vector = element, *weight = factor;
                sum[v] += *vector * *weight;
            }
        }
    for (ptrdiff_t v = 0; v < VECTORS; v++)
        *(m_conv_1_vector *)(to + v * LANES) = sum[v];
}

NET_KERNEL
static void m_conv_1_body(const float *restrict src, const float *restrict weights,
                          float *restrict dst)
{
    enum { IMAGES = 1, C = 32, H = 28, W = 28, OH = 28, OW = 28, KH = 3, KW = 3 };
    enum { SH = 1, SW = 1, DH = 1, DW = 1, TOP = 1, LEFT = 1 };
    enum { AT_ONCE = 3, CHANNELS = 16, SINGLE = 32, BLOCK = 32 };
    enum { SPAN = (AT_ONCE - 1) * SW + (KW - 1) * DW + 1 }; /* of a line under all windows */
    /* Pixels of a strip: the lines under the windows of two rows are no more than so many bytes. */
    enum { BYTES = 65536 };
    const ptrdiff_t all = C, deep = all < BLOCK ? all : BLOCK;
    const ptrdiff_t most = BYTES / ((KH + 1) * SW * 4 * deep);
    const ptrdiff_t wide = most < AT_ONCE ? AT_ONCE : most / AT_ONCE * AT_ONCE;
    for (ptrdiff_t b = 0; b < C; b += BLOCK)
        for (ptrdiff_t strip = 0, stop = 0; strip < OW; strip = stop) {
            const ptrdiff_t end = C - b < BLOCK ? C : b + BLOCK;
            stop = (strip ? strip : (LEFT + SW - 1) / SW) + wide;
            stop = stop < OW ? stop : OW;
            for (ptrdiff_t i = 0; i < IMAGES * OH; i++)
                for (ptrdiff_t x = strip, n = 0; x < stop; x += n) {
                    const ptrdiff_t begin = x * SW - LEFT;
                    const int inside = x + AT_ONCE <= stop && begin >= 0 && begin + SPAN <= W;
                    const ptrdiff_t left = begin < 0 ? (DW - 1 - begin) / DW : 0;
                    const ptrdiff_t right =
                        begin + (KW - 1) * DW < W ? KW : (W - begin + DW - 1) / DW;
                    n = inside ? AT_ONCE : 1;
                    const ptrdiff_t row = i % OH * SH - TOP, at = (i * OW + x) * C;
                    const ptrdiff_t top = row < 0 ? (DH - 1 - row) / DH : 0;
                    const ptrdiff_t bottom = row + (KH - 1) * DH < H ? KH : (H - row + DH - 1) / DH;
                    const ptrdiff_t window = ((i / OH * H + row) * W + begin) * C;
                    for (ptrdiff_t c = inside ? b : end; c < end; c += CHANNELS) {
                        float sum[AT_ONCE][CHANNELS];
                        m_conv_1_tile(src, window + c, weights + c, top, bottom, sum);
                        for (ptrdiff_t p = 0; p < AT_ONCE; p++) {
                            NET_LANES
                            for (ptrdiff_t f = 0; f < CHANNELS; f++)
                                dst[at + p * C + c + f] = m_conv_1_epilogue(sum[p][f]);
                        }
                    }
                    for (ptrdiff_t c = inside ? end : b; c < end; c += SINGLE) {
                        float sum[SINGLE];
                        m_conv_1_pixel(src, window + c, weights + c, top, bottom, left, right, sum);
                        NET_LANES
                        for (ptrdiff_t f = 0; f < SINGLE; f++)
                            dst[at + c + f] = m_conv_1_epilogue(sum[f]);
                    }
                }
        }
}

void m_conv_1(const float *restrict src, const float *restrict weights, float *restrict dst)
{
    m_conv_1_body(src, weights, dst);
}

/*
 * Reorder y
 * src f32[1,32,28,28] acdb
 * dst f32[1,32,28,28]
 */
NET_KERNEL
static void m_reorder_2_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 32; b0 += 64)
        for (size_t b1 = 0; b1 < 784; b1 += 8) {
            const size_t i1 = b1;
            const size_t end = (b0 + 64 < 32 ? b0 + 64 : 32);
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 784 + i1, 784, src + i0 + i1 * 32, 32);
        }
}

void m_reorder_2(const float *restrict src, float *restrict dst)
{
    m_reorder_2_body(src, dst);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    REORDER_0_DST = 0,
    CONV_1_DST = 100352,
};

void m_c_0(const struct m_memory *m)
{
    /* reorder_0: Reorder x */
    m_reorder_0(m->in[0], workspace_at(m, REORDER_0_DST));
    m_trace(m, 0);
    /* conv_1: Conv + Clip */
    m_conv_1(workspace_at(m, REORDER_0_DST), weights_at(m, 0), workspace_at(m, CONV_1_DST));
    m_trace(m, 1);
    /* reorder_2: Reorder y */
    m_reorder_2(workspace_at(m, CONV_1_DST), m->out[0]);
    m_trace(m, 2);
}
