/* --- m_kernels_0.c --- */
/*
 * Concat
 * src f32[5,3,1], f32[5,3,2]
 * dst f32[5,3,3]
 */
NET_KERNEL
static void m_concat_0_body(const float *restrict src0, const float *restrict src1,
                            float *restrict dst)
{
    for (size_t i0 = 0; i0 < 15; i0++) {
        dst[i0 * 3] = src0[i0];
        dst[1 + i0 * 3] = src1[i0 * 2];
        dst[2 + i0 * 3] = src1[1 + i0 * 2];
    }
}

void m_concat_0(const float *restrict src0, const float *restrict src1, float *restrict dst)
{
    m_concat_0_body(src0, src1, dst);
}

/*
 * Split
 * src f32[5,3,3]
 * dst f32[5,3,1], f32[5,3,2]
 */
NET_KERNEL
static void m_split_1_body(const float *restrict src, float *restrict dst0, float *restrict dst1)
{
    for (size_t i0 = 0; i0 < 15; i0++) {
        dst0[i0] = src[i0 * 3];
        dst1[i0 * 2] = src[1 + i0 * 3];
        dst1[1 + i0 * 2] = src[2 + i0 * 3];
    }
}

void m_split_1(const float *restrict src, float *restrict dst0, float *restrict dst1)
{
    m_split_1_body(src, dst0, dst1);
}

/*
 * Concat
 * src u8[15,4], u8[15,4]
 * dst u8[15,8]
 */
NET_KERNEL
static void m_concat_2_body(const uint8_t *restrict src0, const uint8_t *restrict src1,
                            uint8_t *restrict dst)
{
    for (size_t i0 = 0; i0 < 15; i0++) {
        memcpy(dst + i0 * 8, src0 + i0 * 4, 4 * sizeof *dst);
        memcpy(dst + 4 + i0 * 8, src1 + i0 * 4, 4 * sizeof *dst);
    }
}

void m_concat_2(const uint8_t *restrict src0, const uint8_t *restrict src1, uint8_t *restrict dst)
{
    m_concat_2_body(src0, src1, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* concat_0: Concat */
    m_concat_0(m->in[0], m->in[1], m->out[2]);
    m_trace(m, 0);
    /* split_1: Split */
    m_split_1(m->out[2], m->out[0], m->out[1]);
    m_trace(m, 1);
    /* concat_2: Concat */
    m_concat_2(m->in[2], m->in[3], m->out[3]);
    m_trace(m, 2);
}
