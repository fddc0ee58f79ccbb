/* --- m_kernels_0.c --- */
/* e^x for x <= 0, within 1.1 ulp, and 0 below -87: no result is subnormal, as those of masked elements would be, which cost
 * processors a hundred cycles each. x = n ln2 + r with |r| <= ln2/2; e^r is a minimax
 * polynomial (error 4e-9). Adding 1.5 * 2^23 rounds to the nearest integer. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t kept = (bits & 0x7fffffffu) <= 0x42ae0000u ? 0xffffffffu : 0; /* 87 */
    bits &= kept;
    float c;
    memcpy(&c, &bits, sizeof c);
    float shifted = c * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    float r = c - n * 0.693359375f - n * -2.12194440e-4f;
    float p = 1.3947557945e-3f;
    p = p * r + 8.3672349381e-3f;
    p = p * r + 4.1666267215e-2f;
    p = p * r + 1.6666538141e-1f;
    p = p * r + 0.5f;
    p = 1.0f + (r + r * r * p);
    memcpy(&bits, &shifted, sizeof bits);
    bits = ((bits - 0x4b400000u + 127) << 23) & kept;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return isnan(x) ? x : p * scale;
}

/*
 * Softmax
 * src f32[2,4,5,60]
 * dst f32[2,4,5,60]
 */
NET_KERNEL
static void m_softmax_0_body(const float *restrict src, float *restrict dst)
{
    enum { ROWS = 40, SIZE = 60, FULL = 56, LANES = 8 };
    for (size_t row = 0; row < ROWS; row++) {
        const float *restrict src_row = src + row * SIZE;
        float *restrict dst_row = dst + row * SIZE;
        float part[LANES], max = -INFINITY, sum = 0;
        for (size_t l = 0; l < LANES; l++)
            part[l] = src_row[l];
        for (size_t i = LANES; i < FULL; i += LANES) {
            NET_LANES
            for (size_t l = 0; l < LANES; l++) {
                const float v = src_row[i + l];
                part[l] = v > part[l] ? v : part[l];
            }
        }
        for (size_t w = LANES / 2; w > 0; w /= 2)
            for (size_t l = 0; l < w; l++)
                part[l] = part[l + w] > part[l] ? part[l + w] : part[l];
        max = part[0];
        for (size_t i = FULL; i < SIZE; i++)
            max = src_row[i] > max ? src_row[i] : max;
        for (size_t l = 0; l < LANES; l++)
            part[l] = 0;
        for (size_t i = 0; i < FULL; i += LANES) {
            NET_LANES
            for (size_t l = 0; l < LANES; l++) {
                const float e = dnnlc_exp_negativef(src_row[i + l] - max);
                dst_row[i + l] = e;
                part[l] += e;
            }
        }
        for (size_t i = FULL; i < SIZE; i++) {
            const float e = dnnlc_exp_negativef(src_row[i] - max);
            dst_row[i] = e;
            sum += e;
        }
        for (size_t w = LANES / 2; w > 0; w /= 2)
            for (size_t l = 0; l < w; l++)
                part[l] += part[l + w];
        sum += part[0];
        const float factor = 1 / sum;
        for (size_t i = 0; i < SIZE; i++) {
            const float e = dst_row[i];
            dst_row[i] = e * factor;
        }
    }
}

void m_softmax_0(const float *restrict src, float *restrict dst)
{
    m_softmax_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* softmax_0: Softmax */
    m_softmax_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
