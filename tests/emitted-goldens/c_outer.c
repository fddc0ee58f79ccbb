/* --- m_kernels_0.c --- */
/*
 * Mul
 * src f32[4,1,6], f32[1,5,6]
 * dst f32[4,5,6]
 */
NET_KERNEL
static void m_mul_0_body(const float *restrict src, const float *restrict factor,
                         float *restrict dst)
{
    for (size_t i0 = 0; i0 < 4; i0++)
        for (size_t i1 = 0; i1 < 5; i1++)
            for (size_t i2 = 0; i2 < 6; i2++)
                dst[i0 * 30 + i1 * 6 + i2] = src[i0 * 6 + i2] * factor[i1 * 6 + i2];
}

void m_mul_0(const float *restrict src, const float *restrict factor, float *restrict dst)
{
    m_mul_0_body(src, factor, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* mul_0: Mul */
    m_mul_0(m->in[0], m->in[1], m->out[0]);
    m_trace(m, 0);
}
