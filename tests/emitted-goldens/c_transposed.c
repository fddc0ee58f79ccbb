/* --- m_kernels_0.c --- */
/*
 * ConvTranspose, Relu
 * src f32[1,8,5,6], f32[8,2,4,4], f32[2]
 * dst f32[1,2,10,11]
 */
/* Epilogue for one element: Relu. */
NET_INLINE float m_convtranspose_0_epilogue(const float x)
{
    return x < 0 ? 0 : x;
}

/* One register block of dst = a * b: its sums stay in registers over all k. */
NET_INLINE void m_convtranspose_0_tile(const float *restrict a, const float *restrict b,
                                       float *restrict dst, const size_t rows, const size_t columns)
{
    enum { K = 8, ROWS = 4, COLUMNS = 24 };
    enum { A_K = 32, B_K = 30, DST_ROW = 30 };
    float sum[ROWS][COLUMNS] = {{0}};
    /* Factors are read beforehand: gcc would otherwise make k the innermost loop, and the sums would go to memory and back. */
    for (size_t k = 0; k < K; k++) {
        float x[ROWS];
        for (size_t r = 0; r < rows; r++)
            x[r] = a[r + k * A_K];
        /* gcc finds vectors in a whole block once it has unrolled it, in a narrower one only if it has not. */
        for (size_t r = 0; r < rows; r++)
            if (columns == COLUMNS) {
                for (size_t j = 0; j < COLUMNS; j++)
                    sum[r][j] += b[k * B_K + j] * x[r];
            } else {
                NET_LANES
                for (size_t j = 0; j < columns; j++)
                    sum[r][j] += b[k * B_K + j] * x[r];
            }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
            dst[r * DST_ROW + j] = sum[r][j];
        }
}

/* A block of columns, all rows: one register block below the other. */
NET_INLINE void m_convtranspose_0_rows(const float *restrict a, const float *restrict b,
                                       float *restrict dst, const size_t columns)
{
    enum { M = 16, ROWS = 4 };
    enum { DST_ROW = 30 };
    for (size_t i = 0; i + ROWS <= M; i += ROWS)
        m_convtranspose_0_tile(a + i, b, &dst[i * DST_ROW], ROWS, columns);
    if (M % ROWS != 0) {
        const size_t i = M - M % ROWS;
        m_convtranspose_0_tile(a + i, b, &dst[i * DST_ROW], M % ROWS, columns);
    }
}

/* All rows and any number of columns, a block of columns at a time. */
NET_INLINE void m_convtranspose_0_product(const float *restrict a, const float *restrict b,
                                          float *restrict dst, const size_t columns)
{
    enum { COLUMNS = 24 };
    const size_t full = columns - columns % COLUMNS;
    for (size_t j = 0; j < full; j += COLUMNS) {
        m_convtranspose_0_rows(a, b + j, &dst[j], COLUMNS);
    }
    if (full < columns) {
        const size_t j = full;
        m_convtranspose_0_rows(a, b + j, &dst[j], columns - full);
    }
}

NET_KERNEL
static void m_convtranspose_0_body(const float *restrict src, const float *restrict weights,
                                   const float *restrict bias, float *restrict dst,
                                   void *restrict scratch)
{
    enum { PLANES = 2, M = 2, C = 8, PLANE = 110, SRC_PLANE = 30 };
    enum { W = 11, OW = 6, TAPS = 16, ROWS = PLANE / W, EACH = (W + 2 - 1) / 2 };
    enum { KW = 4, SW = 2, DW = 1, LEFT = 1 };
    enum { H = 10, OH = 5, KH = 4, SH = 2, DH = 1, TOP = 1 };
    float *restrict part = scratch, *restrict sum = part + 480;
    for (ptrdiff_t plane = 0; plane < PLANES; plane++) {
        const float *restrict image = src + plane / M * (C * SRC_PLANE);
        const float *restrict w = weights + plane % M * TAPS;
        m_convtranspose_0_product(w, image, part, SRC_PLANE);
        for (ptrdiff_t row = 0; row < ROWS; row++) {
            for (ptrdiff_t i = 0; i < SW * EACH; i++)
                sum[i] = bias[plane % 2];
            for (ptrdiff_t k = 0; k < TAPS / KW; k++) {
                ptrdiff_t from = 0; /* the row of src that this row of taps brings here */
                const ptrdiff_t y = row % H + TOP - k % KH * DH;
                if (y < 0 || y % SH || y / SH >= OH)
                    continue;
                from += y / SH;
                for (ptrdiff_t kx = 0; kx < KW; kx++) {
                    const ptrdiff_t first = kx * DW - LEFT, phase = (first % SW + SW) % SW;
                    const ptrdiff_t ahead = (first - phase) / SW, lo = ahead < 0 ? -ahead : 0;
                    const ptrdiff_t end = (W - phase + SW - 1) / SW - ahead;
                    const ptrdiff_t hi = end < OW ? end : OW;
                    const float *restrict s = part + ((k * KW + kx) * (SRC_PLANE / OW) + from) * OW;
                    float *restrict to = sum + phase * EACH;
                    for (ptrdiff_t x = lo; x < hi; x++)
                        to[x + ahead] += s[x];
                }
            }
            const ptrdiff_t at = plane * PLANE + row * W;
            float *restrict dst_row = dst + at;
            for (ptrdiff_t x = 0; x < W / SW; x++)
                for (ptrdiff_t p = 0; p < SW; p++)
                    dst_row[x * SW + p] = m_convtranspose_0_epilogue(sum[p * EACH + x]);
            for (ptrdiff_t x = W - W % SW; x < W; x++)
                dst_row[x] = m_convtranspose_0_epilogue(sum[x % SW * EACH + x / SW]);
        }
    }
}

void m_convtranspose_0(const float *restrict src, const float *restrict weights,
                       const float *restrict bias, float *restrict dst, void *restrict scratch)
{
    m_convtranspose_0_body(src, weights, bias, dst, scratch);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONVTRANSPOSE_0_SCRATCH = 0,
};

void m_c_0(const struct m_memory *m)
{
    /* convtranspose_0: ConvTranspose + Relu */
    m_convtranspose_0(m->in[0], weights_at(m, 0), weights_at(m, 1024), m->out[0],
                      workspace_at(m, CONVTRANSPOSE_0_SCRATCH));
    m_trace(m, 0);
}
