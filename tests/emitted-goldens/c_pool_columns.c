/* --- m_kernels_0.c --- */
/*
 * AveragePool
 * src f32[1,2,12,60]
 * dst f32[1,2,12,60]
 */
NET_KERNEL
static void m_averagepool_0_body(const float *restrict src, float *restrict dst)
{
    enum { PLANES = 2, ROWS = 12, TAPS = 5, KW = 5 };
    enum { H = 12, W = 60, OW = 60 };
    enum { SH = 1, SW = 1, DH = 1, DW = 1, TOP = 2, LEFT = 2 };
    float sum[OW];
    float column[W];
    float count[OW];
    for (ptrdiff_t x = 0; x < OW; x++) {
        count[x] = 0;
        for (ptrdiff_t kx = 0; kx < KW; kx++) {
            const ptrdiff_t sx = x * SW + kx * DW - LEFT;
            if (sx >= 0 && sx < 60)
                count[x] += 1;
        }
    }
    for (ptrdiff_t i = 0; i < PLANES * ROWS; i++) {
        const ptrdiff_t plane = i / ROWS, row = i % ROWS;
        float *restrict dst_row = dst + i * OW;
        float rows = 0;
        for (ptrdiff_t x = 0; x < W; x++)
            column[x] = 0.0f;
        for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
            const ptrdiff_t sy = row * SH + tap * DH - TOP;
            if (sy >= 0 && sy < 12)
                rows += 1;
            if (sy < 0 || sy >= H)
                continue;
            const float *restrict src_row = src + (plane * H + sy) * W;
            for (ptrdiff_t x = 0; x < W; x++) {
                const float v = src_row[x];
                column[x] += v;
            }
        }
        for (ptrdiff_t x = 0; x < OW; x++)
            sum[x] = 0.0f;
        for (ptrdiff_t kx = 0; kx < KW; kx++) {
            const ptrdiff_t at = kx * DW - LEFT;
            const ptrdiff_t lo = at < 0 ? (-at + SW - 1) / SW : 0;
            ptrdiff_t hi = W > at ? (W - at + SW - 1) / SW : 0;
            hi = hi < OW ? hi : OW;
            for (ptrdiff_t x = lo; x < hi; x++)
                sum[x] += column[x * SW + at];
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
