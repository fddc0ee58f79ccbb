/* Classical models: scaling, linear models, look-ups and trees. Inputs count 1, 2, 3, …; expectations are worked out by hand. */
#include "cases.h"

#include <math.h>

#define FLOATS(c, name, ...)                                                                       \
    floats(c, name, (const float[]){__VA_ARGS__}, COUNT_OF(((const float[]){__VA_ARGS__})))

static void scaling(void **state)
{
    Case c = one_op(state, 13, "1,2", "ai.onnx.ml:Scaler", "x");
    FLOATS(&c, "offset", 1, 0);
    FLOATS(&c, "scale", 10);
    GIVES(&c, "f32[1,2]", 0, 20);
    c = one_op(state, 13, "1,2", "ai.onnx.ml:Normalizer", "x");
    text(&c, "norm", "L1");
    GIVES(&c, "f32[1,2]", 1 / 3.0, 2 / 3.0);
    c = one_op(state, 13, "2,1", "ai.onnx.ml:Binarizer", "x");
    number(&c, "threshold", 1);
    GIVES(&c, "f32[2,1]", 0, 1);
    c = one_op(state, 13, "1,2", "ai.onnx.ml:Imputer", "x");
    FLOATS(&c, "imputed_value_floats", 7, 8);
    number(&c, "replaced_value_float", 2);
    GIVES(&c, "f32[1,2]", 1, 8);
    c = one_op(state, 13, "2,3", "ai.onnx.ml:ArrayFeatureExtractor", "x k");
    I64(&c, "k", "1,2", 2, 0);
    GIVES(&c, "f32[2,2]", 3, 1, 6, 4);
}

/* Rows of features of any shape, each input's as many as the node says. */
static void features(void **state)
{
    Case c = one_op(state, 13, "2,2,2", "ai.onnx.ml:FeatureVectorizer", "x x");
    INTS(&c, "inputdimensions", 3, 5);
    GIVES(&c, "f32[2,8]", 1, 2, 3, 1, 2, 3, 4, 0, 5, 6, 7, 5, 6, 7, 8, 0);
    c.n->attribute[0]->ints[0] = -1;
    expect_refused(c.f, c.b, NULL, "sizes is -1, less than 0");
    c.n->attribute[0]->n_ints = 1;
    expect_refused(c.f, c.b, NULL, "has 1 inputdimensions for 2 inputs");
    c = one_op(state, 13, "3", "ai.onnx.ml:FeatureVectorizer", "x x");
    INTS(&c, "inputdimensions", 3, 2);
    GIVES(&c, "f32[1,5]", 1, 2, 3, 1, 2);
    c = one_op(state, 13, "", "ai.onnx.ml:FeatureVectorizer", "x");
    expect_refused(c.f, c.b, NULL, "its input f32[] is not rows of features");
}

static void linear(void **state)
{
    Case c = one_op(state, 13, "1,2", "ai.onnx.ml:LinearRegressor", "x");
    FLOATS(&c, "coefficients", 1, 1, 0, 10);
    FLOATS(&c, "intercepts", 0.5f, 0);
    build_attr_int(c.b, c.n, "targets", 2);
    GIVES(&c, "f32[1,2]", 3.5, 20);
    c = one_op(state, 13, "2,1", "ai.onnx.ml:LinearClassifier", "x");
    FLOATS(&c, "coefficients", 1);
    FLOATS(&c, "intercepts", -1.5f);
    INTS(&c, "classlabels_ints", 7, 9);
    GIVES(&c, "i64[2]", 7, 9);
    c.n->output = (char *[]){"label", "y"};
    c.n->n_output = 2;
    GIVES(&c, "f32[2,2]", 1.5, -0.5, 0.5, 0.5);
    FLOATS(&c, "coefficients", 1, 2);
    c.n->attribute[0] = c.n->attribute[3];
    expect_refused(c.f, c.b, NULL, "do not belong to 1 features");
}

static void look_ups(void **state)
{
    Case c = one_op(state, 13, "3", "ai.onnx.ml:LabelEncoder", "x");
    c.b->graph->input[0]->type->tensor_type->elem_type = INT64;
    INTS(&c, "keys_int64s", 3, 1);
    INTS(&c, "values_int64s", 30, 10);
    GIVES(&c, "i64[3]", 10, -1, 30);
    c.n->attribute[1]->n_ints = 1;
    expect_refused(c.f, c.b, NULL, "do not belong together");
    c = one_op(state, 13, "2", "ai.onnx.ml:OneHotEncoder", "x");
    INTS(&c, "cats_int64s", 2, 5);
    GIVES(&c, "f32[2,2]", 0, 0, 1, 0);
}

