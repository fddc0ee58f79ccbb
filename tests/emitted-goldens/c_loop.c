/* --- m_kernels_0.c --- */
/*
 * Mul, Add, Relu
 * src f32[2,4,5,6], f32[], f32[]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_relu_0_body(const float *restrict src0, const float *restrict src1,
                          const float *restrict src2, float *restrict dst0)
{
    const float a1 = src1[0];
    const float a2 = src2[0];
    for (size_t i0 = 0; i0 < 240; i0++) {
        const float a0 = src0[i0];
        const float t0 = a0 * a1;
        const float t1 = t0 + a2;
        const float t2 = t1 < 0 ? 0 : t1;
        dst0[i0] = t2;
    }
}

void m_relu_0(const float *restrict src0, const float *restrict src1, const float *restrict src2,
              float *restrict dst0)
{
    m_relu_0_body(src0, src1, src2, dst0);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* relu_0: Mul + Add + Relu */
    m_relu_0(m->in[0], weights_at(m, 0), weights_at(m, 64), m->out[0]);
    m_trace(m, 0);
}
