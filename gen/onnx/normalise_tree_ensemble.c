/* TreeEnsemble (ai.onnx.ml 5): branches and leaves in tables of their own, named by position. */
#include "forest.h"
#include "ml.h"
#include "table.h"

#include <math.h>

/* The elements of the tensor attribute nodes_modes. */
static const uint8_t *get_modes(OnnxNode *c, size_t *n)
{
    const Onnx__AttributeProto *a = onnx_attr(c, "nodes_modes");
    Tensor t;
    *n = 0;
    if (failed(c) || !a || !a->t || !onnx_tensor(c->im, a->t, "attribute 'nodes_modes'", &t))
        return NULL;
    if (t.type.dtype != DT_U8) {
        refuse_onnx(c, "its nodes_modes are no u8");
        return NULL;
    }
    *n = (size_t)type_count(&t.type);
    return t.data;
}

/* Where a branch goes on: a node, or, behind all of them, a leaf. -1: there is no such one. */
static int64_t child_of(int64_t id, bool leaf, size_t branches, size_t leaves)
{
    if (id < 0 || id >= (int64_t)(leaf ? leaves : branches))
        return -1;
    return leaf ? (int64_t)branches + id : id;
}

static bool read_branches(OnnxNode *c, OnnxForest *f, size_t n, size_t leaves)
{
    size_t size[7], n_modes;
    const uint8_t *modes = get_modes(c, &n_modes);
    f->feature = get_ints(c, "nodes_featureids", &size[0]);
    f->split = get_tensor_floats(c, "nodes_splits", &size[1]);
    const int64_t *when = get_ints(c, "nodes_truenodeids", &size[2]);
    const int64_t *other = get_ints(c, "nodes_falsenodeids", &size[3]);
    const int64_t *when_leaf = get_ints(c, "nodes_trueleafs", &size[4]);
    const int64_t *other_leaf = get_ints(c, "nodes_falseleafs", &size[5]);
    const int64_t *missing = get_ints(c, "nodes_missing_value_tracks_true", &size[6]);
    for (int k = 0; k < 7 && ok(c); k++)
        if ((size[k] != n && (k != 6 || size[k])) || n_modes != n)
            return refuse_onnx(c, "its lists of nodes are of different length");
    for (size_t i = 0; i < n && ok(c); i++) {
        f->mode[i] = (TreeMode)modes[i];
        f->when[i] = child_of(when[i], when_leaf[i] != 0, n, leaves);
        f->other[i] = child_of(other[i], other_leaf[i] != 0, n, leaves);
        f->missing[i] = size[6] && missing[i] != 0;
        if (modes[i] > TREE_MEMBER)
            return refuse_onnx(c, "the mode of node %zu is not supported", i);
        if (f->when[i] < 0 || f->other[i] < 0)
            return refuse_onnx(c, "a child of node %zu does not exist", i);
    }
    return ok(c);
}

/* The sets of the nodes that have one, in their order, each ended by a NaN. */
static bool read_sets(OnnxNode *c, OnnxForest *f, size_t branches)
{
    size_t n, at = 0;
    const double *v = get_tensor_floats(c, "membership_values", &n);
    double *members = ARENA_ARRAY(c->arena, double, n + 1);
    for (size_t i = 0; i < n; i++)
        members[i] = v[i];
    const bool open = n > 0 && v[n - 1] == v[n - 1];
    if (open)
        members[n] = (double)NAN;
    f->members = members;
    f->n_members = n + open;
    for (size_t i = 0; i < branches && ok(c); i++) {
        if (f->mode[i] != TREE_MEMBER)
            continue;
        if (at >= f->n_members)
            return refuse_onnx(c, "the set of node %zu does not exist", i);
        f->first[i] = (int64_t)at;
        while (members[at] == members[at])
            at++;
        at++;
    }
    return ok(c);
}

static bool read_ensemble(OnnxNode *c, OnnxForest *f)
{
    size_t n, leaves, n_targets;
    get_ints(c, "nodes_featureids", &n);
    f->targets = get_ints(c, "leaf_targetids", &n_targets);
    f->weights = get_tensor_floats(c, "leaf_weights", &leaves);
    const int64_t *roots = get_ints(c, "tree_roots", &f->n_roots);
    if (failed(c) || leaves == 0 || leaves != n_targets)
        return refuse_onnx(c, "its lists of leaves are of different length");
    forest_reserve(c, f, n + leaves);
    f->n_weights = leaves;
    for (size_t i = 0; i < leaves; i++) {
        f->mode[n + i] = TREE_LEAF;
        f->first[n + i] = (int64_t)i;
        f->count[n + i] = 1;
    }
    f->roots = ARENA_ARRAY(c->arena, int64_t, f->n_roots + 1);
    for (size_t i = 0; i < f->n_roots; i++) {
        f->roots[i] = roots[i];
        if (roots[i] < 0 || roots[i] >= (int64_t)n)
            return refuse_onnx(c, "the root of tree %zu does not exist", i);
    }
    return read_branches(c, f, n, leaves) && read_sets(c, f, n);
}

bool norm_tree_ensemble(OnnxNode *c)
{
    static const char *const aggregates[] = {"SUM", "SUM", "MIN", "MAX"};
    const int64_t aggregate = get_int(c, "aggregate_function", 1);
    OnnxForest f = {.n_targets = get_int(c, "n_targets", 1)};
    if (ok(c) && (aggregate < 0 || aggregate >= (int64_t)COUNT_OF(aggregates)))
        return refuse_onnx(c, "aggregate_function %lld is unknown", (long long)aggregate);
    if (!read_ensemble(c, &f))
        return false;
    const DType type = type_in(c, 0)->dtype;
    ValueId v = emit_forest(c, &f, forest_rows(c), aggregates[aggregate]);
    if (aggregate == 0)
        v = divide(c, v, const_scalar(c, dtype_of(c, v), (double)f.n_roots));
    if (ok(c) && has_attr(c, "post_transform") && get_int(c, "post_transform", 0) != 0)
        v = transformed_targets(c, cast(c, v, DT_F32));
    return alias(c, 0, cast(c, v, type));
}
