/* --- m_kernels_0.c --- */
/*
 * Einsum
 * src f32[2,4,5,6], f32[2,4,5,6]
 * dst f32[2,5]
 */
NET_KERNEL
static void m_einsum_0_body(const float *restrict src0, const float *restrict src1,
                            float *restrict dst)
{
    for (size_t i0 = 0; i0 < 2; i0++)
        for (size_t i1 = 0; i1 < 5; i1 += 64) {
            const size_t n = 5 - i1 < 64 ? 5 - i1 : 64;
            float acc[64] = {0};
            for (size_t i2 = 0; i2 < 4; i2++)
                for (size_t i3 = 0; i3 < 6; i3++)
                    for (size_t i4 = 0; i4 < 5; i4++)
                        for (size_t j = 0; j < n; j++) {
                            const float a0 = src0[i0 * 120 + i1 * 6 + i2 * 30 + i3 + j * 6];
                            const float a1 = src1[i0 * 120 + i2 * 30 + i3 + i4 * 6];
                            acc[j] += a0 * a1;
                        }
            for (size_t j = 0; j < n; j++)
                dst[i0 * 5 + i1 + j] = acc[j];
        }
}

void m_einsum_0(const float *restrict src0, const float *restrict src1, float *restrict dst)
{
    m_einsum_0_body(src0, src1, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* einsum_0: Einsum */
    m_einsum_0(m->in[0], m->in[0], m->out[0]);
    m_trace(m, 0);
}
