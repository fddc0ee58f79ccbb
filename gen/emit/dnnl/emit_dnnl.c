/* One oneDNN subgraph as a translation unit: for each layer a function that creates its primitive and one that
 * executes it. The calls are in templates/dnnl/, one file per primitive. */
#include "emit_dnnl.h"

#include "../../guard.h"
#include "../../ops.h"
#include "../../template.h"

#include <math.h>
#include <string.h>

static const char *const templates[KIND_COUNT] = {
    [KIND_CONVOLUTION] = "convolution",
    [KIND_CONVOLUTION_DEPTHWISE] = "convolution",
    [KIND_DECONVOLUTION] = "deconvolution",
    [KIND_MATMUL] = "matmul",
    [KIND_INNER_PRODUCT] = "inner_product",
    [KIND_POOLING] = "pooling",
    [KIND_ELTWISE] = "eltwise",
    [KIND_BINARY] = "binary",
    [KIND_SOFTMAX] = "softmax",
    [KIND_CONCAT] = "concat",
    [KIND_SUM] = "sum",
    [KIND_LRN] = "lrn",
    [KIND_BATCH_NORM] = "batch_norm",
    [KIND_LAYER_NORM] = "layer_norm",
    [KIND_GROUP_NORM] = "group_norm",
    [KIND_PRELU] = "prelu",
    [KIND_REDUCTION] = "reduction",
    [KIND_RESAMPLING] = "resampling",
    [KIND_REORDER] = "reorder",
    [KIND_WINOGRAD] = "winograd",
    [KIND_TAILED] = "tail",
    [KIND_INDIRECT] = "indirect",
    [KIND_ATTENTION] = "attention",
};

static const struct ArgName {
    int arg;
    const char *name;
} arg_names[] = {
    {DNNL_ARG_SRC, "DNNL_ARG_SRC"},           {DNNL_ARG_SRC_1, "DNNL_ARG_SRC_1"},
    {DNNL_ARG_DST, "DNNL_ARG_DST"},           {DNNL_ARG_WEIGHTS, "DNNL_ARG_WEIGHTS"},
    {DNNL_ARG_BIAS, "DNNL_ARG_BIAS"},         {DNNL_ARG_MEAN, "DNNL_ARG_MEAN"},
    {DNNL_ARG_VARIANCE, "DNNL_ARG_VARIANCE"}, {DNNL_ARG_SCALE, "DNNL_ARG_SCALE"},
    {DNNL_ARG_SHIFT, "DNNL_ARG_SHIFT"},
};

const char *dnnl_arg_name(Arena *arena, int arg)
{
    const int post = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0);
    if (arg < post && arg & DNNL_ARG_ATTR_POST_OP_DW)
        return arena_printf(arena, "DNNL_ARG_ATTR_POST_OP_DW | %s",
                            dnnl_arg_name(arena, arg & ~DNNL_ARG_ATTR_POST_OP_DW));
    if (arg < post && arg & DNNL_ARG_ATTR_SCALES)
        return arena_printf(arena, "DNNL_ARG_ATTR_SCALES | %s",
                            dnnl_arg_name(arena, arg & ~DNNL_ARG_ATTR_SCALES));
    if (arg < post && arg & DNNL_ARG_ATTR_ZERO_POINTS)
        return arena_printf(arena, "DNNL_ARG_ATTR_ZERO_POINTS | %s",
                            dnnl_arg_name(arena, arg & ~DNNL_ARG_ATTR_ZERO_POINTS));
    if (arg >= post) {
        int index = arg / post - 1, inner = arg % post;
        return arena_printf(arena, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(%d) | %s", index,
                            dnnl_arg_name(arena, inner));
    }
    if (arg >= DNNL_ARG_MULTIPLE_SRC)
        return arena_printf(arena, "DNNL_ARG_MULTIPLE_SRC + %d", arg - DNNL_ARG_MULTIPLE_SRC);
    for (size_t i = 0; i < COUNT_OF(arg_names); i++)
        if (arg_names[i].arg == arg)
            return arg_names[i].name;
    bug("argument %d has no name", arg);
}

