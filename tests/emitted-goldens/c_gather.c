/* --- m_kernels_0.c --- */
/* Negative indices count from the end; what is outside is clamped, in a branch that is not taken: minima and maxima of 64 bits make
 * compilers gather in vectors, which is slower. */
NET_INLINE size_t dnnlc_index(int64_t i, int64_t size)
{
    i += size & -(int64_t)(i < 0);
    return (uint64_t)i < (uint64_t)size ? (size_t)i : i < 0 ? 0 : (size_t)size - 1;
}

/*
 * Gather
 * src f32[10,16], i64[7]
 * dst f32[7,16]
 */
NET_KERNEL
static void m_gather_0_body(const float *restrict src, const int64_t *restrict indices,
                            float *restrict dst)
{
    for (size_t j = 0; j < 7; j++) {
        const size_t at = dnnlc_index(indices[j], 10);
        memcpy(dst + j * 16, src + at * 16, 16 * sizeof *dst);
    }
}

void m_gather_0(const float *restrict src, const int64_t *restrict indices, float *restrict dst)
{
    m_gather_0_body(src, indices, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* gather_0: Gather */
    m_gather_0(weights_at(m, 0), m->in[0], m->out[0]);
    m_trace(m, 0);
}
