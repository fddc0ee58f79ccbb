/* NAME_debug.c: the table by which the executable's --dump-layers finds what each layer makes. */
#include "../base/quote.h"
#include "../program/made.h"
#include "emit.h"

static const char *section_word(BufferKind kind)
{
    switch (kind) {
    case BUFFER_ARENA:
        return "DNNLC_IN_WORKSPACE";
    case BUFFER_INPUT: /* a state that rows are appended to */
        return "DNNLC_IN_INPUT";
    case BUFFER_OUTPUT:
        return "DNNLC_IN_OUTPUT";
    case BUFFER_CONST:
        break;
    }
    bug("a step makes a constant");
}

static void bind_numbers(Bindings *b, const char *list, const char *key, const int64_t *n, int rank)
{
    bind_list(b, list, ", ");
    for (int i = 0; i < rank; i++)
        bind_int(bind_row(b, list), key, n[i]);
    if (!rank)
        bind_int(bind_row(b, list), key, 0);
}

/* A JSON text as a literal of C, which is C's to quote once more. */
static const char *quoted(const Emit *e, const char *text)
{
    Text t = text_new(e->arena);
    c_string(&t, text);
    return t.data;
}

static void bind_made(const Emit *e, Bindings *row, const Made *m)
{
    const Graph *g = e->p->graph;
    const Buffer *b = &e->p->buffers[m->buffer];
    size_t offset;
    const Buffer *root = buffer_root(e->p, m->buffer, &offset);
    const uint32_t each = root->kind == BUFFER_INPUT ? inputs_each(g) : outputs_each(g);
    int64_t strides[MAX_RANK];
    layout_strides(&b->layout, &b->type, strides);
    bind_int(row, "layer", m->step);
    bind(row, "section", "%s", section_word(root->kind));
    bind_int(row, "port", root->kind == BUFFER_ARENA ? 0 : root->port % each);
    bind(row, "offset", "%zu", offset);
    bind_int(row, "dtype", b->type.dtype);
    bind_int(row, "rank", b->type.rank);
    bind_numbers(row, "dims", "dim", b->type.dims, b->type.rank);
    bind_numbers(row, "strides", "stride", strides, b->type.rank);
    bind_int(row, "block_dim", b->layout.block ? b->layout.block_dim : 0);
    bind_int(row, "block", b->layout.block ? b->layout.block : 1);
    bind(row, "file", "\"%s\"", m->file);
    bind(row, "line", "%s", quoted(e, made_json(e->arena, e->p, m)));
}

void emit_debug(Emit *e)
{
    uint32_t n;
    if (!e->o->debug)
        return;
    const Made *made = program_made(e->p, e->arena, &n);
    Bindings *b = driver_bindings(e);
    bind(b, "runtime", "\"dnnlc_dump.h\"");
    bind(b, "head", "%s", quoted(e, made_head(e->arena, e->p, e->names.name)));
    bind_int(b, "n_made", n);
    bind_list(b, "made", "");
    for (uint32_t i = 0; i < n; i++)
        bind_made(e, bind_row(b, "made"), &made[i]);
    bind(b, "no_made", "%d", n == 0);
    emit_rendered(e, b, "driver/debug.c", "_debug.c");
}
