/* How C computes TreeEnsemble, and the tables that its kernel reads: see templates/c/trees.c. */
#include "../ops/trees.h"
#include "kernel.h"
#include "plan.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 16, /* of rows that go down one tree after the other */
    SHARED_BLOCKS = 4,
    STEP_OPERATIONS = 7, /* of a loop: a step, of many side by side */
};

typedef struct TreePlan {
    Forest f;
    TreeForm t;
    int64_t pitch, block, blocks;
    double steps; /* of a row down all trees */
} TreePlan;

static int bits_of(int64_t v)
{
    int bits = 0;
    for (; v > 0; v >>= 1)
        bits++;
    return bits;
}

/* Whether NaN can be replaced by an infinity for which the condition of node i holds. */
static bool replaceable(const Forest *f, int64_t i)
{
    const double split = forest_number(f, f->splits, i);
    switch ((TreeMode)f->node[i].mode) {
    case TREE_LEQ:
    case TREE_GTE:
        return !isnan(split);
    case TREE_LT:
        return split > -(double)INFINITY;
    case TREE_GT:
        return split < (double)INFINITY;
    default:
        return false;
    }
}

static void plan_conditions(TreePlan *p)
{
    const Forest *f = &p->f;
    p->t.mode = TREE_LEAF;
    for (int64_t i = 0; i < f->n && !p->t.masked; i++) {
        const TreeMode mode = (TreeMode)f->node[i].mode;
        if (mode == TREE_LEAF)
            continue;
        p->t.masked = (p->t.mode != TREE_LEAF && p->t.mode != mode) || mode == TREE_NEQ ||
                      mode == TREE_MEMBER || (f->node[i].missing && !replaceable(f, i));
        p->t.replaced = p->t.replaced || f->node[i].missing;
        p->t.mode = mode;
    }
    p->t.replaced = p->t.replaced && !p->t.masked;
    p->t.mode = p->t.mode == TREE_LEAF ? TREE_LEQ : p->t.mode;
}

static void plan_leaves(TreePlan *p)
{
    const Forest *f = &p->f;
    int64_t leaves = 0, weights = 0;
    bool one = true;
    for (int64_t i = 0; i < f->n; i++)
        if (f->node[i].mode == TREE_LEAF) {
            leaves++;
            weights += f->node[i].feature;
            one = one && f->node[i].feature == 1;
        }
    const bool sum = f->aggregate == 'S';
    p->t.leaves = f->n_targets == 1 && (one || sum)                 ? LEAF_VALUE
                  : one                                             ? LEAF_ONE
                  : sum && weights / f->n_targets >= leaves / 2 + 1 ? LEAF_DENSE
                                                                    : LEAF_LIST;
}

/* How far a row goes if both children of a node are as likely, and how far the tree reaches. */
static void plan_depth(TreePlan *p, Arena *arena)
{
    const Forest *f = &p->f;
    const int32_t *depth = forest_depths(f, arena);
    double *steps = ARENA_ARRAY(arena, double, (size_t)f->n), most = 0;
    for (int64_t i = f->n; i-- > 0;)
        if (f->node[i].mode != TREE_LEAF)
            steps[i] = 1 + (steps[f->node[i].child] + steps[f->node[i].child + 1]) / 2;
    for (int64_t t = 0; t < f->n_roots; t++) {
        p->steps += steps[f->roots[t]];
        most += depth[f->roots[t]];
    }
    p->t.steady = most <= 1.5 * p->steps + 4 * (double)f->n_roots;
    p->steps = p->t.steady ? most : p->steps;
}

static void plan_row_blocks(TreePlan *p)
{
    const Forest *f = &p->f;
    const int64_t size = (int64_t)dtype_size(f->dtype);
    p->pitch = f->features * (p->t.replaced ? 2 : 1) + 1;
    p->t.feature_bits = bits_of(p->pitch - 1);
    p->t.wide = f->dtype == DT_F64 ||
                bits_of(f->n - 1) + p->t.feature_bits + (p->t.masked ? TREE_MASK_BITS : 0) > 32;
    p->t.by_rows = f->rows >= TREE_LANES;
    const int64_t most = BLOCK_BYTES / (p->pitch * size);
    p->blocks = !p->t.by_rows       ? f->rows
                : most < TREE_LANES ? f->rows / TREE_LANES
                                    : (f->rows - 1) / most + 1;
    if (p->t.by_rows && p->blocks < SHARED_BLOCKS &&
        f->rows >= TREE_LANES * TREE_LANES * SHARED_BLOCKS)
        p->blocks = SHARED_BLOCKS;
    p->block = (f->rows - 1) / p->blocks + 1;
    if (p->t.by_rows)
        p->block = (p->block + TREE_LANES - 1) / TREE_LANES * TREE_LANES;
    p->blocks = (f->rows - 1) / p->block + 1;
}

