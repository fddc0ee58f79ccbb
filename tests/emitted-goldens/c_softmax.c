/* --- m_kernels_0.c --- */
/* 2^y for y <= 0, within 2.5e-7 of it where y is above -126.5, and 0 below: hardly any result is subnormal, as those of masked elements would be,
 * which cost processors a hundred cycles each. y = n + f with |f| <= 1/2; 2^f is a minimax polynomial (error 7.5e-8). Adding 1.5 * 2^23 rounds
 * to the nearest integer; with 127 more the low bits of the sum are the exponent field of 2^n, 0 for n = -127. NaN goes through all of it. */
NET_INLINE float dnnlc_exp2_negativef(float y)
{
    float c = y < -127.0f ? -127.0f : y;
    float shifted = c + 12583039.0f, f = c - (shifted - 12583039.0f);
    float p = 1.3276472e-3f;
    p = p * f + 9.6755413e-3f;
    p = p * f + 5.5507133e-2f;
    p = p * f + 2.4022120e-1f;
    p = p * f + 6.9314697e-1f;
    p = p * f + 1.0000001f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}
/* e^x for x <= 0, within 2.5e-7 + 7.5e-8 |x| of it: sums of exponentials hardly notice those that are small. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    return dnnlc_exp2_negativef(x * 1.44269504f);
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
    enum { ROWS = 40, SIZE = 60, BLOCK = 8, LANES = 16 };
    enum { FULL = 48, LAST = 44 };
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
            NET_LANES
            for (size_t l = 0; l < 8; l++)
                part[l] = part[l + 8] > part[l] ? part[l + 8] : part[l];
            NET_LANES
            for (size_t l = 0; l < 4; l++)
                part[l] = part[l + 4] > part[l] ? part[l + 4] : part[l];
            NET_LANES
            for (size_t l = 0; l < 2; l++)
                part[l] = part[l + 2] > part[l] ? part[l + 2] : part[l];
            NET_LANES
            for (size_t l = 0; l < 1; l++)
                part[l] = part[l + 1] > part[l] ? part[l + 1] : part[l];
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
            NET_LANES
            for (size_t l = 0; l < 8; l++)
                part[l] += part[l + 8];
            NET_LANES
            for (size_t l = 0; l < 4; l++)
                part[l] += part[l + 4];
            NET_LANES
            for (size_t l = 0; l < 2; l++)
                part[l] += part[l + 2];
            NET_LANES
            for (size_t l = 0; l < 1; l++)
                part[l] += part[l + 1];
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
