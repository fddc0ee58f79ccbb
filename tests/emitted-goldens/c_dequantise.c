/* --- m_kernels_0.c --- */
/*
 * DequantizeLinear
 * src u8[3,40], f32[]
 * dst f32[3,40]
 */
NET_KERNEL
static void m_dequantizelinear_0_body(const uint8_t *restrict src0, const float *restrict src1,
                                      float *restrict dst0)
{
    enum { SIZE = 120 };
    const float scale = src1[0];
    for (size_t j = 0; j < SIZE; j++)
        dst0[j] = (float)src0[j] * scale;
}

void m_dequantizelinear_0(const uint8_t *restrict src0, const float *restrict src1,
                          float *restrict dst0)
{
    m_dequantizelinear_0_body(src0, src1, dst0);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* dequantizelinear_0: DequantizeLinear */
    m_dequantizelinear_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
