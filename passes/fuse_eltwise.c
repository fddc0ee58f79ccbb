/* fuse-eltwise: groups connected elementwise nodes of the C target into composites "c.eltwise",
 * each one loop; with the convolution, product or pool before them, if its kernel can compute them
 * where it stores, into "c.epilogue".
 *
 * Needs targets, adds to the composite column. Groups grow from a root (taken from the end of
 * the graph) towards the inputs: a node joins when all readers of its value are in the group
 * already and it has the root's shape. So only the root is seen outside. args: what the group
 * reads, in the order of its nodes. */
#include "pass.h"

#include "../gen/kernel/kernel.h"
#include "../gen/ops/ops.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_MAX = 64, INPUTS_MAX = 32 };

typedef struct Fuse {
    Graph *g;
    Uses uses;
    size_t cap;
    uint32_t n_groups, n_epilogues, n_fused;
} Fuse;

typedef struct Group {
    NodeId nodes[GROUP_MAX + 1]; /* the root first; there is room for an anchor */
    uint32_t n;
} Group;

static bool can_join(const Fuse *f, uint32_t i)
{
    const Node *n = &f->g->nodes[i];
    const Columns *c = f->g->columns;
    return c->target[i] == TARGET_C && c->composite[i] == NO_ROW && n->n_out == 1 &&
           n->n_in <= INPUTS_MAX && has_value(n->out[0]) && c_can_fuse(f->g, n);
}

/* All readers of what n makes are in the group. */
static bool read_inside(const Fuse *f, const Group *group, const Node *n)
{
    ValueId v = n->out[0];
    if (f->uses.is_output[v.i])
        return false;
    for (uint32_t u = f->uses.start[v.i]; u < f->uses.start[v.i + 1]; u++)
        if (!covers_node(group->nodes, group->n, f->uses.node[u]))
            return false;
    return true;
}

/* The largest node, in order, that can join; a reader always stands behind what it reads, so
 * that going backwards through the candidates needs no second look. */
static bool join_one(const Fuse *f, Group *group, uint32_t below, uint32_t *joined)
{
    const Graph *g = f->g;
    const TensorType *shape = type_of(g, node_at(g, group->nodes[0])->out[0]);
    uint32_t best = NO_ROW;
    for (uint32_t i = 0; i < group->n; i++) {
        const Node *n = node_at(g, group->nodes[i]);
        for (uint32_t k = 0; k < n->n_in; k++) {
            if (!has_value(n->in[k]) || !def_of(g, n->in[k]))
                continue;
            uint32_t def = value_at(g, n->in[k])->def.i;
            const Node *d = &g->nodes[def];
            if (def < below && (best == NO_ROW || def > best) &&
                !covers_node(group->nodes, group->n, (NodeId){def}) && can_join(f, def) &&
                same_shape(type_of(g, d->out[0]), shape) && read_inside(f, group, d))
                best = def;
        }
    }
    if (best == NO_ROW || group->n == GROUP_MAX)
        return false;
    group->nodes[group->n++] = (NodeId){best};
    *joined = best;
    return true;
}

/* The last node that feeds the group, if it can have the group as its epilogue. All its readers are in the group, which only the
 * root leaves, so that no way out of the group leads back to it. */
static NodeId find_anchor(const Fuse *f, const Group *group)
{
    const Graph *g = f->g;
    const TensorType *shape = type_of(g, node_at(g, group->nodes[0])->out[0]);
    uint32_t best = NO_ROW;
    for (uint32_t i = 0; i < group->n; i++) {
        const Node *n = node_at(g, group->nodes[i]);
        for (uint32_t k = 0; k < n->n_in; k++) {
            if (!has_value(n->in[k]) || !def_of(g, n->in[k]))
                continue;
            NodeId def = value_at(g, n->in[k])->def;
            const Node *d = node_at(g, def);
            if ((best == NO_ROW || def.i > best) && !covers_node(group->nodes, group->n, def) &&
                g->columns->target[def.i] == TARGET_C && g->columns->composite[def.i] == NO_ROW &&
                has_value(d->out[0]) && same_shape(type_of(g, d->out[0]), shape) &&
                read_inside(f, group, d) &&
                c_takes_epilogue(g, def, group->nodes, group->n, group->nodes[0]))
                best = def.i;
        }
    }
    return best == NO_ROW ? NO_NODE : (NodeId){best};
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const NodeId *)a)->i, y = ((const NodeId *)b)->i;
    return x < y ? -1 : x > y;
}

static void collect_args(const Fuse *f, Composite *c)
{
    const Graph *g = f->g;
    ValueId *args = NULL;
    size_t cap = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const Node *n = node_at(g, c->nodes[i]);
        for (uint32_t k = 0; k < n->n_in; k++) {
            ValueId v = n->in[k];
            bool known = !has_value(v) ||
                         (def_of(g, v) &&
                          g->columns->composite[value_at(g, v)->def.i] == g->columns->n_composites);
            for (uint32_t j = 0; j < c->n_args && !known; j++)
                known = same_value(args[j], v);
            if (known)
                continue;
            ARENA_PUSH(g->arena, args, c->n_args, cap, v);
        }
    }
    c->args = args;
}

static void keep_group(Fuse *f, Group *group, NodeId anchor)
{
    Columns *col = f->g->columns;
    bool epilogue = anchor.i != NO_NODE.i;
    Composite c = {.kind = epilogue ? COMPOSITE_EPILOGUE : COMPOSITE_LOOP,
                   .pattern = epilogue ? "c.epilogue" : "c.eltwise",
                   .anchor = epilogue ? anchor : group->nodes[0],
                   .root = group->nodes[0],
                   .bias = NO_VALUE};
    if (epilogue)
        group->nodes[group->n++] = anchor;
    c.n_nodes = group->n;
    qsort(group->nodes, group->n, sizeof *group->nodes, by_id);
    c.nodes = arena_copy(f->g->arena, group->nodes, group->n * sizeof *group->nodes);
    for (uint32_t i = 0; i < c.n_nodes; i++)
        col->composite[c.nodes[i].i] = col->n_composites;
    collect_args(f, &c);
    ARENA_PUSH(f->g->arena, col->composites, col->n_composites, f->cap, c);
    f->n_groups++;
    f->n_epilogues += epilogue;
    f->n_fused += c.n_nodes;
}

bool pass_fuse_eltwise(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    Arena *scratch = arena_new();
    Fuse f = {.g = g, .uses = graph_uses(g, scratch), .cap = g->columns->n_composites};
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        if (!can_join(&f, i))
            continue;
        Group group = {.nodes = {{i}}, .n = 1};
        uint32_t below = i;
        while (join_one(&f, &group, below, &below))
            ;
        NodeId anchor = find_anchor(&f, &group);
        if (group.n > 1 || anchor.i != NO_NODE.i)
            keep_group(&f, &group, anchor);
    }
    *report = arena_printf(g->arena, "%u groups of %u nodes, of which %u end a kernel", f.n_groups,
                           f.n_fused, f.n_epilogues);
    arena_free(scratch);
    return true;
}
