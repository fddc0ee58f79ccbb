/* --- m_kernels_0.c --- */
/*
 * Conv, Clip
 * src f32[1,32,28,28] acdb, f32[32,1,3,3] cdab
 * dst f32[1,32,28,28] acdb
 */
/* Epilogue for one element: Clip. */
NET_INLINE float m_conv_1_epilogue(const float x)
{
    return x < 0.0f ? 0.0f : x > 6.0f ? 6.0f : x;
}

typedef float m_conv_1_vector __attribute__((vector_size(32), aligned(4), may_alias));

/* AT_ONCE neighbours of dst, whose windows begin at `at`, have rows top to bottom - 1 within the image, and all columns. */
NET_INLINE void m_conv_1_tile(const float *restrict src, const ptrdiff_t at,
                              const float *restrict weights, const ptrdiff_t top,
                              const ptrdiff_t bottom, float (*restrict to)[16])
{
    enum { C = 32, W = 28, KW = 3, SW = 1, DH = 1, DW = 1 };
    enum { AT_ONCE = 3, LANES = 8, VECTORS = 16 / LANES };
    m_conv_1_vector sum[AT_ONCE][VECTORS] = {{{0}}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = 0; x < KW; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * C;
            m_conv_1_vector weight[VECTORS];
            for (ptrdiff_t v = 0; v < VECTORS; v++)
                weight[v] = *(const m_conv_1_vector *)(tap + v * LANES);
            for (ptrdiff_t p = 0; p < AT_ONCE; p++)
                for (ptrdiff_t v = 0; v < VECTORS; v++) {
                    const void *element = s + p * SW * C + v * LANES;
                    const m_conv_1_vector *vector = element;
                    sum[p][v] += *vector * weight[v];
                }
        }
    for (ptrdiff_t p = 0; p < AT_ONCE; p++)
        for (ptrdiff_t v = 0; v < VECTORS; v++)
            *(m_conv_1_vector *)(to[p] + v * LANES) = sum[p][v];
}

/* One pixel at the border, of whose window columns left to right - 1 are within the image. */
NET_INLINE void m_conv_1_pixel(const float *restrict src, const ptrdiff_t at,
                               const float *restrict weights, const ptrdiff_t top,
                               const ptrdiff_t bottom, const ptrdiff_t left, const ptrdiff_t right,
                               float *restrict to)
{
    enum { C = 32, W = 28, KW = 3, DH = 1, DW = 1, LANES = 8, VECTORS = 32 / LANES };
    m_conv_1_vector sum[VECTORS] = {{0}};
    for (ptrdiff_t y = top; y < bottom; y++)
        for (ptrdiff_t x = left; x < right; x++) {
            const float *restrict s = src + (at + (y * DH * W + x * DW) * C);
            const float *restrict tap = weights + (y * KW + x) * C;
            for (ptrdiff_t v = 0; v < VECTORS; v++) {
                const void *element = s + v * LANES, *factor = tap + v * LANES;
                const m_conv_1_vector *vector = element, *weight = factor;
                sum[v] += *vector * *weight;
            }
        }
    for (ptrdiff_t v = 0; v < VECTORS; v++)
        *(m_conv_1_vector *)(to + v * LANES) = sum[v];
}

