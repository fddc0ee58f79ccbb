/* --- m_kernels_0.c --- */
/* Returns x, which compilers then do not contract into a fused multiply-add, whatever their options: the limit on its bits, which
 * only one of the NaNs exceeds, has to be applied to a number that was rounded. */
NET_INLINE float dnnlc_rounded(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits < 0xfffffffeu ? bits : 0xfffffffeu;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/*
 * Conv, Mul, Add
 * src f32[1,4,6,6], f32[4,1,3,3], f32[4,1,1], f32[4,1,1]
 * dst f32[1,4,4,4]
 */
/* Epilogue for one element: Mul, Add. */
NET_INLINE float m_conv_0_epilogue(const float x, const float factor, const float addend)
{
    const float t1 = dnnlc_rounded(x * factor);
    return t1 + addend;
}

NET_KERNEL
static void m_conv_0_body(const float *restrict src, const float *restrict weights,
                          const float *restrict factor, const float *restrict addend,
                          float *restrict dst)
{
    enum { PLANES = 4, M = 4, KH = 3, KW = 3, LO = 0, HI = 4 };
    enum { H = 6, W = 6, OH = 4, OW = 4 };
    enum { SH = 1, SW = 1, DH = 1, DW = 1, TOP = 0, LEFT = 0 };
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
            }
            for (ptrdiff_t x = 0; x < OW; x++)
                dst_row[x] = m_conv_0_epilogue(sum[x], factor[plane % M], addend[plane % M]);
        }
    }
}

void m_conv_0(const float *restrict src, const float *restrict weights,
              const float *restrict factor, const float *restrict addend, float *restrict dst)
{
    m_conv_0_body(src, weights, factor, addend, dst);
}

/*
 * MaxPool, Mul, Add
 * src f32[1,4,4,4], f32[4,1,1], f32[1,4,1,1]
 * dst f32[1,4,2,2]
 */
/* Epilogue for one element: Mul, Add. */
NET_INLINE float m_maxpool_1_epilogue(const float x, const float factor, const float addend)
{
    const float t1 = dnnlc_rounded(x * factor);
    return t1 + addend;
}

NET_KERNEL
static void m_maxpool_1_body(const float *restrict src, const float *restrict factor,
                             const float *restrict addend, float *restrict dst)
{
    enum { PLANES = 4, ROWS = 2, TAPS = 2, KW = 2 };
    enum { H = 4, W = 4, OW = 2 };
    enum { SH = 2, SW = 2, DH = 1, DW = 1, TOP = 0, LEFT = 0 };
    float sum[OW];
    for (ptrdiff_t i = 0; i < PLANES * ROWS; i++) {
        const ptrdiff_t plane = i / ROWS, row = i % ROWS;
        float *restrict dst_row = dst + i * OW;
        for (ptrdiff_t x = 0; x < OW; x++)
            sum[x] = -INFINITY;
        for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
            const ptrdiff_t sy = row * SH + tap * DH - TOP;
            const float *restrict src_row = src + (plane * H + sy) * W;
            for (ptrdiff_t kx = 0; kx < KW; kx++) {
                const ptrdiff_t at = kx * DW - LEFT;
                for (ptrdiff_t x = 0; x < OW; x++) {
                    const float v = src_row[x * SW + at];
                    sum[x] = v > sum[x] ? v : sum[x];
                }
            }
        }
        for (ptrdiff_t x = 0; x < OW; x++)
            dst_row[x] = m_maxpool_1_epilogue(sum[x], factor[plane % 4], addend[plane % 4]);
    }
}

void m_maxpool_1(const float *restrict src, const float *restrict factor,
                 const float *restrict addend, float *restrict dst)
{
    m_maxpool_1_body(src, factor, addend, dst);
}

/*
 * DynamicQuantizeLinear
 * src f32[1,4,2,2]
 * dst u8[1,4,2,2], f32[], u8[]
 */
/* Rounds half to even, adds the zero point, saturates. */
NET_INLINE uint8_t m_dynamicquantizelinear_2_quantize(float x, int32_t zero)
{
    const float low = (float)(0 - zero), high = (float)(255 - zero);
    x = x > low ? x : low;
    x = x < high ? x : high;
    return (uint8_t)((int32_t)rintf(x) + zero);
}

/* Multiplies by the inverse of the scale, which is much quicker than dividing. The product is at most 5e-5 off, and rounds as the
 * quotient does unless it is that close to the middle between two integers: then all elements are divided, and also where there are
 * NaNs or infinities. Adding 1.5 * 2^23 rounds and leaves the integer in the lowest bits. No saturation: two quotients that far
 * apart that both round outwards are both in the middle. */
