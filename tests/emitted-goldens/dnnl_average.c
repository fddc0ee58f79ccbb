/* --- m_kernels_0.c --- */
/*
 * AveragePool
 * src f32[1,64,56,56]
 * dst f32[1,64,28,28]
 */
NET_KERNEL
static void m_averagepool_0_body(const float *restrict src, float *restrict dst)
{
    enum { PLANES = 64, ROWS = 28, AT_ONCE = 14, BLOCKS = 2 };
    enum { TAPS = 3, KW = 3, H = 56, W = 56, OW = 28, PITCH = 57 };
    enum { SH = 2, SW = 2, DH = 1, DW = 1, TOP = 1, LEFT = 1 };
    float column[AT_ONCE * PITCH];
    float outside[W];
    for (ptrdiff_t x = 0; x < AT_ONCE * PITCH; x++)
        column[x] = 0.0f;
    for (ptrdiff_t x = 0; x < W; x++)
        outside[x] = 0.0f;
    for (ptrdiff_t i = 0; i < PLANES * BLOCKS; i++) {
        const ptrdiff_t plane = i / BLOCKS, begin = i % BLOCKS * AT_ONCE;
        const ptrdiff_t end = begin + AT_ONCE < ROWS ? begin + AT_ONCE : ROWS;
        for (ptrdiff_t row = begin; row < end; row++) {
            const float *line[TAPS];
            for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
                const ptrdiff_t sy = row * SH + tap * DH - TOP;
                const int inside = sy >= 0 && sy < H;
                line[tap] = inside ? src + (plane * H + sy) * W : outside;
            }
            float *const under = column + (row - begin) * PITCH + LEFT;
            for (ptrdiff_t x = 0; x < W; x++) {
                float sum = 0.0f;
                for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
                    const float v = line[tap][x];
                    sum += v;
                }
                under[x] = sum;
            }
        }
        for (ptrdiff_t row = begin; row < end; row++) {
            const float *const line = column + (row - begin) * PITCH;
            const ptrdiff_t result = (plane * ROWS + row) * OW;
            for (ptrdiff_t x = 0; x < OW; x++) {
                float sum = 0.0f;
                for (ptrdiff_t kx = 0; kx < KW; kx++)
                    sum += line[x * SW + kx * DW];
                dst[result + x] = sum / 9.0f;
            }
        }
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
