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
 * Conv, Relu
 * src f32[1,32,28,28] acdb
 * dst f32[1,32,28,28] acdb
 * Planned for: brgconv_1x1:avx2
 * The same functions compute 3 more layers.
 */
/* What differs: indices in the context, offsets in weights and workspace, sizes. */
static const struct at_conv_1 {
    struct {
        unsigned index, slot;
        size_t src, weights, dst;
        float post0_alpha, post0_beta;
    };
    dnnl_alg_kind_t post0_alg;
} at_conv_1[] = {
    /* 1: Conv + Relu */
    {{1, 3, 0, 0, 100352, 0.0f, 0.0f}, .post0_alg = dnnl_eltwise_relu},
    /* 2: Conv + Relu */
    {{2, 7, 100352, 4864, 0, 0.0f, 0.0f}, .post0_alg = dnnl_eltwise_relu},
    /* 3: Conv + HardSwish */
    {{3, 11, 0, 8960, 100352, 0.166666672f, 0.5f}, .post0_alg = dnnl_eltwise_hardswish},
    /* 4: Conv + Relu */
    {{4, 15, 100352, 13056, 0, 0.0f, 0.0f}, .post0_alg = dnnl_eltwise_relu},
};

DNNLC_SETUP void create_conv_1(struct dnnlc_setup *s, const void *row)
{
    const struct at_conv_1 *at = row;
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_md weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{32, 32, 1, 1}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_window window = {.strides = {1, 1}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, at->index);
    dnnlc_planned_for(&l, "brgconv_1x1:avx2");
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace + at->src);
    dnnl_memory_desc_t weights =
        dnnlc_packed(&l, &weights_md, s->weights + at->weights, s->weights + 4096);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, s->workspace + at->dst);
    dnnlc_append_eltwise(&l, at->post0_alg, at->post0_alpha, at->post0_beta);
    dnnlc_convolution(&l, src, weights, NULL, dst, &window);
    dnnlc_finish(&l, at->slot, s->workspace + 200704, 8216);
}

static const int args_conv_1[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};

static dnnl_status_t run_conv_1(const m_context *ctx, const struct at_conv_1 *at)
{
    return dnnlc_execute(ctx->primitive[at->index], ctx->stream, ctx->memory + at->slot,
                         args_conv_1, 3);
}

/*
 * Reorder y
 * src f32[1,32,28,28] acdb
 * dst f32[1,32,28,28]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_5(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_abcd, 4, {{1, 32, 28, 28}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 5);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, 19, s->workspace, 0);
}

static const int args_reorder_5[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_5(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[5], ctx->stream, ctx->memory + 19, args_reorder_5, 2);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_reorder_0},
    {.create_row = create_conv_1, .row = &at_conv_1[0]},
    {.create_row = create_conv_1, .row = &at_conv_1[1], .like = 2},
    {.create_row = create_conv_1, .row = &at_conv_1[2]},
    {.create_row = create_conv_1, .row = &at_conv_1[3], .like = 2},
    {.create = create_reorder_5},
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
    dnnl_memory_set_data_handle(ctx->memory[20], m->out[0]);
    DNNLC_TRY(m_ran(ctx, m, 0, run_reorder_0(ctx)));
    DNNLC_TRY(m_ran(ctx, m, 1, run_conv_1(ctx, &at_conv_1[0])));
    DNNLC_TRY(m_ran(ctx, m, 2, run_conv_1(ctx, &at_conv_1[1])));
    DNNLC_TRY(m_ran(ctx, m, 3, run_conv_1(ctx, &at_conv_1[2])));
    DNNLC_TRY(m_ran(ctx, m, 4, run_conv_1(ctx, &at_conv_1[3])));
    DNNLC_TRY(m_ran(ctx, m, 5, run_reorder_5(ctx)));
    return dnnl_success;
}
