/* --- m_dnnl_0.c --- */
/*
 * MatMul
 * src f32[8,32,128]
 * dst f32[8,32,128]
 * Planned for: gemm:jit:f32
 */
DNNLC_SETUP void create_matmul_0(struct dnnlc_setup *s)
{
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    const dnnl_dims_t src_dims = {256, 128};
    dnnl_memory_desc_t src = dnnlc_desc(&l, dnnl_f32, dnnl_ab, 2, src_dims);
    const dnnl_dims_t weights_dims = {128, 128};
    const unsigned char *weights_plan = s->weights + 65536;
    dnnl_memory_desc_t weights =
        dnnlc_desc_packed(&l, dnnl_f32, 2, weights_dims, weights_plan, "gemm:jit:f32");
    const dnnl_dims_t dst_dims = {256, 128};
    dnnl_memory_desc_t dst = dnnlc_desc(&l, dnnl_f32, dnnl_ab, 2, dst_dims);
    dnnlc_matmul(&l, src, weights, NULL, dst);
    dnnlc_memory(&l, 0, src, NULL);
    dnnlc_weights(&l, 1, s->weights, s->weights + 65536);
    dnnlc_memory(&l, 2, dst, NULL);
    dnnlc_scratchpad(&l, 3, s->workspace, 0);
    dnnlc_end(&l);
}

static dnnl_status_t run_matmul_0(const m_context *ctx)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[0]},
        {.arg = DNNL_ARG_WEIGHTS, .memory = ctx->memory[1]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[2]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[3]},
    };
    return dnnl_primitive_execute(ctx->primitive[0], ctx->stream, 4, args);
}

static const struct dnnlc_creator m_dnnl_0_layers[] = {
    {.create = create_matmul_0},
};

void m_dnnl_0_create(struct dnnlc_setup *s)
{
    dnnlc_create_layers(s, m_dnnl_0_layers, sizeof m_dnnl_0_layers / sizeof *m_dnnl_0_layers);
}

int m_dnnl_0_run(m_context *ctx, const struct m_memory *m)
{
    dnnl_status_t status;
    dnnl_memory_set_data_handle(ctx->memory[0], (void *)(uintptr_t)m->in[0]);
    dnnl_memory_set_data_handle(ctx->memory[2], m->out[0]);
    if ((status = run_matmul_0(ctx)) != dnnl_success)
        return m_fail(ctx, 0, status);
    m_trace(m, 0);
    return dnnl_success;
}
