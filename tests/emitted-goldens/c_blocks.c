/* --- m_kernels_0.c --- */
/*
 * Transpose
 * src f32[2,19,32]
 * dst f32[2,32,19]
 */
NET_KERNEL
static void m_transpose_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 2; i0++)
        for (size_t b1 = 0; b1 < 32; b1 += 16)
            for (size_t b2 = 0; b2 < 19; b2 += 16)
                if (b1 + 16 <= 32 && b2 + 16 <= 19) {
                    float x[256], y[256];
                    const size_t i1 = b1, i2 = b2;
                    for (size_t q = 0; q < 4; q++)
                        for (size_t j = 0; j < 16; j++) {
                            y[(q * 16 + j) * 4] = src[i0 * 608 + i1 + i2 * 32 + q * 32 + j];
                            y[(q * 16 + j) * 4 + 1] =
                                src[i0 * 608 + i1 + i2 * 32 + (q + 4) * 32 + j];
                            y[(q * 16 + j) * 4 + 2] =
                                src[i0 * 608 + i1 + i2 * 32 + (q + 8) * 32 + j];
                            y[(q * 16 + j) * 4 + 3] =
                                src[i0 * 608 + i1 + i2 * 32 + (q + 12) * 32 + j];
                        }
                    for (size_t j = 0; j < 64; j++) {
                        x[4 * j] = y[j];
                        x[4 * j + 1] = y[j + 64];
                        x[4 * j + 2] = y[j + 128];
                        x[4 * j + 3] = y[j + 192];
                    }
                    for (size_t j = 0; j < 16; j++)
                        memcpy(dst + i0 * 608 + i1 * 19 + i2 + j * 19, x + j * 16, 16 * sizeof *x);
                } else {
                    for (size_t i1 = b1; i1 < b1 + 16; i1++)
                        for (size_t i2 = b2; i2 < (b2 + 16 < 19 ? b2 + 16 : 19); i2++)
                            dst[i0 * 608 + i1 * 19 + i2] = src[i0 * 608 + i1 + i2 * 32];
                }
}

void m_transpose_0(const float *restrict src, float *restrict dst)
{
    m_transpose_0_body(src, dst);
}

/*
 * Transpose
 * src u8[16,48]
 * dst u8[48,16]
 */
NET_KERNEL
static void m_transpose_1_body(const uint8_t *restrict src, uint8_t *restrict dst)
{
    for (size_t b0 = 0; b0 < 48; b0 += 16)
        for (size_t b1 = 0; b1 < 16; b1 += 16)
            if (b0 + 16 <= 48 && b1 + 16 <= 16) {
                uint8_t x[256], y[256];
                const size_t i0 = b0, i1 = b1;
                for (size_t q = 0; q < 4; q++)
                    for (size_t j = 0; j < 16; j++) {
                        y[(q * 16 + j) * 4] = src[i0 + i1 * 48 + q * 48 + j];
                        y[(q * 16 + j) * 4 + 1] = src[i0 + i1 * 48 + (q + 4) * 48 + j];
                        y[(q * 16 + j) * 4 + 2] = src[i0 + i1 * 48 + (q + 8) * 48 + j];
                        y[(q * 16 + j) * 4 + 3] = src[i0 + i1 * 48 + (q + 12) * 48 + j];
                    }
                for (size_t j = 0; j < 64; j++) {
                    x[4 * j] = y[j];
                    x[4 * j + 1] = y[j + 64];
                    x[4 * j + 2] = y[j + 128];
                    x[4 * j + 3] = y[j + 192];
                }
                for (size_t j = 0; j < 16; j++)
                    memcpy(dst + i0 * 16 + i1 + j * 16, x + j * 16, 16 * sizeof *x);
            } else {
                for (size_t i0 = b0; i0 < b0 + 16; i0++)
                    for (size_t i1 = b1; i1 < b1 + 16; i1++)
                        dst[i0 * 16 + i1] = src[i0 + i1 * 48];
            }
}

void m_transpose_1(const uint8_t *restrict src, uint8_t *restrict dst)
{
    m_transpose_1_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* transpose_0: Transpose */
    m_transpose_0(m->in[0], m->out[0]);
    m_trace(m, 0);
    /* transpose_1: Transpose */
    m_transpose_1(m->in[1], m->out[1]);
    m_trace(m, 1);
}
