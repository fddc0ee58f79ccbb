/* --- m_kernels_0.c --- */
/*
 * ReduceL1
 * src f32[2,4,5,6]
 * dst f32[2,1,5,1]
 */
NET_KERNEL
static void m_reducel1_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 2; i0++)
        for (size_t c = 0; c < 5; c += 64) {
            const size_t n = 5;
            float acc[64];
            for (size_t j = 0; j < n; j++)
                acc[j] = 0;
            for (size_t i2 = 0; i2 < 4; i2++)
                for (size_t i3 = 0; i3 < 6; i3++) {
                    float column[64];
                    for (size_t j = 0; j < n; j++)
                        column[j] = src[i0 * 120 + i2 * 30 + i3 + (c + j) * 6];
                    for (size_t j = 0; j < n; j++) {
                        const float x = column[j];
                        acc[j] = acc[j] + fabsf(x);
                    }
                }
            for (size_t j = 0; j < n; j++)
                dst[i0 * 5 + c + j] = acc[j];
        }
}

void m_reducel1_0(const float *restrict src, float *restrict dst)
{
    m_reducel1_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* reducel1_0: ReduceL1 */
    m_reducel1_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
