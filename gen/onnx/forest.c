/* Trees of ai.onnx.ml become a TreeEnsemble of ops.def: each tree from its root on, level by level, so that the two children of a node
 * stand side by side and behind it. Each branch is met once, or refused: that ends, whatever the file says. */
#include "forest.h"
#include "ml.h"

void forest_reserve(OnnxNode *c, OnnxForest *f, size_t n)
{
    f->n = n;
    f->mode = ARENA_ARRAY(c->arena, TreeMode, n + 1);
    f->when = ARENA_ARRAY(c->arena, int64_t, n + 1);
    f->other = ARENA_ARRAY(c->arena, int64_t, n + 1);
    f->missing = ARENA_ARRAY(c->arena, bool, n + 1);
    f->first = ARENA_ARRAY(c->arena, int64_t, n + 1);
    f->count = ARENA_ARRAY(c->arena, int64_t, n + 1);
}

const double *get_tensor_floats(OnnxNode *c, const char *name, size_t *n)
{
    const Onnx__AttributeProto *a = onnx_attr(c, name);
    Tensor t;
    *n = 0;
    if (failed(c) || !a)
        return NULL;
    if (!a->t) {
        refuse_onnx(c, "its attribute %s is no tensor", name);
        return NULL;
    }
    if (!onnx_tensor(c->im, a->t, arena_printf(c->arena, "attribute '%s'", name), &t))
        return NULL;
    if (!dtype_is_float(t.type.dtype)) {
        refuse_onnx(c, "its attribute %s is of type %s", name, dtype_name(t.type.dtype));
        return NULL;
    }
    *n = (size_t)type_count(&t.type);
    double *v = ARENA_ARRAY(c->arena, double, *n + 1);
    for (size_t i = 0; i < *n; i++)
        v[i] = elem_f64(t.type.dtype, t.data, i);
    return v;
}

const double *get_numbers(OnnxNode *c, const char *name, size_t *n)
{
    const char *tensor = arena_printf(c->arena, "%s_as_tensor", name);
    return has_attr(c, tensor) ? get_tensor_floats(c, tensor, n) : get_floats(c, name, n);
}

ValueId forest_rows(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0);
    if (failed(c) || t.dtype != DT_F64)
        return feature_rows(c, 0);
    if (t.rank == 1)
        return reshape(c, in_at(c, 0), 2, (int64_t[]){1, t.dims[0]});
    if (t.rank != 2)
        refuse_onnx(c, "its input %s is not rows of features", type_text(c->arena, &t));
    return in_at(c, 0);
}

ValueId const_like(OnnxNode *c, ValueId v, const double *x, int rank, const int64_t *dims)
{
    if (dtype_of(c, v) != DT_F64)
        return const_floats(c, x, rank, dims);
    return failed(c) ? NO_VALUE : emit_const(c, type_make(DT_F64, rank, dims), x);
}

/* The tables in the making. */
typedef struct Tables {
    const OnnxForest *f;
    int64_t n;
    TreeNode *node;
    double *split;
    int64_t *from; /* by position in the table: the node it is */
    bool *met;     /* by node: a branch that has its place */
} Tables;

/* A branch that goes on at one leaf in any case, as a tree that is a leaf is spelled, is that leaf. */
static bool place_node(OnnxNode *c, Tables *t, int64_t at)
{
    const OnnxForest *f = t->f;
    while (f->mode[at] != TREE_LEAF && f->when[at] == f->other[at]) {
        if (t->met[at])
            return refuse_onnx(c, "its nodes form a cycle");
        t->met[at] = true;
        at = f->when[at];
    }
    if (f->mode[at] != TREE_LEAF) {
        if (t->met[at])
            return refuse_onnx(c, "a node is the child of two, or its nodes form a cycle");
        t->met[at] = true;
    }
    t->from[t->n++] = at;
    return true;
}

