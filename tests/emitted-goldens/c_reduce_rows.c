/* --- m_kernels_0.c --- */
/*
 * ReduceSum
 * src f32[2,4,5,64]
 * dst f32[2,4,5,1]
 */
NET_KERNEL
static void m_reducesum_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 40; i0++) {
        float total = 0;
        float acc[8];
        for (size_t j = 0; j < 8; j++)
            acc[j] = 0;
        for (size_t i = 0; i + 8 <= 64; i += 8) {
            NET_LANES
            for (size_t j = 0; j < 8; j++) {
                const float x = src[i0 * 64 + i + j];
                acc[j] = acc[j] + x;
            }
        }
        for (size_t n = 4; n > 0; n /= 2)
            for (size_t j = 0; j < n; j++) {
                acc[j] = acc[j] + acc[j + n];
            }
        total = total + acc[0];
        dst[i0] = total;
    }
}

void m_reducesum_0(const float *restrict src, float *restrict dst)
{
    m_reducesum_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* reducesum_0: ReduceSum */
    m_reducesum_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
