/* --- m_kernels_0.c --- */
NET_INLINE int32_t dnnlc_f32_to_i32(float x)
{
    return x >= -0x1p31f && x < 0x1p31f ? (int32_t)x : INT32_MIN;
}

NET_INLINE int64_t dnnlc_f32_to_i64(float x)
{
    return x >= -0x1p63f && x < 0x1p63f ? (int64_t)x : INT64_MIN;
}

NET_INLINE int32_t dnnlc_f64_to_i32(double x)
{
    return x >= -0x1p31 && x < 0x1p31 ? (int32_t)x : INT32_MIN;
}

NET_INLINE int64_t dnnlc_f64_to_i64(double x)
{
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

NET_INLINE uint64_t dnnlc_f64_to_u64(double x)
{
    if (x >= 0x1p63)
        return x < 0x1p64 ? (uint64_t)x : 0;
    return (uint64_t)dnnlc_f64_to_i64(x);
}

/*
 * Cast
 * src f32[2,4,5,6]
 * dst i8[2,4,5,6]
 */
NET_KERNEL
static void m_cast_0_body(const float *restrict src, int8_t *restrict dst)
{
    for (size_t i0 = 0; i0 < 240; i0++)
        dst[i0] = (int8_t)dnnlc_f32_to_i32(src[i0]);
}

void m_cast_0(const float *restrict src, int8_t *restrict dst)
{
    m_cast_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* cast_0: Cast */
    m_cast_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
