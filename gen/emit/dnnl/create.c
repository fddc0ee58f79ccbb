/* The function that creates a layer's primitive: descriptors, attributes, memory objects. The calls are in templates/dnnl/, one file
 * per primitive. */
#include "emit_dnnl.h"

static const char *const templates[KIND_COUNT] = {
#define KIND(id, name, template, create) #template,
#include "../../dnnl/kinds.def"
};

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
    return m->arg < arg_of_post_op(0) && m->arg & ARG_ATTR_POST_OP_DW;
}

/* The variable that holds a memory row's descriptor; rows that may repeat get their number. */
static const char *desc_name(Arena *arena, const DnnlPrimitive *p, uint32_t row)
{
    const DnnlMemory *m = &p->memory[row];
    bool repeats = m->arg >= ARG_MULTIPLE_SRC && !is_depthwise(m) && !dnnl_attribute_of(m);
    return repeats ? arena_printf(arena, "%s_%u", m->name, row) : m->name;
}

/* Where something is in "workspace" or "weights". */
static const char *address(Arena *arena, const char *root, size_t offset)
{
    return offset ? arena_printf(arena, "s->%s + %zu", root, offset)
                  : arena_printf(arena, "s->%s", root);
}

const char *dnnl_desc_call(Arena *arena, const Program *p, const DnnlPrimitive *d,
                           const DnnlMemory *m)
{
    const char *dims = int_list(arena, m->dims, m->rank), *type = data_type_name(m->dtype);
    if (m->form == FORM_STRIDES)
        return arena_printf(arena,
                            "dnnlc_desc_strided(&l, %s, %d, (const dnnl_dims_t){%s}, "
                            "(const dnnl_dims_t){%s})",
                            type, m->rank, dims, int_list(arena, m->strides, m->rank));
    if (m->form == FORM_ANY) {
        size_t blob;
        buffer_root(p, m->blob, &blob);
        return arena_printf(arena,
                            "dnnlc_desc_packed(&l, %s, %d, (const dnnl_dims_t){%s}, %s, \"%s\")",
                            type, m->rank, dims, address(arena, "weights", blob), d->impl);
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
    BufferKind kind = buffer_root(p, id, &offset)->kind;
    return kind == BUFFER_INPUT || kind == BUFFER_OUTPUT;
}

const char *dnnl_weights_call(Arena *arena, const Program *p, const DnnlMemory *m, uint32_t slot)
{
    size_t offset, blob;
    buffer_root(p, m->buffer, &offset);
    buffer_root(p, m->blob, &blob);
    return arena_printf(arena, "dnnlc_%s(&l, %u, %s, %s)",
                        m->arg == ARG_WEIGHTS ? "weights" : "depthwise_weights", slot,
                        address(arena, "weights", offset), address(arena, "weights", blob));
}

/* Scratch memory where it has no buffer. */
static const char *memory_call(Arena *arena, const Program *p, const Step *s,
                               const DnnlPrimitive *d, uint32_t row)
{
    const DnnlMemory *m = &d->memory[row];
    const char *name = desc_name(arena, d, row);
    const uint32_t slot = s->slot + row;
    size_t offset;
    const Buffer *root = buffer_root(p, m->buffer == NO_BUFFER ? s->scratch : m->buffer, &offset);
    if (m->form == FORM_ANY)
        return dnnl_weights_call(arena, p, m, slot);
    const char *where = root->kind == BUFFER_CONST   ? address(arena, "weights", offset)
                        : root->kind == BUFFER_ARENA ? address(arena, "workspace", offset)
                                                     : "NULL";
    return arena_printf(arena, "dnnlc_memory(&l, %u, %s, %s)", slot, name, where);
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
        buffer_root(p, m->blob, &plan);
        text_printf(&declare, ";\nconst unsigned char *%s_plan = %s", name,
                    address(arena, "weights", plan));
        bind(r, "desc", "dnnlc_desc_packed(&l, %s, %d, %s_dims, %s_plan, \"%s\")", type, m->rank,
             name, name, d->impl);
    }
    bind(r, "name", "%s", name);
    bind(r, "declare", "%s", declare.data);
}

static void bind_attributes(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    const DnnlMemory *weights = dnnl_memory_of(d, ARG_WEIGHTS);
    if (weights && weights->dtype == DT_I8)
        bind(bind_row(b, "post_ops"), "append", "dnnlc_int8(&l)");
    for (uint32_t i = 0; i < d->n_memory; i++) {
        const DnnlMemory *m = &d->memory[i];
        const int kind = dnnl_attribute_of(m);
        const char *of = kind ? dnnl_arg_name(arena, m->arg & ~kind) : NULL;
        if (kind == ARG_ATTR_SCALES)
            bind(bind_row(b, "post_ops"), "append", "dnnlc_scales(&l, %s, %d)", of,
                 dnnl_attribute_mask(d, m));
        else if (kind == ARG_ATTR_ZERO_POINTS)
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
        buffer_root(p, s->scratch, &offset);
    bind(bind_row(b, "memories"), "memory", "dnnlc_scratchpad(&l, %u, %s, %zu)",
         s->slot + d->n_memory, address(arena, "workspace", offset + scratch),
         s->scratch != NO_BUFFER ? d->scratch_bytes : 0);
}

static void bind_sources(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    Text names, scales;
    int n = 0;
    text_init(&names, arena);
    text_init(&scales, arena);
    for (uint32_t i = 0; i < d->n_memory; i++)
        if (d->memory[i].arg >= ARG_MULTIPLE_SRC && d->memory[i].arg < ARG_ATTR_SCALES) {
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
    if (flags & NORM_GLOBAL_STATS)
        text_puts(&t, "dnnl_use_global_stats | ");
    text_puts(&t, "dnnl_use_scale");
    if (flags & NORM_SHIFT)
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
    bind(b, "bias", "%s", dnnl_memory_of(d, ARG_BIAS) ? "bias" : "NULL");
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