static TreePlan plan_forest(const Graph *g, const Node *n, Arena *arena)
{
    TreePlan p = {.f = forest_of(g, n)};
    plan_conditions(&p);
    plan_leaves(&p);
    plan_depth(&p, arena);
    if (p.f.rows > 0)
        plan_row_blocks(&p);
    return p;
}

bool fit_trees(CStep *k)
{
    Arena *scratch = arena_new();
    const TreePlan p = plan_forest(k->g, k->n, scratch);
    arena_free(scratch);
    k->plan->trees = p.t;
    k->plan->lanes = TREE_LANES;
    k->plan->pitch = p.pitch;
    k->plan->at_once = p.block;
    k->plan->blocks = p.blocks;
    k->plan->scratch_bytes = (size_t)(p.block * p.pitch) * dtype_size(p.f.dtype);
    k->iterations = p.blocks;
    k->operations = (double)p.f.rows * p.steps * STEP_OPERATIONS;
    return true;
}

/* --- tables as the kernel reads them ------------------------------------------------------------------------------ */

/* Bit r of a mask: the condition holds for a feature that is less than the split, greater, equal, or NaN. Bit 4: a set is meant. */
static uint64_t mask_of(const Forest *f, int64_t i)
{
    static const uint8_t masks[TREE_MODES] = {5, 1, 6, 2, 4, 11, 16, 0};
    const TreeNode *node = &f->node[i];
    uint64_t mask = masks[node->mode];
    if (node->mode < TREE_MEMBER && isnan(forest_number(f, f->splits, i)))
        mask = node->mode == TREE_NEQ ? 15 : 0;
    return mask | (uint64_t)node->missing << 3;
}

static uint64_t link_of(const TreePlan *p, int64_t i)
{
    const TreeNode *node = &p->f.node[i];
    const bool leaf = node->mode == TREE_LEAF;
    const int64_t feature =
        leaf ? p->pitch - 1 : node->feature + (p->t.replaced && node->missing ? p->f.features : 0);
    uint64_t link = (uint64_t)(leaf ? i : node->child);
    if (p->t.masked)
        link = link << TREE_MASK_BITS | mask_of(&p->f, i);
    return link << p->t.feature_bits | (uint64_t)feature;
}

/* The number in a leaf of one target: the sum of its weights. */
static double leaf_value(const Forest *f, const TreeNode *leaf)
{
    double sum = 0;
    for (int64_t k = leaf->first; k < (int64_t)leaf->first + leaf->feature; k++)
        sum += forest_number(f, f->weights, k);
    return sum;
}

static void put_number(const Forest *f, void *at, double v)
{
    if (f->dtype == DT_F64)
        memcpy(at, &v, sizeof v);
    else
        memcpy(at, &(float){(float)v}, sizeof(float));
}

/* Entries of the lists of leaves; one without weights has one that adds nothing. */
static int64_t list_size(const TreeNode *leaf)
{
    return leaf->feature ? leaf->feature : 1;
}

/* Nodes: a number or what stands in its place, and where the node goes on. */
static Tensor pack_nodes(const TreePlan *p, Arena *arena)
{
    const Forest *f = &p->f;
    const size_t size = p->t.wide ? 16 : 8;
    uint8_t *data = arena_alloc(arena, size * (size_t)f->n), *at = data;
    uint32_t leaf = 0;
    for (int64_t i = 0; i < f->n; i++, at += size) {
        const TreeNode *node = &f->node[i];
        const uint64_t link = link_of(p, i);
        memset(at, 0, size);
        if (node->mode == TREE_LEAF && p->t.leaves == LEAF_VALUE) {
            put_number(f, at, leaf_value(f, node));
        } else if (node->mode == TREE_LEAF) {
            memcpy(at, &leaf, sizeof leaf);
            leaf += p->t.leaves == LEAF_DENSE ? 1 : (uint32_t)list_size(node);
        } else if (node->mode == TREE_MEMBER) {
            memcpy(at, &node->first, sizeof node->first);
        } else {
            put_number(f, at, forest_number(f, f->splits, i));
        }
        if (p->t.wide)
            memcpy(at + 8, &link, sizeof link);
        else
            memcpy(at + 4, &(uint32_t){(uint32_t)link}, sizeof(uint32_t));
    }
    return (Tensor){type_make(DT_U8, 1, (int64_t[]){f->n * (int64_t)size}), data};
}

