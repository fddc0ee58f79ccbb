/* --- m_kernels_0.c --- */
/* Negative indices count from the end; what is outside is clamped, in a branch that is not taken: minima and maxima of 64 bits make
 * compilers gather in vectors, which is slower. */
NET_INLINE size_t dnnlc_index(int64_t i, int64_t size)
{
    i += size & -(int64_t)(i < 0);
    return (uint64_t)i < (uint64_t)size ? (size_t)i : i < 0 ? 0 : (size_t)size - 1;
}

/*
 * GatherElements
 * src f32[2,4,5,6], i64[2,4,1,6]
 * dst f32[2,4,1,6]
 */
NET_KERNEL
static void m_gatherelements_0_body(const float *restrict src, const int64_t *restrict indices,
                                    float *restrict dst)
{
    for (size_t i0 = 0; i0 < 8; i0++)
        for (size_t i1 = 0; i1 < 6; i1++)
            dst[i0 * 6 + i1] = src[i0 * 30 + i1 + dnnlc_index(indices[i0 * 6 + i1], 5) * 6];
}

void m_gatherelements_0(const float *restrict src, const int64_t *restrict indices,
                        float *restrict dst)
{
    m_gatherelements_0_body(src, indices, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* gatherelements_0: GatherElements */
    m_gatherelements_0(m->in[0], m->in[1], m->out[0]);
    m_trace(m, 0);
}
