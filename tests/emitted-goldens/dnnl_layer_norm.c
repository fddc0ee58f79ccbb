/* --- m_dnnl_0.c --- */
/*
 * LayerNormalization
 * src f32[256,768], f32[768], f32[768]
 * dst f32[256,768]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_layernormalization_0(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_ab, 2, {{256, 768}}};
    const struct dnnlc_md scale_md = {dnnl_f32, dnnl_a, 1, {{768}}};
    const struct dnnlc_md shift_md = {dnnl_f32, dnnl_a, 1, {{768}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_ab, 2, {{256, 768}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, NULL);
    dnnlc_operand(&l, &scale_md, s->weights);
    dnnlc_operand(&l, &shift_md, s->weights + 3072);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_layer_norm(&l, src, dst, 9.99999975e-06f, dnnl_use_scale | dnnl_use_shift);
    dnnlc_finish(&l, 0, s->workspace, 2304);
}

static const int args_layernormalization_0[] = {
    DNNL_ARG_SRC,
    DNNL_ARG_SCALE,
    DNNL_ARG_SHIFT,
    DNNL_ARG_DST,
};

static dnnl_status_t run_layernormalization_0(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[0], ctx->stream, ctx->memory, args_layernormalization_0, 4);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_layernormalization_0},
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
    dnnl_memory_set_data_handle(ctx->memory[3], m->out[0]);
    DNNLC_TRY(m_ran(ctx, m, 0, run_layernormalization_0(ctx)));
    return dnnl_success;
}
