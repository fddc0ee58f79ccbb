/* --- m_eltwise.h --- */
NET_KERNEL
static void kernel_body(const float *restrict src, const float *restrict factor,
                        const float *restrict addend, float *restrict dst)
{
    for (size_t i0 = 0; i0 < KERNEL_N0; i0++)
        for (size_t i1 = 0; i1 < KERNEL_N1; i1++) {
            const float t0 = src[i0 * KERNEL_N1 + i1] * factor[i1];
            const float t1 = fabsf(t0);
            const float t2 = t1 + addend[i1];
            const float t3 = sqrtf(t2);
            dst[i0 * KERNEL_N1 + i1] = t3;
        }
}

void kernel(const float *restrict src, const float *restrict factor, const float *restrict addend,
            float *restrict dst)
{
    kernel_body(src, factor, addend, dst);
}

#undef kernel_body
#undef kernel
#undef KERNEL_N0
#undef KERNEL_N1
/* --- m_kernels_0.c --- */
/*
 * Mul, Abs, Add, Sqrt
 * src f32[9,16], f32[16], f32[16]
 * dst f32[9,16]
 */
NET_KERNEL
static void m_sqrt_2_body(const float *restrict src, const float *restrict factor,
                          const float *restrict addend, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 9; i0++) {
        NET_LANES
        for (size_t i1 = 0; i1 < 16; i1++) {
            const float t0 = src[i0 * 16 + i1] * factor[i1];
            const float t1 = fabsf(t0);
            const float t2 = t1 + addend[i1];
            const float t3 = sqrtf(t2);
            dst[i0 * 16 + i1] = t3;
        }
    }
}

void m_sqrt_2(const float *restrict src, const float *restrict factor, const float *restrict addend,
              float *restrict dst)
{
    m_sqrt_2_body(src, factor, addend, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* sqrt_0: Mul + Abs + Add + Sqrt */
    m_sqrt_0(m->in[0], weights_at(m, 0), weights_at(m, 192), m->out[0]);
    m_trace(m, 0);
    /* sqrt_1: Mul + Abs + Add + Sqrt */
    m_sqrt_1(m->in[1], weights_at(m, 384), weights_at(m, 512), m->out[1]);
    m_trace(m, 1);
    /* sqrt_2: Mul + Abs + Add + Sqrt */
    m_sqrt_2(m->in[2], weights_at(m, 640), weights_at(m, 704), m->out[2]);
    m_trace(m, 2);
}
