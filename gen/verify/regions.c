/* What partition wrote down about regions: every node in one, and all that a region reads, makes for
 * others and holds constant in its lists, each once, and nothing else. */
#include "columns.h"

#include <string.h>

enum Role { ROLE_IN = 1, ROLE_OUT = 2, ROLE_CONSTANT = 4 };

typedef struct Check {
    const Graph *g;
    uint32_t *seen;               /* by value: region of the last look, plus 1 */
    unsigned char *role, *listed; /* by value: what it should be and what it is listed as */
    uint32_t r;
} Check;

static bool broken(const Check *c, const char *what, ValueId v)
{
    return refuse_graph(c->g, "region %u: value '%s' %s", c->r, value_at(c->g, v)->name, what);
}

static void touch(Check *c, ValueId v)
{
    if (c->seen[v.i] == c->r + 1)
        return;
    c->seen[v.i] = c->r + 1;
    c->role[v.i] = c->listed[v.i] = 0;
}

static bool list(Check *c, const ValueId *values, uint32_t n, enum Role role)
{
    for (uint32_t i = 0; i < n; i++) {
        if (values[i].i >= c->g->n_values)
            return refuse_graph(c->g, "region %u lists a value that does not exist", c->r);
        touch(c, values[i]);
        if (c->listed[values[i].i] & role)
            return broken(c, "is listed twice", values[i]);
        c->listed[values[i].i] |= (unsigned char)role;
    }
    return true;
}

static void note_node(Check *c, const Uses *uses, const Node *n)
{
    const Graph *g = c->g;
    const uint32_t *region = g->columns->region;
    for (uint32_t k = 0; k < n->n_in; k++) {
        ValueId v = n->in[k];
        if (!has_value(v) || (def_of(g, v) && region[value_at(g, v)->def.i] == c->r))
            continue;
        touch(c, v);
        c->role[v.i] |= value_at(g, v)->kind == VALUE_CONST ? ROLE_CONSTANT : ROLE_IN;
    }
    for (uint32_t k = 0; k < n->n_out; k++) {
        ValueId v = n->out[k];
        if (!has_value(v))
            continue;
        bool outside = uses->is_output[v.i];
        for (uint32_t u = uses->start[v.i]; u < uses->start[v.i + 1]; u++)
            outside = outside || region[uses->node[u].i] != c->r;
        touch(c, v);
        c->role[v.i] |= outside ? ROLE_OUT : 0;
    }
}

/* Both ways: what it should be is listed, and what is listed is so. */
static bool compare(Check *c, const ValueId *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (c->role[values[i].i] != c->listed[values[i].i])
            return broken(c, "is listed as what it is not", values[i]);
    return true;
}

static bool compare_node(Check *c, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in + n->n_out; k++) {
        ValueId v = k < n->n_in ? n->in[k] : n->out[k - n->n_in];
        if (has_value(v) && c->seen[v.i] == c->r + 1 && c->role[v.i] != c->listed[v.i])
            return broken(c, "is missing in the lists", v);
    }
    return true;
}

static bool verify_region(Check *c, const Uses *uses, uint32_t *listed_nodes)
{
    const Graph *g = c->g;
    const Region *region = &g->columns->regions[c->r];
    if (!list(c, region->in, region->n_in, ROLE_IN) ||
        !list(c, region->out, region->n_out, ROLE_OUT) ||
        !list(c, region->constants, region->n_constants, ROLE_CONSTANT))
        return false;
    for (uint32_t k = 0; k < region->n_nodes; k++) {
        NodeId id = region->nodes[k];
        if (id.i >= g->n_nodes || g->columns->region[id.i] != c->r ||
            (k && id.i <= region->nodes[k - 1].i))
            return refuse_graph(g, "region %u lists nodes that are not its own, in order", c->r);
        note_node(c, uses, node_at(g, id));
    }
    *listed_nodes += region->n_nodes;
    for (uint32_t k = 0; k < region->n_nodes; k++)
        if (!compare_node(c, node_at(g, region->nodes[k])))
            return false;
    return compare(c, region->in, region->n_in) && compare(c, region->out, region->n_out) &&
           compare(c, region->constants, region->n_constants);
}

bool verify_region_lists(const Graph *g, Arena *scratch)
{
    const Columns *col = g->columns;
    bool partitioned = false;
    for (uint32_t r = 0; r < col->n_regions; r++)
        partitioned = partitioned || col->regions[r].n_nodes;
    if (!partitioned)
        return true;
    uint32_t listed_nodes = 0;
    Uses uses = graph_uses(g, scratch);
    Check c = {.g = g,
               .seen = ARENA_ARRAY(scratch, uint32_t, g->n_values),
               .role = ARENA_ARRAY(scratch, unsigned char, g->n_values),
               .listed = ARENA_ARRAY(scratch, unsigned char, g->n_values)};
    for (c.r = 0; c.r < col->n_regions; c.r++)
        if (!verify_region(&c, &uses, &listed_nodes))
            return false;
    return listed_nodes == g->n_nodes || refuse_graph(g, "a node is in the list of no region");
}