static bool place_tree(OnnxNode *c, Tables *t, int64_t root)
{
    const OnnxForest *f = t->f;
    int64_t i = t->n;
    for (bool good = place_node(c, t, root); i < t->n; i++) {
        const int64_t at = t->from[i];
        const bool leaf = f->mode[at] == TREE_LEAF;
        t->node[i] = (TreeNode){.mode = (int32_t)f->mode[at],
                                .feature = (int32_t)(leaf ? f->count[at] : f->feature[at]),
                                .child = leaf ? 0 : (int32_t)t->n,
                                .missing = !leaf && f->missing[at],
                                .first = (int32_t)f->first[at]};
        t->split[i] = leaf ? 0 : f->split[at];
        good = good && (leaf || (place_node(c, t, f->other[at]) && place_node(c, t, f->when[at])));
        if (!good)
            return false;
    }
    return ok(c);
}

static ValueId const_i32(OnnxNode *c, const int32_t *v, int rank, const int64_t *dims)
{
    return failed(c) ? NO_VALUE : emit_const(c, type_make(DT_I32, rank, dims), v);
}

static ValueId narrowed(OnnxNode *c, const int64_t *v, size_t n)
{
    int32_t *narrow = ARENA_ARRAY(c->arena, int32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        narrow[i] = (int32_t)v[i];
    return const_i32(c, narrow, 1, (int64_t[]){(int64_t)n});
}

static bool check_sizes(OnnxNode *c, const OnnxForest *f, ValueId x)
{
    enum { MOST = INT32_MAX / 4 };
    const int64_t features = type_of(c->g, x)->dims[1];
    if (f->n_roots == 0 || f->n_weights == 0)
        return refuse_onnx(c, "has no %s", f->n_roots ? "weights" : "nodes");
    if (f->n_targets < 1 || f->n_targets > MOST)
        return refuse_onnx(c, "has %lld targets, which is not supported", (long long)f->n_targets);
    for (size_t i = 0; i < f->n; i++)
        if (f->mode[i] != TREE_LEAF && (f->feature[i] < 0 || f->feature[i] >= features))
            return refuse_onnx(c, "feature %lld does not exist", (long long)f->feature[i]);
    for (size_t i = 0; i < f->n_weights; i++)
        if (f->targets[i] < 0 || f->targets[i] >= f->n_targets)
            return refuse_onnx(c, "weight %zu belongs to no node or target", i);
    return true;
}

ValueId emit_forest(OnnxNode *c, const OnnxForest *f, ValueId x, const char *aggregate)
{
    if (failed(c) || !check_sizes(c, f, x))
        return NO_VALUE;
    Tables t = {.f = f};
    const size_t most = 2 * f->n + f->n_roots; /* each branch is placed once, with its children */
    if (!onnx_claim(c->im, most * (sizeof *t.node + sizeof *t.split + sizeof *t.from) +
                               (f->n_weights + f->n_members) * sizeof(double)))
        return NO_VALUE;
    t.node = ARENA_ARRAY(c->arena, TreeNode, most);
    t.split = ARENA_ARRAY(c->arena, double, most);
    t.from = ARENA_ARRAY(c->arena, int64_t, most);
    t.met = ARENA_ARRAY(c->arena, bool, f->n);
    int32_t *roots = ARENA_ARRAY(c->arena, int32_t, f->n_roots);
    for (size_t r = 0; r < f->n_roots; r++) {
        roots[r] = (int32_t)t.n;
        if (!place_tree(c, &t, f->roots[r]))
            return NO_VALUE;
    }
    if (f->whole && t.n != (int64_t)f->n)
        return refuse_value(c, "its nodes form a cycle");
    const int64_t n_roots = (int64_t)f->n_roots, n_weights = (int64_t)f->n_weights;
    const int64_t n_members = (int64_t)f->n_members;
    const ValueId members = n_members ? const_like(c, x, f->members, 1, &n_members) : NO_VALUE;
    return emit(c, OP_TreeEnsemble,
                IN(x, const_i32(c, &t.node->mode, 2, (int64_t[]){t.n, TREE_COLUMNS}),
                   const_like(c, x, t.split, 1, &t.n), const_i32(c, roots, 1, &n_roots),
                   const_like(c, x, f->weights, 1, &n_weights),
                   narrowed(c, f->targets, f->n_weights), members),
                ATTRS(ATTR_S("aggregate_function", aggregate), ATTR_I("n_targets", f->n_targets)));
}
