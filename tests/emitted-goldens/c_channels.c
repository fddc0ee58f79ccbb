/* --- m_kernels_0.c --- */
/*
 * Add
 * src f32[2,4,5,6], f32[4,1,1]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_add_0_body(const float *restrict src, const float *restrict addend,
                         float *restrict dst)
{
    for (size_t i0 = 0; i0 < 2; i0++)
        for (size_t i1 = 0; i1 < 4; i1++)
            for (size_t i2 = 0; i2 < 30; i2++)
                dst[i0 * 120 + i1 * 30 + i2] = src[i0 * 120 + i1 * 30 + i2] + addend[i1];
}

void m_add_0(const float *restrict src, const float *restrict addend, float *restrict dst)
{
    m_add_0_body(src, addend, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* add_0: Add */
    m_add_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