static void zip_maps(void **state)
{
    Case c = one_op(state, 13, "2,2", "ai.onnx.ml:ZipMap", "x");
    INTS(&c, "classlabels_int64s", 3, 1);
    GIVES(&c, "f32[2,2]", 1, 2, 3, 4);
    assert_non_null(strstr(c.f->notes.data, "here f32[2,2], a column for each class: 3, 1\n"));
    c.n->attribute[0]->n_ints = 1;
    expect_refused(c.f, c.b, NULL, "has 1 labels for 2 scores");
    c = one_op(state, 13, "2", "ai.onnx.ml:CastMap", "x");
    expect_refused(c.f, c.b, NULL, "maps are not supported");
}

/* Kernels of x = (1, 2) with the support vectors (1, 0) and (0, 1). */
static void support_vectors(void **state)
{
    static const struct {
        const char *kernel;
        double first, second;
    } kernels[] = {{"LINEAR", 1, 2}, {"POLY", 8, 27}, {"SIGMOID", 0.9640275801, 0.9950547537}};
    for (size_t k = 0; k <= COUNT_OF(kernels); k++) {
        const bool rbf = k == COUNT_OF(kernels);
        Case c = one_op(state, 13, "1,2", "ai.onnx.ml:SVMRegressor", "x");
        text(&c, "kernel_type", rbf ? "RBF" : kernels[k].kernel);
        FLOATS(&c, "kernel_params", rbf ? 0.5f : 1, 1, 3);
        FLOATS(&c, "support_vectors", 1, 0, 0, 1);
        FLOATS(&c, "coefficients", 1, 10);
        FLOATS(&c, "rho", 0.5);
        build_attr_int(c.b, c.n, "n_supports", 2);
        GIVES(&c, "f32[1,1]",
              rbf ? 0.5 + exp(-2) + 10 * exp(-1) : 0.5 + kernels[k].first + 10 * kernels[k].second);
        build_attr_int(c.b, c.n, "one_class", 1);
        GIVES(&c, "f32[1,1]", 1);
        c.n->attribute[3]->n_floats = 1;
        expect_refused(c.f, c.b, NULL, "1 coefficients for 2 support vectors");
        c.n->attribute[2]->n_floats = 3;
        expect_refused(c.f, c.b, NULL, "3 numbers are not 2 support vectors of 2 features");
    }
}

/* Three classes with a support vector each; x is 1 and 2. */
static void votes(void **state)
{
    Case c = one_op(state, 13, "2,1", "ai.onnx.ml:SVMClassifier", "x");
    FLOATS(&c, "support_vectors", 1, -1, 3);
    FLOATS(&c, "coefficients", 1, 2, 0, 0, 3, 1);
    FLOATS(&c, "rho", 0.5f, -5, -1);
    INTS(&c, "classlabels_ints", 7, 8, 9);
    INTS(&c, "vectors_per_class", 1, 1, 1);
    GIVES(&c, "i64[2]", 9, 9);
    c.n->output = (char *[]){"label", "y"};
    c.n->n_output = 2;
    GIVES(&c, "f32[2,3]", -0.5, -5, -1, -1.5, -5, -1);
    FLOATS(&c, "prob_a", -1, -1, -1);
    FLOATS(&c, "prob_b", 0, 0);
    expect_refused(c.f, c.b, NULL, "prob_a and prob_b");
    c.n->attribute[4]->ints[1] = -1;
    expect_refused(c.f, c.b, NULL, "a class has -1 support vectors");
    c.n->attribute[4]->ints[1] = 2;
    expect_refused(c.f, c.b, NULL, "are not 4 support vectors");
    c.n->attribute[4]->ints[1] = 1;
    c.n->attribute[1]->n_floats = 5;
    expect_refused(c.f, c.b, NULL, "too few coefficients");
}

/* Tree 0: x ≤ 1.5 ? 10 : 20; tree 1 is a leaf of 100. */
static Case forest(void **state, const char *op, const char *prefix)
{
    static const char *const modes[] = {"BRANCH_LEQ", "LEAF", "LEAF", "LEAF"};
    Case c = one_op(state, 13, "2,1", op, "x");
    INTS(&c, "nodes_treeids", 0, 0, 0, 1);
    INTS(&c, "nodes_nodeids", 0, 1, 2, 0);
    INTS(&c, "nodes_featureids", 0, 0, 0, 0);
    INTS(&c, "nodes_truenodeids", 1, 0, 0, 0);
    INTS(&c, "nodes_falsenodeids", 2, 0, 0, 0);
    FLOATS(&c, "nodes_values", 1.5f, 0, 0, 0);
    string_list(&c, "nodes_modes", modes, 4);
    ints(&c, arena_printf(c.f->arena, "%s_treeids", prefix), (int64_t[]){0, 0, 1}, 3);
    ints(&c, arena_printf(c.f->arena, "%s_nodeids", prefix), (int64_t[]){1, 2, 0}, 3);
    ints(&c, arena_printf(c.f->arena, "%s_ids", prefix), (int64_t[]){0, 0, 0}, 3);
    floats(&c, arena_printf(c.f->arena, "%s_weights", prefix), (float[]){10, 20, 100}, 3);
    return c;
}

