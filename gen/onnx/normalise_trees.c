/* TreeEnsembleClassifier and TreeEnsembleRegressor (domain ai.onnx.ml, before version 5): rows of columns for the nodes of all trees, and
 * for the weights of their leaves. */
#include "forest.h"
#include "ml.h"
#include "table.h"

#include <stdlib.h>

/* Where a node is. */
typedef struct Place {
    int64_t tree, id;
    size_t at;
} Place;

typedef struct Columns {
    size_t n;
    const int64_t *tree, *id; /* of each node */
    Place *places;            /* by tree and id */
} Columns;

static int by_tree(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    return x->tree != y->tree ? (x->tree > y->tree) - (x->tree < y->tree)
                              : (x->id > y->id) - (x->id < y->id);
}

/* The node of a tree; -1: there is none. */
static int64_t find_node(const Columns *t, int64_t tree, int64_t id)
{
    const Place key = {tree, id, 0};
    const Place *found = bsearch(&key, t->places, t->n, sizeof key, by_tree);
    return found ? (int64_t)found->at : -1;
}

static bool read_mode(OnnxNode *c, OnnxForest *f, size_t i, const ProtobufCBinaryData *mode)
{
    static const char *const names[TREE_MODES] = {
        [TREE_LEQ] = "BRANCH_LEQ", [TREE_LT] = "BRANCH_LT", [TREE_GTE] = "BRANCH_GTE",
        [TREE_GT] = "BRANCH_GT",   [TREE_EQ] = "BRANCH_EQ", [TREE_NEQ] = "BRANCH_NEQ",
        [TREE_LEAF] = "LEAF"};
    for (int k = 0; k < TREE_MODES; k++)
        if (names[k] && strlen(names[k]) == mode->len && !memcmp(names[k], mode->data, mode->len)) {
            f->mode[i] = (TreeMode)k;
            return true;
        }
    return refuse_onnx(c, "the mode of node %zu is not supported", i);
}

static bool check_columns(OnnxNode *c, Columns *t)
{
    if (t->n == 0 || t->n >= UINT32_MAX)
        return refuse_onnx(c, "has no nodes");
    t->places = ARENA_ARRAY(c->arena, Place, t->n);
    for (size_t i = 0; i < t->n; i++)
        t->places[i] = (Place){t->tree[i], t->id[i], i};
    qsort(t->places, t->n, sizeof *t->places, by_tree);
    for (size_t i = 1; i < t->n; i++)
        if (!by_tree(&t->places[i - 1], &t->places[i]))
            return refuse_onnx(c, "node %lld of tree %lld is there twice",
                               (long long)t->places[i].id, (long long)t->places[i].tree);
    return true;
}

static bool read_columns(OnnxNode *c, Columns *t, OnnxForest *f)
{
    size_t n[7];
    t->tree = get_ints(c, "nodes_treeids", &t->n);
    t->id = get_ints(c, "nodes_nodeids", &n[0]);
    f->feature = get_ints(c, "nodes_featureids", &n[1]);
    const int64_t *when = get_ints(c, "nodes_truenodeids", &n[2]);
    const int64_t *other = get_ints(c, "nodes_falsenodeids", &n[3]);
    f->split = get_numbers(c, "nodes_values", &n[4]);
    const int64_t *missing = get_ints(c, "nodes_missing_value_tracks_true", &n[5]);
    const Onnx__AttributeProto *modes = onnx_attr(c, "nodes_modes");
    n[6] = modes ? modes->n_strings : 0;
    for (int k = 0; k < 7 && ok(c); k++)
        if (n[k] != t->n && (k != 5 || n[k]))
            return refuse_onnx(c, "its lists of nodes are of different length");
    if (failed(c) || !check_columns(c, t))
        return false;
    forest_reserve(c, f, t->n);
    for (size_t i = 0; i < t->n; i++) {
        if (!read_mode(c, f, i, &modes->strings[i]))
            return false;
        if (f->mode[i] == TREE_LEAF)
            continue;
        f->when[i] = find_node(t, t->tree[i], when[i]);
        f->other[i] = find_node(t, t->tree[i], other[i]);
        f->missing[i] = missing && n[5] && missing[i] != 0;
        if (f->when[i] < 0 || f->other[i] < 0)
            return refuse_onnx(c, "a child of node %zu does not exist", i);
    }
    return true;
}