NET_INLINE void m_dynamicquantizelinear_2_all(const float *restrict src, uint8_t *restrict dst,
                                              const float scale, const uint8_t zero,
                                              const size_t size)
{
    const float inverse = 1 / scale;
    uint32_t worst = 0;
    for (size_t i = 0; i < size; i++) {
        const float x = src[i] * inverse, shifted = x + 12582912.0f;
        const float off = x - (shifted - 12582912.0f);
        uint32_t bits, k;
        memcpy(&bits, &off, sizeof bits);
        memcpy(&k, &shifted, sizeof k);
        bits &= 0x7fffffffu;
        worst = bits > worst ? bits : worst;
        dst[i] = (uint8_t)(k + zero);
    }
    if (worst <= 0x3effe5c9u) /* 0.4998 */
        return;
    for (size_t i = 0; i < size; i++)
        dst[i] = m_dynamicquantizelinear_2_quantize(src[i] / scale, zero);
}

NET_KERNEL
static void m_dynamicquantizelinear_2_body(const float *restrict src, uint8_t *restrict dst,
                                           float *restrict dst_scale,
                                           uint8_t *restrict dst_zero_point)
{
    enum { SIZE = 16, FULL = 0, LANES = 64, BLOCK = 256, REST = 16 };
    float low[LANES] = {0}, high[LANES] = {0};
    float min = 0, max = 0;
    for (size_t i = FULL; i < SIZE; i++) {
        min = src[i] < min ? src[i] : min;
        max = src[i] > max ? src[i] : max;
    }
    for (size_t l = 0; l < LANES; l++) {
        min = low[l] < min ? low[l] : min;
        max = high[l] > max ? high[l] : max;
    }
    const float scale = max > min ? (max - min) / 255 : 1;
    const uint8_t zero = m_dynamicquantizelinear_2_quantize(-min / scale, 0);
    for (size_t i = 0; i + BLOCK <= SIZE; i += BLOCK)
        m_dynamicquantizelinear_2_all(src + i, dst + i, scale, zero, BLOCK);
    m_dynamicquantizelinear_2_all(src + (SIZE - REST), dst + (SIZE - REST), scale, zero, REST);
    dst_scale[0] = scale;
    dst_zero_point[0] = zero;
}

void m_dynamicquantizelinear_2(const float *restrict src, uint8_t *restrict dst,
                               float *restrict dst_scale, uint8_t *restrict dst_zero_point)
{
    m_dynamicquantizelinear_2_body(src, dst, dst_scale, dst_zero_point);
}

/*
 * Cast, Mul, Add
 * src u8[1,4,2,2], f32[], f32[4,1,1]
 * dst f32[1,4,2,2]
 */
NET_KERNEL
static void m_add_3_body(const uint8_t *restrict src, const float *restrict factor,
                         const float *restrict addend, float *restrict dst)
{
    const float a1 = factor[0];
    for (size_t i0 = 0; i0 < 4; i0++) {
        NET_LANES
        for (size_t i1 = 0; i1 < 4; i1++) {
            const float t0 = (float)src[i0 * 4 + i1];
            const float t1 = t0 * a1;
            const float t2 = t1 + addend[i0];
            dst[i0 * 4 + i1] = t2;
        }
    }
}

void m_add_3(const uint8_t *restrict src, const float *restrict factor,
             const float *restrict addend, float *restrict dst)
{
    m_add_3_body(src, factor, addend, dst);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONV_0_DST = 0,
    MAXPOOL_1_DST = 256,
    DYNAMICQUANTIZELINEAR_2_DST = 0,
    DYNAMICQUANTIZELINEAR_2_DST_SCALE = 64,
    DYNAMICQUANTIZELINEAR_2_DST_ZERO_POINT = 128,
};

void m_c_0(const struct m_memory *m)
{
    /* conv_0: Conv + Mul + Add */
    m_conv_0(m->in[0], weights_at(m, 0), m->in[1], weights_at(m, 192), workspace_at(m, CONV_0_DST));
    m_trace(m, 0);
    /* maxpool_1: MaxPool + Mul + Add */
    m_maxpool_1(workspace_at(m, CONV_0_DST), m->in[1], weights_at(m, 256),
                workspace_at(m, MAXPOOL_1_DST));
    m_trace(m, 1);
    /* dynamicquantizelinear_2: DynamicQuantizeLinear */
    m_dynamicquantizelinear_2(workspace_at(m, MAXPOOL_1_DST),
                              workspace_at(m, DYNAMICQUANTIZELINEAR_2_DST),
                              workspace_at(m, DYNAMICQUANTIZELINEAR_2_DST_SCALE),
                              workspace_at(m, DYNAMICQUANTIZELINEAR_2_DST_ZERO_POINT));
    m_trace(m, 2);
    /* add_3: Cast + Mul + Add */
    m_add_3(workspace_at(m, DYNAMICQUANTIZELINEAR_2_DST),
            workspace_at(m, DYNAMICQUANTIZELINEAR_2_DST_SCALE), weights_at(m, 192), m->out[0]);
    m_trace(m, 3);
}
