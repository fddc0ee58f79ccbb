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

/* 1 + e^-x, with x clamped to |x| <= 87.3365. -x = n ln2 - u with |u| <= ln2/2; e^-u is a minimax
 * polynomial (error 1e-7), to whose exponent n is added. Adding 1.5 * 2^23 rounds to the nearest integer and leaves n in the lowest bits. The
 * clamping works on the bits of x as integers, which compilers vectorise better than comparisons of floats: positive
 * floats are in order as signed integers, negative ones as unsigned ones the other way round. A NaN becomes a bound. */
NET_INLINE float dnnlc_logistic_divisorf(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits < 0x42aeac4f ? bits : 0x42aeac4f; /* 87.3365 */
    uint32_t k = (uint32_t)bits < 0xc2aeac4fu ? (uint32_t)bits : 0xc2aeac4fu;
    float c;
    memcpy(&c, &k, sizeof c);
    float shifted = c * -1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
#if defined(NET_CLONED) || defined(__FMA__) || defined(FP_FAST_FMAF)
    float u = fmaf(n, 0.693147182f, c); /* exact but for ln2, which lacks 2e-9 */
#else
    float u = c + n * 0.693359375f + n * -2.12194440e-4f;
#endif
    float p = -8.2894405350e-3f;
    p = p * u + 4.1897837073e-2f;
    p = p * u - 1.6667650640e-1f;
    p = p * u + 4.9999150634e-1f;
    p = p * u - 9.9999970198e-1f;
    p = p * u + 1.0f;
    uint32_t scaled;
    memcpy(&k, &shifted, sizeof k);
    memcpy(&scaled, &p, sizeof scaled);
    scaled += k << 23;
    memcpy(&p, &scaled, sizeof p);
    return p + 1.0f;
}

/* 1 / (1 + e^-x), within 3.5 ulp, or 6.5 with fused multiply-adds, where that is a normal number, the smallest one where it is not. */
NET_INLINE float dnnlc_sigmoidf(float x)
{
    float y = 1.0f / dnnlc_logistic_divisorf(x);
    return isnan(x) ? x : y;
}

/* x / (1 + e^-x), within 3.75 ulp of normal numbers, or 6.5 with fused multiply-adds. */
NET_INLINE float dnnlc_swishf(float x)
{
    return x / dnnlc_logistic_divisorf(x);
}

/*
 * GRU
 * src f32[5,3,6], f32[1,12,6] acb, f32[1,12,4] acb
 * dst f32[5,1,3,4]
 */
/* sum[m][j] += x[m][k] w[k][j] for all k and the first columns j: the weights are read from start to end, by two rows at
 * a time. */
NET_INLINE void m_gru_0_product(const float *restrict w, const float *restrict x,
                                float *restrict sum, const size_t rows, const size_t depth,
                                const size_t columns)
{
    enum { GATES = 12 };
    size_t m = 0;
    for (; m + 2 <= rows; m += 2) {
        const float *restrict x0 = x + m * depth, *restrict x1 = x0 + depth;
        float *restrict s0 = sum + m * GATES, *restrict s1 = s0 + GATES;
        const float *restrict row = w;
        size_t k = 0;
        for (; k + 4 <= depth; k += 4, row += 4 * GATES)
            for (size_t j = 0; j < columns; j++) {
                const float w0 = row[j], w1 = row[GATES + j];
                const float w2 = row[2 * GATES + j], w3 = row[3 * GATES + j];
                s0[j] += (x0[k] * w0 + x0[k + 1] * w1) + (x0[k + 2] * w2 + x0[k + 3] * w3);
                s1[j] += (x1[k] * w0 + x1[k + 1] * w1) + (x1[k + 2] * w2 + x1[k + 3] * w3);
            }
        for (; k < depth; k++, row += GATES)
            for (size_t j = 0; j < columns; j++) {
                s0[j] += x0[k] * row[j];
                s1[j] += x1[k] * row[j];
            }
    }
    for (; m < rows; m++) {
        const float *restrict v = x + m * depth, *restrict row = w;
        float *restrict s = sum + m * GATES;
        size_t k = 0;
        for (; k + 4 <= depth; k += 4, row += 4 * GATES)
            for (size_t j = 0; j < columns; j++)
                s[j] += (v[k] * row[j] + v[k + 1] * row[GATES + j]) +
                        (v[k + 2] * row[2 * GATES + j] + v[k + 3] * row[3 * GATES + j]);
        for (; k < depth; k++, row += GATES)
            for (size_t j = 0; j < columns; j++)
                s[j] += v[k] * row[j];
    }
}

