/* --- m_kernels_0.c --- */
/*
 * NonZero
 * src f32[3,4]
 * dst i64[2,12], i64[]
 */
NET_KERNEL
static void m_nonzero_0_body(const float *restrict src0, int64_t *restrict dst0,
                             int64_t *restrict dst1)
{
    enum { RANK = 2, N = 12 };
    uint32_t count = 0; /* clang 14 fails at vectors of 64-bit counts with AVX-512 */
    for (size_t i = 0; i < N; i++) {
        if (src0[i] <= 0 && src0[i] >= 0)
            continue;
        dst0[0 * (size_t)N + count] = (int64_t)(i / 4);
        dst0[(size_t)N + count] = (int64_t)(i % 4);
        count++;
    }
    for (size_t d = 0; d < RANK; d++)
        memset(dst0 + d * N + count, 0, (N - count) * sizeof *dst0);
    dst1[0] = (int64_t)count;
}

void m_nonzero_0(const float *restrict src0, int64_t *restrict dst0, int64_t *restrict dst1)
{
    m_nonzero_0_body(src0, dst0, dst1);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* nonzero_0: NonZero */
    m_nonzero_0(m->in[0], m->out[0], m->out[1]);
    m_trace(m, 0);
}
