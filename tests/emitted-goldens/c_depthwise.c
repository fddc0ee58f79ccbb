/* --- m_kernels_0.c --- */
/*
 * Conv
 * src f32[1,4,9,9], f32[4,1,3,3]
 * dst f32[1,4,9,9]
 */
NET_KERNEL
static void m_conv_0_body(const float *restrict src, const float *restrict weights,
                          float *restrict dst)
{
    enum { PLANES = 4, M = 4, KH = 3, KW = 3, LO = 1, HI = 8 };
    enum { H = 9, W = 9, OH = 9, OW = 9 };
    enum { SH = 1, SW = 1, DH = 1, DW = 1, TOP = 1, LEFT = 1 };
    float sum[OW];
    for (ptrdiff_t plane = 0; plane < PLANES; plane++) {
        const float *restrict src_plane = src + plane * H * W;
        for (ptrdiff_t y = 0; y < OH; y++) {
            float *restrict dst_row = dst + (plane * OH + y) * OW;
            for (ptrdiff_t x = 0; x < OW; x++)
                sum[x] = 0.0f;
            for (ptrdiff_t ky = 0; ky < KH; ky++) {
                const ptrdiff_t sy = y * SH + ky * DH - TOP;
                if (sy < 0 || sy >= H)
                    continue;
                const float *restrict s = src_plane + sy * W;
                const float *restrict w = weights + (plane % M * KH + ky) * KW;
                for (ptrdiff_t x = LO; x < HI; x++) {
                    float v = sum[x];
                    v += w[0] * s[x * SW - LEFT];
                    v += w[1] * s[x * SW + (DW - LEFT)];
                    v += w[2] * s[x * SW + (2 * DW - LEFT)];
                    sum[x] = v;
                }
                for (ptrdiff_t x = 0; x < LO; x++)
                    for (ptrdiff_t kx = 0; kx < KW; kx++) {
                        const ptrdiff_t sx = x * SW + kx * DW - LEFT;
                        if (sx >= 0 && sx < W)
                            sum[x] += w[kx] * s[sx];
                    }
                for (ptrdiff_t x = HI; x < OW; x++)
                    for (ptrdiff_t kx = 0; kx < KW; kx++) {
                        const ptrdiff_t sx = x * SW + kx * DW - LEFT;
                        if (sx >= 0 && sx < W)
                            sum[x] += w[kx] * s[sx];
                    }
            }
            for (ptrdiff_t x = 0; x < OW; x++)
                dst_row[x] = sum[x];
        }
    }
}

void m_conv_0(const float *restrict src, const float *restrict weights, float *restrict dst)
{
    m_conv_0_body(src, weights, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* conv_0: Conv */
    m_conv_0(m->in[0], weights_at(m, 0), m->out[0]);
    m_trace(m, 0);
}
