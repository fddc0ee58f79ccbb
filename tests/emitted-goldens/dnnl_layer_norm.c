/* --- m_dnnl_0.c --- */
/*
 * LayerNormalization
 * src f32[256,768], f32[768], f32[768]
 * dst f32[256,768]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_layernormalization_0(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    const dnnl_dims_t src_dims = {256, 768};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_ab, 2, src_dims);
    const dnnl_dims_t scale_dims = {768};
    dnnl_memory_desc_t scale = dnnlc_desc(&l, dnnl_f32, dnnl_a, 1, scale_dims);
    const dnnl_dims_t shift_dims = {768};
    dnnl_memory_desc_t shift = dnnlc_desc(&l, dnnl_f32, dnnl_a, 1, shift_dims);
    const dnnl_dims_t dst_dims = {256, 768};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_ab, 2, dst_dims);
    dnnlc_layer_norm(&l, src, dst, 9.99999975e-06f, dnnl_use_scale | dnnl_use_shift);
    dnnlc_memory(&l, 0, src, NULL);
    dnnlc_memory(&l, 1, scale, s->weights);
    dnnlc_memory(&l, 2, shift, s->weights + 3072);
    dnnlc_memory(&l, 3, dst, NULL);
    dnnlc_scratchpad(&l, 4, s->workspace, 2304);
    dnnlc_end(&l);
}

static dnnl_status_t run_layernormalization_0(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[0]},
        {.arg = DNNL_ARG_SCALE, .memory = ctx->memory[1]},
        {.arg = DNNL_ARG_SHIFT, .memory = ctx->memory[2]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[3]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[4]},
    };
    return dnnl_primitive_execute(ctx->primitive[0], ctx->stream, 5, args);
}

static const struct dnnlc_creator m_dnnl_0_layers[] = {
    {.create = create_layernormalization_0},
};

void m_dnnl_0_create(struct dnnlc_setup *s)
{
    dnnlc_create_layers(s, m_dnnl_0_layers, sizeof m_dnnl_0_layers / sizeof *m_dnnl_0_layers);
}

int m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    dnnl_status_t status;
    dnnl_memory_set_data_handle(ctx->memory[0], (void *)(uintptr_t)m->in[0]);
    dnnl_memory_set_data_handle(ctx->memory[3], m->out[0]);
    if ((status = run_layernormalization_0(ctx)) != dnnl_success)
        return m_fail(ctx, 0, status);
    m_trace(m, 0);
    return dnnl_success;
}