static void trees(void **state)
{
    Case c = forest(state, "ai.onnx.ml:TreeEnsembleRegressor", "target");
    FLOATS(&c, "base_values", 1);
    GIVES(&c, "f32[2,1]", 111, 121);
    text(&c, "aggregate_function", "MAX");
    GIVES(&c, "f32[2,1]", 101, 101);
    c = forest(state, "ai.onnx.ml:TreeEnsembleClassifier", "class");
    INTS(&c, "classlabels_int64s", 5, 6);
    FLOATS(&c, "base_values", -115);
    c.n->attribute[10]->floats[2] = -1;
    c.n->attribute[12]->floats[0] = -10;
    GIVES(&c, "i64[2]", 5, 6); /* 10 - 1 - 10 and 20 - 1 - 10 */
    c.n->output = (char *[]){"label", "y"};
    c.n->n_output = 2;
    GIVES(&c, "f32[2,2]", 1, -1, -9, 9);
}

/* Conditions that differ, one that holds where nothing is known, a tree deeper than most, numbers in double precision. */
static void branches(void **state)
{
    static const char *const modes[] = {"BRANCH_NEQ", "BRANCH_GT", "LEAF", "LEAF", "LEAF"};
    Case c = one_op(state, 13, "2,1", "ai.onnx.ml:TreeEnsembleRegressor", "x");
    INTS(&c, "nodes_treeids", 3, 3, 3, 3, 3);
    INTS(&c, "nodes_nodeids", 9, 8, 7, 6, 5);
    INTS(&c, "nodes_featureids", 0, 0, 0, 0, 0);
    INTS(&c, "nodes_truenodeids", 8, 6, 0, 0, 0);
    INTS(&c, "nodes_falsenodeids", 7, 5, 0, 0, 0);
    FLOATS(&c, "nodes_values", 1, 1, 0, 0, 0);
    string_list(&c, "nodes_modes", modes, 5);
    INTS(&c, "target_treeids", 3, 3, 3, 3);
    INTS(&c, "target_nodeids", 5, 6, 7, 6);
    INTS(&c, "target_ids", 0, 0, 0, 1);
    FLOATS(&c, "target_weights", 1, 2, 3, 40);
    build_attr_int(c.b, c.n, "n_targets", 2);
    GIVES(&c, "f32[2,2]", 3, 0, 2, 40);
    text(&c, "aggregate_function", "AVERAGE");
    text(&c, "post_transform", "SOFTMAX_ZERO");
    GIVES(&c, "f32[2,2]", 1, 0, exp(-38) / (1 + exp(-38)), 1 / (1 + exp(-38)));
    c.b->graph->input[0]->type->tensor_type->elem_type = DT_F64;
    GIVES(&c, "f32[2,2]", 1, 0, exp(-38) / (1 + exp(-38)), 1 / (1 + exp(-38)));
}

static void deep_tree(void **state)
{
    enum { DEPTH = 700, N = 2 * DEPTH + 1 };
    int64_t zero[N] = {0}, id[N], when[N] = {0}, other[N] = {0}, at[DEPTH + 1];
    const char *modes[N];
    float split[N] = {0}, weight[DEPTH + 1];
    for (int i = 0; i < N; i++) {
        id[i] = i;
        modes[i] = i < DEPTH ? "BRANCH_LT" : "LEAF";
        when[i] = i < DEPTH ? DEPTH + i : 0;
        other[i] = i < DEPTH - 1 ? i + 1 : N - 1;
        split[i] = (float)i - DEPTH + 3;
    }
    for (int i = 0; i <= DEPTH; i++) {
        at[i] = DEPTH + i;
        weight[i] = (float)i;
    }
    Case c = one_op(state, 13, "2,1", "ai.onnx.ml:TreeEnsembleRegressor", "x");
    ints(&c, "nodes_treeids", zero, N);
    ints(&c, "nodes_nodeids", id, N);
    ints(&c, "nodes_featureids", zero, N);
    ints(&c, "nodes_truenodeids", when, N);
    ints(&c, "nodes_falsenodeids", other, N);
    floats(&c, "nodes_values", split, N);
    string_list(&c, "nodes_modes", modes, N);
    ints(&c, "target_treeids", zero, DEPTH + 1);
    ints(&c, "target_nodeids", at, DEPTH + 1);
    ints(&c, "target_ids", zero, DEPTH + 1);
    floats(&c, "target_weights", weight, DEPTH + 1);
    GIVES(&c, "f32[2,1]", DEPTH - 1, DEPTH);
}