NET_INLINE float m_gru_0_act_f(float v)
{
    return dnnlc_sigmoidf(v);
}

NET_INLINE float m_gru_0_act_g(float v)
{
    return dnnlc_tanhf(v);
}

/* z, r = f(Wx + Rh + b), n = g(…) with the reset state, h = (1 - z) n + z h; sum is Wx and its bias */
NET_INLINE void m_gru_0_step(const float *restrict r, float *restrict sum, float *restrict h,
                             float *restrict from_h, const size_t rows)
{
    enum { HIDDEN = 4, GATES = 3 * HIDDEN };
    for (size_t m = 0; m < rows; m++)
        for (size_t j = 0; j < GATES; j++)
            from_h[m * GATES + j] = 0;
    m_gru_0_product(r, h, from_h, rows, HIDDEN, GATES);
    for (size_t m = 0; m < rows; m++, sum += GATES, from_h += GATES, h += HIDDEN) {
        NET_LANES
        for (size_t j = 0; j < 2 * HIDDEN; j++)
            sum[j] = m_gru_0_act_f(sum[j] + from_h[j]);
        NET_LANES
        for (size_t j = 0; j < HIDDEN; j++) {
            const float n = from_h[2 * HIDDEN + j];
            const float next = m_gru_0_act_g(sum[2 * HIDDEN + j] + sum[HIDDEN + j] * n);
            h[j] = (1 - sum[j]) * next + sum[j] * h[j];
        }
    }
}

NET_KERNEL
static void m_gru_0_body(const float *restrict src_layer, const float *restrict weights_layer,
                         const float *restrict weights_iter, float *restrict dst_layer,
                         void *restrict scratch)
{
    enum { STEPS = 5, BATCH = 3, INPUT = 6, HIDDEN = 4, GATES = 12 };
    float *restrict sums = scratch; /* [STEPS * BATCH][GATES]: Wx + b, then the gates */
    float *restrict h = sums + STEPS * BATCH * GATES;
    float *restrict from_h = h + BATCH * HIDDEN; /* [BATCH][GATES]: Rh + b */
    {                                            /* from the start */
        const float *restrict w = weights_layer;
        const float *restrict r = weights_iter;
        for (size_t m = 0; m < STEPS * BATCH; m++)
            for (size_t j = 0; j < GATES; j++)
                sums[m * GATES + j] = 0;
        m_gru_0_product(w, src_layer, sums, STEPS * BATCH, INPUT, GATES);
        for (size_t j = 0; j < BATCH * HIDDEN; j++)
            h[j] = 0;
        for (ptrdiff_t i = 0; i < STEPS; i++)
            for (ptrdiff_t b = 0; b < BATCH; b += BATCH) {
                const ptrdiff_t t = i;
                float *restrict sum = sums + (t * BATCH + b) * GATES;
                m_gru_0_step(r, sum, h + b * HIDDEN, from_h + b * GATES, BATCH);
                for (ptrdiff_t j = 0; j < BATCH * HIDDEN; j++)
                    dst_layer[(t * BATCH + b) * HIDDEN + j] = h[b * HIDDEN + j];
            }
    }
}

void m_gru_0(const float *restrict src_layer, const float *restrict weights_layer,
             const float *restrict weights_iter, float *restrict dst_layer, void *restrict scratch)
{
    m_gru_0_body(src_layer, weights_layer, weights_iter, dst_layer, scratch);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    GRU_0_SCRATCH = 0,
};

void m_c_0(const struct m_memory *m)
{
    /* gru_0: GRU */
    m_gru_0(m->in[0], weights_at(m, 0), weights_at(m, 320), m->out[0],
            workspace_at(m, GRU_0_SCRATCH));
    m_trace(m, 0);
}
