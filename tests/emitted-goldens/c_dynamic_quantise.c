/* --- m_kernels_0.c --- */
/*
 * DynamicQuantizeLinear
 * src f32[2,4,5,6]
 * dst u8[2,4,5,6], f32[], u8[]
 */
/* Rounds half to even, adds the zero point, saturates. */
NET_INLINE uint8_t m_dynamicquantizelinear_0_quantize(float x, int32_t zero)
{
    const float low = (float)(0 - zero), high = (float)(255 - zero);
    x = x > low ? x : low;
    x = x < high ? x : high;
    return (uint8_t)((int32_t)rintf(x) + zero);
}

/* Multiplies by the inverse of the scale, which is much quicker than dividing. The product is at most 5e-5 off, and rounds as the
 * quotient does unless it is that close to the middle between two integers: then all elements are divided, and also where there are
 * NaNs or infinities. Adding 1.5 * 2^23 rounds and leaves the integer in the lowest bits. No saturation: two quotients that far
 * apart that both round outwards are both in the middle. */
NET_INLINE void m_dynamicquantizelinear_0_all(const float *restrict src, uint8_t *restrict dst,
                                              const float scale, const uint8_t zero,
                                              const size_t size)
{
    const float inverse = 1 / scale;
    uint32_t worst = 0;
    for (size_t i = 0; i < size; i++) {
        const float x = src[i] * inverse, shifted = x + 12582912.0f;
        const float off = x - (shifted - 12582912.0f);
        uint32_t bits, k;
        memcpy(&bits, &off, sizeof bits);
        memcpy(&k, &shifted, sizeof k);
        bits &= 0x7fffffffu;
        worst = bits > worst ? bits : worst;
        dst[i] = (uint8_t)(k + zero);
    }
    if (worst <= 0x3effe5c9u) /* 0.4998 */
        return;
    for (size_t i = 0; i < size; i++)
        dst[i] = m_dynamicquantizelinear_0_quantize(src[i] / scale, zero);
}

NET_KERNEL
static void m_dynamicquantizelinear_0_body(const float *restrict src, uint8_t *restrict dst,
                                           float *restrict dst_scale,
                                           uint8_t *restrict dst_zero_point)
{
    enum { SIZE = 240, FULL = 192, LANES = 64, BLOCK = 256, REST = 240 };
    float low[LANES] = {0}, high[LANES] = {0};
    for (size_t i = 0; i < FULL; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const float v = src[i + l];
            low[l] = v < low[l] ? v : low[l];
            high[l] = v > high[l] ? v : high[l];
        }
    float min = 0, max = 0;
    for (size_t i = FULL; i < SIZE; i++) {
        min = src[i] < min ? src[i] : min;
        max = src[i] > max ? src[i] : max;
    }
    for (size_t l = 0; l < LANES; l++) {
        min = low[l] < min ? low[l] : min;
        max = high[l] > max ? high[l] : max;
    }
    const float scale = max > min ? (max - min) / 255 : 1;
    const uint8_t zero = m_dynamicquantizelinear_0_quantize(-min / scale, 0);
    for (size_t i = 0; i + BLOCK <= SIZE; i += BLOCK)
        m_dynamicquantizelinear_0_all(src + i, dst + i, scale, zero, BLOCK);
    m_dynamicquantizelinear_0_all(src + (SIZE - REST), dst + (SIZE - REST), scale, zero, REST);
    dst_scale[0] = scale;
    dst_zero_point[0] = zero;
}

void m_dynamicquantizelinear_0(const float *restrict src, uint8_t *restrict dst,
                               float *restrict dst_scale, uint8_t *restrict dst_zero_point)
{
    m_dynamicquantizelinear_0_body(src, dst, dst_scale, dst_zero_point);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* dynamicquantizelinear_0: DynamicQuantizeLinear */
    m_dynamicquantizelinear_0(m->in[0], m->out[0], m->out[1], m->out[2]);
    m_trace(m, 0);
}
