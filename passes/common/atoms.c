/* Composites and single nodes as one sequence with edges. */
#include "atoms.h"

static void number_atoms(const Graph *g, Atoms *a)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Composite *c = composite_of(g, (NodeId){i});
        if (c && c->root.i != i)
            continue;
        a->root[a->n] = (NodeId){i};
        a->anchor[a->n] = c ? c->anchor : (NodeId){i};
        for (uint32_t k = 0; c && k < c->n_nodes; k++)
            a->of_node[c->nodes[k].i] = a->n;
        a->of_node[i] = a->n++;
    }
}

static void add_edges(const Graph *g, Atoms *a, uint32_t *cursor)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        uint32_t to = a->of_node[i];
        for (uint32_t k = 0; k < n->n_in; k++) {
            if (!has_value(n->in[k]) || !def_of(g, n->in[k]))
                continue;
            uint32_t from = a->of_node[value_at(g, n->in[k])->def.i];
            if (from == to)
                continue;
            if (cursor)
                a->before[cursor[to]++] = from;
            else
                a->start[to + 1]++;
        }
    }
}

Atoms find_atoms(const Graph *g, Arena *arena)
{
    Atoms a = {.of_node = ARENA_ARRAY(arena, uint32_t, g->n_nodes),
               .root = ARENA_ARRAY(arena, NodeId, g->n_nodes),
               .anchor = ARENA_ARRAY(arena, NodeId, g->n_nodes)};
    number_atoms(g, &a);
    a.start = ARENA_ARRAY(arena, uint32_t, (size_t)a.n + 1);
    uint32_t *cursor = ARENA_ARRAY(arena, uint32_t, a.n);
    add_edges(g, &a, NULL);
    for (uint32_t i = 0; i < a.n; i++) {
        cursor[i] = a.start[i];
        a.start[i + 1] += a.start[i];
    }
    a.before = ARENA_ARRAY(arena, uint32_t, a.start[a.n]);
    add_edges(g, &a, cursor);
    return a;
}
