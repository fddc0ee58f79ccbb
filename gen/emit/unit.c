/* What the emitters of the driver and of both kinds of units share: places in memory, comments,
 * names. */
#include "unit.h"

#include "../dnnl/plan.h"
#include "../ops/ops.h"

#include <inttypes.h>
#include <string.h>

const Buffer *buffer_root(const Program *p, BufferId id, size_t *offset)
{
    const Buffer *b = &p->buffers[root_buffer(p, id, offset)];
    *offset += b->offset;
    return b;
}

size_t buffer_offset(const Program *p, BufferId id)
{
    size_t offset;
    buffer_root(p, id, &offset);
    return offset;
}

bool buffer_distance(const Program *p, BufferId from, BufferId to, int64_t *bytes)
{
    size_t a, b;
    const Buffer *x = buffer_root(p, from, &a), *y = buffer_root(p, to, &b);
    *bytes = (int64_t)b - (int64_t)a;
    return x->kind == y->kind &&
           ((x->kind != BUFFER_INPUT && x->kind != BUFFER_OUTPUT) || x->port == y->port);
}

/* Bytes, and what comes on with each time around a loop over `i`. */
static const char *offset_text(Arena *arena, size_t offset, int64_t step)
{
    if (!step)
        return arena_printf(arena, "%zu", offset);
    const char *moved = arena_printf(arena, "%" PRId64 " * i", step < 0 ? -step : step);
    return offset || step < 0
               ? arena_printf(arena, "%zu %c %s", offset, step < 0 ? '-' : '+', moved)
               : moved;
}

static const char *port_expr(Arena *arena, const char *root, const char *offset,
                             const char *qualifier)
{
    return strcmp(offset, "0") ? arena_printf(arena, "(%svoid *)((%sunsigned char *)%s + %s)",
                                              qualifier, qualifier, root, offset)
                               : root;
}

const char *buffer_expr_in_loop(Arena *arena, const Program *p, BufferId id, bool is_const,
                                int64_t step)
{
    size_t bytes;
    const Buffer *b = buffer_root(p, id, &bytes);
    const char *qualifier = is_const ? "const " : "", *offset = offset_text(arena, bytes, step);
    if (!is_const && (b->kind == BUFFER_INPUT || b->kind == BUFFER_CONST))
        bug("an input or constant of the model would be written to");
    switch (b->kind) {
    case BUFFER_INPUT:
        return port_expr(arena, arena_printf(arena, "m->in[%" PRIu32 "]", b->port), offset,
                         qualifier);
    case BUFFER_OUTPUT:
        return port_expr(arena, arena_printf(arena, "m->out[%" PRIu32 "]", b->port), offset,
                         qualifier);
    case BUFFER_CONST:
        return arena_printf(arena, "weights_at(m, %s)", offset);
    case BUFFER_ARENA:
        return arena_printf(arena, "workspace_at(m, %s)", offset);
    }
    bug("buffer of kind %d", (int)b->kind);
}

const char *workspace_expr(Arena *arena, const char *place, int64_t step)
{
    if (!step)
        return arena_printf(arena, "workspace_at(m, %s)", place);
    return arena_printf(arena, "workspace_at(m, %s %c %" PRId64 " * i)", place,
                        step < 0 ? '-' : '+', step < 0 ? -step : step);
}

const char *buffer_expr(Arena *arena, const Program *p, BufferId id, bool is_const)
{
    return buffer_expr_in_loop(arena, p, id, is_const, 0);
}

void put_part(Text *out, const char *path, const Bindings *b)
{
    text_puts(out, "\n");
    render(out, path, b);
}

/* --- guards --- */

static const char *condition(const Program *p, const Step *s)
{
    Text t = text_new(p->arena);
    for (uint32_t i = 0; i < s->n_guards; i++)
        text_printf(&t, "%s%s*(const uint8_t *)%s", i ? " && " : "", s->guards[i].when ? "" : "!",
                    buffer_expr(p->arena, p, s->guards[i].condition, true));
    return t.data;
}

Bindings *bind_block(const Program *p, Bindings *b, const Step *s)
{
    Bindings *block = bind_row(b, "blocks");
    bind_list(block, "guards", "");
    bind_list(block, "loops", "");
    if (s->n_guards)
        bind(bind_row(block, "guards"), "condition", "%s", condition(p, s));
    return block;
}

