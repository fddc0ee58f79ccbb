/* --- m_kernels_0.c --- */
/* x (1 + erf(x / sqrt 2)) / 2, within 2.5e-7 |x|: x / 2 + |x| S with half of the error function, S = |x| P(x^2) / Q(x^2), limited to 1/2. P / Q is a minimax
 * quotient on |x| <= 5.419; S is constant farther out. Clamping works on the bits of positive floats as integers, which compilers vectorise better
 * than comparisons. */
NET_INLINE float dnnlc_geluf(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t size = bits & 0x7fffffffu;
    bits = size < 0x40ad6aa1u ? size : 0x40ad6aa1u; /* 5.419 */
    float a, near;
    memcpy(&a, &size, sizeof a);
    memcpy(&near, &bits, sizeof near);
    const float s = near * near;
    float p = 0.01939032404f, q = s + 58.03464614f;
    p = p * s + 5.170735143f;
    p = p * s + 130.808723f;
    p = p * s + 3774.390202f;
    p = p * s + 26900.03506f;
    p = p * s + 325359.3279f;
    q = q * s + 1498.325881f;
    q = q * s + 22964.88952f;
    q = q * s + 203354.0424f;
    q = q * s + 815554.9007f;
    float half = near * p / q;
    memcpy(&bits, &half, sizeof bits);
    bits = bits < 0x3f000000u ? bits : 0x3f000000u;
    memcpy(&half, &bits, sizeof half);
    return 0.5f * x + a * half;
}

/*
 * Gelu
 * src f32[2,4,5,6]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_gelu_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 240; i0++)
        dst[i0] = dnnlc_geluf(src[i0]);
}

void m_gelu_0(const float *restrict src, float *restrict dst)
{
    m_gelu_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* gelu_0: Gelu */
    m_gelu_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
