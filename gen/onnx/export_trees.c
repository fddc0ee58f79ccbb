/* TreeEnsemble as that of ai.onnx.ml 5, where a leaf has one weight: where leaves have several, each tree is there as often as
 * one of its leaves has weights. */
#include "../ops/trees.h"
#include "exporter.h"

#include <string.h>

/* ONNX's attributes in the making. */
typedef struct TreeLists {
    Forest f;
    int64_t n, n_leaves, n_roots, n_members;
    int64_t *feature, *child[2], *is_leaf[2],
        *missing; /* by branch; children by whether its condition holds */
    uint8_t *mode;
    double *split, *weights, *members;
    int64_t *roots, *targets;
} TreeLists;

static int64_t most_weights(const Forest *f)
{
    int64_t most = 1;
    for (int64_t i = 0; i < f->n; i++)
        if (f->node[i].mode == TREE_LEAF && f->node[i].feature > most)
            most = f->node[i].feature;
    return most;
}

/* The weights stay in their order if each leaf has one. */
static bool is_single(const Forest *f)
{
    for (int64_t i = 0; i < f->n; i++)
        if (f->node[i].mode == TREE_LEAF && f->node[i].feature != 1)
            return false;
    return true;
}

static TreeLists make_lists(Arena *arena, const Forest *f, int64_t copies)
{
    TreeLists l = {.f = *f};
    const size_t n = (size_t)((f->n + f->n_roots) * copies);
    const size_t leaves = n + (size_t)f->n_weights;
    int64_t **const ints[] = {&l.feature,    &l.child[0], &l.child[1], &l.is_leaf[0],
                              &l.is_leaf[1], &l.missing,  &l.roots};
    for (size_t i = 0; i < COUNT_OF(ints); i++)
        *ints[i] = ARENA_ARRAY(arena, int64_t, n);
    l.mode = ARENA_ARRAY(arena, uint8_t, n);
    l.split = ARENA_ARRAY(arena, double, n);
    l.targets = ARENA_ARRAY(arena, int64_t, leaves);
    l.weights = ARENA_ARRAY(arena, double, leaves);
    size_t members = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->node[i].mode == TREE_MEMBER)
            for (int64_t k = f->node[i].first; k < f->n_members; k++, members++)
                if (forest_number(f, f->members, k) != forest_number(f, f->members, k))
                    break;
    l.members = ARENA_ARRAY(arena, double, (members + (size_t)f->n) * (size_t)copies + 1);
    return l;
}

/* A leaf's weight number `copy`; what says nothing once more where it has none. */
static void set_leaf(TreeLists *l, int64_t at, const TreeNode *leaf, int64_t copy)
{
    const Forest *f = &l->f;
    const bool has = copy < leaf->feature, again = !has && f->aggregate != 'S';
    const int64_t k = leaf->first + (has ? copy : 0);
    l->weights[at] = has || again ? forest_number(f, f->weights, k) : 0;
    l->targets[at] = has || again ? f->targets[k] : 0;
}

/* Where a node of the table stands among the branches, or the leaves. */
static int64_t place(TreeLists *l, int64_t i, int64_t copy, bool single, int64_t *places)
{
    const TreeNode *node = &l->f.node[i];
    if (node->mode != TREE_LEAF)
        return places[i];
    if (single)
        return node->first;
    set_leaf(l, l->n_leaves, node, copy);
    return l->n_leaves++;
}

static void put_set(TreeLists *l, const TreeNode *node)
{
    double member;
    int64_t k = node->first;
    do {
        member = forest_number(&l->f, l->f.members, k++);
        l->members[l->n_members++] = member;
    } while (member == member);
}

