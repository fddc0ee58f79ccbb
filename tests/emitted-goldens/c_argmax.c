/* --- m_kernels_0.c --- */
/*
 * ArgMax
 * src f32[2,4,5,60]
 * dst i64[2,4,5]
 */
NET_KERNEL
static void m_argmax_0_body(const float *restrict src, int64_t *restrict dst)
{
    enum { ROWS = 40, SIZE = 60, LANES = 16, WHOLE = SIZE / LANES * LANES };
    for (size_t r = 0; r < ROWS; r++) {
        const float *const row = src + r * SIZE;
        float best[LANES];
        int32_t nans[LANES], at[LANES];
        for (size_t j = 0; j < LANES; j++) {
            best[j] = row[j];
            nans[j] = 0;
            at[j] = SIZE;
        }
        for (size_t n = 0; n < WHOLE; n += LANES) {
            NET_LANES
            for (size_t j = 0; j < LANES; j++) {
                const float x = row[n + j];
                best[j] = x > best[j] ? x : best[j];
                nans[j] |= isnan(x) != 0;
            }
        }
        float most = best[0];
        int32_t has_nan = 0, first = SIZE;
        for (size_t j = 0; j < LANES; j++) {
            most = best[j] > most ? best[j] : most;
            has_nan |= nans[j];
        }
        for (size_t i = WHOLE; i < SIZE; i++) {
            most = row[i] > most ? row[i] : most;
            has_nan |= isnan(row[i]) != 0;
        }
        for (size_t n = WHOLE; n > 0; n -= LANES) {
            NET_LANES
            for (size_t j = 0; j < LANES; j++)
                at[j] = row[n - LANES + j] >= most ? (int32_t)(n - LANES + j) : at[j];
        }
        for (size_t j = 0; j < LANES; j++)
            first = at[j] < first ? at[j] : first;
        for (size_t i = WHOLE; i < SIZE && first == SIZE; i++)
            first = row[i] >= most ? (int32_t)i : SIZE;
        for (size_t i = 0; i < SIZE && has_nan; i++)
            if (isnan(row[i])) { /* before all numbers */
                first = (int32_t)i;
                has_nan = 0;
            }
        dst[r] = first;
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
