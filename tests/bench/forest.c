/* Random forests. `forest` is what scikit-learn's converters write, a TreeEnsembleClassifier of 200 trees; `forest_spelled` what
 * converters without that operator write, the ordinary nodes that go down a tree, a level at a time and a tree at a time. */
#include "make_models.h"

#include "../import/build_model.h"

#include <stdio.h>
#include <string.h>

enum { TREES = 200, DEPTH = 10, FEATURES = 20, CLASSES = 3 };
enum { SPELLED_TREES = 25, SPELLED_DEPTH = 8 };

/* The upper bits of a linear congruential generator: 0 to limit - 1. */
static uint32_t draw(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*state >> 8) * limit >> 24);
}

static float draw_unit(uint32_t *state)
{
    return (float)draw(state, 1u << 20) / (1u << 20);
}

/* --- one node for all trees ---------------------------------------------------------------------------- */

/* Columns of the operator's attributes: rows of nodes, and of the weights that leaves have. */
struct forest {
    Arena *arena;
    uint32_t seed;
    size_t n, leaves;
    int64_t *tree, *id, *feature, *yes, *no, *class_tree, *class_node, *class_id;
    float *threshold, *weight;
    const char **mode;
};

static struct forest *new_forest(Arena *arena)
{
    const size_t most = (size_t)TREES << (DEPTH + 1);
    struct forest *f = ARENA_NEW(arena, struct forest);
    *f = (struct forest){.arena = arena, .seed = 1};
    int64_t **const numbers[] = {&f->tree, &f->id, &f->feature, &f->yes, &f->no};
    int64_t **const weights[] = {&f->class_tree, &f->class_node, &f->class_id};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = ARENA_ARRAY(arena, int64_t, most);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        *weights[i] = ARENA_ARRAY(arena, int64_t, most * CLASSES);
    f->threshold = ARENA_ARRAY(arena, float, most);
    f->weight = ARENA_ARRAY(arena, float, most *CLASSES);
    f->mode = ARENA_ARRAY(arena, const char *, most);
    return f;
}

static void add_leaf(struct forest *f, int64_t tree, int64_t id)
{
    for (int c = 0; c < CLASSES; c++) {
        f->class_tree[f->leaves] = tree;
        f->class_node[f->leaves] = id;
        f->class_id[f->leaves] = c;
        f->weight[f->leaves++] = draw_unit(&f->seed) / TREES;
    }
}

/* Adds a node and what is below it, of which every sixth child ends early; returns its id. */
static int64_t add_tree(struct forest *f, int64_t tree, int64_t *next_id, int depth)
{
    const size_t at = f->n++;
    const int64_t id = (*next_id)++;
    const bool leaf = depth == DEPTH || (depth > 2 && draw(&f->seed, 6) == 0);
    f->tree[at] = tree;
    f->id[at] = id;
    f->mode[at] = leaf ? "LEAF" : "BRANCH_LEQ";
    f->feature[at] = leaf ? 0 : draw(&f->seed, FEATURES);
    f->threshold[at] = leaf ? 0 : 2 * draw_unit(&f->seed) - 1;
    f->yes[at] = f->no[at] = 0;
    if (leaf) {
        add_leaf(f, tree, id);
        return id;
    }
    f->yes[at] = add_tree(f, tree, next_id, depth + 1);
    f->no[at] = add_tree(f, tree, next_id, depth + 1);
    return id;
}

