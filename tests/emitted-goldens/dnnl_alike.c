/* --- m_dnnl_0.c --- */
/*
 * Reorder x
 * src f32[1,32,28,28]
 * dst f32[1,32,28,28] acdb
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_0(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    const dnnl_dims_t src_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, src_dims);
    const dnnl_dims_t dst_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, dst_dims);
    dnnlc_reorder(&l, src, dst);
    dnnlc_memory(&l, 0, src, NULL);
    dnnlc_memory(&l, 1, dst, s->workspace);
    dnnlc_scratchpad(&l, 2, s->workspace, 0);
    dnnlc_end(&l);
}

static dnnl_status_t run_reorder_0(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[0]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[1]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[2]},
    };
    return dnnl_primitive_execute(ctx->primitive[0], ctx->stream, 3, args);
}

/*
 * Conv, Relu
 * src f32[1,32,28,28] acdb
 * dst f32[1,32,28,28] acdb
 * Planned for: brgconv_1x1:avx2
 * The same for 2 more layers.
 */
/* What differs: indices in the context, offsets in weights and workspace. */
static const struct at_conv_1 {
    unsigned index, slot;
    size_t src, weights, dst;
} at_conv_1[] = {
    /* 1: Conv + Relu */
    {1, 3, 0, 0, 100352},
    /* 2: Conv + Relu */
    {2, 7, 100352, 4864, 0},
    /* 4: Conv + Relu */
    {4, 15, 100352, 13056, 0},
};

DNNLC_SETUP void create_conv_1(struct dnnlc_setup *s, const void *row)
{
    const struct at_conv_1 *at = row;
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, at->index);
    const dnnl_dims_t src_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t weights_dims = {32, 32, 1, 1};
    const unsigned char *weights_plan = s->weights + 4096;
    dnnl_memory_desc_t weights =
        dnnlc_desc_packed(&l, dnnl_f32, 4, weights_dims, weights_plan, "brgconv_1x1:avx2");
    const dnnl_dims_t dst_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, dst_dims);
    dnnlc_append_eltwise(&l, dnnl_eltwise_relu, 0.0f, 0.0f);
    const struct dnnlc_window window = {.strides = {1, 1}};
    dnnlc_convolution(&l, src, weights, NULL, dst, &window);
    dnnlc_memory(&l, at->slot, src, s->workspace + at->src);
    dnnlc_weights(&l, at->slot + 1, s->weights + at->weights, s->weights + 4096);
    dnnlc_memory(&l, at->slot + 2, dst, s->workspace + at->dst);
    dnnlc_scratchpad(&l, at->slot + 3, s->workspace + 200704, 8216);
    dnnlc_end(&l);
}

static dnnl_status_t run_conv_1(const m_context *ctx, const struct at_conv_1 *at)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[at->slot]},
        {.arg = DNNL_ARG_WEIGHTS, .memory = ctx->memory[at->slot + 1]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[at->slot + 2]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[at->slot + 3]},
    };
    return dnnl_primitive_execute(ctx->primitive[at->index], ctx->stream, 4, args);
}

/*
 * Conv, HardSwish
 * src f32[1,32,28,28] acdb
 * dst f32[1,32,28,28] acdb
 * Planned for: brgconv_1x1:avx2
 */
DNNLC_SETUP void create_conv_3(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 3);
    const dnnl_dims_t src_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t weights_dims = {32, 32, 1, 1};
    const unsigned char *weights_plan = s->weights + 4096;
    dnnl_memory_desc_t weights =
        dnnlc_desc_packed(&l, dnnl_f32, 4, weights_dims, weights_plan, "brgconv_1x1:avx2");
    const dnnl_dims_t dst_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, dst_dims);
    dnnlc_append_eltwise(&l, dnnl_eltwise_hardswish, 0.166666672f, 0.5f);
    const struct dnnlc_window window = {.strides = {1, 1}};
    dnnlc_convolution(&l, src, weights, NULL, dst, &window);
    dnnlc_memory(&l, 11, src, s->workspace);
    dnnlc_weights(&l, 12, s->weights + 8960, s->weights + 4096);
    dnnlc_memory(&l, 13, dst, s->workspace + 100352);
    dnnlc_scratchpad(&l, 14, s->workspace + 200704, 8216);
    dnnlc_end(&l);
}

static dnnl_status_t run_conv_3(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[11]},
        {.arg = DNNL_ARG_WEIGHTS, .memory = ctx->memory[12]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[13]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[14]},
    };
    return dnnl_primitive_execute(ctx->primitive[3], ctx->stream, 4, args);
}

/*
 * Reorder y
 * src f32[1,32,28,28] acdb
 * dst f32[1,32,28,28]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_5(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 5);
    const dnnl_dims_t src_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t dst_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, dst_dims);
    dnnlc_reorder(&l, src, dst);
    dnnlc_memory(&l, 19, src, s->workspace);
    dnnlc_memory(&l, 20, dst, NULL);
    dnnlc_scratchpad(&l, 21, s->workspace, 0);
    dnnlc_end(&l);
}

static dnnl_status_t run_reorder_5(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[19]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[20]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[21]},
    };
    return dnnl_primitive_execute(ctx->primitive[5], ctx->stream, 3, args);
}

static const struct dnnlc_creator m_dnnl_0_layers[] = {
    {.create = create_reorder_0},
    {.create_row = create_conv_1, .row = &at_conv_1[0]},
    {.create_row = create_conv_1, .row = &at_conv_1[1]},
    {.create = create_conv_3},
    {.create_row = create_conv_1, .row = &at_conv_1[2]},
    {.create = create_reorder_5},
};

void m_dnnl_0_create(struct dnnlc_setup *s)
{
    dnnlc_create_layers(s, m_dnnl_0_layers, sizeof m_dnnl_0_layers / sizeof *m_dnnl_0_layers);
}

int m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    dnnl_status_t status;
    dnnl_memory_set_data_handle(ctx->memory[0], (void *)(uintptr_t)m->in[0]);
    dnnl_memory_set_data_handle(ctx->memory[20], m->out[0]);
    if ((status = run_reorder_0(ctx)) != dnnl_success)
        return m_fail(ctx, 0, status);
    m_trace(m, 0);
    if ((status = run_conv_1(ctx, &at_conv_1[0])) != dnnl_success)
        return m_fail(ctx, 1, status);
    m_trace(m, 1);
    if ((status = run_conv_1(ctx, &at_conv_1[1])) != dnnl_success)
        return m_fail(ctx, 2, status);
    m_trace(m, 2);
    if ((status = run_conv_3(ctx)) != dnnl_success)
        return m_fail(ctx, 3, status);
    m_trace(m, 3);
    if ((status = run_conv_1(ctx, &at_conv_1[2])) != dnnl_success)
        return m_fail(ctx, 4, status);
    m_trace(m, 4);
    if ((status = run_reorder_5(ctx)) != dnnl_success)
        return m_fail(ctx, 5, status);
    m_trace(m, 5);
    return dnnl_success;
}
