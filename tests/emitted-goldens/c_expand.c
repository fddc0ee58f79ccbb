/* --- m_kernels_0.c --- */
/*
 * Expand
 * src f32[3,1,6]
 * dst f32[3,4,6]
 */
NET_KERNEL
static void m_expand_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 3; i0++)
        for (size_t i1 = 0; i1 < 4; i1++)
            for (size_t i2 = 0; i2 < 6; i2++)
                dst[i0 * 24 + i1 * 6 + i2] = src[i0 * 6 + i2];
}

void m_expand_0(const float *restrict src, float *restrict dst)
{
    m_expand_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* expand_0: Expand */
    m_expand_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
