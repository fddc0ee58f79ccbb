/* Replacement tables: filled by a pass, applied once. */
#include "columns.h"
#include "ir.h"

#include <stdlib.h>
#include <string.h>

Rewrite rewrite_begin(Graph *g)
{
    Rewrite rw = {.g = g, .n_nodes = g->n_nodes};
    return rw;
}

static void make_room(Rewrite *rw)
{
    if (rw->cap >= rw->g->n_values)
        return;
    size_t cap = (size_t)rw->g->n_values * 2;
    ValueId *to = ARENA_ARRAY(rw->g->arena, ValueId, cap);
    memset(to, 0xff, cap * sizeof *to);
    if (rw->cap)
        memcpy(to, rw->to, rw->cap * sizeof *to);
    rw->to = to;
    rw->cap = cap;
}

ValueId resolved(const Rewrite *rw, ValueId v)
{
    uint32_t steps = 0;
    while (has_value(v) && v.i < rw->cap && has_value(rw->to[v.i])) {
        v = rw->to[v.i];
        if (steps++ > rw->g->n_values)
            bug("replacement table has a cycle");
    }
    return v;
}

void rewrite_replace(Rewrite *rw, ValueId from, ValueId to)
{
    make_room(rw);
    if (same_value(resolved(rw, to), resolved(rw, from)))
        return;
    rw->to[from.i] = to;
    rw->changed = true;
}

/* Topological order by depth-first search from the outputs' side in the old order of nodes, so that
 * an order that is already right stays as it is. Explicit stack: graphs may be long chains. */
typedef struct Sort {
    Graph *g;
    const bool *live;
    uint8_t *state; /* 0 new, 1 open, 2 done */
    NodeId *order;
    uint32_t n_order;
} Sort;

static void visit(Sort *s, NodeId root, NodeId *stack, uint32_t *next)
{
    uint32_t depth = 0;
    stack[depth++] = root;
    s->state[root.i] = 1;
    next[root.i] = 0;
    while (depth) {
        NodeId id = stack[depth - 1];
        const Node *n = node_at(s->g, id);
        if (next[id.i] < n->n_in) {
            ValueId v = n->in[next[id.i]++];
            if (!has_value(v) || value_at(s->g, v)->kind != VALUE_NODE)
                continue;
            NodeId def = value_at(s->g, v)->def;
            if (s->state[def.i] == 1)
                bug("a pass made a cycle through node '%s'", n->name);
            if (s->state[def.i] == 0) {
                s->state[def.i] = 1;
                next[def.i] = 0;
                stack[depth++] = def;
            }
            continue;
        }
        s->state[id.i] = 2;
        s->order[s->n_order++] = id;
        depth--;
    }
}

static bool *find_live(Graph *g)
{
    bool *live = ARENA_ARRAY(g->arena, bool, g->n_nodes);
    NodeId *stack = ARENA_ARRAY(g->arena, NodeId, g->n_nodes);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const Value *v = value_at(g, g->outputs[i].value);
        if (v->kind == VALUE_NODE && !live[v->def.i]) {
            live[v->def.i] = true;
            stack[depth++] = v->def;
        }
    }
    while (depth) {
        const Node *n = node_at(g, stack[--depth]);
        for (uint32_t i = 0; i < n->n_in; i++) {
            const Value *v = has_value(n->in[i]) ? value_at(g, n->in[i]) : NULL;
            if (v && v->kind == VALUE_NODE && !live[v->def.i]) {
                live[v->def.i] = true;
                stack[depth++] = v->def;
            }
        }
    }
    return live;
}

/* Inputs of live nodes, outputs of the model, all model inputs and all outputs of live nodes stay.
 */
static bool *find_kept_values(const Graph *g, const bool *live)
{
    bool *kept = ARENA_ARRAY(g->arena, bool, g->n_values);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (!live[i])
            continue;
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++)
            if (has_value(g->nodes[i].in[k]))
                kept[g->nodes[i].in[k].i] = true;
        for (uint32_t k = 0; k < g->nodes[i].n_out; k++)
            if (has_value(g->nodes[i].out[k]))
                kept[g->nodes[i].out[k].i] = true;
    }
    for (uint32_t i = 0; i < g->n_outputs; i++)
        kept[g->outputs[i].value.i] = true;
    for (uint32_t i = 0; i < g->n_values; i++)
        kept[i] = kept[i] || g->values[i].kind == VALUE_INPUT;
    return kept;
}

static void renumber(Graph *g, const Sort *s, const bool *kept)
{
    ValueId *new_value = ARENA_ARRAY(g->arena, ValueId, g->n_values);
    NodeId *new_node = ARENA_ARRAY(g->arena, NodeId, g->n_nodes);
    Value *values = ARENA_ARRAY(g->arena, Value, g->n_values);
    Node *nodes = ARENA_ARRAY(g->arena, Node, s->n_order);
    for (uint32_t i = 0; i < s->n_order; i++)
        new_node[s->order[i].i] = (NodeId){i};
    uint32_t n_values = 0;
    for (uint32_t i = 0; i < g->n_values; i++) {
        new_value[i] = NO_VALUE;
        if (!kept[i])
            continue;
        new_value[i] = (ValueId){n_values};
        values[n_values] = g->values[i];
        if (values[n_values].kind == VALUE_NODE)
            values[n_values].def = new_node[values[n_values].def.i];
        n_values++;
    }
    for (uint32_t i = 0; i < s->n_order; i++) {
        nodes[i] = *node_at(g, s->order[i]);
        for (uint32_t k = 0; k < nodes[i].n_in; k++)
            if (has_value(nodes[i].in[k]))
                nodes[i].in[k] = new_value[nodes[i].in[k].i];
        for (uint32_t k = 0; k < nodes[i].n_out; k++)
            if (has_value(nodes[i].out[k]))
                nodes[i].out[k] = new_value[nodes[i].out[k].i];
    }
    for (uint32_t i = 0; i < g->n_inputs; i++)
        g->inputs[i].value = new_value[g->inputs[i].value.i];
    for (uint32_t i = 0; i < g->n_outputs; i++)
        g->outputs[i].value = new_value[g->outputs[i].value.i];
    g->cap_values = g->n_values;
    g->values = values;
    g->n_values = n_values;
    g->nodes = nodes;
    g->n_nodes = s->n_order;
    g->cap_nodes = s->n_order;
}

