/* Tree ensembles (domain ai.onnx.ml): all trees go down one level at a time, by look-ups in tables of their nodes. A leaf is its
 * own child, so that shallow trees wait for deep ones. */
#include "ml.h"
#include "table.h"

enum { MAX_DEPTH = 256 };

typedef struct Trees {
    size_t n;                        /* nodes of all trees */
    const int64_t *tree, *id;        /* of each node */
    uint32_t *order;                 /* nodes by tree and id */
    int64_t *feature, *when, *other; /* children as positions; a leaf's is itself */
    const double *threshold;
    bool *leaf, missing_goes_on;
    int64_t *missing; /* 1: NaN goes where the condition holds */
    Op compare;
    int64_t *roots;
    size_t n_roots;
    int depth;
} Trees;

static int by_tree(const Trees *t, int64_t tree, int64_t id, size_t k)
{
    if (t->tree[k] != tree)
        return t->tree[k] < tree ? -1 : 1;
    return t->id[k] < id ? -1 : t->id[k] > id;
}

/* Sifts order[at] down: a heap sort, as qsort has no place for the table. */
static void sift(Trees *t, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && by_tree(t, t->tree[t->order[child + 1]], t->id[t->order[child + 1]],
                                     t->order[child]) < 0)
            child++;
        if (by_tree(t, t->tree[t->order[child]], t->id[t->order[child]], t->order[at]) >= 0)
            return;
        uint32_t swap = t->order[at];
        t->order[at] = t->order[child];
        t->order[child] = swap;
    }
}

static void sort_nodes(Trees *t)
{
    for (size_t i = 0; i < t->n; i++)
        t->order[i] = (uint32_t)i;
    for (size_t i = t->n / 2; i-- > 0;)
        sift(t, i, t->n);
    for (size_t i = t->n; i-- > 1;) {
        uint32_t swap = t->order[0];
        t->order[0] = t->order[i];
        t->order[i] = swap;
        sift(t, 0, i);
    }
}

