/* --- m_kernels_0.c --- */
/*
 * Pad
 * src f32[2,4,5,6]
 * dst f32[2,4,6,9]
 */
NET_KERNEL
static void m_pad_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 432; i0++)
        dst[i0] = -0.5f;
    for (size_t i0 = 0; i0 < 8; i0++)
        for (size_t i1 = 0; i1 < 5; i1++)
            for (size_t i2 = 0; i2 < 6; i2++)
                dst[11 + i0 * 54 + i1 * 9 + i2] = src[i0 * 30 + i1 * 6 + i2];
}

void m_pad_0(const float *restrict src, float *restrict dst)
{
    m_pad_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* pad_0: Pad */
    m_pad_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
