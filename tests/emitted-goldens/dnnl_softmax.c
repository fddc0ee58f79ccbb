/* --- m_dnnl_0.c --- */
/*
 * Softmax
 * src f32[4,128,1024]
 * dst f32[4,128,1024]
 * Planned for: jit:avx2
 */
DNNLC_SETUP void create_softmax_0(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_abc, 3, {{4, 128, 1024}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_abc, 3, {{4, 128, 1024}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, NULL);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_softmax(&l, dnnl_softmax_accurate, src, dst, 1);
    dnnlc_finish(&l, 0, s->workspace, 0);
}

static const int args_softmax_0[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_softmax_0(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[0], ctx->stream, ctx->memory, args_softmax_0, 2);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_softmax_0},
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
    dnnl_memory_set_data_handle(ctx->memory[1], m->out[0]);
    DNNLC_TRY(m_ran(ctx, m, 0, run_softmax_0(ctx)));
    return dnnl_success;
}