/* The roots, in whole groups, and behind them how deep each tree is, or the deepest of a group that is walked side by side. */
static Tensor pack_roots(const TreePlan *p, Arena *arena)
{
    const Forest *f = &p->f;
    const int64_t groups = (f->n_roots + TREE_LANES - 1) / TREE_LANES, all = groups * TREE_LANES;
    const int32_t *depth = forest_depths(f, arena);
    uint32_t *data = ARENA_ARRAY(arena, uint32_t, (size_t)(2 * all));
    for (int64_t t = 0; t < all; t++) {
        const int32_t root = f->roots[t < f->n_roots ? t : 0];
        uint32_t *d = &data[all + (p->t.by_rows ? t : t / TREE_LANES)];
        data[t] = (uint32_t)root;
        if (t < f->n_roots && *d < (uint32_t)depth[root])
            *d = (uint32_t)depth[root];
    }
    return (Tensor){type_make(DT_U32, 1, (int64_t[]){all + (p->t.by_rows ? all : groups)}), data};
}

/* The weights of all leaves, and with LEAF_ONE and LEAF_LIST their targets; the last one of a list has its highest bit set. */
static void pack_leaves(const TreePlan *p, Arena *arena, Tensor *weights, Tensor *targets)
{
    const Forest *f = &p->f;
    int64_t n = 0, at = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->node[i].mode == TREE_LEAF)
            n += p->t.leaves == LEAF_DENSE ? f->n_targets : list_size(&f->node[i]);
    double *w = ARENA_ARRAY(arena, double, (size_t)n);
    uint32_t *t = ARENA_ARRAY(arena, uint32_t, (size_t)n);
    const double nothing = f->aggregate == 'S'   ? 0
                           : f->aggregate == 'N' ? (double)INFINITY
                                                 : -(double)INFINITY;
    for (int64_t i = 0; i < f->n; i++) {
        const TreeNode *leaf = &f->node[i];
        if (leaf->mode != TREE_LEAF)
            continue;
        if (p->t.leaves != LEAF_DENSE && leaf->feature == 0)
            w[at] = nothing;
        for (int64_t k = 0; k < leaf->feature; k++) {
            const int32_t target = f->targets[leaf->first + k];
            const double v = forest_number(f, f->weights, leaf->first + k);
            if (p->t.leaves == LEAF_DENSE) {
                w[at + target] += v;
            } else {
                w[at + k] = v;
                t[at + k] = (uint32_t)target;
            }
        }
        at += p->t.leaves == LEAF_DENSE ? f->n_targets : list_size(leaf);
        if (p->t.leaves == LEAF_LIST)
            t[at - 1] |= UINT32_C(1) << 31;
    }
    uint8_t *data = arena_alloc(arena, (size_t)n * dtype_size(f->dtype));
    for (int64_t k = 0; k < n; k++)
        put_number(f, data + (size_t)k * dtype_size(f->dtype), w[k]);
    *weights = (Tensor){type_make(f->dtype, 1, &n), data};
    *targets = (Tensor){type_make(DT_U32, 1, &n), t};
}

bool c_packs_constant(const Graph *g, const Node *n, uint32_t k, Arena *arena, Tensor *packed)
{
    if (n->op != OP_TreeEnsemble || k == TREE_X)
        return false;
    const TreePlan p = plan_forest(g, n, arena);
    Tensor weights = {.data = NULL}, targets = weights;
    if ((k == TREE_WEIGHTS || k == TREE_TARGETS) && p.t.leaves != LEAF_VALUE)
        pack_leaves(&p, arena, &weights, &targets);
    *packed = k == TREE_NODES                                 ? pack_nodes(&p, arena)
              : k == TREE_ROOTS                               ? pack_roots(&p, arena)
              : k == TREE_WEIGHTS                             ? weights
              : k == TREE_TARGETS && p.t.leaves != LEAF_DENSE ? targets
              : k == TREE_MEMBERS && p.t.masked
                  ? (Tensor){*type_of(g, n->in[k]), (void *)value_at(g, n->in[k])->data}
                  : (Tensor){.data = NULL};
    return true;
}