/* Roots are nobody's children; the trees come in the order of their roots. */
static bool find_roots(OnnxNode *c, const Columns *t, OnnxForest *f)
{
    bool *child = ARENA_ARRAY(c->arena, bool, t->n);
    size_t trees = 1;
    for (size_t i = 0; i < t->n; i++) {
        if (f->mode[i] == TREE_LEAF)
            continue;
        if (child[f->when[i]] || child[f->other[i]] || f->when[i] == f->other[i])
            return refuse_onnx(c, "a node is the child of two");
        child[f->when[i]] = child[f->other[i]] = true;
    }
    f->roots = ARENA_ARRAY(c->arena, int64_t, t->n);
    for (size_t i = 0; i < t->n; i++)
        if (!child[i])
            f->roots[f->n_roots++] = (int64_t)i;
    for (size_t i = 1; i < t->n; i++)
        trees += t->places[i].tree != t->places[i - 1].tree;
    f->whole = true;
    if (f->n_roots > trees)
        return refuse_onnx(c, "a tree has several roots");
    return f->n_roots == trees || refuse_onnx(c, "its nodes form a cycle");
}

/* Whether all weights are of one target, the first one's, and none is negative. */
typedef struct Weights {
    int64_t target;
    bool one_target, all_positive;
} Weights;

/* The weights of each leaf in their order, one leaf after the other. `at`: the node of each. */
static void sort_weights(OnnxNode *c, OnnxForest *f, const int64_t *at, const int64_t *target,
                         const double *weight, size_t n)
{
    double *sorted = ARENA_ARRAY(c->arena, double, n + 1);
    int64_t *targets = ARENA_ARRAY(c->arena, int64_t, n + 1), sum = 0;
    for (size_t i = 0; i < n; i++)
        f->count[at[i]] += f->mode[at[i]] == TREE_LEAF;
    for (size_t k = 0; k < f->n; k++) {
        f->first[k] = sum;
        sum += f->count[k];
        f->count[k] = 0;
    }
    for (size_t i = 0; i < n; i++)
        if (f->mode[at[i]] == TREE_LEAF) {
            const int64_t k = f->first[at[i]] + f->count[at[i]]++;
            sorted[k] = weight[i];
            targets[k] = target[i];
        }
    f->weights = sorted;
    f->targets = targets;
    f->n_weights = (size_t)sum;
}

/* From the attributes that begin with `prefix`. */
static bool read_weights(OnnxNode *c, const Columns *t, OnnxForest *f, const char *prefix,
                         Weights *w)
{
    size_t n, n_tree, n_node, n_weight;
    const char *const names[] = {"ids", "treeids", "nodeids", "weights"};
    const char *name[4];
    for (int k = 0; k < 4; k++)
        name[k] = arena_printf(c->arena, "%s_%s", prefix, names[k]);
    const int64_t *target = get_ints(c, name[0], &n), *tree = get_ints(c, name[1], &n_tree);
    const int64_t *node = get_ints(c, name[2], &n_node);
    const double *weight = get_numbers(c, name[3], &n_weight);
    if (failed(c) || n == 0 || n != n_tree || n != n_node || n != n_weight)
        return refuse_onnx(c, "its lists of weights are of different length");
    int64_t *at = ARENA_ARRAY(c->arena, int64_t, n);
    w->one_target = w->all_positive = true;
    w->target = target[0];
    for (size_t i = 0; i < n; i++) {
        at[i] = find_node(t, tree[i], node[i]);
        if (at[i] < 0 || target[i] < 0 || target[i] >= f->n_targets)
            return refuse_onnx(c, "weight %zu belongs to no node or target", i);
        w->one_target = w->one_target && target[i] == target[0];
        w->all_positive = w->all_positive && weight[i] >= 0;
    }
    sort_weights(c, f, at, target, weight, n);
    return true;
}

static bool read_trees(OnnxNode *c, OnnxForest *f, const char *prefix, Weights *w)
{
    Columns t = {0};
    return need_inputs(c, 1, 1) && read_columns(c, &t, f) && find_roots(c, &t, f) &&
           read_weights(c, &t, f, prefix, w);
}

bool norm_tree_regressor(OnnxNode *c)
{
    static const char *const aggregates[] = {"SUM", "AVERAGE", "MIN", "MAX"};
    OnnxForest f = {.n_targets = get_int(c, "n_targets", 1)};
    Weights w;
    size_t n_base, k = 0;
    const double *base = get_numbers(c, "base_values", &n_base);
    const char *aggregate = get_string(c, "aggregate_function", "SUM");
    while (k < COUNT_OF(aggregates) && strcmp(aggregate, aggregates[k]))
        k++;
    if (failed(c) || k == COUNT_OF(aggregates) || (n_base && (int64_t)n_base != f.n_targets))
        return refuse_onnx(c, "its aggregate_function or base_values is invalid");
    if (!read_trees(c, &f, "target", &w))
        return false;
    ValueId v = emit_forest(c, &f, forest_rows(c), k == 1 ? "SUM" : aggregate);
    if (k == 1)
        v = divide(c, v, const_scalar(c, dtype_of(c, v), (double)f.n_roots));
    if (n_base)
        v = add(c, v, const_like(c, v, base, 1, &f.n_targets));
    return alias(c, 0, transformed_targets(c, cast(c, v, DT_F32)));
}