/* The node of a tree; -1: there is none. */
static int64_t find_node(const Trees *t, int64_t tree, int64_t id)
{
    size_t from = 0, to = t->n;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        const int c = by_tree(t, tree, id, t->order[mid]);
        if (c == 0)
            return t->order[mid];
        if (c < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return -1;
}

static bool read_mode(OnnxNode *c, Trees *t, size_t i, const ProtobufCBinaryData *mode)
{
    static const struct {
        const char *name;
        Op op;
    } modes[] = {{"BRANCH_LEQ", OP_LessOrEqual},
                 {"BRANCH_LT", OP_Less},
                 {"BRANCH_GTE", OP_GreaterOrEqual},
                 {"BRANCH_GT", OP_Greater},
                 {"BRANCH_EQ", OP_Equal}};
    t->leaf[i] = mode->len == 4 && !memcmp(mode->data, "LEAF", 4);
    if (t->leaf[i])
        return true;
    for (size_t k = 0; k < COUNT_OF(modes); k++)
        if (strlen(modes[k].name) == mode->len && !memcmp(modes[k].name, mode->data, mode->len)) {
            const bool first = t->compare == OP_COUNT;
            t->compare = first ? modes[k].op : t->compare;
            return t->compare == modes[k].op ||
                   refuse_onnx(c, "nodes with different conditions are not supported");
        }
    return refuse_onnx(c, "the mode of node %zu is not supported", i);
}

static bool read_columns(OnnxNode *c, Trees *t)
{
    size_t n[7];
    t->tree = get_ints(c, "nodes_treeids", &t->n);
    t->id = get_ints(c, "nodes_nodeids", &n[0]);
    const int64_t *feature = get_ints(c, "nodes_featureids", &n[1]);
    const int64_t *when = get_ints(c, "nodes_truenodeids", &n[2]);
    const int64_t *other = get_ints(c, "nodes_falsenodeids", &n[3]);
    t->threshold = get_floats(c, "nodes_values", &n[4]);
    const int64_t *missing = get_ints(c, "nodes_missing_value_tracks_true", &n[5]);
    const Onnx__AttributeProto *modes = onnx_attr(c, "nodes_modes");
    n[6] = modes ? modes->n_strings : 0;
    if (has_attr(c, "nodes_values_as_tensor") || has_attr(c, "base_values_as_tensor"))
        return refuse_onnx(c, "thresholds in double precision are not supported");
    for (int k = 0; k < 7 && ok(c); k++)
        if (n[k] != t->n && (k != 5 || n[k]))
            return refuse_onnx(c, "its lists of nodes are of different length");
    if (failed(c) || t->n == 0 || t->n >= UINT32_MAX)
        return ok(c) && refuse_onnx(c, "has no nodes");
    t->order = ARENA_ARRAY(c->arena, uint32_t, t->n);
    t->leaf = ARENA_ARRAY(c->arena, bool, t->n);
    t->feature = ARENA_ARRAY(c->arena, int64_t, t->n);
    t->when = ARENA_ARRAY(c->arena, int64_t, t->n);
    t->other = ARENA_ARRAY(c->arena, int64_t, t->n);
    t->missing = ARENA_ARRAY(c->arena, int64_t, t->n);
    t->compare = OP_COUNT;
    sort_nodes(t);
    for (size_t i = 0; i < t->n; i++) {
        if (!read_mode(c, t, i, &modes->strings[i]))
            return false;
        t->feature[i] = t->leaf[i] ? 0 : feature[i];
        t->when[i] = t->leaf[i] ? (int64_t)i : find_node(t, t->tree[i], when[i]);
        t->other[i] = t->leaf[i] ? (int64_t)i : find_node(t, t->tree[i], other[i]);
        t->missing[i] = missing && n[5] && missing[i] != 0;
        t->missing_goes_on = t->missing_goes_on || (t->missing[i] && !t->leaf[i]);
        if (t->when[i] < 0 || t->other[i] < 0)
            return refuse_onnx(c, "a child of node %zu does not exist", i);
    }
    return true;
}

/* Roots are nobody's children. Every node must be reached once: that ends, and gives the depth. */
static bool find_roots(OnnxNode *c, Trees *t)
{
    bool *child = ARENA_ARRAY(c->arena, bool, t->n);
    int64_t *level = ARENA_ARRAY(c->arena, int64_t, t->n);
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (t->leaf[i])
            continue;
        if (child[t->when[i]] || child[t->other[i]] || t->when[i] == t->other[i])
            return refuse_onnx(c, "a node is the child of two");
        child[t->when[i]] = child[t->other[i]] = true;
    }
    t->roots = ARENA_ARRAY(c->arena, int64_t, t->n);
    for (size_t i = 0; i < t->n; i++)
        if (!child[i])
            t->roots[t->n_roots++] = level[n++] = (int64_t)i;
    for (t->depth = 0; n > 0; t->depth++) {
        int64_t *next = ARENA_ARRAY(c->arena, int64_t, 2 * n);
        size_t n_next = 0;
        for (size_t k = 0; k < n; k++) {
            seen++;
            if (t->leaf[level[k]])
                continue;
            next[n_next++] = t->when[level[k]];
            next[n_next++] = t->other[level[k]];
        }
        if (t->depth > MAX_DEPTH)
            return refuse_onnx(c, "its trees are deeper than %d", MAX_DEPTH);
        level = next;
        n = n_next;
    }
    size_t trees = 1;
    for (size_t i = 1; i < t->n; i++)
        trees += t->tree[t->order[i]] != t->tree[t->order[i - 1]];
    if (seen != t->n)
        return refuse_onnx(c, "its nodes form a cycle");
    return t->n_roots == trees || refuse_onnx(c, "a tree has several roots");
}

static ValueId look_up(OnnxNode *c, ValueId table, ValueId at)
{
    return emit(c, OP_Gather, IN(table, at), ATTRS(ATTR_I("axis", 0)));
}

