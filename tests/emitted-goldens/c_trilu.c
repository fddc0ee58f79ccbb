/* --- m_kernels_0.c --- */
/*
 * Trilu
 * src f32[2,4,5,6]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_trilu_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t m = 0; m < 8; m++)
        for (int64_t i = 0; i < 5; i++) {
            const size_t row = (m * 5 + (size_t)i) * 6;
            for (int64_t j = 0; j < 6; j++)
                dst[row + (size_t)j] = j - i <= -1 ? src[row + (size_t)j] : 0;
        }
}

void m_trilu_0(const float *restrict src, float *restrict dst)
{
    m_trilu_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* trilu_0: Trilu */
    m_trilu_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
