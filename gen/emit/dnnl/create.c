/* The function that creates a layer's primitive: descriptors, attributes, the call that kinds.def names, memory objects. */
#include "emit_dnnl.h"

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
    bool repeats = m->arg >= ARG_MULTIPLE_SRC && !is_depthwise(m) && !onednn_attribute_of(m);
    return repeats ? arena_printf(arena, "%s_%u", m->name, row) : m->name;
}

/* Where the serialised descriptor of packed weights is; "weights_plan". */
static const char *plan_address(const Emit *e, const DnnlMemory *m)
{
    size_t offset;
    buffer_root(e->p, m->blob, &offset);
    return place_address(e, "s->weights", arena_printf(e->arena, "%s_plan", m->name), offset);
}

const char *onednn_desc_call(const Emit *e, const DnnlPrimitive *d, const DnnlMemory *m)
{
    Arena *arena = e->arena;
    const char *dims = int_list(arena, m->dims, m->rank), *type = data_type_name(m->dtype);
    if (m->form == FORM_STRIDES)
        return arena_printf(arena,
                            "dnnlc_desc_strided(&l, %s, %d, (const dnnl_dims_t){%s}, "
                            "(const dnnl_dims_t){%s})",
                            type, m->rank, dims, int_list(arena, m->strides, m->rank));
    if (m->form == FORM_ANY)
        return arena_printf(arena,
                            "dnnlc_desc_packed(&l, %s, %d, (const dnnl_dims_t){%s}, %s, \"%s\")",
                            type, m->rank, dims, plan_address(e, m), d->impl);
    return arena_printf(arena, "dnnlc_desc(&l, %s, dnnl_%s, %d, (const dnnl_dims_t){%s})", type,
                        m->tag, m->rank, dims);
}

static const char *append_call(Arena *arena, const DnnlPrimitive *p, const DnnlPostOp *op)
{
    switch (op->kind) {
    case DNNL_POST_SUM:
        return "dnnlc_append_sum(&l)";
    case DNNL_POST_ELTWISE:
        return arena_printf(arena, "dnnlc_append_eltwise(&l, %s, %s, %s)", onednn_alg_name(op->alg),
                            onednn_float(arena, op->alpha), onednn_float(arena, op->beta));
    case DNNL_POST_BINARY:
        return arena_printf(arena, "dnnlc_append_binary(&l, %s, %s)", onednn_alg_name(op->alg),
                            desc_name(arena, p, op->memory));
    case DNNL_POST_PRELU:
        return arena_printf(arena, "dnnlc_append_prelu(&l, %d)", op->mask);
    case DNNL_POST_DEPTHWISE:
        return arena_printf(arena, "dnnlc_append_depthwise(&l, %d)", op->stride);
    }
    bug("post-op %d", (int)op->kind);
}

bool onednn_is_port(const Program *p, BufferId id)
{
    size_t offset;
    BufferKind kind = buffer_root(p, id, &offset)->kind;
    return kind == BUFFER_INPUT || kind == BUFFER_OUTPUT;
}

const char *onednn_weights_call(const Emit *e, const DnnlMemory *m, const char *slot)
{
    size_t offset;
    buffer_root(e->p, m->buffer, &offset);
    return arena_printf(e->arena, "dnnlc_%s(&l, %s, %s, %s)",
                        m->arg == ARG_WEIGHTS ? "weights" : "depthwise_weights", slot,
                        place_address(e, "s->weights", m->name, offset), plan_address(e, m));
}

/* Scratch memory where it has no buffer. */
static const char *memory_call(const Emit *e, const Step *s, const DnnlPrimitive *d, uint32_t row)
{
    const DnnlMemory *m = &d->memory[row];
    const char *name = desc_name(e->arena, d, row);
    const char *slot = place_index(e, "slot", s->slot, row);
    const BufferId buffer = m->buffer == NO_BUFFER ? s->scratch : m->buffer;
    size_t offset;
    const Buffer *root = buffer_root(e->p, buffer, &offset);
    if (m->form == FORM_ANY)
        return onednn_weights_call(e, m, slot);
    const char *where = root->kind == BUFFER_CONST ? place_address(e, "s->weights", name, offset)
                        : root->kind == BUFFER_ARENA
                            ? place_address(e, "s->workspace", name, offset)
                            : "NULL";
    return arena_printf(e->arena, "dnnlc_memory(&l, %s, %s, %s)", slot, name, where);
}

/* A row's descriptor with its dimensions declared before it, which keeps the lines short. */
static void bind_desc(Bindings *b, const Emit *e, const DnnlPrimitive *d, const DnnlMemory *m,
                      uint32_t row)
{
    Arena *arena = e->arena;
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
        text_printf(&declare, ";\nconst unsigned char *%s_plan = %s", name, plan_address(e, m));
        bind(r, "desc", "dnnlc_desc_packed(&l, %s, %d, %s_dims, %s_plan, \"%s\")", type, m->rank,
             name, name, d->impl);
    }
    bind(r, "name", "%s", name);
    bind(r, "declare", "%s", declare.data);
}

static void bind_attributes(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    const DnnlMemory *weights = onednn_memory_of(d, ARG_WEIGHTS);
    if (weights && weights->dtype == DT_I8)
        bind(bind_row(b, "post_ops"), "append", "dnnlc_int8(&l)");
    for (uint32_t i = 0; i < d->n_memory; i++) {
        const DnnlMemory *m = &d->memory[i];
        const int kind = onednn_attribute_of(m);
        const char *of = kind ? onednn_arg_name(arena, m->arg & ~kind) : NULL;
        if (kind == ARG_ATTR_SCALES)
            bind(bind_row(b, "post_ops"), "append", "dnnlc_scales(&l, %s, %d)", of,
                 onednn_attribute_mask(d, m));
        else if (kind == ARG_ATTR_ZERO_POINTS)
            bind(bind_row(b, "post_ops"), "append", "dnnlc_zero_point(&l, %s)", of);
    }
}