/* The leaf of each tree for each row: [rows, trees] */
static ValueId descend(OnnxNode *c, const Trees *t, ValueId x)
{
    if (failed(c))
        return NO_VALUE;
    const TensorType in = *type_of(c->g, x);
    const int64_t nodes = (int64_t)t->n, trees = (int64_t)t->n_roots;
    for (size_t i = 0; i < t->n; i++)
        if (t->feature[i] < 0 || t->feature[i] >= in.dims[1]) {
            refuse_onnx(c, "feature %lld does not exist", (long long)t->feature[i]);
            return NO_VALUE;
        }
    ValueId feature = const_ints(c, t->feature, t->n), when = const_ints(c, t->when, t->n);
    ValueId other = const_ints(c, t->other, t->n);
    ValueId threshold = const_floats(c, t->threshold, 1, &nodes);
    ValueId missing = cast(c, const_ints(c, t->missing, t->n), DT_BOOL);
    ValueId at = reshape(c, const_ints(c, t->roots, t->n_roots), 2, (int64_t[]){1, trees});
    at = expand(c, at, 2, (int64_t[]){in.dims[0], trees});
    for (int d = 1; d < t->depth; d++) {
        ValueId v =
            emit(c, OP_GatherElements, IN(x, look_up(c, feature, at)), ATTRS(ATTR_I("axis", 1)));
        ValueId holds = emit(c, t->compare, IN(v, look_up(c, threshold, at)), NULL);
        if (t->missing_goes_on)
            holds = emit(
                c, OP_Or,
                IN(holds, emit(c, OP_And,
                               IN(emit(c, OP_IsNaN, IN(v), NULL), look_up(c, missing, at)), NULL)),
                NULL);
        at = emit(c, OP_Where, IN(holds, look_up(c, when, at), look_up(c, other, at)), NULL);
    }
    return at;
}

/* What the leaves add to each of the targets, whose attributes begin with `prefix`. Says whether all is of target 0, or positive. */
typedef struct Weights {
    double *w; /* [nodes][targets] */
    int64_t targets;
    bool one_target, all_positive;
} Weights;

static bool read_weights(OnnxNode *c, const Trees *t, const char *prefix, Weights *w)
{
    size_t n, n_tree, n_node, n_weight;
    const char *const names[] = {"ids", "treeids", "nodeids", "weights"};
    const char *name[4];
    for (int k = 0; k < 4; k++)
        name[k] = arena_printf(c->arena, "%s_%s", prefix, names[k]);
    const int64_t *target = get_ints(c, name[0], &n), *tree = get_ints(c, name[1], &n_tree);
    const int64_t *node = get_ints(c, name[2], &n_node);
    const double *weight = get_floats(c, name[3], &n_weight);
    int64_t count;
    if (failed(c) || n == 0 || n != n_tree || n != n_node || n != n_weight)
        return ok(c) && refuse_onnx(c, "its lists of weights are of different length");
    if (w->targets < 1 || !mul_i64((int64_t)t->n, w->targets, &count) || count > INT32_MAX ||
        !onnx_claim(c->im, (size_t)count * sizeof(double)))
        return ok(c) && refuse_onnx(c, "has too many targets");
    w->w = ARENA_ARRAY(c->arena, double, (size_t)count);
    w->one_target = w->all_positive = true;
    for (size_t i = 0; i < n; i++) {
        const int64_t at = find_node(t, tree[i], node[i]);
        if (at < 0 || target[i] < 0 || target[i] >= w->targets)
            return refuse_onnx(c, "weight %zu belongs to no node or target", i);
        if (!t->leaf[at])
            continue;
        w->w[at * w->targets + target[i]] += weight[i];
        w->one_target = w->one_target && target[i] == target[0];
        w->all_positive = w->all_positive && weight[i] >= 0;
    }
    return true;
}

/* Over the trees: [rows, targets] */
static ValueId gather_weights(OnnxNode *c, const Trees *t, const Weights *w, Op op)
{
    ValueId at = descend(c, t, feature_rows(c, 0));
    ValueId table = const_floats(c, w->w, 2, (int64_t[]){(int64_t)t->n, w->targets});
    return reduce(c, op, look_up(c, table, at), (int64_t[]){1}, 1, false);
}

static bool read_trees(OnnxNode *c, Trees *t)
{
    return need_inputs(c, 1, 1) && read_columns(c, t) && find_roots(c, t);
}

