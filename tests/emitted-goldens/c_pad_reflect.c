/* --- m_kernels_0.c --- */
/*
 * Pad
 * src f32[2,4,5,6]
 * dst f32[2,4,8,9]
 */
NET_KERNEL
static void m_pad_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 2; i0++)
        for (size_t i1 = 0; i1 < 4; i1++)
            for (size_t i2 = 0; i2 < 8; i2++) {
                const size_t p2 = i2 < 1 ? 1 - i2 : i2 < 6 ? i2 - 1 : 9 - i2;
                const size_t row = i0 * 120 + i1 * 30 + p2 * 6;
                for (size_t i3 = 0; i3 < 2; i3++)
                    dst[i0 * 288 + i1 * 72 + i2 * 9 + i3] = src[row + 2 - i3];
                for (size_t i3 = 2; i3 < 8; i3++)
                    dst[i0 * 288 + i1 * 72 + i2 * 9 + i3] = src[row + i3 - 2];
                for (size_t i3 = 8; i3 < 9; i3++)
                    dst[i0 * 288 + i1 * 72 + i2 * 9 + i3] = src[row + 12 - i3];
            }
}

void m_pad_0(const float *restrict src, float *restrict dst)
{
    m_pad_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* pad_0: Pad */
    m_pad_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