/* One more than its tensors: scratch memory. A layer that needs none here may need some on another CPU. */
uint32_t dnnl_slots_of(const Step *s)
{
    if (s->dnnl && s->dnnl->winograd)
        return winograd_slots(s->dnnl->winograd);
    if (s->dnnl && s->dnnl->attention)
        return attention_slots(s->dnnl->attention);
    if (s->dnnl && s->dnnl->indirect)
        return 0;
    return s->dnnl ? dnnl_core(s->dnnl)->n_memory + 1 : 0;
}

static const char *int_list(Arena *arena, const int64_t *v, int n)
{
    Text t;
    text_init(&t, arena);
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%lld", i ? ", " : "", (long long)v[i]);
    return t.data;
}

static const char *data_type_name(DType t)
{
    return t == DT_F32    ? "dnnl_f32"
           : t == DT_I32  ? "dnnl_s32"
           : t == DT_I8   ? "dnnl_s8"
           : t == DT_U8   ? "dnnl_u8"
           : t == DT_BF16 ? "dnnl_bf16"
                          : "dnnl_f16";
}

/* An operand of a depthwise convolution that is a post-op. */
static bool is_depthwise(const DnnlMemory *m)
{
    return m->arg < DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) && m->arg & DNNL_ARG_ATTR_POST_OP_DW;
}

/* The variable that holds a memory row's descriptor; rows that may repeat get their number. */
static const char *desc_name(Arena *arena, const DnnlPrimitive *p, uint32_t row)
{
    const DnnlMemory *m = &p->memory[row];
    bool repeats = m->arg >= DNNL_ARG_MULTIPLE_SRC && !is_depthwise(m) && !dnnl_attribute_of(m);
    return repeats ? arena_printf(arena, "%s_%u", m->name, row) : m->name;
}

const Buffer *dnnl_place(const Program *p, BufferId id, size_t *offset)
{
    const Buffer *b = &p->buffers[id];
    for (*offset = 0; b->base != NO_BUFFER; b = &p->buffers[b->base])
        *offset += b->base_offset;
    *offset += b->offset;
    return b;
}

const char *dnnl_desc_call(Arena *arena, const Program *p, const DnnlPrimitive *d,
                           const DnnlMemory *m)
{
    const char *dims = int_list(arena, m->dims, m->rank), *type = data_type_name(m->dtype);
    if (m->form == FORM_STRIDES)
        return arena_printf(arena,
                            "dnnlc_desc_strided(&l, %s, %d, (const dnnl_dims_t){%s},\n        "
                            "(const dnnl_dims_t){%s})",
                            type, m->rank, dims, int_list(arena, m->strides, m->rank));
    if (m->form == FORM_ANY) {
        size_t blob;
        dnnl_place(p, m->blob, &blob);
        return arena_printf(
            arena,
            "dnnlc_desc_packed(&l, %s, %d, (const dnnl_dims_t){%s},\n"
            "                                                   s->weights + %zu, \"%s\")",
            type, m->rank, dims, blob, d->impl);
    }
    return arena_printf(arena, "dnnlc_desc(&l, %s, dnnl_%s, %d, (const dnnl_dims_t){%s})", type,
                        m->tag, m->rank, dims);
}

static const char *append_call(Arena *arena, const DnnlPrimitive *p, const DnnlPostOp *op)
{
    switch (op->kind) {
    case DNNL_POST_SUM:
        return "dnnlc_append_sum(&l)";
    case DNNL_POST_ELTWISE:
        return arena_printf(arena, "dnnlc_append_eltwise(&l, %s, %s, %s)", dnnl_alg_name(op->alg),
                            dnnl_float(arena, op->alpha), dnnl_float(arena, op->beta));
    case DNNL_POST_BINARY:
        return arena_printf(arena, "dnnlc_append_binary(&l, %s, %s)", dnnl_alg_name(op->alg),
                            desc_name(arena, p, op->memory));
    case DNNL_POST_PRELU:
        return arena_printf(arena, "dnnlc_append_prelu(&l, %d)", op->mask);
    case DNNL_POST_DEPTHWISE:
        return arena_printf(arena, "dnnlc_append_depthwise(&l, %d)", op->stride);
    }
    bug("post-op %d", (int)op->kind);
}

bool dnnl_is_port(const Program *p, BufferId id)
{
    size_t offset;
    BufferKind kind = dnnl_place(p, id, &offset)->kind;
    return kind == BUFFER_INPUT || kind == BUFFER_OUTPUT;
}

