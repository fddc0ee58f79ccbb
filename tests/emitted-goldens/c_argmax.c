/* --- m_kernels_0.c --- */
/*
 * ArgMax
 * src f32[2,4,5,60]
 * dst i64[2,4,5]
 */
NET_KERNEL
static void m_argmax_0_body(const float *restrict src, int64_t *restrict dst)
{
    enum { ROWS = 40, SIZE = 60, PIECE = 64 };
    for (size_t c = 0; c < ROWS; c += PIECE) {
        const size_t n = ROWS - c < PIECE ? ROWS - c : PIECE;
        float best[PIECE], column[PIECE];
        int32_t at[PIECE];
        for (size_t j = 0; j < n; j++) {
            best[j] = src[(c + j) * SIZE];
            at[j] = 0;
        }
        for (size_t i = 1; i < SIZE; i++) {
            for (size_t j = 0; j < n; j++)
                column[j] = src[(c + j) * SIZE + i];
            for (size_t j = 0; j < n; j++) {
                const float x = column[j];
                if (x > best[j] || (isnan(x) && !isnan(best[j]))) {
                    best[j] = x;
                    at[j] = (int32_t)i;
                }
            }
        }
        for (size_t j = 0; j < n; j++)
            dst[c + j] = at[j];
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
