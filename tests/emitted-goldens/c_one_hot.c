/* --- m_kernels_0.c --- */
/*
 * OneHot
 * src i32[3,4], f32[2]
 * dst f32[3,7,4]
 */
NET_KERNEL
static void m_onehot_0_body(const int32_t *restrict indices, const float *restrict values,
                            float *restrict dst)
{
    enum { OUTER = 3, DEPTH = 7, INNER = 4 };
    for (size_t i = 0; i < (size_t)OUTER * DEPTH * INNER; i++)
        dst[i] = values[0];
    for (size_t i = 0; i < OUTER; i++)
        for (size_t j = 0; j < INNER; j++) {
            int64_t at = (int64_t)indices[i * INNER + j];
            at += at < 0 ? DEPTH : 0;
            if (at >= 0 && at < DEPTH)
                dst[(i * DEPTH + (size_t)at) * INNER + j] = values[1];
        }
}

void m_onehot_0(const int32_t *restrict indices, const float *restrict values, float *restrict dst)
{
    m_onehot_0_body(indices, values, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* onehot_0: OneHot */
    m_onehot_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
