/* --- m_kernels_0.c --- */
/*
 * OneHot
 * src i32[3,4], f32[2]
 * dst f32[3,7,4]
 */
NET_KERNEL
static void m_onehot_0_body(const int32_t *restrict src0, const float *restrict src1,
                            float *restrict dst0)
{
    for (size_t i = 0; i < 84; i++)
        dst0[i] = src1[0];
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++) {
            int64_t at = (int64_t)src0[i * 4 + j];
            at += at < 0 ? 7 : 0;
            if (at >= 0 && at < 7)
                dst0[(i * 7 + (size_t)at) * 4 + j] = src1[1];
        }
}

void m_onehot_0(const int32_t *restrict src0, const float *restrict src1, float *restrict dst0)
{
    m_onehot_0_body(src0, src1, dst0);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* onehot_0: OneHot */
    m_onehot_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