bool norm_tree_regressor(OnnxNode *c)
{
    static const struct {
        const char *name;
        Op op;
    } aggregates[] = {{"SUM", OP_ReduceSum},
                      {"AVERAGE", OP_ReduceSum},
                      {"MIN", OP_ReduceMin},
                      {"MAX", OP_ReduceMax}};
    Trees t = {0};
    Weights w = {.targets = get_int(c, "n_targets", 1)};
    size_t n_base, k = 0;
    const double *base = get_floats(c, "base_values", &n_base);
    const char *aggregate = get_string(c, "aggregate_function", "SUM");
    while (k < COUNT_OF(aggregates) && strcmp(aggregate, aggregates[k].name))
        k++;
    if (failed(c) || k == COUNT_OF(aggregates) || (n_base && (int64_t)n_base != w.targets))
        return ok(c) && refuse_onnx(c, "its aggregate_function or base_values is invalid");
    if (!read_trees(c, &t) || !read_weights(c, &t, "target", &w))
        return false;
    ValueId v = gather_weights(c, &t, &w, aggregates[k].op);
    if (w.targets == 1 && strcmp(get_string(c, "post_transform", "NONE"), "NONE"))
        return refuse_onnx(c, "post_transform of one target is not supported");
    if (!strcmp(aggregate, "AVERAGE"))
        v = divide(c, v, const_scalar(c, DT_F32, (double)t.n_roots));
    if (n_base)
        v = add(c, v, const_floats(c, base, 1, &w.targets));
    return alias(c, 0, post_transform(c, v));
}

/* Two classes with one score between them: the second one's, and what is left for the first. */
static bool finish_binary(OnnxNode *c, ValueId s, bool all_positive)
{
    const bool logistic = !strcmp(get_string(c, "post_transform", "NONE"), "LOGISTIC");
    ValueId limit = const_scalar(c, DT_F32, all_positive ? 0.5 : 0);
    ValueId positive = squeeze(c, cast(c, emit(c, OP_Greater, IN(s, limit), NULL), DT_I64), 1);
    ValueId other = all_positive && !logistic ? sub(c, const_scalar(c, DT_F32, 1), s)
                                              : emit(c, OP_Neg, IN(s), NULL);
    ValueId both = emit(c, OP_Concat, IN(other, s), ATTRS(ATTR_I("axis", 1)));
    if (logistic)
        both = emit(c, OP_Sigmoid, IN(both), NULL);
    return finish_label(c, positive, 2) && alias(c, 1, both);
}

/* Of two classes with a score each the second one is it where its score is positive, whatever the first one's: so does
 * ONNX Runtime, and ONNX says nothing. */
static ValueId chosen_class(OnnxNode *c, ValueId v, int64_t classes)
{
    if (classes != 2)
        return best_class(c, v);
    ValueId second = squeeze(c, slice_axis(c, v, 1, 1, 1), 1);
    return cast(c, emit(c, OP_Greater, IN(second, const_scalar(c, DT_F32, 0)), NULL), DT_I64);
}

bool norm_tree_classifier(OnnxNode *c)
{
    Trees t = {0};
    Weights w = {0};
    size_t labels, n_base;
    const Onnx__AttributeProto *strings = onnx_attr(c, "classlabels_strings");
    const double *base = get_floats(c, "base_values", &n_base);
    get_ints(c, "classlabels_int64s", &labels);
    w.targets = labels ? (int64_t)labels : strings ? (int64_t)strings->n_strings : 0;
    if (failed(c) || !read_trees(c, &t) || !read_weights(c, &t, "class", &w))
        return false;
    const bool binary = w.targets == 2 && w.one_target;
    if (n_base && (int64_t)n_base != (binary ? 1 : w.targets))
        return refuse_onnx(c, "has %zu base_values for %lld classes", n_base, (long long)w.targets);
    ValueId v = gather_weights(c, &t, &w, OP_ReduceSum);
    if (binary)
        v = reduce(c, OP_ReduceSum, v, (int64_t[]){1}, 1, true);
    if (n_base)
        v = add(c, v, const_floats(c, base, 1, (int64_t[]){(int64_t)n_base}));
    if (failed(c))
        return false;
    if (binary)
        return finish_binary(c, v, w.all_positive);
    return finish_label(c, chosen_class(c, v, w.targets), w.targets) &&
           alias(c, 1, post_transform(c, v));
}
