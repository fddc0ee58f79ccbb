/* --- m_kernels_0.c --- */
/*
 * ReduceMean
 * src f32[2,4,5,6]
 * dst f32[1,4,5,6]
 */
NET_KERNEL
static void m_reducemean_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t c = 0; c < 120; c += 64) {
        const size_t n = 120 - c < 64 ? 120 - c : 64;
        float acc[64];
        for (size_t j = 0; j < n; j++)
            acc[j] = 0;
        for (size_t i1 = 0; i1 < 2; i1++) {
            for (size_t j = 0; j < n; j++) {
                const float x = src[i1 * 120 + c + j];
                acc[j] = acc[j] + x;
            }
        }
        for (size_t j = 0; j < n; j++)
            dst[c + j] = acc[j] / 2;
    }
}

void m_reducemean_0(const float *restrict src, float *restrict dst)
{
    m_reducemean_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* reducemean_0: ReduceMean */
    m_reducemean_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