/* All branches of one copy of the trees, and where its trees begin. One that is a leaf is a branch that leads there in any case. */
static void add_copy(TreeLists *l, int64_t copy, bool single, int64_t *places)
{
    const Forest *f = &l->f;
    int64_t next = l->n;
    for (int64_t i = 0; i < f->n; i++)
        if (f->node[i].mode != TREE_LEAF)
            places[i] = next++;
    for (int64_t i = 0; i < f->n; i++) {
        const TreeNode *node = &f->node[i];
        if (node->mode == TREE_LEAF)
            continue;
        l->mode[l->n] = (uint8_t)node->mode;
        l->feature[l->n] = node->feature;
        l->missing[l->n] = node->missing;
        l->split[l->n] = forest_number(f, f->splits, i);
        if (node->mode == TREE_MEMBER)
            put_set(l, node);
        for (int holds = 0; holds < 2; holds++) {
            l->is_leaf[holds][l->n] = f->node[node->child + holds].mode == TREE_LEAF;
            l->child[holds][l->n] = place(l, node->child + holds, copy, single, places);
        }
        l->n++;
    }
    for (int64_t t = 0; t < f->n_roots; t++) {
        const int64_t root = f->roots[t];
        if (f->node[root].mode != TREE_LEAF) {
            l->roots[l->n_roots++] = places[root];
            continue;
        }
        l->is_leaf[0][l->n] = l->is_leaf[1][l->n] = 1;
        l->child[0][l->n] = l->child[1][l->n] = place(l, root, copy, single, places);
        l->roots[l->n_roots++] = l->n++;
    }
}

static void put_numbers(ExportNode *e, Proto *p, const char *name, DType dtype, const double *v,
                        int64_t n)
{
    const TensorType type = type_make(dtype, 1, &n);
    uint8_t *data = arena_alloc(e->arena, type_bytes(&type) + 1);
    for (int64_t i = 0; i < n; i++)
        elem_set_f64(dtype, data, (size_t)i, v[i]);
    put_tensor(e, p, name, &type, data);
}

static void put_lists(ExportNode *e, Proto *p, const TreeLists *l)
{
    const size_t n = (size_t)l->n;
    const TensorType modes = type_make(DT_U8, 1, &l->n);
    put_value(e, p, ATTR_IS("leaf_targetids", l->targets, (size_t)l->n_leaves));
    put_numbers(e, p, "leaf_weights", l->f.dtype, l->weights, l->n_leaves);
    if (l->n_members)
        put_numbers(e, p, "membership_values", l->f.dtype, l->members, l->n_members);
    put_value(e, p, ATTR_IS("nodes_falseleafs", l->is_leaf[0], n));
    put_value(e, p, ATTR_IS("nodes_falsenodeids", l->child[0], n));
    put_value(e, p, ATTR_IS("nodes_featureids", l->feature, n));
    put_value(e, p, ATTR_IS("nodes_missing_value_tracks_true", l->missing, n));
    put_tensor(e, p, "nodes_modes", &modes, l->mode);
    put_numbers(e, p, "nodes_splits", l->f.dtype, l->split, l->n);
    put_value(e, p, ATTR_IS("nodes_trueleafs", l->is_leaf[1], n));
    put_value(e, p, ATTR_IS("nodes_truenodeids", l->child[1], n));
    put_value(e, p, ATTR_IS("tree_roots", l->roots, (size_t)l->n_roots));
}

bool write_tree_ensemble(ExportNode *e)
{
    const Forest f = forest_of(e->x->g, e->n);
    const int64_t copies = most_weights(&f);
    const bool single = is_single(&f);
    for (int64_t i = 0; i < f.n && f.aggregate != 'S'; i++)
        if (f.node[i].mode == TREE_LEAF && f.node[i].feature == 0)
            return refuse_export(e, "a leaf without weights");
    if (f.features == 0)
        return refuse_export(e, "trees without features");
    TreeLists l = make_lists(e->arena, &f, copies);
    int64_t *places = ARENA_ARRAY(e->arena, int64_t, (size_t)f.n);
    for (int64_t copy = 0; copy < copies; copy++)
        add_copy(&l, copy, single, places);
    for (int64_t k = 0; single && k < f.n_weights; k++) {
        l.weights[k] = forest_number(&f, f.weights, k);
        l.targets[k] = f.targets[k];
    }
    l.n_leaves = single ? f.n_weights : l.n_leaves;
    Proto *p = put_node(e, "TreeEnsemble", e->in, 1, e->out, 1);
    p->domain = put_domain(e, "ai.onnx.ml", 5);
    put_value(e, p,
              ATTR_I("aggregate_function", f.aggregate == 'S'   ? 1
                                           : f.aggregate == 'N' ? 2
                                                                : 3));
    put_value(e, p, ATTR_I("n_targets", f.n_targets));
    put_lists(e, p, &l);
    return true;
}