static void add_floats(Build *b, Onnx__NodeProto *n, const char *name, float *v, size_t count)
{
    Onnx__AttributeProto *a = build_attr(b, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
    a->floats = v;
    a->n_floats = count;
}

static void add_modes(Build *b, Onnx__NodeProto *n, const struct forest *f)
{
    Onnx__AttributeProto *a =
        build_attr(b, n, "nodes_modes", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
    a->strings = arena_alloc(b->arena, f->n * sizeof *a->strings);
    a->n_strings = f->n;
    for (size_t i = 0; i < f->n; i++) {
        a->strings[i].data = (uint8_t *)arena_strdup(b->arena, f->mode[i]);
        a->strings[i].len = strlen(f->mode[i]);
    }
}

int write_forest(const char *path)
{
    static const int64_t labels[CLASSES] = {0, 1, 2};
    Arena *arena = arena_new();
    struct forest *f = new_forest(arena);
    for (int64_t tree = 0; tree < TREES; tree++)
        add_tree(f, tree, &(int64_t){0}, 0);
    Build *b = build_new(arena, 13);
    build_input(b, "features", DT_F32, "1,20");
    Onnx__NodeProto *n =
        build_node(b, "ai.onnx.ml:TreeEnsembleClassifier", "features", "label probabilities");
    build_attr_ints(b, n, "nodes_treeids", f->tree, f->n);
    build_attr_ints(b, n, "nodes_nodeids", f->id, f->n);
    build_attr_ints(b, n, "nodes_featureids", f->feature, f->n);
    build_attr_ints(b, n, "nodes_truenodeids", f->yes, f->n);
    build_attr_ints(b, n, "nodes_falsenodeids", f->no, f->n);
    add_floats(b, n, "nodes_values", f->threshold, f->n);
    add_modes(b, n, f);
    build_attr_ints(b, n, "class_treeids", f->class_tree, f->leaves);
    build_attr_ints(b, n, "class_nodeids", f->class_node, f->leaves);
    build_attr_ints(b, n, "class_ids", f->class_id, f->leaves);
    add_floats(b, n, "class_weights", f->weight, f->leaves);
    build_attr_ints(b, n, "classlabels_int64s", labels, CLASSES);
    build_output(b, "label", DT_I64, "1");
    build_output(b, "probabilities", DT_F32, "1,3");
    build_write(b, path);
    arena_free(arena);
    return 0;
}

/* --- a node for every step ----------------------------------------------------------------------------- */

/* The tree is full: the children of node i are 2 i + 1 and 2 i + 2. */
static void print_tree(int tree, uint32_t *seed)
{
    const int inner = (1 << SPELLED_DEPTH) - 1, leaves = 1 << SPELLED_DEPTH;
    printf("  const %%feature%d: i64[%d] = [", tree, inner);
    for (int i = 0; i < inner; i++)
        printf(i ? ",%u" : "%u", draw(seed, FEATURES));
    printf("]\n  const %%threshold%d: f32[%d] = random(seed=%d, scale=1)\n", tree, inner,
           2 * tree + 1);
    printf("  const %%leaf%d: f32[%d,%d] = random(seed=%d, scale=1)\n", tree, leaves, CLASSES,
           2 * tree + 2);
    printf("  %%at%d_0 = Add(%%zero, %%zero)\n", tree);
    for (int level = 0; level < SPELLED_DEPTH; level++) {
        printf("  %%f%d_%d = Gather(%%feature%d, %%at%d_%d) {axis=0}\n", tree, level, tree, tree,
               level);
        printf("  %%x%d_%d = GatherElements(%%x, %%f%d_%d) {axis=1}\n", tree, level, tree, level);
        printf("  %%t%d_%d = Gather(%%threshold%d, %%at%d_%d) {axis=0}\n", tree, level, tree, tree,
               level);
        printf("  %%le%d_%d = LessOrEqual(%%x%d_%d, %%t%d_%d)\n", tree, level, tree, level, tree,
               level);
        printf("  %%child%d_%d = Where(%%le%d_%d, %%one, %%two)\n", tree, level, tree, level);
        printf("  %%twice%d_%d = Add(%%at%d_%d, %%at%d_%d)\n", tree, level, tree, level, tree,
               level);
        printf("  %%at%d_%d = Add(%%twice%d_%d, %%child%d_%d)\n", tree, level + 1, tree, level,
               tree, level);
    }
    printf("  %%of_leaves%d = Sub(%%at%d_%d, %%inner)\n", tree, tree, SPELLED_DEPTH);
    printf("  %%vote%d = Gather(%%leaf%d, %%of_leaves%d) {axis=0}\n", tree, tree, tree);
}

void forest_spelled(void)
{
    uint32_t seed = 1;
    printf("graph \"forest_spelled\" {\n  input %%x: f32[1,%d]\n  const %%zero: i64[1,1] = [0]\n"
           "  const %%one: i64[1,1] = [1]\n  const %%two: i64[1,1] = [2]\n"
           "  const %%inner: i64[1,1] = [%d]\n",
           FEATURES, (1 << SPELLED_DEPTH) - 1);
    for (int tree = 0; tree < SPELLED_TREES; tree++) {
        print_tree(tree, &seed);
        if (tree == 0)
            printf("  %%sum0 = Add(%%vote0, %%vote0)\n");
        else
            printf("  %%sum%d = Add(%%sum%d, %%vote%d)\n", tree, tree - 1, tree);
    }
    printf("  output \"votes\" = %%sum%d\n}\n", SPELLED_TREES - 1);
}
