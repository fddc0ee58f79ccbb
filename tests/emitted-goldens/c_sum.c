/* --- m_kernels_0.c --- */
/*
 * Sum
 * src f32[2,4,5,6], f32[2,4,5,6], f32[2,4,5,6]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_sum_0_body(const float *restrict src0, const float *restrict src1,
                         const float *restrict src2, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 240; i0++)
        dst[i0] = src0[i0] + src1[i0] + src2[i0];
}

void m_sum_0(const float *restrict src0, const float *restrict src1, const float *restrict src2,
             float *restrict dst)
{
    m_sum_0_body(src0, src1, src2, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* sum_0: Sum */
    m_sum_0(m->in[0], m->in[1], m->in[2], m->out[0]);
    m_trace(m, 0);
}
