/* --- m_kernels_0.c --- */
/*
 * ReverseSequence
 * src f32[5,3,8], i64[3]
 * dst f32[5,3,8]
 */
NET_KERNEL
static void m_reversesequence_0_body(const float *restrict src,
                                     const int64_t *restrict sequence_lens, float *restrict dst)
{
    enum { STEPS = 5 };
    for (size_t o = 0; o < 1; o++)
        for (size_t i = 0; i < 5; i++)
            for (size_t m = 0; m < 1; m++)
                for (size_t j = 0; j < 3; j++) {
                    const int64_t length = sequence_lens[j];
                    const size_t n = (size_t)(length < 0 ? 0 : length > STEPS ? STEPS : length);
                    const size_t t = i < n ? n - 1 - i : i;
                    memcpy(dst + ((o * 5 + i + m) * 3 + j) * 8, src + ((o * 5 + t + m) * 3 + j) * 8,
                           8 * sizeof *dst);
                }
}

void m_reversesequence_0(const float *restrict src, const int64_t *restrict sequence_lens,
                         float *restrict dst)
{
    m_reversesequence_0_body(src, sequence_lens, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* reversesequence_0: ReverseSequence */
    m_reversesequence_0(m->in[0], m->in[1], m->out[0]);
    m_trace(m, 0);
}