NET_KERNEL
static void m_conv_1_body(const float *restrict src, const float *restrict weights,
                          float *restrict dst)
{
    enum { IMAGES = 1, C = 32, H = 28, W = 28, OH = 28, OW = 28, KH = 3, KW = 3 };
    enum { SH = 1, SW = 1, DH = 1, DW = 1, TOP = 1, LEFT = 1 };
    enum { AT_ONCE = 3, CHANNELS = 16, SINGLE = 32, BLOCK = 32 };
    enum { SPAN = (AT_ONCE - 1) * SW + (KW - 1) * DW + 1 }; /* of a line under all windows */
    /* Pixels of a strip: the lines under the windows of two rows are no more than so many bytes. */
    enum { BYTES = 65536 };
    const ptrdiff_t all = C, deep = all < BLOCK ? all : BLOCK;
    const ptrdiff_t most = BYTES / ((KH + 1) * SW * 4 * deep);
    const ptrdiff_t wide = most < AT_ONCE ? AT_ONCE : most / AT_ONCE * AT_ONCE;
    for (ptrdiff_t b = 0; b < C; b += BLOCK)
        for (ptrdiff_t strip = 0, stop = 0; strip < OW; strip = stop) {
            const ptrdiff_t end = C - b < BLOCK ? C : b + BLOCK;
            stop = (strip ? strip : (LEFT + SW - 1) / SW) + wide;
            stop = stop < OW ? stop : OW;
            for (ptrdiff_t i = 0; i < IMAGES * OH; i++)
                for (ptrdiff_t x = strip, n = 0; x < stop; x += n) {
                    const ptrdiff_t begin = x * SW - LEFT;
                    const int inside = x + AT_ONCE <= stop && begin >= 0 && begin + SPAN <= W;
                    const ptrdiff_t left = begin < 0 ? (DW - 1 - begin) / DW : 0;
                    const ptrdiff_t right =
                        begin + (KW - 1) * DW < W ? KW : (W - begin + DW - 1) / DW;
                    n = inside ? AT_ONCE : 1;
                    const ptrdiff_t row = i % OH * SH - TOP, at = (i * OW + x) * C;
                    const ptrdiff_t top = row < 0 ? (DH - 1 - row) / DH : 0;
                    const ptrdiff_t bottom = row + (KH - 1) * DH < H ? KH : (H - row + DH - 1) / DH;
                    const ptrdiff_t window = ((i / OH * H + row) * W + begin) * C;
                    for (ptrdiff_t c = inside ? b : end; c < end; c += CHANNELS) {
                        float sum[AT_ONCE][CHANNELS];
                        m_conv_1_tile(src, window + c, weights + c, top, bottom, sum);
                        for (ptrdiff_t p = 0; p < AT_ONCE; p++) {
                            NET_LANES
                            for (ptrdiff_t f = 0; f < CHANNELS; f++)
                                dst[at + p * C + c + f] = m_conv_1_epilogue(sum[p][f]);
                        }
                    }
                    for (ptrdiff_t c = inside ? end : b; c < end; c += SINGLE) {
                        float sum[SINGLE];
                        m_conv_1_pixel(src, window + c, weights + c, top, bottom, left, right, sum);
                        NET_LANES
                        for (ptrdiff_t f = 0; f < SINGLE; f++)
                            dst[at + c + f] = m_conv_1_epilogue(sum[f]);
                    }
                }
        }
}

void m_conv_1(const float *restrict src, const float *restrict weights, float *restrict dst)
{
    m_conv_1_body(src, weights, dst);
}
/* --- m_dnnl_0.c --- */
/*
 * Reorder x
 * src f32[1,32,28,28]
 * dst f32[1,32,28,28] acdb
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_0(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_abcd, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, NULL);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, s->workspace);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, 0, s->workspace, 0);
}

static const int args_reorder_0[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_0(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[0], ctx->stream, ctx->memory, args_reorder_0, 2);
}

/*
 * Reorder y
 * src f32[1,32,28,28] acdb
 * dst f32[1,32,28,28]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_2(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_abcd, 4, {{1, 32, 28, 28}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 2);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace + 100352);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, 3, s->workspace, 0);
}

static const int args_reorder_2[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_2(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[2], ctx->stream, ctx->memory + 3, args_reorder_2, 2);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_reorder_0},
    {.create = create_reorder_2},
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
    dnnl_memory_set_data_handle(ctx->memory[0], (void *)(uintptr_t)m->in[0]);
    dnnl_memory_set_data_handle(ctx->memory[4], m->out[0]);
    DNNLC_TRY(m_ran(ctx, m, 0, run_reorder_0(ctx)));
    /* conv_1: Conv + Clip */
    m_conv_1(workspace_at(m, 0), weights_at(m, 0), workspace_at(m, 100352));
    m_trace(m, 1);
    DNNLC_TRY(m_ran(ctx, m, 2, run_reorder_2(ctx)));
    return dnnl_success;
}
