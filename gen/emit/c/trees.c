/* Portable C for TreeEnsemble. Several walks go side by side, since each step of one waits for memory: those of several rows down one
 * tree, or, where there are few rows, those of one row down several trees. A leaf is its own child, so that no walk has to be
 * asked whether it has ended. docs/measurements.md has figures. */
#include "../../ops/trees.h"
#include "nn.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LANES = 8, /* walks side by side: as many as there are registers for */
    MASK_BITS = 5,
    BLOCK_BYTES = 1 << 16, /* of rows that go down one tree after the other */
    SHARED_BLOCKS = 4,
    STEP_OPERATIONS = 7, /* of a loop: a step, of many side by side */
};

/* Where the weights of a leaf are. */
typedef enum LeafForm {
    LEAF_VALUE, /* in the leaf: there is one target */
    LEAF_ONE,   /* one weight of some target */
    LEAF_DENSE, /* a row with a weight for each target */
    LEAF_LIST,  /* weights of some targets */
} LeafForm;

typedef struct TreePlan {
    Forest f;
    bool masked; /* nodes say what their condition is; else it is `mode` for all */
    bool
        replaced; /* a second copy of the row, with what NaN stands for where it goes on with the condition */
    TreeMode mode;
    LeafForm leaves;
    bool wide;   /* 64 bits say where a node goes on */
    bool steady; /* most leaves are as far down as any */
    bool by_rows;
    int feature_bits;
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
    p->mode = TREE_LEAF;
    for (int64_t i = 0; i < f->n && !p->masked; i++) {
        const TreeMode mode = (TreeMode)f->node[i].mode;
        if (mode == TREE_LEAF)
            continue;
        p->masked = (p->mode != TREE_LEAF && p->mode != mode) || mode == TREE_NEQ ||
                    mode == TREE_MEMBER || (f->node[i].missing && !replaceable(f, i));
        p->replaced = p->replaced || f->node[i].missing;
        p->mode = mode;
    }
    p->replaced = p->replaced && !p->masked;
    p->mode = p->mode == TREE_LEAF ? TREE_LEQ : p->mode;
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
    p->leaves = f->n_targets == 1 && (one || sum)                 ? LEAF_VALUE
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
    p->steady = most <= 1.5 * p->steps + 4 * (double)f->n_roots;
    p->steps = p->steady ? most : p->steps;
}

static void plan_rows(TreePlan *p)
{
    const Forest *f = &p->f;
    const int64_t size = (int64_t)dtype_size(f->dtype);
    p->pitch = f->features * (p->replaced ? 2 : 1) + 1;
    p->feature_bits = bits_of(p->pitch - 1);
    p->wide = f->dtype == DT_F64 ||
              bits_of(f->n - 1) + p->feature_bits + (p->masked ? MASK_BITS : 0) > 32;
    p->by_rows = f->rows >= LANES;
    const int64_t most = BLOCK_BYTES / (p->pitch * size);
    p->blocks = !p->by_rows ? f->rows : most < LANES ? f->rows / LANES : (f->rows - 1) / most + 1;
    if (p->by_rows && p->blocks < SHARED_BLOCKS && f->rows >= LANES * LANES * SHARED_BLOCKS)
        p->blocks = SHARED_BLOCKS;
    p->block = (f->rows - 1) / p->blocks + 1;
    if (p->by_rows)
        p->block = (p->block + LANES - 1) / LANES * LANES;
    p->blocks = (f->rows - 1) / p->block + 1;
}

static TreePlan plan_trees(const Graph *g, const Node *n, Arena *arena)
{
    TreePlan p = {.f = forest_of(g, n)};
    plan_conditions(&p);
    plan_leaves(&p);
    plan_depth(&p, arena);
    if (p.f.rows > 0)
        plan_rows(&p);
    return p;
}

