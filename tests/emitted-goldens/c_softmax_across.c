/* --- m_softmax_across.h --- */
NET_KERNEL
static void kernel_body(const float *restrict src, float *restrict dst)
{
    enum { ROWS = 134, SIZE = 4, STRETCH = 64 };
    size_t row = 0;
    for (; row + STRETCH <= ROWS; row += STRETCH)
        kernel_block(src + row * SIZE, dst + row * SIZE, STRETCH);
    if (row < ROWS)
        kernel_block(src + row * SIZE, dst + row * SIZE, ROWS - row);
}

void kernel(const float *restrict src, float *restrict dst)
{
    kernel_body(src, dst);
}

#undef kernel_body
#undef kernel_block
#undef kernel
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

/* ln x, within 1.5 ulp. x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); ln(1 + f) = f - f^2/2 + f^3 P(f) with a minimax P;
 * ln2 in two parts (Cody and Waite 1980). Subnormals are scaled first; then ln 0 = -inf and ln of what is negative is NaN. */
NET_INLINE float dnnlc_logf(float x)
{
    float scale = x < 0x1p-126f ? 0x1p25f : 1.0f, bias = x < 0x1p-126f ? 25.0f : 0.0f;
    float scaled = x * scale;
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    bits -= 0x3f3504f3u;
    float e = (float)((int32_t)bits >> 23) - bias, m;
    bits = (bits & 0x7fffffu) + 0x3f3504f3u;
    memcpy(&m, &bits, sizeof m);
    float f = m - 1.0f, f2 = f * f, p = -7.8593985851e-2f;
    p = p * f + 1.2880948835e-1f;
    p = p * f - 1.3128489417e-1f;
    p = p * f + 1.4181282228e-1f;
    p = p * f - 1.6624594359e-1f;
    p = p * f + 2.0002282992e-1f;
    p = p * f - 2.5000809028e-1f;
    p = p * f + 3.3333316764e-1f;
    float y = f * f2 * p + e * -2.12194440e-4f - 0.5f * f2;
    y = f + y + e * 0.693359375f;
    y = x > 0.0f ? y : -INFINITY;
    y = x < 0.0f ? NAN : y;
    return x < INFINITY ? y : x;
}

/*
 * Softmax
 * src f32[2,67,4]
 * dst f32[2,67,4]
 */
#define KERNEL(part) m_softmax_0##part
/* `n` rows, transposed to begin with and back in the end. */
NET_INLINE void m_softmax_0_block(const float *restrict src, float *restrict dst, const size_t n)
{
    enum { SIZE = 4, STRETCH = 64 };
    float x[SIZE][STRETCH], max[STRETCH], sum[STRETCH];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < SIZE; i++)
            x[i][j] = src[j * SIZE + i];
    for (size_t j = 0; j < n; j++) {
        max[j] = x[0][j];
        sum[j] = 0;
    }
    for (size_t i = 1; i < SIZE; i++)
        for (size_t j = 0; j < n; j++)
            max[j] = x[i][j] > max[j] ? x[i][j] : max[j];
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < n; j++) {
            const float e = dnnlc_exp_negativef(x[i][j] - max[j]);
            x[i][j] = e;
            sum[j] += e;
        }
    for (size_t j = 0; j < n; j++)
        sum[j] = 1 / sum[j];
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < n; j++) {
            const float e = x[i][j];
            x[i][j] = e * sum[j];
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < SIZE; i++)
            dst[j * SIZE + i] = x[i][j];
}

#include "m_softmax_across.h"

#undef KERNEL

/*
 * LogSoftmax
 * src f32[2,67,4]
 * dst f32[2,67,4]
 */
#define KERNEL(part) m_logsoftmax_1##part
/* `n` rows, transposed to begin with and back in the end. */
NET_INLINE void m_logsoftmax_1_block(const float *restrict src, float *restrict dst, const size_t n)
{
    enum { SIZE = 4, STRETCH = 64 };
    float x[SIZE][STRETCH], max[STRETCH], sum[STRETCH];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < SIZE; i++)
            x[i][j] = src[j * SIZE + i];
    for (size_t j = 0; j < n; j++) {
        max[j] = x[0][j];
        sum[j] = 0;
    }
    for (size_t i = 1; i < SIZE; i++)
        for (size_t j = 0; j < n; j++)
            max[j] = x[i][j] > max[j] ? x[i][j] : max[j];
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < n; j++) {
            const float e = dnnlc_exp_negativef(x[i][j] - max[j]);
            sum[j] += e;
        }
    for (size_t j = 0; j < n; j++)
        sum[j] = max[j] + dnnlc_logf(sum[j]);
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < n; j++) {
            const float e = x[i][j];
            x[i][j] = e - sum[j];
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < SIZE; i++)
            dst[j * SIZE + i] = x[i][j];
}

#include "m_softmax_across.h"

#undef KERNEL
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* softmax_0: Softmax */
    m_softmax_0(m->in[0], m->out[0]);
    m_trace(m, 0);
    /* logsoftmax_1: LogSoftmax */
    m_logsoftmax_1(m->in[0], m->out[1]);
    m_trace(m, 1);
}
