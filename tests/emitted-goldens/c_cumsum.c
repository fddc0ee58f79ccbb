/* --- m_kernels_0.c --- */
/*
 * CumSum
 * src f32[3,50]
 * dst f32[3,50]
 */
NET_KERNEL
static void m_cumsum_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t o = 0; o < 3; o++)
        for (size_t c = 0; c < 1; c += 1) {
            const size_t n = 1 - c < 1 ? 1 - c : 1;
            double sum[1];
            for (size_t j = 0; j < n; j++)
                sum[j] = 0;
            for (size_t i = 0; i < 50; i++) {
                const size_t at = (o * 50 + i) + c;
                for (size_t j = 0; j < n; j++) {
                    const double x = (double)src[at + j];
                    sum[j] += x;
                    dst[at + j] = (float)sum[j];
                }
            }
        }
}

void m_cumsum_0(const float *restrict src, float *restrict dst)
{
    m_cumsum_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* cumsum_0: CumSum */
    m_cumsum_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
