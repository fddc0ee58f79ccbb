/* --- m_kernels_0.c --- */
/* e^c - 1 for -18 <= c <= 89, within 2 ulp, without cancellation near 0: 2^n (e^r - 1) + (2^n - 1). */
NET_INLINE float dnnlc_expm1_insidef(float c)
{
    float shifted = c * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    float r = c - n * 0.693359375f - n * -2.12194440e-4f;
    float p = 1.9913256193e-4f;
    p = p * r + 1.3942070556e-3f;
    p = p * r + 8.3332750053e-3f;
    p = p * r + 4.1666341669e-2f;
    p = p * r + 1.6666666807e-1f;
    p = p * r + 0.5f;
    p = r + r * r * p;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4b400000u + 126) << 23;
    float half; /* 2^(n-1): 2^128 would be infinite where the result is not */
    memcpy(&half, &bits, sizeof half);
    float y = half * p + (half - 0.5f);
    return y + y;
}

NET_INLINE float dnnlc_expm1f(float x)
{
    float c = x < -18.0f ? -18.0f : x;
    return dnnlc_expm1_insidef(c > 89.0f ? 89.0f : c);
}

/* tanh x, within 3 ulp: t / (t + 2) with t = e^(2|x|) - 1; beyond 10, found by the bits of |x| as an integer, it is 1. */
NET_INLINE float dnnlc_tanhf(float x)
{
    uint32_t size;
    memcpy(&size, &x, sizeof size);
    size &= 0x7fffffffu;
    size = size < 0x41200000u ? size : 0x41200000u; /* 10 */
    float a;
    memcpy(&a, &size, sizeof a);
    float t = dnnlc_expm1_insidef(a + a);
    float y = copysignf(t / (t + 2.0f), x);
    return isnan(x) ? x : y;
}

/*
 * MatMul, Add, Tanh
 * src f32[1,8], f32[8,8], f32[1,8]
 * dst f32[1,8]
 * The same for 10 more layers.
 */
/* Epilogue for one element: Add, Tanh. */
NET_INLINE float m_matmul_0_epilogue(const float x, const float addend)
{
    const float t1 = x + addend;
    return dnnlc_tanhf(t1);
}

NET_KERNEL
static void m_matmul_0_body(const float *restrict src, const float *restrict weights,
                            const float *restrict addend, float *restrict dst)
{
    enum { ROWS = 1, K = 8, N = 8 };
    for (size_t row = 0; row < ROWS; row++) {
        const float *restrict a = src + row * K;
        const float *restrict b = weights;
        float *restrict dst_row = dst + row * N;
        for (size_t j = 0; j < N; j++)
            dst_row[j] = 0;
        size_t k = 0;
        for (; k < K - K % 8; k += 8, b += 8 * N) {
            const float a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
            const float a4 = a[k + 4], a5 = a[k + 5], a6 = a[k + 6], a7 = a[k + 7];
            for (size_t j = 0; j < N; j++) {
                const float low = a0 * b[j] + a1 * b[N + j] + a2 * b[2 * N + j] + a3 * b[3 * N + j];
                const float high =
                    a4 * b[4 * N + j] + a5 * b[5 * N + j] + a6 * b[6 * N + j] + a7 * b[7 * N + j];
                dst_row[j] = dst_row[j] + (low + high);
            }
        }
        for (size_t j = 0; j < N; j++)
            dst_row[j] = m_matmul_0_epilogue(dst_row[j], addend[row * N + j]);
    }
}

void m_matmul_0(const float *restrict src, const float *restrict weights,
                const float *restrict addend, float *restrict dst)
{
    m_matmul_0_body(src, weights, addend, dst);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    MATMUL_0_DST = 0,
    MATMUL_1_DST = 64,
    MATMUL_2_DST = 0,
    MATMUL_8_DST = 0,
    MATMUL_9_DST = 64,
};

void m_c_0(const struct m_memory *m)
{
    /* matmul_0: MatMul + Add + Tanh */
    m_matmul_0(m->in[0], weights_at(m, 0), (const void *)((const unsigned char *)m->in[0] + 32),
               workspace_at(m, MATMUL_0_DST));
    m_trace(m, 0);
    for (size_t i = 0; i < 4; i++) {
        /* Layers 1 to 8, 2 at a time: the comments name the first. */
        /* matmul_1: MatMul + Add + Tanh */
        m_matmul_0(workspace_at(m, MATMUL_0_DST), weights_at(m, 0),
                   (const void *)((const unsigned char *)m->in[0] + 64 + 64 * i),
                   workspace_at(m, MATMUL_1_DST));
        m_trace(m, 1 + 2 * (unsigned)i);
        /* matmul_2: MatMul + Add + Tanh */
        m_matmul_0(workspace_at(m, MATMUL_1_DST), weights_at(m, 0),
                   (const void *)((const unsigned char *)m->in[0] + 96 + 64 * i),
                   workspace_at(m, MATMUL_2_DST));
        m_trace(m, 2 + 2 * (unsigned)i);
    }
    /* matmul_9: MatMul + Add + Tanh */
    m_matmul_0(workspace_at(m, MATMUL_8_DST), weights_at(m, 0),
               (const void *)((const unsigned char *)m->in[0] + 320),
               workspace_at(m, MATMUL_9_DST));
    m_trace(m, 9);
    /* matmul_10: MatMul + Add + Tanh */
    m_matmul_0(workspace_at(m, MATMUL_9_DST), weights_at(m, 0),
               (const void *)((const unsigned char *)m->in[0] + 352), m->out[0]);
    m_trace(m, 10);
}
