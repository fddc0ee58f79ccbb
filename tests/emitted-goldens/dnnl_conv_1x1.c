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
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, s->workspace + 200704);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, 0, s->workspace, 0);
}

static const int args_reorder_0[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_0(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[0], ctx->stream, ctx->memory, args_reorder_0, 2);
}

/*
 * Conv, HardSwish
 * src f32[1,32,28,28] acdb
 * dst f32[1,64,28,28] acdb
 * Planned for: brgconv_1x1:avx2
 */
DNNLC_SETUP void create_conv_1(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_md weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{64, 32, 1, 1}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 28, 28}}};
    const struct dnnlc_window window = {.strides = {1, 1}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 1);
    dnnlc_planned_for(&l, "brgconv_1x1:avx2");
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace + 200704);
    dnnl_memory_desc_t weights = dnnlc_packed(&l, &weights_md, s->weights, s->weights + 8192);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, s->workspace);
    dnnlc_append_eltwise(&l, dnnl_eltwise_hardswish, 0.166666672f, 0.5f);
    dnnlc_convolution(&l, src, weights, NULL, dst, &window);
    dnnlc_finish(&l, 3, s->workspace + 301056, 8216);
}

static const int args_conv_1[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};

static dnnl_status_t run_conv_1(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[1], ctx->stream, ctx->memory + 3, args_conv_1, 3);
}

/*
 * Reorder y
 * src f32[1,64,28,28] acdb
 * dst f32[1,64,28,28]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_2(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 28, 28}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_abcd, 4, {{1, 64, 28, 28}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 2);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, 7, s->workspace, 0);
}

static const int args_reorder_2[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_2(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[2], ctx->stream, ctx->memory + 7, args_reorder_2, 2);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_reorder_0},
    {.create = create_conv_1},
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
    dnnl_memory_set_data_handle(ctx->memory[8], m->out[0]);
    DNNLC_TRY(m_ran(ctx, m, 0, run_reorder_0(ctx)));
    DNNLC_TRY(m_ran(ctx, m, 1, run_conv_1(ctx)));
    DNNLC_TRY(m_ran(ctx, m, 2, run_reorder_2(ctx)));
    return dnnl_success;
}
