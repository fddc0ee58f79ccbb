/* --- m_kernels_0.c --- */
/*
 * QuantizeLinear
 * src f32[2,4,5,6], f32[4], i8[4]
 * dst i8[2,4,5,6]
 */
/* Rounds half to even, adds the zero point, saturates. */
NET_INLINE int8_t m_quantizelinear_0_quantize(float x, int32_t zero)
{
    const float low = (float)(-128 - zero), high = (float)(127 - zero);
    x = x > low ? x : low;
    x = x < high ? x : high;
    return (int8_t)((int32_t)rintf(x) + zero);
}

NET_KERNEL
static void m_quantizelinear_0_body(const float *restrict src, const float *restrict scale,
                                    const int8_t *restrict zero_point, int8_t *restrict dst)
{
    enum { ROWS = 8, CHANNELS = 4, INNER = 30 };
    for (size_t i = 0; i < ROWS; i++) {
        const size_t c = i % CHANNELS;
        const float step = scale[c];
        const int32_t zero = zero_point[c];
        const float *restrict src_row = src + i * INNER;
        int8_t *restrict dst_row = dst + i * INNER;
        for (size_t j = 0; j < INNER; j++)
            dst_row[j] = m_quantizelinear_0_quantize(src_row[j] / step, zero);
    }
}

void m_quantizelinear_0(const float *restrict src, const float *restrict scale,
                        const int8_t *restrict zero_point, int8_t *restrict dst)
{
    m_quantizelinear_0_body(src, scale, zero_point, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* quantizelinear_0: QuantizeLinear */
    m_quantizelinear_0(m->in[0], weights_at(m, 0), weights_at(m, 64), m->out[0]);
    m_trace(m, 0);
}
