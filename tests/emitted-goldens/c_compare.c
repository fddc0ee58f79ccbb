/* --- m_kernels_0.c --- */
/*
 * LessOrEqual, Where
 * src f32[2,4,5,6], f32[6]
 * dst f32[2,4,5,6]
 */
NET_KERNEL
static void m_where_0_body(const float *restrict src, const float *restrict other,
                           float *restrict dst)
{
    for (size_t i0 = 0; i0 < 40; i0++)
        for (size_t i1 = 0; i1 < 6; i1++) {
            const float a0 = src[i0 * 6 + i1];
            const float a1 = other[i1];
            const uint8_t t0 = a0 <= a1;
            const float t1 = t0 ? a0 : a1;
            dst[i0 * 6 + i1] = t1;
        }
}

void m_where_0(const float *restrict src, const float *restrict other, float *restrict dst)
{
    m_where_0_body(src, other, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* where_0: LessOrEqual + Where */
    m_where_0(m->in[0], m->in[1], m->out[0]);
    m_trace(m, 0);
}
