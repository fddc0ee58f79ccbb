/* --- m_dnnl_0.c --- */
/*
 * Reorder x
 * src f32[1,96,27,27]
 * dst f32[1,96,27,27] acdb
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_0(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    const dnnl_dims_t src_dims = {1, 96, 27, 27};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, src_dims);
    const dnnl_dims_t dst_dims = {1, 96, 27, 27};
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
 * LRN
 * src f32[1,96,27,27] acdb
 * dst f32[1,96,27,27] acdb
 * Planned for: jit:avx2
 */
DNNLC_SETUP void create_lrn_1(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 1);
    const dnnl_dims_t src_dims = {1, 96, 27, 27};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t dst_dims = {1, 96, 27, 27};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, dst_dims);
    dnnlc_lrn(&l, dnnl_lrn_across_channels, src, dst, 5, 9.99999975e-05f, 0.75f, 1.0f);
    dnnlc_memory(&l, 3, src, s->workspace);
    dnnlc_memory(&l, 4, dst, s->workspace + 279936);
    dnnlc_scratchpad(&l, 5, s->workspace, 0);
    dnnlc_end(&l);
}

static dnnl_status_t run_lrn_1(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[3]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[4]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[5]},
    };
    return dnnl_primitive_execute(ctx->primitive[1], ctx->stream, 3, args);
}

/*
 * Reorder y
 * src f32[1,96,27,27] acdb
 * dst f32[1,96,27,27]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_2(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 2);
    const dnnl_dims_t src_dims = {1, 96, 27, 27};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_acdb, 4, src_dims);
    const dnnl_dims_t dst_dims = {1, 96, 27, 27};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_abcd, 4, dst_dims);
    dnnlc_reorder(&l, src, dst);
    dnnlc_memory(&l, 6, src, s->workspace + 279936);
    dnnlc_memory(&l, 7, dst, NULL);
    dnnlc_scratchpad(&l, 8, s->workspace, 0);
    dnnlc_end(&l);
}

static dnnl_status_t run_reorder_2(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[6]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[7]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[8]},
    };
    return dnnl_primitive_execute(ctx->primitive[2], ctx->stream, 3, args);
}

static const struct dnnlc_creator m_dnnl_0_layers[] = {
    {.create = create_reorder_0},
    {.create = create_lrn_1},
    {.create = create_reorder_2},
};

void m_dnnl_0_create(struct dnnlc_setup *s)
{
    dnnlc_create_layers(s, m_dnnl_0_layers, sizeof m_dnnl_0_layers / sizeof *m_dnnl_0_layers);
}

int m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    dnnl_status_t status;
    dnnl_memory_set_data_handle(ctx->memory[0], (void *)(uintptr_t)m->in[0]);
    dnnl_memory_set_data_handle(ctx->memory[7], m->out[0]);
    if ((status = run_reorder_0(ctx)) != dnnl_success)
        return m_fail(ctx, 0, status);
    m_trace(m, 0);
    if ((status = run_lrn_1(ctx)) != dnnl_success)
        return m_fail(ctx, 1, status);
    m_trace(m, 1);
    if ((status = run_reorder_2(ctx)) != dnnl_success)
        return m_fail(ctx, 2, status);
    m_trace(m, 2);
    return dnnl_success;
}
