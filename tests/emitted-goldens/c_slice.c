/* --- m_kernels_0.c --- */
/*
 * Slice
 * src f32[2,4,5,6]
 * dst f32[1,4,3,2]
 */
NET_KERNEL
static void m_slice_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 4; i0++)
        for (size_t i1 = 0; i1 < 3; i1++)
            for (size_t i2 = 0; i2 < 2; i2++)
                dst[i0 * 6 + i1 * 2 + i2] = src[119 - i0 * 30 - i1 * 12 - i2 * 3];
}

void m_slice_0(const float *restrict src, float *restrict dst)
{
    m_slice_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* slice_0: Slice */
    m_slice_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