static void bind_rows(Bindings *b, const Emit *e, const Step *s, const DnnlPrimitive *d,
                      size_t scratch)
{
    Arena *arena = e->arena;
    for (uint32_t i = 0; i < d->n_memory; i++) {
        if (d->memory[i].form != FORM_ANY || !is_depthwise(&d->memory[i]))
            bind_desc(b, e, d, &d->memory[i], i);
        bind(bind_row(b, "memories"), "memory", "%s", memory_call(e, s, d, i));
    }
    if (d->kind == KIND_CONVOLUTION_DEPTHWISE) {
        const DnnlMemory between = onednn_between(d);
        bind_desc(b, e, d, &between, 0);
    }
    bind_attributes(b, arena, d);
    for (uint32_t i = 0; i < d->n_post; i++)
        bind(bind_row(b, "post_ops"), "append", "%s", append_call(arena, d, &d->post[i]));
    size_t offset = 0;
    if (s->scratch != NO_BUFFER)
        buffer_root(e->p, s->scratch, &offset);
    bind(bind_row(b, "memories"), "memory", "dnnlc_scratchpad(&l, %s, %s, %zu)",
         place_index(e, "slot", s->slot, d->n_memory),
         place_address(e, "s->workspace", "scratchpad", offset + scratch),
         s->scratch != NO_BUFFER ? d->scratch_bytes : 0);
}

static int count_sources(const DnnlPrimitive *d)
{
    int n = 0;
    for (uint32_t i = 0; i < d->n_memory; i++)
        n += d->memory[i].arg >= ARG_MULTIPLE_SRC && d->memory[i].arg < ARG_ATTR_SCALES;
    return n;
}

static const char *flags_text(Arena *arena, unsigned flags)
{
    static const char *const names[] = {"dnnl_use_global_stats", "dnnl_use_scale",
                                        "dnnl_use_shift"};
    Text t;
    text_init(&t, arena);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (flags & 1U << i)
            text_printf(&t, "%s%s", t.size ? " | " : "", names[i]);
    return t.size ? t.data : "0";
}

static const char *int_text(Arena *arena, int64_t n)
{
    return arena_printf(arena, "%lld", (long long)n);
}

/* The variable that holds the descriptor of an argument. */
static const char *desc_text(Arena *arena, const DnnlPrimitive *d, int arg)
{
    const DnnlMemory *m = onednn_memory_of(d, arg);
    return m ? desc_name(arena, d, (uint32_t)(m - d->memory)) : "NULL";
}

static const char *call_text(Arena *arena, const char *function, const char *const *arg, size_t n)
{
    Text t;
    text_init(&t, arena);
    text_printf(&t, "dnnlc_%s(&l", function);
    for (size_t i = 0; i < n; i++)
        text_printf(&t, ", %s", arg[i]);
    text_puts(&t, ")");
    return t.data;
}

/* The words of kinds.def, as C text. */
#define SRC desc_text(arena, d, ARG_SRC)
#define SRC_1 desc_text(arena, d, ARG_SRC_1)
#define WEIGHTS desc_text(arena, d, ARG_WEIGHTS)
#define BIAS desc_text(arena, d, ARG_BIAS)
#define DST desc_text(arena, d, ARG_DST)
#define BETWEEN onednn_between(d).name
#define SOURCES int_text(arena, count_sources(d))
#define WINDOW "&window"
#define ALG onednn_alg_name(d->alg)
#define ALPHA onednn_float(arena, d->alpha)
#define BETA onednn_float(arena, d->beta)
#define K onednn_float(arena, d->k)
#define AXIS int_text(arena, d->axis)
#define SIZE int_text(arena, d->size)
#define FLAGS flags_text(arena, d->flags)

static const char *creating_call(Arena *arena, const DnnlPrimitive *d)
{
    switch (d->kind) {
#define KIND(id, name, function, ...)                                                              \
    case KIND_##id: {                                                                              \
        const char *const arg[] = {__VA_ARGS__};                                                   \
        return call_text(arena, #function, arg, COUNT_OF(arg));                                    \
    }
#define COMPOSITE(id, name, ...) case KIND_##id:
#include "../../dnnl/kinds.def"
    case KIND_COUNT:
        break;
    }
    bug("a %s is no primitive", onednn_kind_names[d->kind]);
}

/* What is zero is left out. */
static void add_extents(Text *t, Arena *arena, const char *name, const int64_t *v, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++)
        any = any || v[i];
    if (any)
        text_printf(t, "%s.%s = {%s}", t->size ? ", " : "", name, int_list(arena, v, n));
}

static void bind_window(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    Text t;
    text_init(&t, arena);
    if (d->kind == KIND_POOLING)
        add_extents(&t, arena, "kernel", d->kernel, d->spatial);
    add_extents(&t, arena, "strides", d->strides, d->spatial);
    add_extents(&t, arena, "dilates", d->dilates, d->spatial);
    add_extents(&t, arena, "padding_l", d->pad_l, d->spatial);
    add_extents(&t, arena, "padding_r", d->pad_r, d->spatial);
    bind(b, "windowed", "%d", t.size > 0);
    bind(b, "window", "%s", t.data);
}

void emit_create(const Emit *e, const Step *s, const DnnlPrimitive *d, size_t scratch,
                 uint32_t index, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind(b, "call", "%s", creating_call(e->arena, d));
    bind_window(b, e->arena, d);
    bind_rows(b, e, s, d, scratch);
    render(out, "dnnl/create.c", b);
}