size_t c_scratch_trees(const Graph *g, const Node *n)
{
    if (type_of(g, n->in[TREE_X])->dims[0] == 0)
        return 0;
    const TreePlan p = plan_trees(g, n, g->arena);
    return (size_t)(p.block * p.pitch) * dtype_size(p.f.dtype);
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
        leaf ? p->pitch - 1 : node->feature + (p->replaced && node->missing ? p->f.features : 0);
    uint64_t link = (uint64_t)(leaf ? i : node->child);
    if (p->masked)
        link = link << MASK_BITS | mask_of(&p->f, i);
    return link << p->feature_bits | (uint64_t)feature;
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
    const size_t size = p->wide ? 16 : 8;
    uint8_t *data = arena_alloc(arena, size * (size_t)f->n), *at = data;
    uint32_t leaf = 0;
    for (int64_t i = 0; i < f->n; i++, at += size) {
        const TreeNode *node = &f->node[i];
        const uint64_t link = link_of(p, i);
        memset(at, 0, size);
        if (node->mode == TREE_LEAF && p->leaves == LEAF_VALUE) {
            put_number(f, at, leaf_value(f, node));
        } else if (node->mode == TREE_LEAF) {
            memcpy(at, &leaf, sizeof leaf);
            leaf += p->leaves == LEAF_DENSE ? 1 : (uint32_t)list_size(node);
        } else if (node->mode == TREE_MEMBER) {
            memcpy(at, &node->first, sizeof node->first);
        } else {
            put_number(f, at, forest_number(f, f->splits, i));
        }
        if (p->wide)
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
    const int64_t groups = (f->n_roots + LANES - 1) / LANES, all = groups * LANES;
    const int32_t *depth = forest_depths(f, arena);
    uint32_t *data = ARENA_ARRAY(arena, uint32_t, (size_t)(2 * all));
    for (int64_t t = 0; t < all; t++) {
        const int32_t root = f->roots[t < f->n_roots ? t : 0];
        uint32_t *d = &data[all + (p->by_rows ? t : t / LANES)];
        data[t] = (uint32_t)root;
        if (t < f->n_roots && *d < (uint32_t)depth[root])
            *d = (uint32_t)depth[root];
    }
    return (Tensor){type_make(DT_U32, 1, (int64_t[]){all + (p->by_rows ? all : groups)}), data};
}

/* The weights of all leaves, and with LEAF_ONE and LEAF_LIST their targets; the last one of a list has its highest bit set. */
static void pack_leaves(const TreePlan *p, Arena *arena, Tensor *weights, Tensor *targets)
{
    const Forest *f = &p->f;
    int64_t n = 0, at = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->node[i].mode == TREE_LEAF)
            n += p->leaves == LEAF_DENSE ? f->n_targets : list_size(&f->node[i]);
    double *w = ARENA_ARRAY(arena, double, (size_t)n);
    uint32_t *t = ARENA_ARRAY(arena, uint32_t, (size_t)n);
    const double nothing = f->aggregate == 'S'   ? 0
                           : f->aggregate == 'N' ? (double)INFINITY
                                                 : -(double)INFINITY;
    for (int64_t i = 0; i < f->n; i++) {
        const TreeNode *leaf = &f->node[i];
        if (leaf->mode != TREE_LEAF)
            continue;
        if (p->leaves != LEAF_DENSE && leaf->feature == 0)
            w[at] = nothing;
        for (int64_t k = 0; k < leaf->feature; k++) {
            const int32_t target = f->targets[leaf->first + k];
            const double v = forest_number(f, f->weights, leaf->first + k);
            if (p->leaves == LEAF_DENSE) {
                w[at + target] += v;
            } else {
                w[at + k] = v;
                t[at + k] = (uint32_t)target;
            }
        }
        at += p->leaves == LEAF_DENSE ? f->n_targets : list_size(leaf);
        if (p->leaves == LEAF_LIST)
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
    const TreePlan p = plan_trees(g, n, arena);
    Tensor weights = {.data = NULL}, targets = weights;
    if ((k == TREE_WEIGHTS || k == TREE_TARGETS) && p.leaves != LEAF_VALUE)
        pack_leaves(&p, arena, &weights, &targets);
    *packed = k == TREE_NODES                               ? pack_nodes(&p, arena)
              : k == TREE_ROOTS                             ? pack_roots(&p, arena)
              : k == TREE_WEIGHTS                           ? weights
              : k == TREE_TARGETS && p.leaves != LEAF_DENSE ? targets
              : k == TREE_MEMBERS && p.masked
                  ? (Tensor){*type_of(g, n->in[k]), (void *)value_at(g, n->in[k])->data}
                  : (Tensor){.data = NULL};
    return true;
}

/* --- the kernel ------------------------------------------------------------------------------------------------------ */

static void bind_conditions(const TreePlan *p, Bindings *b)
{
    static const char *const compare[] = {"<=", "<", ">=", ">", "=="};
    bind_int(b, "masked", p->masked);
    bind_int(b, "plain", !p->masked);
    const bool members = p->masked && p->f.n_members > 0;
    bind_int(b, "members", members);
    bind(b, "condition", "v %s node->split", p->masked ? "<" : compare[p->mode]);
    bind_int(b, "mask_bits", p->feature_bits);
    bind_int(b, "child_bits", p->feature_bits + (p->masked ? MASK_BITS : 0));
    bind(b, "feature_mask", "0x%" PRIx64, (UINT64_C(1) << p->feature_bits) - 1);
    bind(b, "link", p->wide ? "uint64_t" : "uint32_t");
    bind_int(b, "replaced", p->replaced);
    bind(b, "replacement", p->mode == TREE_LEQ || p->mode == TREE_LT ? "-INFINITY" : "INFINITY");
}

static void bind_leaves(const TreePlan *p, Bindings *b)
{
    const char type = p->f.aggregate;
    bind_int(b, "value", p->leaves == LEAF_VALUE);
    bind_int(b, "one", p->leaves == LEAF_ONE);
    bind_int(b, "dense", p->leaves == LEAF_DENSE);
    bind_int(b, "list", p->leaves == LEAF_LIST);
    bind(b, "start", type == 'S' ? "0" : type == 'N' ? "INFINITY" : "-INFINITY");
    bind(b, "taken", type == 'S' ? "x + y" : type == 'N' ? "y < x ? y : x" : "y > x ? y : x");
    bind_int(b, "extreme", type != 'S');
}

/* The functions of the kernel, with the tables that this one has as parameters, and their calls. */
static void bind_calls(CKernel *k, const TreePlan *p, Bindings *b)
{
    Arena *a = k->arena;
    const char *T = dtype_c(p->f.dtype);
    const bool members = p->masked && p->f.n_members > 0;
    const size_t sets = members, tables = p->leaves == LEAF_VALUE   ? 0
                                          : p->leaves == LEAF_DENSE ? 1
                                                                    : 2;
    const char *node = arena_printf(a, "const struct %s_node *node", k->fn);
    const char *row = arena_printf(a, "const %s *row", T), *x = arena_printf(a, "const %s *x", T);
    const char *set = arena_printf(a, "const %s *members", T);
    const char *weights = arena_printf(a, "const %s *weights", T);
    const char *nodes = arena_printf(a, "%ss", node), *dst = arena_printf(a, "%s *dst", T);
    const char *walk = arena_printf(a, "%s_walk", k->fn);
    const char *leaf = arena_printf(a, "%s_add_leaf", k->fn);
    bind(b, "next_head", "%s",
         nn_head(k, "size_t", "next", (const char *[]){nodes, "size_t at", row, set}, 3 + sets));
    bind(b, "walk_head", "%s",
         nn_head(k, "void", "walk", (const char *[]){nodes, x, "uint32_t depth", "size_t *at", set},
                 4 + sets));
    bind(b, "leaf_head", "%s",
         nn_head(k, "void", "add_leaf",
                 (const char *[]){node, dst, weights, "const uint32_t *targets"}, 2 + tables));
    bind(b, "walk_rows", "%s",
         nn_call(a, walk,
                 (const char *[]){"nodes", "x + r * PITCH", "src3[ROOTS + t]", "at", "src6"},
                 4 + sets));
    bind(b, "walk_trees", "%s",
         nn_call(a, walk, (const char *[]){"nodes", "x", "src3[ROOTS + t / LANES]", "at", "src6"},
                 4 + sets));
    bind(b, "leaf_rows", "%s",
         nn_call(a, leaf,
                 (const char *[]){"nodes + at[i]", "dst + (r + i) * TARGETS", "src4", "src5"},
                 2 + tables));
    bind(b, "leaf_trees", "%s",
         nn_call(a, leaf, (const char *[]){"nodes + at[i]", "dst", "src4", "src5"}, 2 + tables));
}

/* The walks that go side by side, each with where its row begins. */
static void bind_walks(CKernel *k, const TreePlan *p, Bindings *b)
{
    const bool members = p->masked && p->f.n_members > 0;
    for (int64_t lane = 0; lane < LANES; lane++) {
        Bindings *walk = bind_row(b, "walks");
        const char *row =
            p->by_rows && lane > 0 ? arena_printf(k->arena, "x + %" PRId64, lane * p->pitch) : "x";
        bind_int(walk, "lane", lane);
        bind(walk, "next", "%s_next(nodes, at%" PRId64 ", %s%s)", k->fn, lane, row,
             members ? ", members" : "");
    }
    bind_int(b, "steady", p->steady);
    bind_int(b, "restless", !p->steady);
    bind_int(b, "by_rows", p->by_rows);
    bind_int(b, "by_trees", !p->by_rows);
}

bool emit_c_tree_ensemble(CKernel *k)
{
    if (nn_emit_empty(k))
        return true;
    const TreePlan p = plan_trees(k->g, k->node, k->arena);
    const int64_t groups = (p.f.n_roots + LANES - 1) / LANES;
    Bindings *b = nn_bindings(k);
    bind_conditions(&p, b);
    bind_leaves(&p, b);
    bind(b, "T", "%s", dtype_c(p.f.dtype));
    bind_int(b, "rows", p.f.rows);
    bind_int(b, "features", p.f.features);
    bind_int(b, "pitch", p.pitch);
    bind_int(b, "block", p.block);
    bind_int(b, "trees", p.f.n_roots);
    bind_int(b, "roots", groups * LANES);
    bind_int(b, "targets", p.f.n_targets);
    bind_int(b, "lanes", LANES);
    bind_walks(k, &p, b);
    bind_calls(k, &p, b);
    nn_share(k, b, false, "BLOCKS", p.blocks, (double)p.f.rows * p.steps * STEP_OPERATIONS);
    bind_int(b, "blocks", p.blocks);
    nn_render(k, "c/trees.c", b);
    return true;
}