const char *dnnl_weights_call(Arena *arena, const Program *p, const DnnlMemory *m, uint32_t slot)
{
    size_t offset, blob;
    dnnl_place(p, m->buffer, &offset);
    dnnl_place(p, m->blob, &blob);
    return arena_printf(arena, "dnnlc_%s(&l, %u, s->weights + %zu, s->weights + %zu)",
                        m->arg == DNNL_ARG_WEIGHTS ? "weights" : "depthwise_weights", slot, offset,
                        blob);
}

/* Scratch memory where it has no buffer. */
static const char *memory_call(Arena *arena, const Program *p, const Step *s,
                               const DnnlPrimitive *d, uint32_t row)
{
    const DnnlMemory *m = &d->memory[row];
    const char *name = desc_name(arena, d, row);
    const uint32_t slot = s->slot + row;
    size_t offset;
    const Buffer *root = dnnl_place(p, m->buffer == NO_BUFFER ? s->scratch : m->buffer, &offset);
    if (m->form == FORM_ANY)
        return dnnl_weights_call(arena, p, m, slot);
    if (root->kind == BUFFER_CONST)
        return arena_printf(arena, "dnnlc_memory(&l, %u, %s, s->weights + %zu)", slot, name,
                            offset);
    if (root->kind == BUFFER_ARENA)
        return arena_printf(arena, "dnnlc_memory(&l, %u, %s, s->workspace + %zu)", slot, name,
                            offset);
    return arena_printf(arena, "dnnlc_memory(&l, %u, %s, NULL)", slot, name);
}

/* A row's descriptor with its dimensions declared before it, which keeps the lines short. */
static void bind_desc(Bindings *b, Arena *arena, const Program *p, const DnnlPrimitive *d,
                      const DnnlMemory *m, uint32_t row)
{
    const char *type = data_type_name(m->dtype);
    const char *name = m == &d->memory[row] ? desc_name(arena, d, row) : m->name;
    Bindings *r = bind_row(b, "descs");
    Text declare;
    text_init(&declare, arena);
    text_printf(&declare, "const dnnl_dims_t %s_dims = {%s}", name,
                int_list(arena, m->dims, m->rank));
    if (m->form == FORM_TAG)
        bind(r, "desc", "dnnlc_desc(&l, %s, dnnl_%s, %d, %s_dims)", type, m->tag, m->rank, name);
    if (m->form == FORM_STRIDES) {
        text_printf(&declare, ";\nconst dnnl_dims_t %s_strides = {%s}", name,
                    int_list(arena, m->strides, m->rank));
        bind(r, "desc", "dnnlc_desc_strided(&l, %s, %d, %s_dims, %s_strides)", type, m->rank, name,
             name);
    }
    if (m->form == FORM_ANY) {
        size_t plan;
        dnnl_place(p, m->blob, &plan);
        text_printf(&declare, ";\nconst unsigned char *%s_plan = s->weights + %zu", name, plan);
        bind(r, "desc", "dnnlc_desc_packed(&l, %s, %d, %s_dims, %s_plan, \"%s\")", type, m->rank,
             name, name, d->impl);
    }
    bind(r, "name", "%s", name);
    bind(r, "declare", "%s", declare.data);
}

static void bind_attributes(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    const DnnlMemory *weights = dnnl_memory_of(d, DNNL_ARG_WEIGHTS);
    if (weights && weights->dtype == DT_I8)
        bind(bind_row(b, "post_ops"), "append", "dnnlc_int8(&l)");
    for (uint32_t i = 0; i < d->n_memory; i++) {
        const DnnlMemory *m = &d->memory[i];
        const int kind = dnnl_attribute_of(m);
        const char *of = kind ? dnnl_arg_name(arena, m->arg & ~kind) : NULL;
        if (kind == DNNL_ARG_ATTR_SCALES)
            bind(bind_row(b, "post_ops"), "append", "dnnlc_scales(&l, %s, %d)", of,
                 dnnl_attribute_mask(d, m));
        else if (kind == DNNL_ARG_ATTR_ZERO_POINTS)
            bind(bind_row(b, "post_ops"), "append", "dnnlc_zero_point(&l, %s)", of);
    }
}

