/* partition: one function per region. Writes down for each region its nodes, what it reads from
 * outside, what it makes for outside, and the constants it uses (a constant used by several regions
 * belongs to each).
 *
 * Needs regions, fills their rows. */
#include "pass.h"

#include <string.h>

typedef struct Lists {
    const Graph *g;
    Region *regions;
    size_t *cap_nodes, *cap_in, *cap_out, *cap_constants; /* by region */
    uint32_t *seen; /* by value: last region that listed it, plus 1 */
} Lists;

static void add_value(Lists *s, const ValueId **list, uint32_t *n, size_t *cap, ValueId v)
{
    ValueId *grown = arena_grow(s->g->arena, (ValueId *)*list, *n, cap, sizeof **list);
    grown[(*n)++] = v;
    *list = grown;
}

static void read_value(Lists *s, uint32_t r, ValueId v)
{
    Region *region = &s->regions[r];
    const Value *value = value_at(s->g, v);
    if (value->kind == VALUE_NODE && s->g->columns->region[value->def.i] == r)
        return;
    if (s->seen[v.i] == r + 1)
        return;
    s->seen[v.i] = r + 1;
    if (value->kind == VALUE_CONST)
        add_value(s, &region->constants, &region->n_constants, &s->cap_constants[r], v);
    else
        add_value(s, &region->in, &region->n_in, &s->cap_in[r], v);
}

static void make_value(Lists *s, const Uses *uses, uint32_t r, ValueId v)
{
    Region *region = &s->regions[r];
    bool outside = uses->is_output[v.i];
    for (uint32_t u = uses->start[v.i]; u < uses->start[v.i + 1]; u++)
        outside = outside || s->g->columns->region[uses->node[u].i] != r;
    if (outside)
        add_value(s, &region->out, &region->n_out, &s->cap_out[r], v);
}

static void list_node(Lists *s, const Uses *uses, uint32_t i)
{
    const Node *n = &s->g->nodes[i];
    uint32_t r = s->g->columns->region[i];
    Region *region = &s->regions[r];
    NodeId *nodes = arena_grow(s->g->arena, (NodeId *)region->nodes, region->n_nodes,
                               &s->cap_nodes[r], sizeof *nodes);
    nodes[region->n_nodes++] = (NodeId){i};
    region->nodes = nodes;
    for (uint32_t k = 0; k < n->n_in; k++)
        if (has_value(n->in[k]))
            read_value(s, r, n->in[k]);
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]))
            make_value(s, uses, r, n->out[k]);
}

/* Nodes of a region stand together in no order of the graph, so `seen` is per region: regions
 * one after another. */
bool pass_partition(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    Arena *scratch = arena_new();
    Columns *c = g->columns;
    uint32_t n = c->n_regions, crossing = 0;
    Lists s = {.g = g,
               .regions = c->regions,
               .cap_nodes = ARENA_ARRAY(scratch, size_t, n),
               .cap_in = ARENA_ARRAY(scratch, size_t, n),
               .cap_out = ARENA_ARRAY(scratch, size_t, n),
               .cap_constants = ARENA_ARRAY(scratch, size_t, n),
               .seen = ARENA_ARRAY(scratch, uint32_t, g->n_values)};
    Uses uses = graph_uses(g, scratch);
    for (uint32_t r = 0; r < n; r++)
        c->regions[r] =
            (Region){.target = c->regions[r].target, .why_ended = c->regions[r].why_ended};
    const uint32_t *order = order_by_key(scratch, c->region, g->n_nodes, n);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        list_node(&s, &uses, order[i]);
    for (uint32_t r = 0; r < n; r++)
        crossing += c->regions[r].n_in;
    *report = arena_printf(g->arena, "%u functions, %u values passed in", n, crossing);
    arena_free(scratch);
    return true;
}
