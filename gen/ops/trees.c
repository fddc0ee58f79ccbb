#include "trees.h"

#include <inttypes.h>
#include <math.h>

static const void *table_of(const Graph *g, const Node *n, uint32_t k)
{
    return has_value(node_in(n, k)) ? value_at(g, n->in[k])->data : NULL;
}

static int64_t table_size(const Graph *g, const Node *n, uint32_t k)
{
    return has_value(node_in(n, k)) ? type_of(g, n->in[k])->dims[0] : 0;
}

Forest forest_of(const Graph *g, const Node *n)
{
    const TensorType *x = type_of(g, n->in[TREE_X]);
    const char *aggregate = attr_string(n, "aggregate_function", "SUM");
    return (Forest){
        .dtype = x->dtype,
        .rows = x->dims[0],
        .features = x->dims[1],
        .n_targets = attr_int(n, "n_targets", 1),
        .n = table_size(g, n, TREE_NODES),
        .n_roots = table_size(g, n, TREE_ROOTS),
        .n_weights = table_size(g, n, TREE_WEIGHTS),
        .n_members = table_size(g, n, TREE_MEMBERS),
        .node = table_of(g, n, TREE_NODES),
        .roots = table_of(g, n, TREE_ROOTS),
        .targets = table_of(g, n, TREE_TARGETS),
        .splits = table_of(g, n, TREE_SPLITS),
        .weights = table_of(g, n, TREE_WEIGHTS),
        .members = table_of(g, n, TREE_MEMBERS),
        .aggregate = aggregate[0] == 'S' ? 'S' : aggregate[2], /* SUM, MIN, MAX */
    };
}

double forest_number(const Forest *f, const void *table, int64_t i)
{
    return f->dtype == DT_F64 ? ((const double *)table)[i] : (double)((const float *)table)[i];
}

int32_t *forest_depths(const Forest *f, Arena *arena)
{
    int32_t *depth = ARENA_ARRAY(arena, int32_t, (size_t)f->n);
    for (int64_t i = f->n; i-- > 0;) {
        const TreeNode *node = &f->node[i];
        if (node->mode == TREE_LEAF)
            continue;
        const int32_t a = depth[node->child], b = depth[node->child + 1];
        depth[i] = 1 + (a > b ? a : b);
    }
    return depth;
}

static const char *node_fault(const Forest *f, Arena *arena, int64_t i)
{
    const TreeNode *node = &f->node[i];
    const bool leaf = node->mode == TREE_LEAF;
    if (node->mode < 0 || node->mode >= TREE_MODES || node->missing < 0 || node->missing > 1)
        return arena_printf(arena, "node %" PRId64 " of the trees has a mode that does not exist",
                            i);
    if (leaf && (node->feature < 0 || node->first < 0 ||
                 (int64_t)node->first + node->feature > f->n_weights))
        return arena_printf(arena, "leaf %" PRId64 " of the trees has weights that do not exist",
                            i);
    if (leaf)
        return NULL;
    if (node->feature < 0 || node->feature >= f->features)
        return arena_printf(arena, "feature %" PRId32 " does not exist", node->feature);
    if (node->child <= i || node->child >= f->n - 1)
        return arena_printf(arena,
                            "the children of node %" PRId64 " of the trees are not behind it", i);
    if (node->mode == TREE_MEMBER && (node->first < 0 || node->first >= f->n_members))
        return arena_printf(arena, "the set of node %" PRId64 " of the trees does not exist", i);
    return NULL;
}

const char *forest_fault(const Forest *f, Arena *arena)
{
    const char *fault = NULL;
    for (int64_t i = 0; i < f->n && !fault; i++)
        fault = node_fault(f, arena, i);
    for (int64_t i = 0; i < f->n_roots && !fault; i++)
        if (f->roots[i] < 0 || f->roots[i] >= f->n)
            fault = arena_printf(arena, "the root of tree %" PRId64 " does not exist", i);
    for (int64_t i = 0; i < f->n_weights && !fault; i++) {
        if (f->targets[i] < 0 || f->targets[i] >= f->n_targets)
            fault = arena_printf(arena, "target %" PRId32 " does not exist", f->targets[i]);
        else if (f->aggregate != 'S' && !isfinite(forest_number(f, f->weights, i)))
            fault = arena_printf(arena, "weight %" PRId64 " is not finite", i);
    }
    if (!fault && f->n_members && !isnan(forest_number(f, f->members, f->n_members - 1)))
        fault = "the last set of members does not end";
    return fault;
}
