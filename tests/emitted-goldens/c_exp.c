/* --- m_kernels_0.c --- */
/* e^x, within 1.1 ulp. x = n ln2 + r with |r| <= ln2/2; e^r is a minimax polynomial (error 4e-9); 2^n is applied in two
 * steps so that subnormal results and overflow come out right. Adding 1.5 * 2^23 rounds to the nearest integer. x is
 * clamped to +-104 by its bits as an integer, which compilers vectorise better than comparisons of floats. */
NET_INLINE float dnnlc_expf(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t size = bits & 0x7fffffffu;
    size = size < 0x42d00000u ? size : 0x42d00000u; /* 104 */
    bits = (bits & 0x80000000u) | size;
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
    int32_t k = (int32_t)(bits - 0x4b400000u);
    uint32_t half = (uint32_t)(k >> 1), rest = (uint32_t)k - half;
    half = (half + 127) << 23;
    rest = (rest + 127) << 23;
    float a, b;
    memcpy(&a, &half, sizeof a);
    memcpy(&b, &rest, sizeof b);
    return isnan(x) ? x : p * a * b;
}

/*
 * Exp
 * src f32[2,4,5,6]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_exp_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 240; i0++)
        dst[i0] = dnnlc_expf(src[i0]);
}

void m_exp_0(const float *restrict src, float *restrict dst)
{
    m_exp_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* exp_0: Exp */
    m_exp_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
