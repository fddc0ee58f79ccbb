/* TreeEnsemble: random forests, of every form that the kernel has. */
#include "../../gen/ops/trees.h"
#include "nn.h"

enum { MOST_NODES = 4000, MOST_WEIGHTS = 8000 };

typedef struct Grown {
    TreeNode node[MOST_NODES];
    double split[MOST_NODES], weight[MOST_WEIGHTS];
    int32_t roots[40], target[MOST_WEIGHTS];
    int64_t n, n_roots, n_weights;
} Grown;

/* What is drawn from: the modes of branches, how many of 10 are missing, go on, and how many weights a leaf has. */
typedef struct Kind {
    const char *modes; /* digits */
    int missing, deep, depth;
    int64_t features, targets;
    int least, most;
    const char *aggregate;
    DType dtype;
} Kind;

static void grow(Harness *h, Grown *g, const Kind *k, int64_t at, int depth)
{
    TreeNode *node = &g->node[at];
    const bool leaf = depth == 0 || g->n + 2 > MOST_NODES || harness_range(h, 0, 9) >= k->deep;
    if (leaf) {
        const int32_t n = (int32_t)harness_range(h, k->least, k->most);
        *node = (TreeNode){.mode = TREE_LEAF, .feature = n, .first = (int32_t)g->n_weights};
        for (int32_t i = 0; i < n && g->n_weights < MOST_WEIGHTS; i++) {
            g->weight[g->n_weights] = (double)harness_range(h, -512, 512) / 64;
            g->target[g->n_weights++] =
                (int32_t)(n == k->targets ? i : harness_range(h, 0, k->targets - 1));
        }
        node->feature = (int32_t)g->n_weights - node->first;
        return;
    }
    const char mode = k->modes[harness_range(h, 0, (int64_t)strlen(k->modes) - 1)];
    *node = (TreeNode){.mode = mode - '0',
                       .feature = (int32_t)harness_range(h, 0, k->features - 1),
                       .child = (int32_t)g->n,
                       .missing = harness_range(h, 0, 9) < k->missing,
                       .first = (int32_t)harness_range(h, 0, 3)};
    g->split[at] = (double)harness_range(h, -8, 8) / 4;
    const int64_t child = g->n;
    g->n += 2;
    grow(h, g, k, child, depth - 1);
    grow(h, g, k, child + 1, depth - 1);
}

static ValueId table(Harness *h, DType t, const double *v, int64_t n)
{
    uint8_t *data = arena_alloc(harness_arena(h), (size_t)n * dtype_size(t));
    for (int64_t i = 0; i < n; i++)
        elem_set_f64(t, data, (size_t)i, v[i]);
    return harness_const(h, type_make(t, 1, &n), data);
}

/* Quarters between -2 and 2, some of them not there. */
static ValueId rows(Harness *h, const Kind *k, int64_t n)
{
    double *v = arena_alloc(harness_arena(h), (size_t)(n * k->features) * sizeof *v);
    for (int64_t i = 0; i < n * k->features; i++)
        v[i] = harness_range(h, 0, 9) ? (double)harness_range(h, -10, 10) / 4 : (double)NAN;
    uint8_t *data = arena_alloc(harness_arena(h), (size_t)(n * k->features) * dtype_size(k->dtype));
    for (int64_t i = 0; i < n * k->features; i++)
        elem_set_f64(k->dtype, data, (size_t)i, v[i]);
    return harness_data(h, type_make(k->dtype, 2, DIMS(n, k->features)), data);
}

static void forest(Harness *h, const Kind *k, int64_t trees, int64_t n_rows)
{
    static const double members[] = {NAN, 0.25, -1, 0.5, NAN};
    Grown *g = ARENA_NEW(harness_arena(h), Grown);
    *g = (Grown){.n_roots = trees};
    for (int64_t t = 0; t < trees; t++) {
        g->roots[t] = (int32_t)g->n++;
        grow(h, g, k, g->roots[t], t % 3 ? k->depth : k->depth / 2);
    }
    if (g->n_weights == 0)
        g->n_weights = 1;
    NODE(h, OP_TreeEnsemble, 1,
         ATTRS(ATTR_S("aggregate_function", k->aggregate), ATTR_I("n_targets", k->targets)),
         rows(h, k, n_rows),
         harness_const(h, type_make(DT_I32, 2, DIMS(g->n, TREE_COLUMNS)), g->node),
         table(h, k->dtype, g->split, g->n),
         harness_const(h, type_make(DT_I32, 1, &g->n_roots), g->roots),
         table(h, k->dtype, g->weight, g->n_weights),
         harness_const(h, type_make(DT_I32, 1, &g->n_weights), g->target),
         strchr(k->modes, '6') ? table(h, k->dtype, members, COUNT_OF(members)) : NO_VALUE);
}

static const Kind kinds[] = {
    {"0", 0, 10, 5, 7, 1, 1, 1, "SUM", DT_F32},     {"0", 0, 10, 6, 3, 4, 4, 4, "SUM", DT_F32},
    {"1", 5, 9, 6, 7, 1, 1, 1, "SUM", DT_F32},      {"2", 2, 9, 5, 2, 5, 1, 1, "SUM", DT_F64},
    {"3", 9, 8, 7, 40, 3, 0, 4, "SUM", DT_F32},     {"4", 0, 9, 5, 7, 1, 0, 2, "SUM", DT_F32},
    {"4", 3, 9, 5, 7, 2, 1, 1, "MAX", DT_F32},      {"5", 0, 9, 5, 7, 1, 1, 1, "MIN", DT_F64},
    {"012345", 3, 9, 6, 5, 3, 1, 3, "SUM", DT_F32}, {"06", 3, 9, 5, 5, 3, 0, 2, "MIN", DT_F32},
    {"6", 0, 9, 5, 5, 1, 1, 1, "SUM", DT_F64},      {"0", 0, 7, 60, 5, 1, 1, 1, "SUM", DT_F32},
    {"03", 5, 9, 5, 70000, 1, 1, 1, "SUM", DT_F32}, {"0", 0, 0, 0, 3, 2, 1, 1, "MAX", DT_F32},
};

/* Few rows, whole groups of rows, and some more. */
static void test_forests(void **state)
{
    (void)state;
    Harness *h = harness_new("forests");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        forest(h, &kinds[i], 11, 1);
        forest(h, &kinds[i], i % 2 ? 8 : 1, i % 2 ? 3 : 8);
        forest(h, &kinds[i], 13, kinds[i].features > 1000 ? 9 : 301);
    }
    assert_int_equal(harness_run(h), 0);
}

/* As users compile it. */
static void test_optimised(void **state)
{
    (void)state;
    Harness *h = harness_new("forests_optimised");
    harness_optimise(h);
    for (size_t i = 0; i < 4; i++) {
        forest(h, &kinds[i], 20, 1);
        forest(h, &kinds[i], 20, 100);
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_coupling(void **state)
{
    (void)state;
    Harness *h = harness_new("coupling");
    harness_tolerance(h, 1e-3, 1e-4); /* a turn more or less hangs on the last bit */
    for (int64_t classes = 2; classes < 9; classes++)
        NODE(h, OP_PairwiseCoupling, 1, ATTRS(ATTR_I("classes", classes)),
             INPUT(h, DT_F32, 0.01, 0.99, 40, classes * (classes - 1) / 2));
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forests),
        cmocka_unit_test(test_optimised),
        cmocka_unit_test(test_coupling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