/* Two classes with one score between them: the second one's, and what is left for the first. */
static bool finish_binary(OnnxNode *c, ValueId s, bool all_positive)
{
    const bool logistic = !strcmp(get_string(c, "post_transform", "NONE"), "LOGISTIC");
    ValueId limit = const_scalar(c, dtype_of(c, s), all_positive ? 0.5 : 0);
    ValueId positive = squeeze(c, cast(c, emit(c, OP_Greater, IN(s, limit), NULL), DT_I64), 1);
    s = cast(c, s, DT_F32);
    ValueId other = all_positive && !logistic ? sub(c, const_scalar(c, DT_F32, 1), s)
                                              : emit(c, OP_Neg, IN(s), NULL);
    ValueId both = emit(c, OP_Concat, IN(other, s), ATTRS(ATTR_I("axis", 1)));
    if (logistic)
        both = emit(c, OP_Sigmoid, IN(both), NULL);
    return finish_label(c, positive, 2) && alias(c, 1, both);
}

/* The same where all weights are the second class's: the first one has 0, as in ONNX Runtime. */
static bool finish_second(OnnxNode *c, ValueId s, bool all_positive)
{
    if (failed(c))
        return false;
    const TensorType t = *type_of(c->g, s);
    ValueId limit = const_scalar(c, t.dtype, all_positive ? 0.5 : 0);
    ValueId positive = squeeze(c, cast(c, emit(c, OP_Greater, IN(s, limit), NULL), DT_I64), 1);
    ValueId first = filled(c, t, const_scalar(c, t.dtype, 0));
    ValueId both = emit(c, OP_Concat, IN(first, s), ATTRS(ATTR_I("axis", 1)));
    return finish_label(c, positive, 2) && alias(c, 1, post_transform(c, cast(c, both, DT_F32)));
}

/* Of two classes with a score each the second one is it where its score is positive, whatever the first one's: so does
 * ONNX Runtime, and ONNX says nothing. */
static ValueId chosen_class(OnnxNode *c, ValueId v, int64_t classes)
{
    if (failed(c) || classes != 2)
        return best_class(c, v);
    ValueId second = squeeze(c, slice_axis(c, v, 1, 1, 1), 1);
    ValueId zero = const_scalar(c, dtype_of(c, v), 0);
    return cast(c, emit(c, OP_Greater, IN(second, zero), NULL), DT_I64);
}

bool norm_tree_classifier(OnnxNode *c)
{
    OnnxForest f = {0};
    Weights w = {0};
    size_t labels, n_base;
    const Onnx__AttributeProto *strings = onnx_attr(c, "classlabels_strings");
    const double *base = get_numbers(c, "base_values", &n_base);
    get_ints(c, "classlabels_int64s", &labels);
    const int64_t classes = labels ? (int64_t)labels : strings ? (int64_t)strings->n_strings : 0;
    f.n_targets = classes;
    if (failed(c) || !read_trees(c, &f, "class", &w))
        return false;
    const bool binary = classes == 2 && w.one_target;
    if (n_base && (int64_t)n_base != (binary ? 1 : classes))
        return refuse_onnx(c, "has %zu base_values for %lld classes", n_base, (long long)classes);
    if (binary && w.target == 1 && n_base)
        return refuse_onnx(c, "has base_values, but all weights are of the second class");
    if (binary) {
        f.n_targets = 1;
        f.targets = ARENA_ARRAY(c->arena, int64_t, f.n_weights + 1);
    }
    ValueId v = emit_forest(c, &f, forest_rows(c), "SUM");
    if (binary && w.target == 1)
        return finish_second(c, v, w.all_positive);
    if (n_base)
        v = add(c, v, const_like(c, v, base, 1, (int64_t[]){(int64_t)n_base}));
    if (failed(c))
        return false;
    if (binary)
        return finish_binary(c, v, w.all_positive);
    return finish_label(c, chosen_class(c, v, classes), classes) &&
           alias(c, 1, post_transform(c, cast(c, v, DT_F32)));
}
