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
 * src f32[1,32,28,28]
 * dst f32[1,32,28,28] acdb
 */
NET_KERNEL
static void m_reorder_0_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 784; b0 += 64)
        for (size_t b1 = 0; b1 < 32; b1 += 8) {
            const size_t i1 = b1;
            const size_t end = (b0 + 64 < 784 ? b0 + 64 : 784);
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 32 + i1, 32, src + i0 + i1 * 784, 784);
        }
}

void m_reorder_0(const float *restrict src, float *restrict dst)
{
    m_reorder_0_body(src, dst);
}

/*
 * Reorder y
 * src f32[1,64,28,28] acdb
 * dst f32[1,64,28,28]
 */
NET_KERNEL
static void m_reorder_2_body(const float *restrict src, float *restrict dst)
{
    for (size_t b0 = 0; b0 < 64; b0 += 64)
        for (size_t b1 = 0; b1 < 784; b1 += 8) {
            const size_t i1 = b1;
            const size_t end = b0 + 64;
            size_t i0 = b0;
            for (; i0 + 8 <= end; i0 += 8)
                dnnlc_transpose(dst + i0 * 784 + i1, 784, src + i0 + i1 * 64, 64);
        }
}

void m_reorder_2(const float *restrict src, float *restrict dst)
{
    m_reorder_2_body(src, dst);
}
/* --- m_dnnl_0.c --- */
/*
 * Conv
 * src f32[1,32,28,28] acdb
 * dst f32[1,64,28,28] acdb
 * Planned for: brg_conv_fwd:avx2
 */
DNNLC_SETUP void create_conv_1(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_md weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{64, 32, 3, 3}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 28, 28}}};
    const struct dnnlc_window window = {
        .strides = {1, 1}, .dilates = {1, 1}, .padding_l = {2, 2}, .padding_r = {2, 2}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 1);
    dnnlc_planned_for(&l, "brg_conv_fwd:avx2");
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace + 200704);
    dnnl_memory_desc_t weights = dnnlc_packed(&l, &weights_md, s->weights, s->weights + 82944);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, s->workspace);
    dnnlc_convolution(&l, src, weights, NULL, dst, &window);
    dnnlc_finish(&l, 0, s->workspace + 301056, 8216);
}

static const int args_conv_1[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};

static dnnl_status_t run_conv_1(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[1], ctx->stream, ctx->memory, args_conv_1, 3);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_conv_1},
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
    m_reorder_0(m->in[0], workspace_at(m, 200704));
    m_trace(m, 0);
    DNNLC_TRY(m_ran(ctx, m, 1, run_conv_1(ctx)));
    return dnnl_success;
}
/* --- m_c_1.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONV_1_DST = 0,
};

void m_c_1(const struct m_memory *m)
{
    /* reorder_2: Reorder y */
    m_reorder_2(workspace_at(m, CONV_1_DST), m->out[0]);
    m_trace(m, 2);
}
