/* --- m_kernels_0.c --- */
/* e^x for x <= 0, within 1.1 ulp where the result is a normal number, and 0 below -87.7: hardly any result is subnormal, as those of
 * masked elements would be, which cost processors a hundred cycles each. x = n ln2 + r with |r| <= ln2/2; e^r is a minimax
 * polynomial (error 4e-9). Adding 1.5 * 2^23 rounds to the nearest integer. At -88 n is -127, and the bits of 2^n are those of 0. NaN
 * goes through all of it. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    float c = x < -88.0f ? -88.0f : x;
    float shifted = c * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    float r = c - n * 0.693359375f - n * -2.12194440e-4f;
    float p = 1.3947557945e-3f;
    p = p * r + 8.3672349381e-3f;
    p = p * r + 4.1666267215e-2f;
    p = p * r + 1.6666538141e-1f;
    p = p * r + 0.5f;
    p = 1.0f + (r + r * r * p);
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4b400000u + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

/*
 * Softmax
 * src f32[2,4,5,60]
 * dst f32[2,4,5,60]
 */
/* A few rows at a time: while one row's sum goes from lane to lane, and its logarithm or quotient is made, others are under way. */
NET_KERNEL
static void m_softmax_0_body(const float *restrict src, float *restrict dst)
{
    enum { ROWS = 40, SIZE = 60, BLOCK = 8, LANES = 32 };
    enum { FULL = 32, LAST = 28 };
    /* The last vector of a row begins before the one in front of it ends; what both have counts once. gcc takes a vector with a condition apart. */
    float counts[LANES];
    for (size_t l = 0; l < LANES; l++)
        counts[l] = LAST + l < FULL ? 0 : 1;
    for (size_t first = 0; first < ROWS; first += BLOCK) {
        const float *restrict src_rows = src + first * SIZE;
        float *restrict dst_rows = dst + first * SIZE;
        const size_t rows = ROWS - first < BLOCK ? ROWS - first : BLOCK;
        float max[BLOCK] = {0}, sum[BLOCK] = {0};
        for (size_t r = 0; r < rows; r++) {
            const float *restrict src_row = src_rows + r * SIZE;
            float part[LANES];
            for (size_t l = 0; l < LANES; l++)
                part[l] = src_row[LAST + l];
            for (size_t i = 0; i < FULL; i += LANES) {
                NET_LANES
                for (size_t l = 0; l < LANES; l++) {
                    const float v = src_row[i + l];
                    part[l] = v > part[l] ? v : part[l];
                }
            }
            for (size_t w = LANES / 2; w > 0; w /= 2)
                for (size_t l = 0; l < w; l++)
                    part[l] = part[l + w] > part[l] ? part[l + w] : part[l];
            max[r] = part[0];
        }
        for (size_t r = 0; r < rows; r++) {
            const float *restrict src_row = src_rows + r * SIZE;
            float *restrict dst_row = dst_rows + r * SIZE;
            float part[LANES];
            NET_LANES
            for (size_t l = 0; l < LANES; l++) {
                const float e = dnnlc_exp_negativef(src_row[LAST + l] - max[r]);
                dst_row[LAST + l] = e;
                part[l] = e * counts[l];
            }
            for (size_t i = 0; i < FULL; i += LANES) {
                NET_LANES
                for (size_t l = 0; l < LANES; l++) {
                    const float e = dnnlc_exp_negativef(src_row[i + l] - max[r]);
                    dst_row[i + l] = e;
                    part[l] += e;
                }
            }
            for (size_t w = LANES / 2; w > 0; w /= 2)
                for (size_t l = 0; l < w; l++)
                    part[l] += part[l + w];
            sum[r] = part[0];
        }
        for (size_t r = 0; r < BLOCK; r++)
            sum[r] = 1 / sum[r];
        for (size_t r = 0; r < rows; r++) {
            float *restrict dst_row = dst_rows + r * SIZE;
            for (size_t i = 0; i < SIZE; i++) {
                const float e = dst_row[i];
                dst_row[i] = e * sum[r];
            }
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
