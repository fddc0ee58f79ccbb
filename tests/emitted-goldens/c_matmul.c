/* --- m_kernels_0.c --- */
/*
 * MatMul
 * src f32[3,8], f32[8,16]
 * dst f32[3,16]
 */
NET_KERNEL
static void m_matmul_0_body(const float *restrict src, const float *restrict weights,
                            float *restrict dst)
{
    enum { ROWS = 3, K = 8, N = 16 };
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
    }
}

void m_matmul_0(const float *restrict src, const float *restrict weights, float *restrict dst)
{
    m_matmul_0_body(src, weights, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* matmul_0: MatMul */
    m_matmul_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
