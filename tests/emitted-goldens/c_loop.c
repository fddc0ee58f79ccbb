/* --- m_kernels_0.c --- */
/*
 * Mul, Add, Relu
 * src f32[2,4,5,6], f32[], f32[]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_relu_0_body(const float *restrict src, const float *restrict factor,
                          const float *restrict addend, float *restrict dst)
{
    const float a1 = factor[0];
    const float a2 = addend[0];
    for (size_t i0 = 0; i0 < 240; i0++) {
        const float t0 = src[i0] * a1;
        const float t1 = t0 + a2;
        const float t2 = t1 < 0 ? 0 : t1;
        dst[i0] = t2;
    }
}

void m_relu_0(const float *restrict src, const float *restrict factor, const float *restrict addend,
              float *restrict dst)
{
    m_relu_0_body(src, factor, addend, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* relu_0: Mul + Add + Relu */
    m_relu_0(m->in[0], weights_at(m, 0), weights_at(m, 64), m->out[0]);
    m_trace(m, 0);
}
