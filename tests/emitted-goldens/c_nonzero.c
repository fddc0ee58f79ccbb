/* --- m_kernels_0.c --- */
/*
 * NonZero
 * src f32[3,4]
 * dst i64[2,12], i64[]
 */
NET_KERNEL
static void m_nonzero_0_body(const float *restrict src, int64_t *restrict dst,
                             int64_t *restrict count)
{
    enum { RANK = 2, N = 12 };
    uint32_t total = 0; /* clang 14 fails at vectors of 64-bit counts with AVX-512 */
    for (size_t i = 0; i < N; i++) {
        if (src[i] <= 0 && src[i] >= 0)
            continue;
        dst[0 * (size_t)N + total] = (int64_t)(i / 4);
        dst[(size_t)N + total] = (int64_t)(i % 4);
        total++;
    }
    for (size_t d = 0; d < RANK; d++)
        memset(dst + d * N + total, 0, (N - total) * sizeof *dst);
    count[0] = (int64_t)total;
}

void m_nonzero_0(const float *restrict src, int64_t *restrict dst, int64_t *restrict count)
{
    m_nonzero_0_body(src, dst, count);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* nonzero_0: NonZero */
    m_nonzero_0(m->in[0], m->out[0], m->out[1]);
    m_trace(m, 0);
}
