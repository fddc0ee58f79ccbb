/* --- m_kernels_0.c --- */
/*
 * Clip
 * src u8[3,40]
 * dst u8[3,40]
 */
NET_KERNEL
static void m_clip_0_body(const uint8_t *restrict src, uint8_t *restrict dst)
{
    for (size_t i0 = 0; i0 < 120; i0++) {
        const uint8_t x = src[i0];
        dst[i0] = x < 3 ? 3 : x > 100 ? 100 : x;
    }
}

void m_clip_0(const uint8_t *restrict src, uint8_t *restrict dst)
{
    m_clip_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* clip_0: Clip */
    m_clip_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
