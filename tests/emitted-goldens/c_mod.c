/* --- m_kernels_0.c --- */
NET_INLINE int64_t dnnlc_div(int64_t x, int64_t y)
{
    if (y == 0)
        return 0;
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

/* The sign of the dividend. */
NET_INLINE int64_t dnnlc_rem(int64_t x, int64_t y)
{
    return y == 0 || y == -1 ? 0 : x % y;
}

/* The sign of the divisor. */
NET_INLINE int64_t dnnlc_mod(int64_t x, int64_t y)
{
    const int64_t r = dnnlc_rem(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/*
 * Mod
 * src i32[3,4], i32[4]
 * dst i32[3,4]
 */
NET_KERNEL
static void m_mod_0_body(const int32_t *restrict dividend, const int32_t *restrict divisor,
                         int32_t *restrict dst)
{
    for (size_t i0 = 0; i0 < 3; i0++) {
        NET_LANES
        for (size_t i1 = 0; i1 < 4; i1++)
            dst[i0 * 4 + i1] = (int32_t)dnnlc_mod(dividend[i0 * 4 + i1], divisor[i1]);
    }
}

void m_mod_0(const int32_t *restrict dividend, const int32_t *restrict divisor,
             int32_t *restrict dst)
{
    m_mod_0_body(dividend, divisor, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* mod_0: Mod */
    m_mod_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
