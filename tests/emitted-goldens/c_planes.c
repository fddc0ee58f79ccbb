/* --- m_kernels_0.c --- */
/*
 * Transpose
 * src f32[2,9,7,3]
 * dst f32[2,3,9,7]
 */
NET_KERNEL
static void m_transpose_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 2; i0++)
        for (size_t i2 = 0; i2 < 63; i2++)
            for (size_t i1 = 0; i1 < 3; i1++)
                dst[i0 * 189 + i1 * 63 + i2] = src[i0 * 189 + i1 + i2 * 3];
}

void m_transpose_0(const float *restrict src, float *restrict dst)
{
    m_transpose_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* transpose_0: Transpose */
    m_transpose_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
