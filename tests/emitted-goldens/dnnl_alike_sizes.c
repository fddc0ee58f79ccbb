/* --- m_dnnl_0.c --- */
/*
 * Reorder x
 * src f32[1,32,112,112]
 * dst f32[1,32,112,112] acdb
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_0(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_abcd, 4, {{1, 32, 112, 112}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 112, 112}}};
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
    {{1, 3, 0, 0, 55296, 1605632, 2186432, 0.0f},
     .src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 112, 112}}},
     .weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{48, 32, 3, 3}}},
     .dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 48, 55, 55}}},
     .window = {.strides = {2, 2}}},
    /* 2: Conv + LeakyRelu */
    {{2, 7, 1605632, 56064, 180480, 0, 200704, 0.100000001f},
     .src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 48, 55, 55}}},
     .weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{64, 48, 3, 3}}},
     .dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 28, 28}}},
     .window = {.strides = {2, 2}, .padding_l = {1, 1}, .padding_r = {1, 1}}},
    /* 3: Conv + Relu */
    {{3, 11, 0, 181248, 254976, 200704, 225792, 0.0f},
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

/*
 * MaxPool
 * src f32[1,32,14,14] acdb
 * dst f32[1,32,13,13] acdb
 * Planned for: jit:avx2
 * The same functions compute 1 more layer.
 */
/* What differs: indices in the context, offsets in weights and workspace, sizes. */
static const struct at_maxpool_4 {
    struct {
        unsigned index, slot;
        size_t src, dst;
    };
    struct dnnlc_md src_md;
    struct dnnlc_window window;
} at_maxpool_4[] = {
    /* 4: MaxPool */
    {{4, 15, 200704, 0},
     .src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 14, 14}}},
     .window = {.kernel = {2, 2}, .strides = {1, 1}}},
    /* 5: MaxPool */
    {{5, 18, 0, 21632},
     .src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 13, 13}}},
     .window = {.kernel = {3, 3}, .strides = {1, 1}, .padding_l = {1, 1}, .padding_r = {1, 1}}},
};

DNNLC_SETUP void create_maxpool_4(struct dnnlc_setup *s, const void *row)
{
    const struct at_maxpool_4 *at = row;
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 13, 13}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, at->index);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &at->src_md, s->workspace + at->src);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, s->workspace + at->dst);
    dnnlc_pooling(&l, dnnl_pooling_max, src, dst, &at->window);
    dnnlc_finish(&l, at->slot, s->workspace, 0);
}

static const int args_maxpool_4[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_maxpool_4(const m_context *ctx, const struct at_maxpool_4 *at)
{
    return dnnlc_execute(ctx->primitive[at->index], ctx->stream, ctx->memory + at->slot,
                         args_maxpool_4, 2);
}

/*
 * Reorder y
 * src f32[1,32,13,13] acdb
 * dst f32[1,32,13,13]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_6(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 13, 13}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_abcd, 4, {{1, 32, 13, 13}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 6);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace + 21632);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, 21, s->workspace, 0);
}

static const int args_reorder_6[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_6(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[6], ctx->stream, ctx->memory + 21, args_reorder_6, 2);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_reorder_0},
    {.create_row = create_conv_1, .row = &at_conv_1[0]},
    {.create_row = create_conv_1, .row = &at_conv_1[1]},
    {.create_row = create_conv_1, .row = &at_conv_1[2]},
    {.create_row = create_maxpool_4, .row = &at_maxpool_4[0]},
    {.create_row = create_maxpool_4, .row = &at_maxpool_4[1]},
    {.create = create_reorder_6},
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
    dnnl_memory_set_data_handle(ctx->memory[22], m->out[0]);
    DNNLC_TRY(m_ran(ctx, m, 0, run_reorder_0(ctx)));
    DNNLC_TRY(m_ran(ctx, m, 1, run_conv_1(ctx, &at_conv_1[0])));
    DNNLC_TRY(m_ran(ctx, m, 2, run_conv_1(ctx, &at_conv_1[1])));
    DNNLC_TRY(m_ran(ctx, m, 3, run_conv_1(ctx, &at_conv_1[2])));
    DNNLC_TRY(m_ran(ctx, m, 4, run_maxpool_4(ctx, &at_maxpool_4[0])));
    DNNLC_TRY(m_ran(ctx, m, 5, run_maxpool_4(ctx, &at_maxpool_4[1])));
    DNNLC_TRY(m_ran(ctx, m, 6, run_reorder_6(ctx)));
    return dnnl_success;
}
