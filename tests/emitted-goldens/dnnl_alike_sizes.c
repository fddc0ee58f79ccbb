/* --- m_kernels_0.c --- */
/* dst[i][j] = src[j][i] for i and j below `side`; elements have so many bytes, pitches are in elements. */
NET_INLINE void dnnlc_transpose_each(void *restrict dst, const size_t dst_pitch,
                                     const void *restrict src, const size_t src_pitch,
                                     const size_t side, const size_t bytes)
{
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            memcpy((char *)dst + bytes * (i * dst_pitch + j),
                   (const char *)src + bytes * (j * src_pitch + i), bytes);
}
#endif

#ifdef DNNLC_SHUFFLES
typedef uint32_t dnnlc_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t dnnlc_four __attribute__((vector_size(16), aligned(4), may_alias));
#define DNNLC_BESIDE(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define DNNLC_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define DNNLC_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define DNNLC_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define DNNLC_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#endif

/* dst[i][j] = src[j][i] for eight i and j; elements have four bytes, pitches are in elements. Halves of rows j and j + 4 are read side by
 * side, so that nothing crosses the middle of a register. */
NET_INLINE void dnnlc_transpose(void *restrict dst, const size_t dst_pitch,
                                const void *restrict src, const size_t src_pitch)
{
#ifdef DNNLC_SHUFFLES
    dnnlc_eight row[8], column[8];
    for (size_t j = 0; j < 4; j++) {
        const uint32_t *from = (const uint32_t *)src + j * src_pitch;
        const dnnlc_four *upper = (const dnnlc_four *)from;
        const dnnlc_four *lower = (const dnnlc_four *)(from + 4 * src_pitch);
        row[j] = DNNLC_BESIDE(upper[0], lower[0]);
        row[j + 4] = DNNLC_BESIDE(upper[1], lower[1]);
    }
    for (size_t i = 0; i < 8; i += 4) {
        const dnnlc_eight a = DNNLC_LOW(row[i], row[i + 1]);
        const dnnlc_eight b = DNNLC_LOW(row[i + 2], row[i + 3]);
        const dnnlc_eight c = DNNLC_HIGH(row[i], row[i + 1]);
        const dnnlc_eight d = DNNLC_HIGH(row[i + 2], row[i + 3]);
        column[i] = DNNLC_LOW_PAIRS(a, b);
        column[i + 1] = DNNLC_HIGH_PAIRS(a, b);
        column[i + 2] = DNNLC_LOW_PAIRS(c, d);
        column[i + 3] = DNNLC_HIGH_PAIRS(c, d);
    }
    for (size_t i = 0; i < 8; i++)
        *(dnnlc_eight *)((uint32_t *)dst + i * dst_pitch) = column[i];
#else
    dnnlc_transpose_each(dst, dst_pitch, src, src_pitch, 8, 4);
#endif
}

/*
 * Reorder x
 * src f32[1,32,112,112]
 * dst f32[1,32,112,112] acdb
 */
NET_KERNEL
static void m_reorder_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 12544; b0 += 64)
        for (size_t b1 = 0; b1 < 32; b1 += 8) {
            const size_t i1 = b1;
            const size_t end = b0 + 64;
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 32 + i1, 32, src + i0 + i1 * 12544, 12544);
        }
}

void m_reorder_0(const float *restrict src, float *restrict dst)
{
    m_reorder_0_body(src, dst);
}

/*
 * MaxPool
 * src f32[1,32,14,14] acdb
 * dst f32[1,32,13,13] acdb
 */
NET_KERNEL
static void m_maxpool_4_body(const float *restrict src, float *restrict dst)
{
    enum { IMAGES = 1, C = 32, H = 14, W = 14, OH = 13, OW = 13, KH = 2, KW = 2 };
    enum { SH = 1, SW = 1, DH = 1, DW = 1, TOP = 0, LEFT = 0 };
    enum { SRC_PITCH = 32, DST_PITCH = 32, LANES = 8 };
    for (ptrdiff_t row = 0; row < IMAGES * OH; row++) {
        const float *restrict image = src + row / OH * (H * W * SRC_PITCH);
        const ptrdiff_t top = row % OH * SH - TOP;
        for (ptrdiff_t x = 0; x < OW; x++) {
            const ptrdiff_t left = x * SW - LEFT, pixel = (row * OW + x) * DST_PITCH;
            const float *tap[KH * KW];
            for (ptrdiff_t k = 0; k < KH * KW; k++) {
                ptrdiff_t ky = k / KW, kx = k % KW;
                tap[k] = image + ((top + ky * DH) * W + left + kx * DW) * SRC_PITCH;
            }
            for (ptrdiff_t i = 0; i < C; i += LANES) {
                const ptrdiff_t first = i + LANES <= C ? i : C - LANES;
                NET_LANES
                for (ptrdiff_t c = first; c < first + LANES; c++) {
                    float acc = -INFINITY;
                    for (ptrdiff_t k = 0; k < KH * KW; k++) {
                        const float v = tap[k][c];
                        acc = v > acc ? v : acc;
                    }
                    dst[pixel + c] = acc;
                }
            }
        }
    }
}

