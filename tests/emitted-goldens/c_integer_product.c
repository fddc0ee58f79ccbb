/* --- m_kernels_0.c --- */
/*
 * MatMulInteger
 * src u8[3,16], i8[16,8]
 * dst i32[3,8]
 */
/* One register block of dst = a * b: its sums stay in registers over all k. */
NET_INLINE void m_matmulinteger_0_tile(const uint8_t *restrict a, const int8_t *restrict b,
                                       int32_t *restrict dst, const size_t rows,
                                       const size_t columns)
{
    enum { K = 16, ROWS = 4, COLUMNS = 24 };
    enum { B_K = 8, A_ROW = 16, DST_ROW = 8 };
    uint32_t sum[ROWS][COLUMNS] = {{0}};
    /* Factors are read beforehand: gcc would otherwise make k the innermost loop, and the sums would go to memory and back. */
    for (size_t k = 0; k < K; k++) {
        uint32_t x[ROWS];
        for (size_t r = 0; r < rows; r++)
            x[r] = (uint32_t)a[r * A_ROW + k];
        /* gcc finds vectors in a whole block once it has unrolled it, in a narrower one only if it has not. */
        for (size_t r = 0; r < rows; r++)
            if (columns == COLUMNS) {
                for (size_t j = 0; j < COLUMNS; j++)
                    sum[r][j] += (uint32_t)b[k * B_K + j] * x[r];
            } else {
                NET_LANES
                for (size_t j = 0; j < columns; j++)
                    sum[r][j] += (uint32_t)b[k * B_K + j] * x[r];
            }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
            dst[r * DST_ROW + j] = (int32_t)sum[r][j];
        }
}

/* A block of columns, all rows: one register block below the other. */
NET_INLINE void m_matmulinteger_0_rows(const uint8_t *restrict a, const int8_t *restrict b,
                                       int32_t *restrict dst, const size_t columns)
{
    enum { M = 3, ROWS = 4 };
    enum { A_ROW = 16, DST_ROW = 8 };
    for (size_t i = 0; i + ROWS <= M; i += ROWS)
        m_matmulinteger_0_tile(a + i * A_ROW, b, &dst[i * DST_ROW], ROWS, columns);
    if (M % ROWS != 0) {
        const size_t i = M - M % ROWS;
        m_matmulinteger_0_tile(a + i * A_ROW, b, &dst[i * DST_ROW], M % ROWS, columns);
    }
}

/* All rows and any number of columns, a block of columns at a time. */
NET_INLINE void m_matmulinteger_0_product(const uint8_t *restrict a, const int8_t *restrict b,
                                          int32_t *restrict dst, const size_t columns)
{
    enum { COLUMNS = 24 };
    const size_t full = columns - columns % COLUMNS;
    for (size_t j = 0; j < full; j += COLUMNS) {
        m_matmulinteger_0_rows(a, b + j, &dst[j], COLUMNS);
    }
    if (full < columns) {
        const size_t j = full;
        m_matmulinteger_0_rows(a, b + j, &dst[j], columns - full);
    }
}

NET_KERNEL
static void m_matmulinteger_0_body(const uint8_t *restrict src, const int8_t *restrict weights,
                                   int32_t *restrict dst)
{
    for (size_t batch = 0; batch < 1; batch++) {
        const size_t matrix_a = 0, matrix_b = 0;
        const uint8_t *a = src + matrix_a * 48;
        const int8_t *b = weights + matrix_b * 128;
        int32_t *matrix = dst + batch * 24;
        m_matmulinteger_0_product(a, b, matrix, 8);
    }
}

void m_matmulinteger_0(const uint8_t *restrict src, const int8_t *restrict weights,
                       int32_t *restrict dst)
{
    m_matmulinteger_0_body(src, weights, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* matmulinteger_0: MatMulInteger */
    m_matmulinteger_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
