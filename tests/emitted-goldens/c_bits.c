/* --- m_kernels_0.c --- */
/*
 * BitwiseAnd
 * src i32[3,4], i32[4]
 * dst i32[3,4]
 */
NET_KERNEL
static void m_bitwiseand_0_body(const int32_t *restrict src, const int32_t *restrict other,
                                int32_t *restrict dst)
{
    for (size_t i0 = 0; i0 < 3; i0++) {
        NET_LANES
        for (size_t i1 = 0; i1 < 4; i1++) {
            const int32_t x = src[i0 * 4 + i1];
            const int32_t y = other[i1];
            dst[i0 * 4 + i1] = x & y;
        }
    }
}

void m_bitwiseand_0(const int32_t *restrict src, const int32_t *restrict other,
                    int32_t *restrict dst)
{
    m_bitwiseand_0_body(src, other, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* bitwiseand_0: BitwiseAnd */
    m_bitwiseand_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
