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

/* x (1 + erf(x / sqrt 2)) / 2, within 2.5e-7 |x|: x / 2 + |x| S with half of the error function, S = |x| P(x^2) / Q(x^2), limited to 1/2. P / Q is a minimax
 * quotient on |x| <= 5.419; S is constant farther out. */
NET_INLINE float dnnlc_geluf(float x)
{
    const float a = fabsf(x), near = dnnlc_lesserf(a, 5.41926622f), s = near * near;
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
    return 0.5f * x + a * dnnlc_lesserf(near * p / q, 0.5f);
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
