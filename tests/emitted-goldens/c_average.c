/* --- m_kernels_0.c --- */
/*
 * AveragePool
 * src f32[2,4,5,6]
 * dst f32[2,4,5,3]
 */
NET_KERNEL
static void m_averagepool_0_body(const float *restrict src, float *restrict dst)
{
    enum { PLANES = 8, ROWS = 5, TAPS = 2, KW = 3 };
    enum { H = 5, W = 6, OW = 3 };
    enum { SH = 1, SW = 2, DH = 1, DW = 1, TOP = 0, LEFT = 1 };
    float sum[OW];
    float count[OW];
    for (ptrdiff_t x = 0; x < OW; x++) {
        count[x] = 0;
        for (ptrdiff_t kx = 0; kx < KW; kx++) {
            const ptrdiff_t sx = x * SW + kx * DW - LEFT;
            if (sx >= 0 && sx < 6)
                count[x] += 1;
        }
    }
    for (ptrdiff_t i = 0; i < PLANES * ROWS; i++) {
        const ptrdiff_t plane = i / ROWS, row = i % ROWS;
        float *restrict dst_row = dst + i * OW;
        float rows = 0;
        for (ptrdiff_t x = 0; x < OW; x++)
            sum[x] = 0.0f;
        for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
            const ptrdiff_t sy = row * SH + tap * DH - TOP;
            if (sy >= 0 && sy < 5)
                rows += 1;
            if (sy < 0 || sy >= H)
                continue;
            const float *restrict src_row = src + (plane * H + sy) * W;
            for (ptrdiff_t kx = 0; kx < KW; kx++) {
                const ptrdiff_t at = kx * DW - LEFT;
                const ptrdiff_t lo = at < 0 ? (-at + SW - 1) / SW : 0;
                ptrdiff_t hi = W > at ? (W - at + SW - 1) / SW : 0;
                hi = hi < OW ? hi : OW;
                for (ptrdiff_t x = lo; x < hi; x++) {
                    const float v = src_row[x * SW + at];
                    sum[x] += v;
                }
            }
        }
        for (ptrdiff_t x = 0; x < OW; x++)
            dst_row[x] = rows * count[x] > 0 ? sum[x] / (rows * count[x]) : 0;
    }
}

void m_averagepool_0(const float *restrict src, float *restrict dst)
{
    m_averagepool_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* averagepool_0: AveragePool */
    m_averagepool_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
