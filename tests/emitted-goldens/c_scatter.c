/* --- m_kernels_0.c --- */
/*
 * ScatterElements
 * src f32[2,4,5,6], i64[2,4,1,6], f32[2,4,1,6]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_scatterelements_0_body(const float *restrict src, const int64_t *restrict indices,
                                     const float *restrict updates, float *restrict dst)
{
    memcpy(dst, src, 960);
    for (size_t i0 = 0; i0 < 8; i0++)
        for (size_t i1 = 0; i1 < 6; i1++) {
            int64_t at = indices[i0 * 6 + i1];
            at += at < 0 ? 5 : 0;
            if (at >= 0 && at < 5) {
                const size_t to = i0 * 30 + i1 + (size_t)at * 6;
                const float x = dst[to];
                const float y = updates[i0 * 6 + i1];
                dst[to] = x + y;
            }
        }
}

void m_scatterelements_0(const float *restrict src, const int64_t *restrict indices,
                         const float *restrict updates, float *restrict dst)
{
    m_scatterelements_0_body(src, indices, updates, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* scatterelements_0: ScatterElements */
    m_scatterelements_0(m->in[0], m->in[1], m->in[2], m->out[0]);
    m_trace(m, 0);
}