/* --- comments --- */

/* Words after each other in lines of at most 100 columns with the " * " that will stand in front; further lines are
 * indented. */
typedef struct Paragraph {
    Text text;
    size_t column;
} Paragraph;

static void put_word(Paragraph *p, const char *word)
{
    size_t n = strlen(word);
    if (p->column && p->column + 1 + n > 100) {
        text_puts(&p->text, "\n    ");
        p->column = 7;
    } else {
        text_puts(&p->text, p->column ? " " : "");
        p->column += p->column ? 1 : 3;
    }
    text_puts(&p->text, word);
    p->column += n;
}

static void end_line(Paragraph *p)
{
    text_puts(&p->text, "\n");
    p->column = 0;
}

/* What the model's node became: neighbours of one name say it once, behind the last. `next`: NULL behind the last of all. */
static void put_node(Paragraph *p, Arena *arena, const Node *n, const Node *next)
{
    const bool named = *n->name, goes_on = named && next && !strcmp(n->name, next->name);
    put_word(p, arena_printf(arena, "%s%s", op_info(n->op)->name, !next || named ? "" : ","));
    if (goes_on)
        put_word(p, "+");
    else if (named)
        put_word(p, arena_printf(arena, "'%s'%s", c_safe_text(arena, n->name), next ? "," : ""));
}

static void put_buffers(Paragraph *p, Arena *arena, const Program *prog, const char *what,
                        const BufferId *ids, uint32_t n)
{
    put_word(p, what);
    bool first = true;
    for (uint32_t i = 0; i < n; i++) {
        if (ids[i] == NO_BUFFER)
            continue;
        const Buffer *b = &prog->buffers[ids[i]];
        const char *tag = layout_is_plain(&b->layout) ? "" : layout_tag(arena, &b->layout);
        if (!first)
            text_puts(&p->text, ","), p->column++;
        first = false;
        put_word(p,
                 arena_printf(arena, "%s%s%s", type_text(arena, &b->type), *tag ? " " : "", tag));
    }
    end_line(p);
}

const char *step_title(Arena *arena, const Program *p, const Step *s)
{
    const Graph *g = p->graph;
    Text t = text_new(arena);
    if (s->dnnl && s->dnnl->attention)
        return arena_printf(arena, "Attention '%s' of %u nodes, in %s",
                            c_safe_text(arena, node_at(g, s->node)->name), s->n_nodes,
                            is_attention_in_c(s->dnnl) ? "C" : "3 primitives");
    if (!s->n_nodes)
        text_printf(&t, "Reorder %s",
                    c_safe_text(arena, has_value(p->buffers[s->out[0]].value)
                                           ? value_at(g, p->buffers[s->out[0]].value)->name
                                           : ""));
    for (uint32_t i = 0; i < s->n_nodes && i < 6; i++) {
        const Node *n = node_at(g, s->nodes[i]);
        text_printf(&t, "%s%s", i ? " + " : "", op_info(n->op)->name);
        if (i == 0 && *n->name)
            text_printf(&t, " '%s'", c_safe_text(arena, n->name));
    }
    if (s->n_nodes > 6)
        text_printf(&t, " + %u more", s->n_nodes - 6);
    return t.data;
}

void bind_step_comment(Arena *arena, Bindings *b, const Program *prog, const Step *s)
{
    Paragraph p = {.column = 0};
    p.text = text_new(arena);
    for (uint32_t i = 0; i < s->n_nodes; i++)
        put_node(&p, arena, node_at(prog->graph, s->nodes[i]),
                 i + 1 < s->n_nodes ? node_at(prog->graph, s->nodes[i + 1]) : NULL);
    if (!s->n_nodes)
        put_word(&p, step_title(arena, prog, s));
    end_line(&p);
    put_buffers(&p, arena, prog, "src", s->in, s->n_in);
    put_buffers(&p, arena, prog, "dst", s->out, s->n_out);
    bind_lines(b, "about", p.text.data);
}

void bind_more_layers(Bindings *b, uint32_t more)
{
    bind(b, "more", more ? "%u more layer%s" : "", more, more > 1 ? "s" : "");
}
