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
 * dst f32[1,64,14,14] acdb
 * Planned for: brg_conv_fwd:avx2
 */
DNNLC_SETUP void create_conv_1(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 1);
    const dnnl_dims_t src_dims = {1, 32, 28, 28};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t weights_dims = {64, 32, 3, 3};
    const unsigned char *weights_plan = s->weights + 73728;
    dnnl_memory_desc_t weights =
        dnnlc_desc_packed(&l, dnnl_f32, 4, weights_dims, weights_plan, "brg_conv_fwd:avx2");
    const dnnl_dims_t dst_dims = {1, 64, 14, 14};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, dst_dims);
    dnnlc_append_eltwise(&l, dnnl_eltwise_relu, 0.0f, 0.0f);
    const struct dnnlc_window window = {
        .strides = {2, 2}, .padding_l = {1, 1}, .padding_r = {1, 1}};
    dnnlc_convolution(&l, src, weights, NULL, dst, &window);
    dnnlc_memory(&l, 3, src, s->workspace);
    dnnlc_weights(&l, 4, s->weights, s->weights + 73728);
    dnnlc_memory(&l, 5, dst, s->workspace + 100352);
    dnnlc_scratchpad(&l, 6, s->workspace + 150528, 8216);
    dnnlc_end(&l);
}

static dnnl_status_t run_conv_1(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[3]},
        {.arg = DNNL_ARG_WEIGHTS, .memory = ctx->memory[4]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[5]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[6]},
    };
    return dnnl_primitive_execute(ctx->primitive[1], ctx->stream, 4, args);
}

/*
 * MaxPool
 * src f32[1,64,14,14] acdb
 * dst f32[1,64,7,7] acdb
 * Planned for: jit:avx2
 */
DNNLC_SETUP void create_maxpool_2(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 2);
    const dnnl_dims_t src_dims = {1, 64, 14, 14};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t dst_dims = {1, 64, 7, 7};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, dst_dims);
    const struct dnnlc_window window = {.kernel = {2, 2}, .strides = {2, 2}};
    dnnlc_pooling(&l, dnnl_pooling_max, src, dst, &window);
    dnnlc_memory(&l, 7, src, s->workspace + 100352);
    dnnlc_memory(&l, 8, dst, s->workspace);
    dnnlc_scratchpad(&l, 9, s->workspace, 0);
    dnnlc_end(&l);
}

static dnnl_status_t run_maxpool_2(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[7]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[8]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[9]},
    };
    return dnnl_primitive_execute(ctx->primitive[2], ctx->stream, 3, args);
}

/*
 * Reorder y
 * src f32[1,64,7,7] acdb
 * dst f32[1,64,7,7]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_3(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 3);
    const dnnl_dims_t src_dims = {1, 64, 7, 7};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t dst_dims = {1, 64, 7, 7};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, dst_dims);
    dnnlc_reorder(&l, src, dst);
    dnnlc_memory(&l, 10, src, s->workspace);
    dnnlc_memory(&l, 11, dst, NULL);
    dnnlc_scratchpad(&l, 12, s->workspace, 0);
    dnnlc_end(&l);
}

static dnnl_status_t run_reorder_3(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[10]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[11]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[12]},
    };
    return dnnl_primitive_execute(ctx->primitive[3], ctx->stream, 3, args);
}

static const struct dnnlc_creator m_dnnl_0_layers[] = {
    {.create = create_reorder_0},
    {.create = create_conv_1},
    {.create = create_maxpool_2},
    {.create = create_reorder_3},
};

void m_dnnl_0_create(struct dnnlc_setup *s)
{
    dnnlc_create_layers(s, m_dnnl_0_layers, sizeof m_dnnl_0_layers / sizeof *m_dnnl_0_layers);
}

int m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    dnnl_status_t status;
    dnnl_memory_set_data_handle(ctx->memory[0], (void *)(uintptr_t)m->in[0]);
    dnnl_memory_set_data_handle(ctx->memory[11], m->out[0]);
    if ((status = run_reorder_0(ctx)) != dnnl_success)
        return m_fail(ctx, 0, status);
    m_trace(m, 0);
    if ((status = run_conv_1(ctx)) != dnnl_success)
        return m_fail(ctx, 1, status);
    m_trace(m, 1);
    if ((status = run_maxpool_2(ctx)) != dnnl_success)
        return m_fail(ctx, 2, status);
    m_trace(m, 2);
    if ((status = run_reorder_3(ctx)) != dnnl_success)
        return m_fail(ctx, 3, status);
    m_trace(m, 3);
    return dnnl_success;
}