void m_maxpool_4(const float *restrict src, float *restrict dst)
{
    m_maxpool_4_body(src, dst);
}

/*
 * MaxPool
 * src f32[1,32,13,13] acdb
 * dst f32[1,32,13,13] acdb
 */
/* In the place of taps beyond the border their neighbours within the window are taken once more, which changes no maximum. */
NET_KERNEL
static void m_maxpool_5_body(const float *restrict src, float *restrict dst)
{
    enum { IMAGES = 1, C = 32, H = 13, W = 13, OH = 13, OW = 13, KH = 3, KW = 3 };
    enum { SH = 1, SW = 1, DH = 1, DW = 1, TOP = 1, LEFT = 1 };
    enum { SRC_PITCH = 32, DST_PITCH = 32, LANES = 8 };
    for (ptrdiff_t row = 0; row < IMAGES * OH; row++) {
        const float *restrict image = src + row / OH * (H * W * SRC_PITCH);
        const ptrdiff_t top = row % OH * SH - TOP;
        ptrdiff_t y0 = 0, y1 = KH;
        while (top + y0 * DH < 0)
            y0++;
        while (top + (y1 - 1) * DH >= H)
            y1--;
        for (ptrdiff_t x = 0; x < OW; x++) {
            const ptrdiff_t left = x * SW - LEFT, pixel = (row * OW + x) * DST_PITCH;
            const float *tap[KH * KW];
            ptrdiff_t x0 = 0, x1 = KW;
            while (left + x0 * DW < 0)
                x0++;
            while (left + (x1 - 1) * DW >= W)
                x1--;
            for (ptrdiff_t k = 0; k < KH * KW; k++) {
                ptrdiff_t ky = k / KW, kx = k % KW;
                ky = ky < y0 ? y0 : ky < y1 ? ky : y1 - 1;
                kx = kx < x0 ? x0 : kx < x1 ? kx : x1 - 1;
                tap[k] = image + ((top + ky * DH) * W + left + kx * DW) * SRC_PITCH;
            }
            for (ptrdiff_t i = 0; i < C; i += LANES) {
                const ptrdiff_t first = i + LANES <= C ? i : C - LANES;
                NET_LANES
                for (ptrdiff_t c = first; c < first + LANES; c++) {
                    float acc = -INFINITY;
                    for (ptrdiff_t k = 0; k < KH * KW; k++) {
                        const float v = tap[k][c];
                        acc = v > acc ? v : acc;
                    }
                    dst[pixel + c] = acc;
                }
            }
        }
    }
}

void m_maxpool_5(const float *restrict src, float *restrict dst)
{
    m_maxpool_5_body(src, dst);
}

/*
 * Reorder y
 * src f32[1,32,13,13] acdb
 * dst f32[1,32,13,13]
 */
NET_KERNEL
static void m_reorder_6_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 32; b0 += 64)
        for (size_t b1 = 0; b1 < 169; b1 += 8) {
            const size_t i1 = b1 + 8 <= 169 ? b1 : 161;
            const size_t end = (b0 + 64 < 32 ? b0 + 64 : 32);
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 169 + i1, 169, src + i0 + i1 * 32, 32);
        }
}

void m_reorder_6(const float *restrict src, float *restrict dst)
{
    m_reorder_6_body(src, dst);
}
/* --- m_dnnl_0.c --- */
/*
 * Conv, Relu
 * src f32[1,32,112,112] acdb
 * dst f32[1,48,55,55] acdb
 * Planned for: brg_conv_fwd:avx2
 * The same functions compute 2 more layers.
 */