static void bind_rows(Bindings *b, Arena *arena, const Program *p, const Step *s,
                      const DnnlPrimitive *d, size_t scratch)
{
    for (uint32_t i = 0; i < d->n_memory; i++) {
        if (d->memory[i].form != FORM_ANY || !is_depthwise(&d->memory[i]))
            bind_desc(b, arena, p, d, &d->memory[i], i);
        bind(bind_row(b, "memories"), "memory", "%s", memory_call(arena, p, s, d, i));
    }
    if (d->kind == KIND_CONVOLUTION_DEPTHWISE) {
        const DnnlMemory between = dnnl_between(d);
        bind_desc(b, arena, p, d, &between, 0);
    }
    bind_attributes(b, arena, d);
    for (uint32_t i = 0; i < d->n_post; i++)
        bind(bind_row(b, "post_ops"), "append", "%s", append_call(arena, d, &d->post[i]));
    size_t offset = 0;
    if (s->scratch != NO_BUFFER)
        dnnl_place(p, s->scratch, &offset);
    bind(bind_row(b, "memories"), "memory", "dnnlc_scratchpad(&l, %u, s->workspace + %zu, %zu)",
         s->slot + d->n_memory, offset + scratch, s->scratch != NO_BUFFER ? d->scratch_bytes : 0);
}

static void bind_sources(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    Text names, scales;
    int n = 0;
    text_init(&names, arena);
    text_init(&scales, arena);
    for (uint32_t i = 0; i < d->n_memory; i++)
        if (d->memory[i].arg >= DNNL_ARG_MULTIPLE_SRC && d->memory[i].arg < DNNL_ARG_ATTR_SCALES) {
            text_printf(&names, "%s%s", n ? ", " : "", desc_name(arena, d, i));
            text_printf(&scales, "%s1.0f", n ? ", " : "");
            n++;
        }
    bind(b, "srcs", "%s", names.data);
    bind(b, "scales", "%s", scales.data);
    bind_int(b, "n_src", n);
}

static const char *flags_text(Arena *arena, unsigned flags)
{
    Text t;
    text_init(&t, arena);
    if (flags & dnnl_use_global_stats)
        text_puts(&t, "dnnl_use_global_stats | ");
    text_puts(&t, "dnnl_use_scale");
    if (flags & dnnl_use_shift)
        text_puts(&t, " | dnnl_use_shift");
    return t.data;
}

void emit_create(const Emit *e, const Step *s, const DnnlPrimitive *d, size_t scratch,
                 uint32_t index, Text *out)
{
    Arena *arena = e->arena;
    Bindings *b = bindings_new(arena, NULL);
    bind(b, "label", "%s", s->label);
    bind_int(b, "index", index);
    bind(b, "kernel", "%s", int_list(arena, d->kernel, d->spatial));
    bind(b, "strides", "%s", int_list(arena, d->strides, d->spatial));
    bind(b, "dilates", "%s", int_list(arena, d->dilates, d->spatial));
    bind(b, "pad_l", "%s", int_list(arena, d->pad_l, d->spatial));
    bind(b, "pad_r", "%s", int_list(arena, d->pad_r, d->spatial));
    bind(b, "bias", "%s", dnnl_memory_of(d, DNNL_ARG_BIAS) ? "bias" : "NULL");
    bind(b, "result", "%s", d->kind == KIND_CONVOLUTION_DEPTHWISE ? dnnl_between(d).name : "dst");
    bind(b, "alg", "%s", d->alg ? dnnl_alg_name(d->alg) : "");
    bind(b, "alpha", "%s", dnnl_float(arena, d->alpha));
    bind(b, "beta", "%s", dnnl_float(arena, d->beta));
    bind(b, "k", "%s", dnnl_float(arena, d->k));
    bind(b, "flags", "%s", flags_text(arena, d->flags));
    bind_int(b, "axis", d->axis);
    bind_int(b, "size", d->size);
    bind_sources(b, arena, d);
    bind_rows(b, arena, e->p, s, d, scratch);
    render(out, arena_printf(arena, "dnnl/%s.c", templates[d->kind]), b);
}

