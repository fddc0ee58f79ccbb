/* --- m_dnnl_0.c --- */
/*
 * Gemm
 * src f32[64,256], f32[512]
 * dst f32[64,512]
 * Planned for: brgemm:avx2
 */
DNNLC_SETUP void create_gemm_0(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_ab, 2, {{64, 256}}};
    const struct dnnlc_md weights_md = {dnnl_f32, dnnl_format_tag_any, 2, {{512, 256}}};
    const struct dnnlc_md bias_md = {dnnl_f32, dnnl_a, 1, {{512}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_ab, 2, {{64, 512}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 0);
    dnnlc_planned_for(&l, "brgemm:avx2");
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, NULL);
    dnnl_memory_desc_t weights =
        dnnlc_packed(&l, &weights_md, s->weights + 2048, s->weights + 526336);
    dnnl_memory_desc_t bias = dnnlc_operand(&l, &bias_md, s->weights);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_inner_product(&l, src, weights, bias, dst);
    dnnlc_finish(&l, 0, s->workspace, 4248);
}

static const int args_gemm_0[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};

static dnnl_status_t run_gemm_0(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[0], ctx->stream, ctx->memory, args_gemm_0, 4);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create = create_gemm_0},
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
    DNNLC_TRY(m_ran(ctx, m, 0, run_gemm_0(ctx)));
    return dnnl_success;
}
