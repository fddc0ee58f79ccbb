/* Layers of a oneDNN unit whose last post-ops are a loop in C: see struct DnnlEpilogue. */
#include "emit_dnnl.h"

#include <string.h>

void emit_epilogue_loop(const Emit *e, const Step *s, Text *out)
{
    const DnnlEpilogue *t = s->dnnl->epilogue;
    const char *text = post_text(e, s);
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", s->label);
    bind_operands(e, s->dnnl, b);
    bind_statements(e->arena, b, text);
    bind(b, "whole", strstr(text, "c]") ? "1" : "pixel == channels ? to - from : 1");
    bind(b, "element", t->own_product ? "product[i * channels + c]" : "dst[at]");
    render(out, "dnnl/epilogue_loop.c", b);
    text_puts(out, "\n");
}

static const char *slot_of(const Emit *e, const Step *s, int arg)
{
    const DnnlPrimitive *head = s->dnnl->epilogue->head;
    return place_index(e, "slot", s->slot, (uint32_t)(onednn_memory_of(head, arg) - head->memory));
}

static const char *size_of(const Emit *e, const char *kind, int64_t n)
{
    return place_offset(e, kind, (size_t)n);
}

static void bind_tensors(const Emit *e, const Step *s, Bindings *b)
{
    const DnnlEpilogue *t = s->dnnl->epilogue;
    const BufferId src = onednn_memory_of(s->dnnl, ARG_SRC)->buffer;
    bind_pointer(b, "src", place_operand(e, "src", src, true));
    if (t->own_product)
        bind_pointer(b, "product", place_operand(e, "product", s->scratch, false));
    bind_tensor_address(e, s, ARG_DST, "dst", b);
}

static void emit_run(const Emit *e, const Step *s, const Step *first, uint32_t index, Text *out)
{
    const DnnlEpilogue *t = s->dnnl->epilogue;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind(b, "function", "finish_%s", first->label);
    bind(b, "threads", "%s", place_int(e, PLACE_INT, "threads", t->threads));
    bind(b, "one_thread", "%d", t->threads == 1);
    bind(b, "rows", "%s", size_of(e, "rows", t->rows));
    bind(b, "pixels", "%s", size_of(e, "pixels", t->rows * t->blocks));
    bind(b, "src_pixel", "%s", size_of(e, "src_pixel", t->src_pixel));
    bind(b, "dst_pixel", "%s", size_of(e, "dst_pixel", t->dst_pixel));
    bind(b, "sizes", "%s, %s", size_of(e, "channels", t->channels),
         size_of(e, "dst_pixel", t->dst_pixel));
    bind(b, "src_slot", "%s", slot_of(e, s, ARG_SRC));
    bind(b, "dst_slot", "%s", slot_of(e, s, ARG_DST));
    bind(b, "moves_dst", "%d", !t->own_product);
    bind_arguments(e, s, t->head, b);
    bind_operands(e, s->dnnl, b);
    bind_tensors(e, s, b);
    render(out, "dnnl/epilogue.c", b);
}

void emit_with_epilogue(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlEpilogue *t = s->dnnl->epilogue;
    const Step *first = first_that_ends_like(e, s);
    emit_create(e, s, t->head, t->scratchpad_at, index, out);
    text_puts(out, "\n");
    emit_run(e, s, first, index, out);
}