static void replace_uses(Rewrite *rw)
{
    Graph *g = rw->g;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++)
            g->nodes[i].in[k] = resolved(rw, g->nodes[i].in[k]);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        g->outputs[i].value = resolved(rw, g->outputs[i].value);
}

typedef struct Place {
    uint32_t node, at;
} Place;

static int by_place(const void *x, const void *y)
{
    const Place *a = x, *b = y;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at)
                          : (a->node > b->node) - (a->node < b->node);
}

/* The nodes in the order in which they are to stand: what replaces a node in its place. Steps follow this order, and with it what is
 * alive at once. */
static const Place *places_of(const Rewrite *rw)
{
    const Graph *g = rw->g;
    Place *place = ARENA_ARRAY(g->arena, Place, (size_t)g->n_nodes + 1);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        place[i] = (Place){i, i};
    for (uint32_t v = 0; v < g->n_values && v < rw->cap; v++) {
        const Value *from = &g->values[v];
        const ValueId to = resolved(rw, (ValueId){v});
        if (to.i == v || from->kind != VALUE_NODE || value_at(g, to)->kind != VALUE_NODE)
            continue;
        Place *by = &place[value_at(g, to)->def.i];
        if (by->at > from->def.i)
            by->at = from->def.i;
    }
    for (uint32_t i = g->n_nodes; i-- > rw->n_nodes;) /* and what was added for it */
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++) {
            const ValueId v = g->nodes[i].in[k];
            Place *before = has_value(v) && value_at(g, v)->kind == VALUE_NODE
                                ? &place[value_at(g, v)->def.i]
                                : NULL;
            if (before && before->node >= rw->n_nodes && before->at > place[i].at)
                before->at = place[i].at;
        }
    qsort(place, g->n_nodes, sizeof *place, by_place);
    return place;
}

/* Constants that no value is any more: weights that a pass has made others of. */
static void release_dropped(const Graph *g, const Value *before, uint32_t n, const bool *kept)
{
    for (uint32_t i = 0; i < n; i++) {
        const uintptr_t data = (uintptr_t)before[i].data;
        const size_t bytes = data && !kept[i] ? type_bytes(&before[i].type) : 0;
        bool used = bytes < ARENA_LARGE;
        for (uint32_t v = 0; v < g->n_values && !used; v++)
            used = (uintptr_t)g->values[v].data - data < bytes;
        if (!used)
            arena_release(g->arena, before[i].data, bytes);
    }
}

bool graph_apply(Rewrite *rw)
{
    Graph *g = rw->g;
    uint32_t old_nodes = g->n_nodes, old_values = g->n_values;
    const Place *place = places_of(rw);
    replace_uses(rw);
    Sort s = {.g = g,
              .live = find_live(g),
              .state = ARENA_ARRAY(g->arena, uint8_t, g->n_nodes),
              .order = ARENA_ARRAY(g->arena, NodeId, g->n_nodes)};
    NodeId *stack = ARENA_ARRAY(g->arena, NodeId, g->n_nodes);
    uint32_t *next = ARENA_ARRAY(g->arena, uint32_t, g->n_nodes);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (s.live[place[i].node] && s.state[place[i].node] == 0)
            visit(&s, (NodeId){place[i].node}, stack, next);
    const Value *before = g->values;
    const bool *kept = find_kept_values(g, s.live);
    renumber(g, &s, kept);
    release_dropped(g, before, old_values, kept);
    *g->columns = (Columns){0};
    return rw->changed || g->n_nodes != old_nodes || g->n_values != old_values;
}

Uses graph_uses(const Graph *g, Arena *arena)
{
    Uses u = {.start = ARENA_ARRAY(arena, uint32_t, (size_t)g->n_values + 1),
              .is_output = ARENA_ARRAY(arena, bool, g->n_values)};
    uint32_t *cursor = ARENA_ARRAY(arena, uint32_t, g->n_values);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++)
            if (has_value(g->nodes[i].in[k]))
                u.start[g->nodes[i].in[k].i + 1]++;
    for (uint32_t v = 0; v < g->n_values; v++) {
        cursor[v] = u.start[v];
        u.start[v + 1] += u.start[v];
    }
    u.node = ARENA_ARRAY(arena, NodeId, u.start[g->n_values]);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++)
            if (has_value(g->nodes[i].in[k]))
                u.node[cursor[g->nodes[i].in[k].i]++] = (NodeId){i};
    for (uint32_t i = 0; i < g->n_outputs; i++)
        u.is_output[g->outputs[i].value.i] = true;
    return u;
}