/* What differs: indices in the context, offsets in weights and workspace, sizes. */
static const struct at_conv_1 {
    struct {
        unsigned index, slot;
        size_t src, weights, weights_plan, dst, scratchpad;
        float post0_alpha;
    };
    struct dnnlc_md src_md, weights_md, dst_md;
    struct dnnlc_window window;
} at_conv_1[] = {
    /* 1: Conv + Relu */
    {{1, 0, 0, 0, 55296, 1605632, 2186432, 0.0f},
     .src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 112, 112}}},
     .weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{48, 32, 3, 3}}},
     .dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 48, 55, 55}}},
     .window = {.strides = {2, 2}}},
    /* 2: Conv + LeakyRelu */
    {{2, 4, 1605632, 56064, 180480, 0, 200704, 0.100000001f},
     .src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 48, 55, 55}}},
     .weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{64, 48, 3, 3}}},
     .dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 28, 28}}},
     .window = {.strides = {2, 2}, .padding_l = {1, 1}, .padding_r = {1, 1}}},
    /* 3: Conv + Relu */
    {{3, 8, 0, 181248, 254976, 200704, 225792, 0.0f},
     .src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 28, 28}}},
     .weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{32, 64, 3, 3}}},
     .dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 14, 14}}},
     .window = {.strides = {2, 2}, .padding_l = {1, 1}, .padding_r = {1, 1}}},
};

DNNLC_SETUP void create_conv_1(struct dnnlc_setup *s, const void *row)
{
    const struct at_conv_1 *at = row;
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, at->index);
    dnnlc_planned_for(&l, "brg_conv_fwd:avx2");
    dnnl_memory_desc_t src = dnnlc_operand(&l, &at->src_md, s->workspace + at->src);
    dnnl_memory_desc_t weights =
        dnnlc_packed(&l, &at->weights_md, s->weights + at->weights, s->weights + at->weights_plan);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &at->dst_md, s->workspace + at->dst);
    dnnlc_append_eltwise(&l, dnnl_eltwise_relu, at->post0_alpha, 0.0f);
    dnnlc_convolution(&l, src, weights, NULL, dst, &at->window);
    dnnlc_finish(&l, at->slot, s->workspace + at->scratchpad, 8216);
}

static const int args_conv_1[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};

static dnnl_status_t run_conv_1(const m_context *ctx, const struct at_conv_1 *at)
{
    return dnnlc_execute(ctx->primitive[at->index], ctx->stream, ctx->memory + at->slot,
                         args_conv_1, 3);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create_row = create_conv_1, .row = &at_conv_1[0]},
    {.create_row = create_conv_1, .row = &at_conv_1[1]},
    {.create_row = create_conv_1, .row = &at_conv_1[2]},
};

struct dnnlc_layers m_dnnl_0_layers(void)
{
    return (struct dnnlc_layers){
        m_dnnl_0_creators,
        sizeof m_dnnl_0_creators / sizeof *m_dnnl_0_creators,
    };
}

unsigned m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    /* reorder_0: Reorder x */
    m_reorder_0(m->in[0], workspace_at(m, 0));
    m_trace(m, 0);
    DNNLC_TRY(m_ran(ctx, m, 1, run_conv_1(ctx, &at_conv_1[0])));
    DNNLC_TRY(m_ran(ctx, m, 2, run_conv_1(ctx, &at_conv_1[1])));
    DNNLC_TRY(m_ran(ctx, m, 3, run_conv_1(ctx, &at_conv_1[2])));
    return dnnl_success;
}
/* --- m_c_1.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONV_3_DST = 200704,
    MAXPOOL_4_DST = 0,
    MAXPOOL_5_DST = 21632,
};

void m_c_1(const struct m_memory *m)
{
    /* maxpool_4: MaxPool */
    m_maxpool_4(workspace_at(m, CONV_3_DST), workspace_at(m, MAXPOOL_4_DST));
    m_trace(m, 4);
    /* maxpool_5: MaxPool */
    m_maxpool_5(workspace_at(m, MAXPOOL_4_DST), workspace_at(m, MAXPOOL_5_DST));
    m_trace(m, 5);
    /* reorder_6: Reorder y */
    m_reorder_6(workspace_at(m, MAXPOOL_5_DST), m->out[0]);
    m_trace(m, 6);
}
