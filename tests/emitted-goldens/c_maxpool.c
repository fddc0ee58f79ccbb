/* --- m_kernels_0.c --- */
/*
 * MaxPool
 * src f32[2,4,5,6]
 * dst f32[2,4,2,3]
 */
NET_KERNEL
static void m_maxpool_0_body(const float *restrict src, float *restrict dst)
{
    enum { PLANES = 8, ROWS = 2, TAPS = 2, KW = 2 };
    enum { H = 5, W = 6, OW = 3 };
    enum { SH = 2, SW = 2, DH = 1, DW = 1, TOP = 0, LEFT = 0 };
    float sum[OW];
    for (ptrdiff_t i = 0; i < PLANES * ROWS; i++) {
        const ptrdiff_t plane = i / ROWS, row = i % ROWS;
        float *restrict dst_row = dst + i * OW;
        for (ptrdiff_t x = 0; x < OW; x++)
            sum[x] = -INFINITY;
        for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
            const ptrdiff_t sy = row * SH + tap * DH - TOP;
            const float *restrict src_row = src + (plane * H + sy) * W;
            for (ptrdiff_t kx = 0; kx < KW; kx++) {
                const ptrdiff_t at = kx * DW - LEFT;
                for (ptrdiff_t x = 0; x < OW; x++) {
                    const float v = src_row[x * SW + at];
                    sum[x] = v > sum[x] ? v : sum[x];
                }
            }
        }
        for (ptrdiff_t x = 0; x < OW; x++)
            dst_row[x] = sum[x];
    }
}

void m_maxpool_0(const float *restrict src, float *restrict dst)
{
    m_maxpool_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* maxpool_0: MaxPool */
    m_maxpool_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
