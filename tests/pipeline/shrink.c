/* Making a graph that fails smaller: fewer outputs, nodes replaced by new inputs or by one of their operands. */
#include "shrink.h"

#include "../../gen/text/text_ir.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct Shrinker {
    Arena *arena;
    Diag diag;
    TryFn *try;
    const void *how;
    const char *kind;
} Shrinker;

Graph *copy_graph(Arena *arena, Diag *diag, const Graph *g)
{
    Text t = text_new(arena);
    print_text_ir(g, &t);
    return parse_text_ir(arena, diag, "random", t.data, t.size);
}

/* What kind of failure a message is: the message up to its numbers. */
static const char *failure_kind(Arena *arena, const char *message)
{
    Text t = text_new(arena);
    size_t size = strncmp(message, "error: wrong", 12) ? 60 : 12;
    for (const char *c = message; *c && t.size < size; c++)
        if (!isdigit((unsigned char)*c))
            text_append(&t, c, 1);
    return t.data;
}

static bool still_fails(Shrinker *s, Graph *g)
{
    Diag none = {.arena = s->arena};
    Graph *copy = g ? copy_graph(s->arena, &none, g) : NULL;
    const char *why = copy ? s->try(s->arena, copy, s->how) : NULL;
    return why && !strcmp(failure_kind(s->arena, why), s->kind);
}

static Graph *without_output(Shrinker *s, const Graph *g, uint32_t k)
{
    Graph *h = copy_graph(s->arena, &s->diag, g);
    if (!h || h->n_outputs < 2)
        return NULL;
    memmove(h->outputs + k, h->outputs + k + 1, (h->n_outputs - k - 1) * sizeof *h->outputs);
    h->n_outputs--;
    Rewrite rw = rewrite_begin(h);
    rw.changed = true;
    graph_apply(&rw);
    return h;
}

/* Node k is gone: its results are inputs, or (operand > 0) its operand of the same type. */
static Graph *without_node(Shrinker *s, const Graph *g, uint32_t k, uint32_t operand)
{
    Graph *h = copy_graph(s->arena, &s->diag, g);
    if (!h)
        return NULL;
    const Node n = h->nodes[k];
    Rewrite rw = rewrite_begin(h);
    for (uint32_t o = 0; o < n.n_out; o++) {
        if (!has_value(n.out[o]))
            continue;
        TensorType t = *type_of(h, n.out[o]);
        if (!operand) {
            rewrite_replace(&rw, n.out[o], graph_add_input(h, NULL, t));
            continue;
        }
        ValueId in = node_in(&n, operand - 1);
        if (n.n_out != 1 || !has_value(in) || !type_equal(type_of(h, in), &t))
            return NULL;
        rewrite_replace(&rw, n.out[o], in);
    }
    graph_apply(&rw);
    return h;
}

static bool is_used(const Graph *g, ValueId v)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++)
            if (same_value(g->nodes[i].in[k], v))
                return true;
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (same_value(g->outputs[i].value, v))
            return true;
    return false;
}

static Graph *without_idle_inputs(Shrinker *s, const Graph *g)
{
    Graph *h = copy_graph(s->arena, &s->diag, g);
    uint32_t n = 0;
    for (uint32_t i = 0; h && i < h->n_inputs; i++)
        if (is_used(h, h->inputs[i].value))
            h->inputs[n++] = h->inputs[i];
    if (!h || n == h->n_inputs)
        return NULL;
    h->n_inputs = n;
    return h;
}

static bool accept(Shrinker *s, Graph **g, Graph *smaller)
{
    if (!smaller || !still_fails(s, smaller))
        return false;
    *g = smaller;
    fprintf(stderr, "  %u nodes, %u outputs\n", smaller->n_nodes, smaller->n_outputs);
    return true;
}

static bool shrink_once(Shrinker *s, Graph **g)
{
    for (uint32_t k = 0; k < (*g)->n_outputs; k++)
        if (accept(s, g, without_output(s, *g, k)))
            return true;
    for (uint32_t k = (*g)->n_nodes; k-- > 0;)
        for (uint32_t operand = 0; operand <= 2; operand++)
            if (accept(s, g, without_node(s, *g, k, operand)))
                return true;
    return accept(s, g, without_idle_inputs(s, *g));
}

Graph *shrink(Arena *arena, Graph *g, TryFn *try, const void *how, const char *message)
{
    Shrinker s = {.arena = arena, .diag = {.arena = arena}, .try = try, .how = how};
    s.kind = failure_kind(arena, message);
    while (shrink_once(&s, &g))
        ;
    return g;
}