static void emit_run(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlPrimitive *d = s->dnnl;
    uint32_t slot = s->slot, n = dnnl_slots_of(s);
    text_printf(out,
                "\nstatic dnnl_status_t run_%s(const %s_context *ctx)\n{\n    const "
                "dnnl_exec_arg_t args[] = {\n",
                s->label, e->names.name);
    for (uint32_t i = 0; i < d->n_memory; i++)
        text_printf(out, "        {%s, ctx->memory[%u]},\n",
                    dnnl_arg_name(e->arena, d->memory[i].arg), slot + i);
    text_printf(out, "        {DNNL_ARG_SCRATCHPAD, ctx->memory[%u]},\n", slot + d->n_memory);
    text_printf(out,
                "    };\n    return dnnl_primitive_execute(ctx->primitive[%u], ctx->stream, %u, "
                "args);\n}\n",
                index, n);
}

/* The caller's tensors may be elsewhere at every run. */
static void emit_handles(const Emit *e, const Step *s, Text *out)
{
    uint32_t slot = s->slot;
    for (uint32_t i = 0; i < s->dnnl->n_memory; i++)
        if (dnnl_is_port(e->p, s->dnnl->memory[i].buffer)) {
            bool is_const = s->dnnl->memory[i].arg != DNNL_ARG_DST;
            const char *where = buffer_expr(e->arena, e->p, s->dnnl->memory[i].buffer, is_const);
            text_printf(out, "    dnnl_memory_set_data_handle(ctx->memory[%u], (void *)%s%s);\n",
                        slot + i, is_const ? "(uintptr_t)" : "", where);
        }
}

