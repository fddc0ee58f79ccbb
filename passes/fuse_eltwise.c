/* fuse-eltwise: groups connected elementwise nodes of the C target into composites "c.eltwise",
 * each one loop; with the convolution, product or pool before them, if its kernel can compute them
 * where it stores, into "c.epilogue".
 *
 * Needs targets, adds to the composite column. Groups grow from a root (taken from the end of
 * the graph) towards the inputs: a node joins when all readers of its value are in the group
 * already, it has the root's shape, and it runs as often, in the same loop or in none. So only the root is seen outside. args: what the group
 * reads, in the order of its nodes. */
#include "common/util.h"
#include "pass.h"

#include "../gen/graph/loops.h"
#include "../gen/kernel/kernel.h"
#include "../gen/ops/ops.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_MAX = 64, INPUTS_MAX = 32 };

typedef struct Fuse {
    Graph *g;
    Uses uses;
    Loops loops;
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

/* The last node, in order, that stands before `below`, makes what only the group reads, and has the shape of its root; NO_NODE: there is none that
 * `fits`. A reader always stands behind what it reads, so that going backwards through these nodes needs no second look. */
static NodeId last_feeder(const Fuse *f, const Group *group, uint32_t below,
                          bool (*fits)(const Fuse *f, const Group *group, NodeId id))
{
    const Graph *g = f->g;
    const TensorType *shape = type_of(g, node_at(g, group->nodes[0])->out[0]);
    NodeId best = NO_NODE;
    for (uint32_t i = 0; i < group->n; i++) {
        const Node *n = node_at(g, group->nodes[i]);
        for (uint32_t k = 0; k < n->n_in; k++) {
            if (!has_value(n->in[k]) || !def_of(g, n->in[k]))
                continue;
            const NodeId def = value_at(g, n->in[k])->def;
            const ValueId v = node_at(g, def)->out[0];
            if (def.i < below && (best.i == NO_NODE.i || def.i > best.i) &&
                !covers_node(group->nodes, group->n, def) && has_value(v) &&
                same_shape(type_of(g, v), shape) &&
                loop_of_node(&f->loops, def) == loop_of_node(&f->loops, group->nodes[0]) &&
                only_read_by(&f->uses, v, group->nodes, group->n) && fits(f, group, def))
                best = def;
        }
    }
    return best;
}

static bool may_join(const Fuse *f, const Group *group, NodeId id)
{
    (void)group;
    return can_join(f, id.i);
}

/* It can have the group as its epilogue. All its readers are in the group, which only the root leaves, so that no way out of the group
 * leads back to it. */
static bool may_be_anchor(const Fuse *f, const Group *group, NodeId id)
{
    const Columns *c = f->g->columns;
    return c->target[id.i] == TARGET_C && c->composite[id.i] == NO_ROW &&
           c_takes_epilogue(f->g, id, group->nodes, group->n, group->nodes[0]);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const NodeId *)a)->i, y = ((const NodeId *)b)->i;
    return x < y ? -1 : x > y;
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
    collect_args(f->g, &c, col->n_composites);
    ARENA_PUSH(f->g->arena, col->composites, col->n_composites, f->cap, c);
    f->n_groups++;
    f->n_epilogues += epilogue;
    f->n_fused += c.n_nodes;
}

bool pass_fuse_eltwise(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    Arena *scratch = arena_new();
    Fuse f = {.g = g,
              .uses = graph_uses(g, scratch),
              .loops = graph_loops(g, scratch),
              .cap = g->columns->n_composites};
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        if (!can_join(&f, i))
            continue;
        Group group = {.nodes = {{i}}, .n = 1};
        NodeId next = {i};
        while (group.n < GROUP_MAX &&
               (next = last_feeder(&f, &group, next.i, may_join)).i != NO_NODE.i)
            group.nodes[group.n++] = next;
        const NodeId anchor = last_feeder(&f, &group, NO_NODE.i, may_be_anchor);
        if (group.n > 1 || anchor.i != NO_NODE.i)
            keep_group(&f, &group, anchor);
    }
    *report = arena_printf(g->arena, "%u groups of %u nodes, of which %u end a kernel", f.n_groups,
                           f.n_fused, f.n_epilogues);
    arena_free(scratch);
    return true;
}
