/* --- m_kernels_0.c --- */
/*
 * LpNormalization
 * src f32[2,5,300]
 * dst f32[2,5,300]
 */
NET_KERNEL
static void m_lpnormalization_0_body(const float *restrict src, float *restrict dst)
{
    enum { OUTER = 2, SIZE = 5, INNER = 300, PIECE = 256 };
    for (size_t o = 0; o < OUTER; o++)
        for (size_t c = 0; c < INNER; c += PIECE) {
            const size_t n = INNER - c < PIECE ? INNER - c : PIECE;
            float sum[PIECE] = {0};
            for (size_t i = 0; i < SIZE; i++) {
                const size_t at = (o * SIZE + i) * INNER + c;
                for (size_t j = 0; j < n; j++) {
                    const float v = src[at + j];
                    sum[j] += v * v;
                }
            }
            for (size_t j = 0; j < n; j++) {
                const float norm = sqrtf(sum[j]);
                sum[j] = norm <= 0 ? 1 : 1 / norm;
            }
            for (size_t i = 0; i < SIZE; i++) {
                const size_t at = (o * SIZE + i) * INNER + c;
                for (size_t j = 0; j < n; j++)
                    dst[at + j] = src[at + j] * sum[j];
            }
        }
}

void m_lpnormalization_0(const float *restrict src, float *restrict dst)
{
    m_lpnormalization_0_body(src, dst);
}

/*
 * LpNormalization
 * src f32[30,4]
 * dst f32[30,4]
 */
NET_KERNEL
static void m_lpnormalization_1_body(const float *restrict src, float *restrict dst)
{
    enum { OUTER = 1, SIZE = 4, INNER = 30, PIECE = 30 };
    for (size_t o = 0; o < OUTER; o++)
        for (size_t c = 0; c < INNER; c += PIECE) {
            const size_t n = INNER - c < PIECE ? INNER - c : PIECE;
            float sum[PIECE] = {0};
            for (size_t i = 0; i < SIZE; i++) {
                const size_t at = c * SIZE + i;
                for (size_t j = 0; j < n; j++) {
                    const float v = src[at + j * SIZE];
                    sum[j] += fabsf(v);
                }
            }
            for (size_t j = 0; j < n; j++) {
                const float norm = sum[j];
                sum[j] = norm <= 0 ? 1 : 1 / norm;
            }
            for (size_t i = 0; i < SIZE; i++) {
                const size_t at = c * SIZE + i;
                for (size_t j = 0; j < n; j++)
                    dst[at + j * SIZE] = src[at + j * SIZE] * sum[j];
            }
        }
}

void m_lpnormalization_1(const float *restrict src, float *restrict dst)
{
    m_lpnormalization_1_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* lpnormalization_0: LpNormalization */
    m_lpnormalization_0(m->in[0], m->out[0]);
    m_trace(m, 0);
    /* lpnormalization_1: LpNormalization */
    m_lpnormalization_1(m->in[1], m->out[1]);
    m_trace(m, 1);
}
