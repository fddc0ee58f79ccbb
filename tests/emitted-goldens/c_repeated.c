/* --- m_kernels_0.c --- */
/* Their bits are in order as integers, which compilers vectorise better than comparisons of floats. A NaN is more than any number. */
NET_INLINE float dnnlc_lesserf(float a, float b)
{
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = x < y ? x : y;
    memcpy(&a, &x, sizeof a);
    return a;
}

/* tanh x, within 5.75 ulp: |x| P(x^2) / Q(x^2), a minimax quotient (relative error 2.1e-8, coefficients chosen among their neighbours for the least
 * error of the whole) on |x| <= 9.02, and constant farther out, where what is 1 or more becomes 1. */
NET_INLINE float dnnlc_tanhf(float x)
{
    const float near = dnnlc_lesserf(fabsf(x), 9.02f), s = near * near;
    float p = 1.332012811e-8f, q = 7.762489531e-7f;
    p = p * s + 2.058433347e-5f;
    p = p * s + 3.494087839e-3f;
    p = p * s + 0.1337976307f;
    p = p * s + 1.0f;
    q = q * s + 3.283178958e-4f;
    q = q * s + 2.587127499e-2f;
    q = q * s + 0.4671308398f;
    q = q * s + 1.0f;
    const float y = copysignf(dnnlc_lesserf(near * p / q, 1.0f), x);
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
