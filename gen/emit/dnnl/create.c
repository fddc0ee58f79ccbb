/* The function that creates a layer's primitive: descriptors, attributes, the call that primitives.def names, memory objects. */
#include "emit_dnnl.h"

#include <string.h>

static const char *int_list(Arena *arena, const int64_t *v, int n)
{
    Text t = text_new(arena);
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%lld", i ? ", " : "", (long long)v[i]);
    return t.data;
}

static const char *int_text(Arena *arena, int64_t n)
{
    return arena_printf(arena, "%lld", (long long)n);
}

static const char *const data_type_name[] = {
#define X(type, name) [type] = "dnnl_" #name,
    DATA_TYPES(X)
#undef X
};

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
const char *plan_address(const Emit *e, const DnnlMemory *m)
{
    return place_address(e, "s->weights", arena_printf(e->arena, "%s_plan", m->name),
                         buffer_offset(e->p, m->blob));
}

/* A memory row's descriptor as data: "{dnnl_f32, dnnl_acdb, 4, {{1, 16, 8, 8}}}". */
static const char *md_text(Arena *arena, const DnnlMemory *m)
{
    const char *dims = int_list(arena, m->dims, m->rank), *type = data_type_name[m->dtype];
    if (m->form == FORM_STRIDES)
        return arena_printf(arena, "{%s, dnnl_format_tag_undef, %d, {{%s}, {%s}}}", type, m->rank,
                            dims, int_list(arena, m->strides, m->rank));
    return arena_printf(arena, "{%s, dnnl_%s, %d, {{%s}}}", type,
                        m->form == FORM_ANY ? "format_tag_any" : m->tag, m->rank, dims);
}

void bind_impl(Bindings *b, const Emit *e, const DnnlPrimitive *d)
{
    bool packed = false;
    for (uint32_t i = 0; i < d->n_memory; i++)
        packed = packed || d->memory[i].form == FORM_ANY;
    const char *impl = arena_printf(e->arena, "\"%s\"", d->impl);
    bind(b, "impl", "%s", packed ? place_value(e, PLACE_TEXT, "impl", impl) : "");
}

