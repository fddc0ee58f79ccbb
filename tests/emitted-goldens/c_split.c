/* --- m_kernels_0.c --- */
/*
 * Split
 * src f32[2,4,5,6]
 * dst f32[2,4,5,2], f32[2,4,5,4]
 */
NET_KERNEL
static void m_split_0_body(const float *restrict src, float *restrict dst0, float *restrict dst1)
{
    for (size_t i0 = 0; i0 < 40; i0++) {
        memcpy(dst0 + i0 * 2, src + i0 * 6, 2 * sizeof *dst0);
        memcpy(dst1 + i0 * 4, src + 2 + i0 * 6, 4 * sizeof *dst1);
    }
}

void m_split_0(const float *restrict src, float *restrict dst0, float *restrict dst1)
{
    m_split_0_body(src, dst0, dst1);
}

/*
 * Mul
 * src f32[2,4,5,4], f32[2,4,5,4]
 * dst f32[2,4,5,4]
 */
NET_KERNEL
static void m_mul_1_body(const float *restrict src, const float *restrict factor,
                         float *restrict dst)
{
    (void)factor;
    for (size_t i0 = 0; i0 < 160; i0++) {
        const float x = src[i0];
        dst[i0] = x * x;
    }
}

void m_mul_1(const float *restrict src, const float *restrict factor, float *restrict dst)
{
    m_mul_1_body(src, factor, dst);
}

/*
 * Neg
 * src f32[2,4,5,2]
 * dst f32[2,4,5,2]
 */
NET_KERNEL
static void m_neg_2_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 80; i0++)
        dst[i0] = -src[i0];
}

void m_neg_2(const float *restrict src, float *restrict dst)
{
    m_neg_2_body(src, dst);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    SPLIT_0_DST0 = 640,
    SPLIT_0_DST1 = 0,
};

void m_c_0(const struct m_memory *m)
{
    /* split_0: Split */
    m_split_0(m->in[0], workspace_at(m, SPLIT_0_DST0), workspace_at(m, SPLIT_0_DST1));
    m_trace(m, 0);
    /* mul_1: Mul */
    m_mul_1(workspace_at(m, SPLIT_0_DST1), workspace_at(m, SPLIT_0_DST1), m->out[0]);
    m_trace(m, 1);
    /* neg_2: Neg */
    m_neg_2(workspace_at(m, SPLIT_0_DST0), m->out[1]);
    m_trace(m, 2);
}
