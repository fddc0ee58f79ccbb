/* --- m_kernels_0.c --- */
/*
 * DequantizeLinear
 * src u8[3,40], f32[]
 * dst f32[3,40]
 */
NET_KERNEL
static void m_dequantizelinear_0_body(const uint8_t *restrict src, const float *restrict scale,
                                      float *restrict dst)
{
    enum { SIZE = 120 };
    const float step = scale[0];
    for (size_t j = 0; j < SIZE; j++)
        dst[j] = (float)src[j] * step;
}

void m_dequantizelinear_0(const uint8_t *restrict src, const float *restrict scale,
                          float *restrict dst)
{
    m_dequantizelinear_0_body(src, scale, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* dequantizelinear_0: DequantizeLinear */
    m_dequantizelinear_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
