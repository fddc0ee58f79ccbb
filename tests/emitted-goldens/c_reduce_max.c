/* --- m_kernels_0.c --- */
/*
 * ReduceMax
 * src f32[20,45]
 * dst f32[20,1]
 */
NET_KERNEL
static void m_reducemax_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 20; i0++) {
        float total = -INFINITY;
        float acc[4];
        int32_t nans[4];
        NET_LANES
        for (size_t j = 0; j < 4; j++) {
            acc[j] = src[i0 * 45 + 41 + j];
            nans[j] = isnan(acc[j]);
        }
        for (size_t i = 0; i + 4 <= 45; i += 4) {
            NET_LANES
            for (size_t j = 0; j < 4; j++) {
                const float x = src[i0 * 45 + i + j];
                acc[j] = x > acc[j] ? x : acc[j];
                nans[j] |= isnan(x);
            }
        }
        for (size_t n = 2; n > 0; n /= 2)
            for (size_t j = 0; j < n; j++) {
                acc[j] = acc[j] > acc[j + n] ? acc[j] : acc[j + n];
                nans[j] |= nans[j + n];
            }
        if (nans[0])
            acc[0] = NAN;
        total = isnan(total) || total > acc[0] ? total : acc[0];
        dst[i0] = total;
    }
}

void m_reducemax_0(const float *restrict src, float *restrict dst)
{
    m_reducemax_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* reducemax_0: ReduceMax */
    m_reducemax_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
