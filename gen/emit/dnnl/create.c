/* The function that creates a layer's primitive: descriptors, attributes, the call that primitives.def names, memory objects. */
#include "emit_dnnl.h"

static const char *int_list(Arena *arena, const int64_t *v, int n)
{
    Text t;
    text_init(&t, arena);
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%lld", i ? ", " : "", (long long)v[i]);
    return t.data;
}

static const char *int_text(Arena *arena, int64_t n)
{
    return arena_printf(arena, "%lld", (long long)n);
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

/* The call of dnnlc_FUNCTION(&l, a, b, …) that adds an attribute. */
static void bind_append(Bindings *b, const char *function, const char *const *arg, size_t n)
{
    Bindings *call = bind_row(b, "post_ops");
    bind(call, "append", "%s", function);
    bind(bind_row(call, "args"), "arg", "&l");
    for (size_t i = 0; i < n; i++)
        bind(bind_row(call, "args"), "arg", "%s", arg[i]);
}

static void bind_post_op(Bindings *b, Arena *arena, const DnnlPrimitive *p, const DnnlPostOp *op)
{
    switch (op->kind) {
    case DNNL_POST_SUM:
        bind_append(b, "append_sum", NULL, 0);
        return;
    case DNNL_POST_ELTWISE:
        bind_append(b, "append_eltwise",
                    (const char *[]){onednn_alg_name(op->alg), onednn_float(arena, op->alpha),
                                     onednn_float(arena, op->beta)},
                    3);
        return;
    case DNNL_POST_BINARY:
        bind_append(b, "append_binary",
                    (const char *[]){onednn_alg_name(op->alg), desc_name(arena, p, op->memory)}, 2);
        return;
    case DNNL_POST_PRELU:
        bind_append(b, "append_prelu", (const char *[]){int_text(arena, op->mask)}, 1);
        return;
    case DNNL_POST_DEPTHWISE:
        bind_append(b, "append_depthwise", (const char *[]){int_text(arena, op->stride)}, 1);
        return;
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

/* Where a row's memory is: weights, workspace, scratch memory where it has no buffer; NULL at the caller's ports. */
static const char *memory_address(const Emit *e, const Step *s, const DnnlMemory *m,
                                  const char *name)
{
    size_t offset;
    const BufferId buffer = m->buffer == NO_BUFFER ? s->scratch : m->buffer;
    const BufferKind kind = buffer_root(e->p, buffer, &offset)->kind;
    return kind == BUFFER_CONST   ? place_address(e, "s->weights", name, offset)
           : kind == BUFFER_ARENA ? place_address(e, "s->workspace", name, offset)
                                  : "NULL";
}

static void bind_memory(Bindings *b, const Emit *e, const Step *s, const DnnlPrimitive *d,
                        uint32_t row)
{
    const DnnlMemory *m = &d->memory[row];
    const bool packed = m->form == FORM_ANY;
    const char *name = packed ? m->name : desc_name(e->arena, d, row);
    Bindings *memory = bind_row(b, "memories");
    bind(memory, "slot", "%s", place_index(e, "slot", s->slot, row));
    bind(memory, "name", "%s", name);
    bind(memory, "address", "%s", memory_address(e, s, m, name));
    bind(memory, "packed", "%s",
         !packed                 ? ""
         : m->arg == ARG_WEIGHTS ? "weights"
                                 : "depthwise_weights");
    bind(memory, "plan", "%s", packed ? plan_address(e, m) : "");
}

/* A row's descriptor with its dimensions declared before it, which keeps the lines short. */
static void bind_desc(Bindings *b, const Emit *e, const DnnlPrimitive *d, const DnnlMemory *m,
                      uint32_t row)
{
    Arena *arena = e->arena;
    const char *type = data_type_name(m->dtype);
    const char *name = m == &d->memory[row] ? desc_name(arena, d, row) : m->name;
    Bindings *r = bind_row(b, "descs");
    bind(r, "name", "%s", name);
    bind(r, "dims", "%s", int_list(arena, m->dims, m->rank));
    bind(r, "strides", "%s", m->form == FORM_STRIDES ? int_list(arena, m->strides, m->rank) : "");
    bind(r, "plan", "%s", m->form == FORM_ANY ? plan_address(e, m) : "");
    if (m->form == FORM_TAG)
        bind(r, "desc", "desc(&l, %s, dnnl_%s, %d, %s_dims)", type, m->tag, m->rank, name);
    else if (m->form == FORM_STRIDES)
        bind(r, "desc", "desc_strided(&l, %s, %d, %s_dims, %s_strides)", type, m->rank, name, name);
    else
        bind(r, "desc", "desc_packed(&l, %s, %d, %s_dims, %s_plan, \"%s\")", type, m->rank, name,
             name, d->impl);
}

static void bind_attributes(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    const DnnlMemory *weights = onednn_memory_of(d, ARG_WEIGHTS);
    if (weights && weights->dtype == DT_I8)
        bind_append(b, "int8", NULL, 0);
    for (uint32_t i = 0; i < d->n_memory; i++) {
        const DnnlMemory *m = &d->memory[i];
        const int kind = onednn_attribute_of(m);
        const char *of = kind ? onednn_arg_name(arena, m->arg & ~kind) : NULL;
        if (kind == ARG_ATTR_SCALES)
            bind_append(b, "scales",
                        (const char *[]){of, int_text(arena, onednn_attribute_mask(d, m))}, 2);
        else if (kind == ARG_ATTR_ZERO_POINTS)
            bind_append(b, "zero_point", &of, 1);
    }
}

static void bind_rows(Bindings *b, const Emit *e, const Step *s, const DnnlPrimitive *d,
                      size_t scratch)
{
    Arena *arena = e->arena;
    for (uint32_t i = 0; i < d->n_memory; i++) {
        if (d->memory[i].form != FORM_ANY || !is_depthwise(&d->memory[i]))
            bind_desc(b, e, d, &d->memory[i], i);
        bind_memory(b, e, s, d, i);
    }
    if (d->kind == KIND_CONVOLUTION_DEPTHWISE) {
        const DnnlMemory between = onednn_between(d);
        bind_desc(b, e, d, &between, 0);
    }
    bind_attributes(b, arena, d);
    for (uint32_t i = 0; i < d->n_post; i++)
        bind_post_op(b, arena, d, &d->post[i]);
    size_t offset = 0;
    if (s->scratch != NO_BUFFER)
        buffer_root(e->p, s->scratch, &offset);
    bind(b, "scratchpad_slot", "%s", place_index(e, "slot", s->slot, d->n_memory));
    bind(b, "scratchpad", "%s", place_address(e, "s->workspace", "scratchpad", offset + scratch));
    bind(b, "scratchpad_bytes", "%zu", s->scratch != NO_BUFFER ? d->scratch_bytes : 0);
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

/* The variable that holds the descriptor of an argument. */
static const char *desc_text(Arena *arena, const DnnlPrimitive *d, int arg)
{
    const DnnlMemory *m = onednn_memory_of(d, arg);
    return m ? desc_name(arena, d, (uint32_t)(m - d->memory)) : "NULL";
}

/* The words of primitives.def, as C text. */
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

/* The call that creates the primitive. */
static void bind_call(Bindings *b, Arena *arena, const DnnlPrimitive *d)
{
    switch (d->kind) {
#define KIND(id, name, function, ...)                                                              \
    case KIND_##id: {                                                                              \
        const char *const arg[] = {__VA_ARGS__};                                                   \
        bind(b, "function", "%s", #function);                                                      \
        bind_items(b, "operands", "operand", arg, COUNT_OF(arg));                                  \
        return;                                                                                    \
    }
#define COMPOSITE(id, name, ...) case KIND_##id:
#include "../../dnnl/primitives.def"
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
    bind_call(b, e->arena, d);
    bind_window(b, e->arena, d);
    bind_rows(b, e, s, d, scratch);
    render(out, "dnnl/create.c", b);
}
