/* Layers of a oneDNN unit whose last post-ops are a loop in C: see struct DnnlTail. */
#include "emit_dnnl.h"

#include <string.h>

static const DnnlTail *tail_of(const Step *s)
{
    return s->dnnl ? s->dnnl->tail : NULL;
}

bool tails_need(const Emit *e, uint32_t region, CHelpers *helpers)
{
    bool any = false;
    for (uint32_t i = e->p->unit_start[region]; i < e->p->unit_start[region + 1]; i++) {
        const Step *s = &e->p->steps[i];
        if (!tail_of(s))
            continue;
        any = true;
        post_text_needs(post_text(e->arena, s->dnnl, tail_of(s)->first_post), helpers);
    }
    return any;
}

static bool same_loop(const Emit *e, const Step *a, const Step *b)
{
    const DnnlTail *s = tail_of(a), *t = tail_of(b);
    return s && t && s->channels == t->channels && s->dst_pixel == t->dst_pixel &&
           s->own_product == t->own_product &&
           !strcmp(post_text(e->arena, a->dnnl, s->first_post),
                   post_text(e->arena, b->dnnl, t->first_post));
}

/* The first step of the unit that ends in the same way: its function serves. */
static const Step *like(const Emit *e, const Step *s)
{
    uint32_t i = e->p->unit_start[s->region];
    while (!same_loop(e, s, &e->p->steps[i]))
        i++;
    return &e->p->steps[i];
}

static void emit_loop(const Emit *e, const Step *s, Text *out)
{
    const DnnlTail *t = tail_of(s);
    const char *text = post_text(e->arena, s->dnnl, t->first_post);
    bool flat = t->dst_pixel == t->channels && !strstr(text, "[c]");
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", s->label);
    bind_operands(e, s->dnnl, t->first_post, t->own_product ? "product" : NULL, b);
    bind_statements(e->arena, b, text);
    bind(b, "flat", "%d", flat);
    bind(b, "element", "%s",
         !t->own_product ? "dst[at]"
         : flat          ? "product[i]"
                         : arena_printf(e->arena, "product[i * %lld + c]", (long long)t->channels));
    bind_int(b, "channels", t->channels);
    bind_int(b, "pixel", t->dst_pixel);
    render(out, "dnnl/tail_loop.c", b);
    text_puts(out, "\n");
}

static uint32_t slot_of(const Step *s, int arg)
{
    const DnnlPrimitive *head = s->dnnl->tail->head;
    return s->slot + (uint32_t)(dnnl_memory_of(head, arg) - head->memory);
}

static void bind_arguments(const Emit *e, const Step *s, Bindings *b)
{
    const DnnlPrimitive *head = s->dnnl->tail->head;
    for (uint32_t i = 0; i < head->n_memory; i++)
        bind(bind_row(b, "arguments"), "arg", "{%s, ctx->memory[%u]}",
             dnnl_arg_name(e->arena, head->memory[i].arg), s->slot + i);
    bind(bind_row(b, "arguments"), "arg", "{DNNL_ARG_SCRATCHPAD, ctx->memory[%u]}",
         s->slot + head->n_memory);
    bind_int(b, "n_args", head->n_memory + 1);
}

/* Whether the caller gives the memory, which may be elsewhere at every run. */
static bool is_port(const Emit *e, BufferId id)
{
    size_t offset;
    BufferKind kind = dnnl_place(e->p, id, &offset)->kind;
    return kind == BUFFER_INPUT || kind == BUFFER_OUTPUT;
}

static void bind_tensors(const Emit *e, const Step *s, Bindings *b)
{
    const DnnlTail *t = s->dnnl->tail;
    const BufferId src = dnnl_memory_of(s->dnnl, DNNL_ARG_SRC)->buffer,
                   dst = dnnl_memory_of(s->dnnl, DNNL_ARG_DST)->buffer;
    size_t scratch;
    if (t->blocks > 1)
        bind(bind_row(b, "pointers"), "pointer", "const float *src = %s",
             buffer_expr(e->arena, e->p, src, true));
    if (t->own_product) {
        dnnl_place(e->p, s->scratch, &scratch);
        bind(bind_row(b, "pointers"), "pointer",
             "const float *product = (const float *)(m->workspace + %zu)", scratch);
    }
    bind(b, "src", "%s", buffer_expr(e->arena, e->p, src, true));
    bind(b, "dst", "%s", buffer_expr(e->arena, e->p, dst, false));
    bind(b, "src_moves", "%d", is_port(e, src));
    bind(b, "dst_moves", "%d", !t->own_product && is_port(e, dst));
}

static void emit_run(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlTail *t = s->dnnl->tail;
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", s->label);
    bind(b, "function", "finish_%s", like(e, s)->label);
    bind(b, "context", "%s_context", e->names.name);
    bind(b, "net_memory", "struct %s_memory", e->names.name);
    bind_int(b, "index", index);
    bind_int(b, "threads", t->threads);
    bind(b, "one_thread", "%d", t->threads == 1);
    bind(b, "blocked", "%d", t->blocks > 1);
    bind_int(b, "rows", t->rows);
    bind_int(b, "pixels", t->rows * t->blocks);
    bind_int(b, "src_pixel", t->src_pixel);
    bind_int(b, "dst_pixel", t->dst_pixel);
    bind_int(b, "src_slot", slot_of(s, DNNL_ARG_SRC));
    bind_int(b, "dst_slot", slot_of(s, DNNL_ARG_DST));
    bind(b, "moves_dst", "%d", !t->own_product);
    bind_arguments(e, s, b);
    bind_operands(e, s->dnnl, t->first_post, t->own_product ? "product" : NULL, b);
    bind_tensors(e, s, b);
    render(out, "dnnl/tail.c", b);
}

void emit_tailed(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlTail *t = s->dnnl->tail;
    if (like(e, s) == s)
        emit_loop(e, s, out);
    emit_create(e, s, t->head, t->scratchpad_at, index, out);
    text_puts(out, "\n");
    emit_run(e, s, index, out);
}