/* What the C in the unit needs. */
static void emit_c_head(const Emit *e, uint32_t region, const CHelpers *helpers, Text *out)
{
    text_puts(out, "\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    render(out, "c/clones.c", bindings_new(e->arena, NULL));
    emit_c_helpers(out, e->arena, helpers);
    emit_panel_head(e, region, out);
    emit_winograd_head(e, region, out);
    emit_indirect_head(e, region, out);
}

static void emit_primitive(const Emit *e, uint32_t index, Text *out)
{
    const Step *s = &e->p->steps[index];
    text_puts(out, "\n/*\n");
    text_puts(out, s->n_nodes ? step_comment(e->arena, e->p, s)
                              : arena_printf(e->arena, " * %s\n", step_title(e->arena, e->p, s)));
    text_printf(out, " * Planned for: %s\n */\n", s->dnnl->impl);
    if (s->dnnl->winograd) {
        emit_winograd(e, s, index, out);
        return;
    }
    if (s->dnnl->attention) {
        emit_attention(e, s, index, out);
        return;
    }
    if (s->dnnl->indirect) {
        emit_indirect(e, s, index, out);
        return;
    }
    if (s->dnnl->tail) {
        emit_tailed(e, s, index, out);
        return;
    }
    emit_create(e, s, s->dnnl, 0, index, out);
    emit_run(e, s, index, out);
}

static bool has_primitive(const Step *s)
{
    const DnnlPrimitive *p = s->dnnl;
    return p && !p->indirect && !(p->winograd && !p->winograd->matmul);
}

/* Its primitives are made for a single thread. */
static bool parts_for_one(const DnnlPrimitive *d)
{
    return d->winograd    ? d->winograd->matmul->one_thread
           : d->attention ? d->attention->part[0]->one_thread
                          : d->one_thread;
}

/* What creates the layers of a unit, as a table: threads take rows of it. */
static void emit_creators(const Program *p, uint32_t unit, const char *name, Text *out)
{
    bool any = false;
    for (uint32_t i = p->unit_start[unit]; i < p->unit_start[unit + 1]; i++) {
        if (!has_primitive(&p->steps[i]))
            continue;
        if (!any)
            text_puts(out, "\nstatic const struct dnnlc_creator creators[] = {\n");
        any = true;
        text_printf(out, "    {create_%s, %d},\n", p->steps[i].label,
                    p->threads > 1 && parts_for_one(p->steps[i].dnnl));
    }
    if (any)
        text_puts(out, "};\n");
    text_printf(out, "\nvoid %s_create(struct dnnlc_setup *s)\n{\n    %s;\n}\n", name,
                any ? "dnnlc_create_layers(s, creators, sizeof creators / sizeof *creators)"
                    : "(void)s");
}

/* Its function looks for the tensors by itself. */
static bool sets_handles(const Step *s)
{
    return s->dnnl->winograd || s->dnnl->indirect || s->dnnl->tail || s->dnnl->attention;
}

/* oneDNN takes as many threads as there are, and one for layers that are not worth more. A change of the number stands outside of
 * the block of `before`, which might be left out: true if that was ended. */
static bool emit_threads(const Program *p, bool one, const Step *before, bool *is_one, Text *out)
{
    const bool change = p->threads > 1 && one != *is_one;
    if (change) {
        emit_guard(p, before, NULL, out);
        text_printf(out, "    omp_set_num_threads(%s);\n", one ? "1" : "ctx->threads");
    }
    *is_one = one;
    return change;
}

static void emit_dnnl_call(const Emit *e, uint32_t index, Text *out)
{
    const Step *s = &e->p->steps[index];
    c_put_indented(
        out, guard_indent(s),
        arena_printf(e->arena,
                     "if ((status = run_%s(ctx%s)) != dnnl_success)\n    return %s_fail(ctx, %u, "
                     "status);\nif (m->trace)\n    m->trace(m->trace_user, %u);\n",
                     s->label, sets_handles(s) ? ", m" : "", e->names.name, index, index));
}

/* shared[i]: step i is C that threads share. */
static void emit_unit_run(const Emit *e, uint32_t region, const bool *shared, Text *out)
{
    const Program *p = e->p;
    const char *unit = unit_name(e, region), *name = e->names.name;
    const uint32_t first = p->unit_start[region], end = p->unit_start[region + 1];
    const Step *before = NULL;
    bool is_one = false;
    text_printf(out,
                "\nint %s_run(%s_context *ctx, const struct %s_memory *m)\n{\n    dnnl_status_t "
                "status;\n",
                unit, name, name);
    for (uint32_t i = first; i < end; i++)
        if (p->steps[i].dnnl && !sets_handles(&p->steps[i]))
            emit_handles(e, &p->steps[i], out);
    for (uint32_t i = first; i < end; i++) {
        const Step *s = &p->steps[i];
        if ((s->dnnl || shared[i]) &&
            emit_threads(p, !shared[i] && s->dnnl->one_thread, before, &is_one, out))
            before = NULL;
        emit_guard(p, before, s, out);
        before = s;
        if (s->dnnl)
            emit_dnnl_call(e, i, out);
        else
            emit_c_call(p, i, out);
    }
    if (!emit_threads(p, false, before, &is_one, out))
        emit_guard(p, before, NULL, out);
    text_puts(out, "    return dnnl_success;\n}\n");
}

/* Whether a layer of oneDNN's has loops in C too; the helpers that these call. */
static bool has_loop_in_c(const Emit *e, const DnnlPrimitive *p, CHelpers *helpers)
{
    if (!p->winograd && !p->indirect && !p->tail)
        return p->attention && p->attention->n_ops;
    post_text_needs(post_text(e->arena, p), helpers);
    return true;
}

bool emit_dnnl_unit(const Emit *e, uint32_t region, Text *out)
{
    const Program *p = e->p;
    CHelpers helpers = {.need = {false}};
    bool c = false;
    bool *shared = ARENA_ARRAY(e->arena, bool, p->n_steps);
    Text steps;
    text_init(&steps, e->arena);
    for (uint32_t i = p->unit_start[region]; i < p->unit_start[region + 1]; i++) {
        const DnnlPrimitive *d = p->steps[i].dnnl;
        if (d)
            emit_primitive(e, i, &steps);
        else if (!emit_c_step(p, &p->steps[i], &helpers, &shared[i], &steps))
            return false;
        c = !d || has_loop_in_c(e, d, &helpers) || c;
    }
    text_printf(out,
                "%s#include \"%s_internal.h\"\n\n#include \"dnnlc_onednn.h\"\n\n#include "
                "<math.h>\n#include <oneapi/dnnl/dnnl_version.h>\n",
                e->names.banner, e->names.name);
    text_puts(out, "\n#if DNNL_VERSION_MAJOR != 3 || DNNL_VERSION_MINOR < 7\n"
                   "#error \"this file needs oneDNN 3.7 or later (3.x)\"\n#endif\n");
    if (c)
        emit_c_head(e, region, &helpers, out);
    text_append(out, steps.data, steps.size);
    emit_creators(e->p, region, unit_name(e, region), out);
    emit_unit_run(e, region, shared, out);
    return true;
}
