/* --- m_kernels_0.c --- */
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
 * Relu
 * src f32[2,4,5,6]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_relu_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 240; i0++) {
        const float x = src[i0];
        dst[i0] = x < 0 ? 0 : x;
    }
}

void m_relu_0(const float *restrict src, float *restrict dst)
{
    m_relu_0_body(src, dst);
}

/*
 * Sigmoid
 * src f32[2,3,5,6]
 * dst f32[2,3,5,6]
 */
NET_KERNEL
static void m_sigmoid_1_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 180; i0++)
        dst[i0] = dnnlc_sigmoidf(src[i0]);
}

void m_sigmoid_1(const float *restrict src, float *restrict dst)
{
    m_sigmoid_1_body(src, dst);
}

/*
 * Concat
 * src f32[2,4,5,6], f32[2,3,5,6]
 * dst f32[2,7,5,6]
 */
NET_KERNEL
static void m_concat_2_body(const float *restrict src0, const float *restrict src1,
                            float *restrict dst)
{
    for (size_t i0 = 0; i0 < 2; i0++)
        memcpy(dst + i0 * 210, src0 + i0 * 120, 120 * sizeof *dst);
    for (size_t i0 = 0; i0 < 2; i0++)
        memcpy(dst + 120 + i0 * 210, src1 + i0 * 90, 90 * sizeof *dst);
}

void m_concat_2(const float *restrict src0, const float *restrict src1, float *restrict dst)
{
    m_concat_2_body(src0, src1, dst);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    RELU_0_DST = 0,
    SIGMOID_1_DST = 960,
};

void m_c_0(const struct m_memory *m)
{
    /* relu_0: Relu */
    m_relu_0(m->in[0], workspace_at(m, RELU_0_DST));
    m_trace(m, 0);
    /* sigmoid_1: Sigmoid */
    m_sigmoid_1(m->in[1], workspace_at(m, SIGMOID_1_DST));
    m_trace(m, 1);
    /* concat_2: Concat */
    m_concat_2(workspace_at(m, RELU_0_DST), workspace_at(m, SIGMOID_1_DST), m->out[0]);
    m_trace(m, 2);
}
