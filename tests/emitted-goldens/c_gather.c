/* --- m_kernels_0.c --- */
/* Negative indices count from the end; what is outside is clamped. */
NET_INLINE size_t dnnlc_index(int64_t i, int64_t size)
{
    i += i < 0 ? size : 0;
    return (size_t)(i < 0 ? 0 : i >= size ? size - 1 : i);
}

/*
 * Gather
 * src f32[10,16], i64[7]
 * dst f32[7,16]
 */
NET_KERNEL
static void m_gather_0_body(const float *restrict src0, const int64_t *restrict src1,
                            float *restrict dst0)
{
    for (size_t j = 0; j < 7; j++) {
        const size_t at = dnnlc_index(src1[j], 10);
        memcpy(dst0 + j * 16, src0 + at * 16, 16 * sizeof *dst0);
    }
}

void m_gather_0(const float *restrict src0, const int64_t *restrict src1, float *restrict dst0)
{
    m_gather_0_body(src0, src1, dst0);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* gather_0: Gather */
    m_gather_0(weights_at(m, 0), m->in[0], m->out[0]);
    m_trace(m, 0);
}
