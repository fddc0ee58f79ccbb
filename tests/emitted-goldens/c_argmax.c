/* --- m_kernels_0.c --- */
/*
 * ArgMax
 * src f32[2,4,5,60]
 * dst i64[2,4,5]
 */
NET_KERNEL
static void m_argmax_0_body(const float *restrict src, int64_t *restrict dst)
{
    for (size_t o = 0; o < 40; o++)
        for (size_t c = 0; c < 1; c += 1) {
            const size_t n = 1 - c < 1 ? 1 - c : 1;
            float best[1];
            int64_t at[1];
            for (size_t j = 0; j < n; j++) {
                best[j] = src[o * 60 + c + j];
                at[j] = 0;
            }
            for (size_t i = 1; i < 60; i++)
                for (size_t j = 0; j < n; j++) {
                    const float x = src[o * 60 + i + c + j];
                    if (x > best[j] || (isnan(x) && !isnan(best[j]))) {
                        best[j] = x;
                        at[j] = (int64_t)i;
                    }
                }
            for (size_t j = 0; j < n; j++)
                dst[o + c + j] = at[j];
        }
}

void m_argmax_0(const float *restrict src, int64_t *restrict dst)
{
    m_argmax_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* argmax_0: ArgMax */
    m_argmax_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
