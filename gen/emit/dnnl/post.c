/* What emitted loops do with a layer's results: see dnnl/post_statement.c. */
#include "emit_dnnl.h"

#include "../../base/template.h"

#include <string.h>

/* The first post-op that the loop does. */
static uint32_t first_post(const DnnlPrimitive *p)
{
    return p->epilogue ? p->epilogue->first_post : 0;
}

static const char *make_post_text(Arena *arena, const Step *s)
{
    const DnnlPrimitive *p = s->dnnl;
    Text t = text_new(arena);
    if (!p->epilogue && onednn_memory_of(p, ARG_BIAS))
        text_puts(&t, "v += bias[c]\n");
    for (uint32_t i = first_post(p); i < p->n_post; i++) {
        text_printf(&t, "%s\n", onednn_post_statement(arena, p, &p->post[i]));
        if (s->rounds && i + 1 < p->n_post && onednn_post_multiplies(&p->post[i]))
            text_puts(&t, "v = dnnlc_rounded(v)\n");
    }
    return t.data;
}

/* Layers are compared with each other: each text is made once. */
const char *post_text(const Emit *e, const Step *s)
{
    const char **end = &e->layers[s - e->p->steps].end;
    if (!*end)
        *end = make_post_text(e->arena, s);
    return *end;
}

static const struct {
    const char *call;
    CHelper helper;
} calls[] = {
    {"dnnlc_sigmoidf", CH_SIGMOID}, {"dnnlc_swishf", CH_SIGMOID}, {"dnnlc_tanhf", CH_TANH},
    {"dnnlc_expm1f", CH_EXPM1},     {"dnnlc_geluf", CH_GELU},     {"dnnlc_mishf", CH_MISH},
    {"dnnlc_expf", CH_EXP},         {"dnnlc_log1pf", CH_LOG1P},   {"dnnlc_rounded", CH_ROUNDED},
    {"dnnlc_unit", CH_UNIT},        {"dnnlc_limited", CH_LIMITED}};

void post_text_needs(const char *text, CHelpers *helpers)
{
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (strstr(text, calls[i].call))
            c_helpers_need(helpers, calls[i].helper);
}

bool post_text_is_long(const char *text)
{
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (calls[i].helper != CH_LIMITED && strstr(text, calls[i].call))
            return true;
    return false;
}

static bool is_operand(const DnnlPrimitive *p, const DnnlMemory *m)
{
    return m->arg == ARG_BIAS ? !p->epilogue : m->arg >= arg_of_post_op((int)first_post(p));
}

void bind_pointer(Bindings *b, const char *name, const char *address)
{
    Bindings *pointer = bind_row(b, "pointers");
    bind(pointer, "pointer", "%s", name);
    bind(pointer, "address", "%s", address);
}

uint32_t bind_operands(const Emit *e, const DnnlPrimitive *p, Bindings *b)
{
    uint32_t n = 0;
    bind_list(b, "operands", "");
    bind_list(b, "pointers", ", ");
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        if (!is_operand(p, m))
            continue;
        const char *name = m->arg == ARG_BIAS ? "bias" : onednn_operand_name(e->arena, i);
        Bindings *operand = bind_row(b, "operands");
        bind(operand, "operand", "%s", name);
        bind_int(operand, "n", n++);
        bind_pointer(b, name, place_operand(e, name, m->buffer, true));
    }
    if (p->epilogue && p->epilogue->own_product)
        bind(bind_row(b, "operands"), "operand", "product");
    return n;
}

void bind_statements(Arena *arena, Bindings *b, const char *text)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const size_t n = (size_t)(end - text);
        const bool ends = n && text[n - 1] == ';'; /* one of several that a post-op takes */
        bind(bind_row(b, "post_ops"), "statement", "%s", arena_strndup(arena, text, n - ends));
    }
}

bool ends_alike(const Emit *e, const Step *first, const Step *second)
{
    const DnnlPrimitive *a = first->dnnl, *b = second->dnnl;
    if (!b || a->kind != b->kind ||
        (a->epilogue && a->epilogue->own_product != b->epilogue->own_product) ||
        (a->indirect && !a->indirect->pairs != !b->indirect->pairs) ||
        (a->winograd &&
         (a->winograd->tile != b->winograd->tile || a->winograd->window != b->winograd->window ||
          !a->winograd->pairs != !b->winograd->pairs)))
        return false;
    return !strcmp(post_text(e, first), post_text(e, second));
}

const Step *first_that_ends_like(const Emit *e, const Step *s)
{
    uint32_t i = e->file_first;
    while (!ends_alike(e, s, &e->p->steps[i]))
        i++;
    return &e->p->steps[i];
}