static void tensor(Case *c, const char *name, DType type, const char *dims, const void *data)
{
    Onnx__AttributeProto *a =
        build_attr(c->b, c->n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR);
    a->t = build_tensor(c->b, name, type, dims, data);
}

/* Version 5: x is 1 or 3 ? 10 : (x <= 2 ? 20 : 30); a tree that is a leaf of 100. */
static Case ensemble(void **state)
{
    Case c = one_op(state, 21, "3,1", "ai.onnx.ml:TreeEnsemble", "x");
    INTS(&c, "tree_roots", 1, 2);
    INTS(&c, "nodes_featureids", 0, 0, 0);
    INTS(&c, "nodes_truenodeids", 1, 0, 3);
    INTS(&c, "nodes_trueleafs", 1, 1, 1);
    INTS(&c, "nodes_falsenodeids", 2, 0, 3);
    INTS(&c, "nodes_falseleafs", 1, 0, 1);
    tensor(&c, "nodes_splits", DT_F32, "3", (float[]){2, 0, 0});
    tensor(&c, "nodes_modes", DT_U8, "3", (uint8_t[]){0, 6, 0});
    tensor(&c, "membership_values", DT_F32, "3", (float[]){1, 3, (float)NAN});
    INTS(&c, "leaf_targetids", 0, 0, 0, 1);
    tensor(&c, "leaf_weights", DT_F32, "4", (float[]){10, 20, 30, 100});
    build_attr_int(c.b, c.n, "n_targets", 2);
    return c;
}

static void version_5(void **state)
{
    Case c = ensemble(state);
    GIVES(&c, "f32[3,2]", 10, 100, 20, 100, 10, 100);
    build_attr_int(c.b, c.n, "aggregate_function", 0);
    GIVES(&c, "f32[3,2]", 5, 50, 10, 50, 5, 50);
    build_attr_int(c.b, c.n, "post_transform", 1);
    GIVES(&c, "f32[3,2]", 0, 1, 0, 1, 0, 1);
    c = ensemble(state);
    c.n->attribute[2]->ints[0] = 4;
    expect_refused(c.f, c.b, NULL, "a child of node 0 does not exist");
    c.n->attribute[2]->ints[0] = 1;
    c.n->attribute[3]->ints[0] = 0;
    expect_refused(c.f, c.b, NULL, "the child of two, or its nodes form a cycle");
    c.n->attribute[3]->ints[0] = 1;
    c.n->attribute[0]->ints[0] = 3;
    expect_refused(c.f, c.b, NULL, "the root of tree 0 does not exist");
    c.n->attribute[0]->ints[0] = 1;
    c.n->attribute[9]->ints[3] = 2;
    expect_refused(c.f, c.b, NULL, "weight 3 belongs to no node or target");
    c.n->attribute[9]->ints[3] = 1;
    c.n->attribute[8] = c.n->attribute[11];
    expect_refused(c.f, c.b, NULL, "the set of node 1 does not exist");
}

/* What would go round in circles, or out of the table. */
static void bad_trees(void **state)
{
    Case c = forest(state, "ai.onnx.ml:TreeEnsembleRegressor", "target");
    c.n->attribute[3]->ints[0] = 7;
    expect_refused(c.f, c.b, NULL, "a child of node 0 does not exist");
    c.n->attribute[1]->ints[2] = 1;
    expect_refused(c.f, c.b, NULL, "node 1 of tree 0 is there twice");
    c.n->attribute[1]->ints[2] = 2;
    c.n->attribute[3]->ints[0] = 0;
    expect_refused(c.f, c.b, NULL, "form a cycle");
    c.n->attribute[3]->ints[0] = 2;
    expect_refused(c.f, c.b, NULL, "the child of two");
    c.n->attribute[3]->ints[0] = 1;
    c.n->attribute[0]->ints[3] = 0;
    c.n->attribute[1]->ints[3] = 3;
    c.n->attribute[7]->ints[2] = 0;
    c.n->attribute[8]->ints[2] = 3;
    expect_refused(c.f, c.b, NULL, "a tree has several roots");
    c.n->attribute[0]->ints[3] = c.n->attribute[7]->ints[2] = 1;
    c.n->attribute[1]->ints[3] = c.n->attribute[8]->ints[2] = 0;
    c.n->attribute[2]->ints[0] = 1;
    expect_refused(c.f, c.b, NULL, "feature 1 does not exist");
    c.n->attribute[2]->ints[0] = 0;
    c.n->attribute[9]->ints[0] = -1;
    expect_refused(c.f, c.b, NULL, "weight 0 belongs to no node or target");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(features), TEST(scaling),         TEST(linear),    TEST(look_ups),
        TEST(zip_maps), TEST(support_vectors), TEST(votes),     TEST(trees),
        TEST(branches), TEST(deep_tree),       TEST(version_5), TEST(bad_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