const char *bind_md(Bindings *b, const Emit *e, const DnnlMemory *m, const char *name)
{
    const char *kind = arena_printf(e->arena, "%s_md", name), *md = md_text(e->arena, m);
    const char *at = place_member(e, PLACE_MD, kind, md);
    if (at)
        return at;
    Bindings *r = bind_row(b, "mds");
    bind(r, "name", "%s", name);
    bind(r, "md", "%s", md);
    return kind;
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
#define APPEND(b, function, ...)                                                                   \
    bind_append(b, function, (const char *const[]){__VA_ARGS__},                                   \
                COUNT_OF(((const char *const[]){__VA_ARGS__})))

/* Members of post-op i, each in its place: "post2_alpha". */
#define POST(member) arena_printf(e->arena, "post%u_" #member, i)
#define POST_ALG place_value(e, PLACE_ALGORITHM, POST(alg), onednn_alg_name(op->alg))
#define POST_FLOAT(member)                                                                         \
    place_value(e, PLACE_FLOAT, POST(member), onednn_float(e->arena, op->member))
#define POST_INT(member) place_int(e, PLACE_INT, POST(member), op->member)

static void bind_post_op(Bindings *b, const Emit *e, const DnnlPrimitive *p, uint32_t i)
{
    const DnnlPostOp *op = &p->post[i];
    switch (op->kind) {
    case DNNL_POST_SUM:
        bind_append(b, "append_sum", NULL, 0);
        return;
    case DNNL_POST_ELTWISE:
        APPEND(b, "append_eltwise", POST_ALG, POST_FLOAT(alpha), POST_FLOAT(beta));
        return;
    case DNNL_POST_BINARY:
        APPEND(b, "append_binary", POST_ALG, desc_name(e->arena, p, op->memory));
        return;
    case DNNL_POST_PRELU:
        APPEND(b, "append_prelu", POST_INT(mask));
        return;
    case DNNL_POST_DEPTHWISE:
        APPEND(b, "append_depthwise", POST_INT(stride));
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
    return arena_printf(e->arena, "dnnlc_%s(&l, %s, %s, %s)",
                        m->arg == ARG_WEIGHTS ? "weights" : "depthwise_weights", slot,
                        place_address(e, "s->weights", m->name, buffer_offset(e->p, m->buffer)),
                        plan_address(e, m));
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

/* What is zero is left out. */
static void add_extents(Text *t, Arena *arena, const char *name, const int64_t *v, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++)
        any = any || v[i];
    if (any)
        text_printf(t, "%s.%s = {%s}", t->size ? ", " : "", name, int_list(arena, v, n));
}

/* "{.strides = {1, 1}}"; NULL: there is nothing to say. */
static const char *window_text(Arena *arena, const DnnlPrimitive *d)
{
    Text t = text_new(arena);
    if (d->kind == KIND_POOLING)
        add_extents(&t, arena, "kernel", d->kernel, d->spatial);
    add_extents(&t, arena, "strides", d->strides, d->spatial);
    add_extents(&t, arena, "dilates", d->dilates, d->spatial);
    add_extents(&t, arena, "padding_l", d->pad_l, d->spatial);
    add_extents(&t, arena, "padding_r", d->pad_r, d->spatial);
    return t.size ? arena_printf(arena, "{%s}", t.data) : NULL;
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
    Text t = text_new(arena);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (flags & 1U << i)
            text_printf(&t, "%s%s", t.size ? " | " : "", names[i]);
    return t.size ? t.data : "0";
}

/* Where its window is. */
static const char *window_operand(const Emit *e, const DnnlPrimitive *d)
{
    const char *at = place_member(e, PLACE_WINDOW, "window", window_text(e->arena, d));
    return at ? arena_printf(e->arena, "&%s", at) : "&window";
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
#define WINDOW window_operand(e, d)
#define ALG place_value(e, PLACE_ALGORITHM, "alg", onednn_alg_name(d->alg))
#define ALPHA place_value(e, PLACE_FLOAT, "alpha", onednn_float(arena, d->alpha))
#define BETA place_value(e, PLACE_FLOAT, "beta", onednn_float(arena, d->beta))
#define K place_value(e, PLACE_FLOAT, "k", onednn_float(arena, d->k))
#define AXIS place_int(e, PLACE_INT, "axis", d->axis)
#define SIZE place_int(e, PLACE_DIM, "size", d->size)
#define FLAGS flags_text(arena, d->flags)

/* What the function that creates the primitive is given, and its name. */
static const char *const *call_arguments(const Emit *e, const DnnlPrimitive *d,
                                         const char **function, size_t *n)
{
    Arena *arena = e->arena;
    switch (d->kind) {
#define KIND(id, name, call, ...)                                                                  \
    case KIND_##id: {                                                                              \
        const char *const arg[] = {__VA_ARGS__};                                                   \
        const char **copy = ARENA_ARRAY(arena, const char *, COUNT_OF(arg));                       \
        memcpy(copy, arg, sizeof arg);                                                             \
        *function = #call;                                                                         \
        *n = COUNT_OF(arg);                                                                        \
        return copy;                                                                               \
    }
#define COMPOSITE(id, name, ...) case KIND_##id:
#include "../../dnnl/primitives.def"
    case KIND_COUNT:
        break;
    }
    bug("a %s is no primitive", onednn_kind_names[d->kind]);
}

/* A row of "descs": "operand(&l, &src_md, s->workspace)". */
static void bind_desc(Bindings *b, const Emit *e, const DnnlMemory *m, const char *name,
                      bool is_named, const char *function, const char *operands)
{
    const char *md = bind_md(b, e, m, name);
    Bindings *r = bind_row(b, "descs");
    bind(r, "name", "%s", name);
    bind(r, "named", "%d", is_named);
    bind(r, "depthwise", "0");
    bind(r, "desc", "%s(&l, &%s%s)", function, md, operands);
}

/* The packed weights of a depthwise convolution that is a post-op. */
static void bind_packed_depthwise(Bindings *b, const Emit *e, const DnnlMemory *m,
                                  const char *address)
{
    Bindings *r = bind_row(b, "descs");
    bind(r, "depthwise", "1");
    bind(r, "packed", "%s", address);
    bind(r, "plan", "%s", plan_address(e, m));
}

/* Whether the call that creates the primitive, or a post-op, is given the descriptor. */
static bool is_named(const Emit *e, const DnnlPrimitive *d, uint32_t row, const char *name)
{
    size_t n;
    const char *function, *const *argument = call_arguments(e, d, &function, &n);
    bool named = false;
    for (size_t i = 0; i < n; i++)
        named = named || !strcmp(argument[i], name);
    for (uint32_t i = 0; i < d->n_post; i++)
        named = named || (d->post[i].kind == DNNL_POST_BINARY && d->post[i].memory == row);
    return named;
}

static void bind_operand_row(Bindings *b, const Emit *e, const Step *s, const DnnlPrimitive *d,
                             uint32_t row)
{
    Arena *arena = e->arena;
    const DnnlMemory *m = &d->memory[row];
    const bool packed = m->form == FORM_ANY;
    const char *name = packed ? m->name : desc_name(arena, d, row);
    const char *address = memory_address(e, s, m, name);
    if (packed && is_depthwise(m)) {
        bind_packed_depthwise(b, e, m, address);
        return;
    }
    const char *operands = packed ? arena_printf(arena, ", %s, %s", address, plan_address(e, m))
                                  : arena_printf(arena, ", %s", address);
    bind_desc(b, e, m, name, packed || is_named(e, d, row, name), packed ? "packed" : "operand",
              operands);
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
            APPEND(b, "scales", of, int_text(arena, onednn_attribute_mask(d, m)));
        else if (kind == ARG_ATTR_ZERO_POINTS)
            APPEND(b, "zero_point", of);
    }
}

static void bind_rows(Bindings *b, const Emit *e, const Step *s, const DnnlPrimitive *d,
                      size_t scratch)
{
    for (uint32_t i = 0; i < d->n_memory; i++)
        bind_operand_row(b, e, s, d, i);
    if (d->kind == KIND_CONVOLUTION_DEPTHWISE) {
        const DnnlMemory between = onednn_between(d);
        bind_desc(b, e, &between, between.name, true, "describe", "");
    }
    bind_attributes(b, e->arena, d);
    for (uint32_t i = 0; i < d->n_post; i++)
        bind_post_op(b, e, d, i);
    const size_t offset = s->scratch != NO_BUFFER ? buffer_offset(e->p, s->scratch) : 0;
    bind(b, "slot", "%s", place_index(e, "slot", s->slot, 0));
    bind(b, "scratchpad", "%s", place_address(e, "s->workspace", "scratchpad", offset + scratch));
    bind(b, "scratchpad_bytes", "%s",
         place_offset(e, "scratchpad_bytes", s->scratch != NO_BUFFER ? d->scratch_bytes : 0));
}

static void bind_call(Bindings *b, const Emit *e, const DnnlPrimitive *d)
{
    size_t n;
    const char *function, *const *argument = call_arguments(e, d, &function, &n);
    const char *window = window_text(e->arena, d);
    const bool literal = window && !place_member(e, PLACE_WINDOW, "window", window);
    bind(b, "function", "%s", function);
    bind_items(b, "operands", "operand", argument, n);
    bind(b, "windowed", "%d", literal);
    bind(b, "window", "%s", literal ? window : "");
}

void emit_create(const Emit *e, const Step *s, const DnnlPrimitive *d, size_t scratch,
                 uint32_t index, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind_call(b, e, d);
    bind_impl(b, e, d);
    bind_rows(b, e, s, d, scratch);
    render(out, "dnnl/create.c", b);
}
