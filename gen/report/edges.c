/* Who reads what of whom: the last writers of the bytes that a step reads. See edges.h. */
#include "edges.h"

#include "../program/step.h"

#include <string.h>

/* Bytes first … end - 1 of a root, or, where rows lie further apart than they are long, columns left … right - 1 of each row. */
typedef struct Span {
    size_t first, end, pitch, left, right;
} Span;

typedef struct Write {
    uint32_t writer;
    Span span;
} Write;

typedef struct Writes {
    Write *write;
    size_t n, cap;
} Writes;

typedef struct Finder {
    const Program *p;
    Writes *of;     /* by root buffer */
    uint32_t *seen; /* by writer: the last reader that has an edge from it, plus one */
    Edges edges;
} Finder;

static Span span_of(const Program *p, BufferId id, BufferId *root)
{
    const Buffer *b = &p->buffers[id];
    const Layout *l = &b->layout;
    Span s = {.pitch = (size_t)l->pitch * dtype_size(b->type.dtype)};
    *root = root_buffer(p, id, &s.first);
    s.end = s.first + b->bytes;
    if (s.pitch) {
        s.left = s.first % s.pitch;
        s.right = s.left + (size_t)b->type.dims[l->order[l->rank - 1]] * dtype_size(b->type.dtype);
    }
    return s;
}

static bool meets(const Span *a, const Span *b)
{
    if (a->first >= b->end || b->first >= a->end)
        return false;
    return !a->pitch || a->pitch != b->pitch || (a->left < b->right && b->left < a->right);
}

/* Whether nothing of b is left that a does not have. */
static bool covers(const Span *a, const Span *b)
{
    return a->first <= b->first && a->end >= b->end &&
           (!a->pitch || (a->pitch == b->pitch && a->left <= b->left && a->right >= b->right));
}

static void add_edge(Finder *f, uint32_t from, uint32_t to, BufferId id)
{
    if (from == to || f->seen[from] == to + 1)
        return;
    f->seen[from] = to + 1;
    ARENA_PUSH(f->p->arena, f->edges.edge, f->edges.n, f->edges.cap, (Edge){from, to, id});
}

static void reads(Finder *f, uint32_t reader, BufferId id)
{
    BufferId root;
    if (id == NO_BUFFER)
        return;
    const Span span = span_of(f->p, id, &root);
    const Buffer *memory = &f->p->buffers[root];
    if (memory->kind == BUFFER_CONST)
        return;
    const Writes *w = &f->of[root];
    for (size_t i = w->n; i > 0; i--) {
        const Write *write = &w->write[i - 1];
        if (!meets(&write->span, &span))
            continue;
        add_edge(f, write->writer, reader, id);
        if (covers(&write->span, &span))
            return;
    }
    if (memory->kind == BUFFER_INPUT)
        add_edge(f, memory->port, reader, id);
}

static void writes(Finder *f, uint32_t writer, BufferId id)
{
    BufferId root;
    if (id == NO_BUFFER)
        return;
    const Span span = span_of(f->p, id, &root);
    Writes *w = &f->of[root];
    ARENA_PUSH(f->p->arena, w->write, w->n, w->cap, (Write){writer, span});
}

static void follow_step(Finder *f, uint32_t index)
{
    const Step *s = &f->p->steps[index];
    const uint32_t place = f->p->graph->n_inputs + index;
    for (uint32_t k = 0; k < s->n_in; k++)
        reads(f, place, s->in[k]);
    for (uint32_t k = 0; k < s->n_guards; k++)
        reads(f, place, s->guards[k].condition);
    if (step_adds_to_destination(s) && s->n_out)
        reads(f, place, s->out[0]);
    for (uint32_t k = 0; k < s->n_out; k++)
        writes(f, place, s->out[k]);
}

/* An output of the model has what was written where it is, or is a copy. */
static void follow_outputs(Finder *f)
{
    const Program *p = f->p;
    const uint32_t first = p->graph->n_inputs + p->n_steps;
    for (uint32_t i = 0; i < p->n_copies; i++) {
        BufferId root = root_buffer(p, p->copies[i].to, NULL);
        reads(f, first + p->buffers[root].port, p->copies[i].from);
    }
    for (BufferId i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUFFER_OUTPUT && p->buffers[i].base == NO_BUFFER)
            reads(f, first + p->buffers[i].port, i);
}

Edges find_edges(const Program *p)
{
    const Graph *g = p->graph;
    Finder f = {.p = p,
                .of = ARENA_ARRAY(p->arena, Writes, p->n_buffers + 1),
                .seen = ARENA_ARRAY(p->arena, uint32_t,
                                    (size_t)g->n_inputs + p->n_steps + g->n_outputs + 1)};
    for (uint32_t i = 0; i < p->n_steps; i++)
        follow_step(&f, i);
    follow_outputs(&f);
    return f.edges;
}
