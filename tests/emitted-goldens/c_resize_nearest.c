/* --- m_kernels_0.c --- */
/*
 * Resize
 * src f32[2,4,5,6]
 * dst f32[2,4,10,12]
 */
NET_KERNEL
static void m_resize_0_body(const float *restrict src, float *restrict dst)
{
    enum { ROWS = 80, W = 6, OW = 12, INNER = 1 };
    enum { SRC_PITCH = 1, PITCH = 1 }; /* between pixels */
    for (ptrdiff_t r = 0; r < ROWS; r++) {
        const float *restrict src_row = src + (r / 10 * 5 + (r % 10) / 2) * (W * SRC_PITCH);
        float *restrict dst_row = dst + r * (OW * PITCH);
        for (ptrdiff_t x = 0; x < W; x++)
            for (ptrdiff_t i = 0; i < 2; i++)
                dst_row[x * 2 + i] = src_row[x];
    }
}

void m_resize_0(const float *restrict src, float *restrict dst)
{
    m_resize_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* resize_0: Resize */
    m_resize_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
