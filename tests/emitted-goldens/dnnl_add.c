/* --- m_dnnl_0.c --- */
/*
 * Reorder x
 * src f32[1,32,28,28]
 * dst f32[1,32,28,28] acdb
 * Planned for: jit:uni
 * The same functions compute 1 more layer.
 */
/* What differs: indices in the context, offsets in weights and workspace, sizes. */
static const struct at_reorder_0 {
    struct {
        unsigned index, slot;
        size_t dst;
    };
    struct dnnlc_md src_md, dst_md;
} at_reorder_0[] = {
    /* 0: Reorder x */
    {{0, 0, 0},
     .src_md = {dnnl_f32, dnnl_abcd, 4, {{1, 32, 28, 28}}},
     .dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}}},
    /* 1: Reorder p */
    {{1, 3, 100352},
     .src_md = {dnnl_f32, dnnl_abcd, 4, {{1, 64, 14, 14}}},
     .dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 14, 14}}}},
};

DNNLC_SETUP void create_reorder_0(struct dnnlc_setup *s, const void *row)
{
    const struct at_reorder_0 *at = row;
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, at->index);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &at->src_md, NULL);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &at->dst_md, s->workspace + at->dst);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, at->slot, s->workspace, 0);
}

static const int args_reorder_0[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_0(const m_context *ctx, const struct at_reorder_0 *at)
{
    return dnnlc_execute(ctx->primitive[at->index], ctx->stream, ctx->memory + at->slot,
                         args_reorder_0, 2);
}

/*
 * Conv, Add
 * src f32[1,32,28,28] acdb, f32[1,64,14,14] acdb
 * dst f32[1,64,14,14] acdb
 * Planned for: brg_conv_fwd:avx2
 */
DNNLC_SETUP void create_conv_2(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 32, 28, 28}}};
    const struct dnnlc_md weights_md = {dnnl_f32, dnnl_format_tag_any, 4, {{64, 32, 3, 3}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 14, 14}}};
    const struct dnnlc_md operand_3_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 14, 14}}};
    const struct dnnlc_window window = {
        .strides = {2, 2}, .padding_l = {1, 1}, .padding_r = {1, 1}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 2);
    dnnlc_planned_for(&l, "brg_conv_fwd:avx2");
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace);
    dnnl_memory_desc_t weights = dnnlc_packed(&l, &weights_md, s->weights, s->weights + 73728);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, s->workspace + 150528);
    dnnl_memory_desc_t operand_3 = dnnlc_operand(&l, &operand_3_md, s->workspace + 100352);
    dnnlc_append_binary(&l, dnnl_binary_add, operand_3);
    dnnlc_convolution(&l, src, weights, NULL, dst, &window);
    dnnlc_finish(&l, 6, s->workspace + 200704, 8216);
}

static const int args_conv_2[] = {
    DNNL_ARG_SRC,
    DNNL_ARG_WEIGHTS,
    DNNL_ARG_DST,
    DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
};

static dnnl_status_t run_conv_2(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[2], ctx->stream, ctx->memory + 6, args_conv_2, 4);
}

/*
 * Reorder y
 * src f32[1,64,14,14] acdb
 * dst f32[1,64,14,14]
 * Planned for: jit:uni
 */
DNNLC_SETUP void create_reorder_3(struct dnnlc_setup *s)
{
    const struct dnnlc_md src_md = {dnnl_f32, dnnl_acdb, 4, {{1, 64, 14, 14}}};
    const struct dnnlc_md dst_md = {dnnl_f32, dnnl_abcd, 4, {{1, 64, 14, 14}}};
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, 3);
    dnnl_memory_desc_t src = dnnlc_operand(&l, &src_md, s->workspace + 150528);
    dnnl_memory_desc_t dst = dnnlc_operand(&l, &dst_md, NULL);
    dnnlc_reorder(&l, src, dst);
    dnnlc_finish(&l, 11, s->workspace, 0);
}

static const int args_reorder_3[] = {DNNL_ARG_SRC, DNNL_ARG_DST};

static dnnl_status_t run_reorder_3(const m_context *ctx)
{
    return dnnlc_execute(ctx->primitive[3], ctx->stream, ctx->memory + 11, args_reorder_3, 2);
}

static const struct dnnlc_creator m_dnnl_0_creators[] = {
    {.create_row = create_reorder_0, .row = &at_reorder_0[0]},
    {.create_row = create_reorder_0, .row = &at_reorder_0[1]},
    {.create = create_conv_2},
    {.create = create_reorder_3},
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
    dnnl_memory_set_data_handle(ctx->memory[3], (void *)(uintptr_t)m->in[1]);
    dnnl_memory_set_data_handle(ctx->memory[12], m->out[0]);
    DNNLC_TRY(m_ran(ctx, m, 0, run_reorder_0(ctx, &at_reorder_0[0])));
    DNNLC_TRY(m_ran(ctx, m, 1, run_reorder_0(ctx, &at_reorder_0[1])));
    DNNLC_TRY(m_ran(ctx, m, 2, run_conv_2(ctx)));
    DNNLC_TRY(m_ran(ctx, m, 3, run_reorder_3(ctx)));
    return dnnl_success;
}
