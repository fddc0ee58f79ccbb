/* Operators of newer opsets, of ONNX Runtime's domain, of training, and those that are random. Inputs count 1, 2, 3, …; expectations are worked out by hand. */
#include "../../gen/eval/eval.h"
#include "cases.h"

#include <math.h>

/* Two parameters of one element: 1 and 2, with gradients 3 and 4. */
static void optimisers(void **state)
{
    Case c = one_op(state, 15, "2", "Adagrad", "rate done x0 x1 g0 g1 h0 h1");
    Onnx__NodeProto *n = c.n;
    c.n->domain = "ai.onnx.preview.training";
    Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT;
    opset.domain = c.n->domain;
    opset.version = 1;
    c.b->model.n_opset_import = 2;
    c.b->model.opset_import = (Onnx__OperatorSetIdProto *[]){c.b->model.opset_import[0], &opset};
    F32(&c, "rate", "", 0.5f);
    build_init(c.b, "done", DT_I64, "", &(int64_t){0});
    F32(&c, "x0", "1", 1);
    F32(&c, "x1", "1", 2);
    F32(&c, "g0", "1", 3);
    F32(&c, "g1", "1", 4);
    F32(&c, "h0", "1", 0);
    F32(&c, "h1", "1", 9);
    number(&c, "epsilon", 0);
    c.n->n_output = 2;
    c.n->output = (char *[]){"unused", "y"};
    GIVES(&c, "f32[1]", 1.6f);
    n->op_type = "Momentum";
    text(&c, "mode", "heavy");
    expect_refused(c.f, c.b, NULL, "mode 'heavy' is not defined");
    n->n_input = 7;
    expect_refused(c.f, c.b, NULL, "its inputs are not a rate, a number and groups of tensors");
    n->op_type = "Adam";
    expect_refused(c.f, c.b, NULL, "its inputs are not a rate, a number and groups of tensors");
    n->n_input = 8;
    n->op_type = "Gradient";
    expect_refused(c.f, c.b, NULL, "derivatives are not taken");
}

static void newer_operators(void **state)
{
    Case c = one_op(state, 18, "2,2", "CenterCropPad", "x s");
    I64(&c, "s", "2", 1, 3);
    GIVES(&c, "f32[1,3]", 1, 2, 0);
    c = one_op(state, 18, "1,4,2", "Col2Im",
               "x i k"); /* two columns of 2x2 blocks in a 2x3 image */
    I64(&c, "i", "2", 2, 3);
    I64(&c, "k", "2", 2, 2);
    GIVES(&c, "f32[1,1,2,3]", 1, 2 + 3, 4, 5, 6 + 7, 8);
    c = one_op(state, 18, "3", "Mish", "x");
    GIVES(&c, "f32[3]", 0.8650984, 1.9439589, 2.9865350);
    c = one_op(state, 20, "1", "Gelu", "x");
    text(&c, "approximate", "tanh");
    GIVES(&c, "f32[1]", 0.8411920);
    c = one_op(state, 20, "1,4,1", "DFT", "x"); /* of 1, 2, 3, 4 */
    GIVES(&c, "f32[1,4,2]", 10, 0, -2, 2, -2, 0, -2, -2);
    c = one_op(state, 20, "1,3,2", "DFT",
               "x"); /* of 1 + 2i, 3 + 4i, 5 + 6i: the half of a real signal's */
    build_attr_int(c.b, c.n, "onesided", 1);
    build_attr_int(c.b, c.n, "inverse", 1);
    GIVES(&c, "f32[1,4,1]", 3, -3, 0, 1);
    c = one_op(state, 20, "1,2,2", "DFT", "x l");
    I64(&c, "l", "", 3);
    build_attr_int(c.b, c.n, "onesided", 1);
    build_attr_int(c.b, c.n, "inverse", 1);
    GIVES(&c, "f32[1,3,1]", 7.0 / 3, -2 / 3.0 - 4 * sqrt(3) / 3, -2 / 3.0 + 4 * sqrt(3) / 3);
    c = one_op(state, 18, "2", "ReduceMax", "x a");
    I64(&c, "a", "0", 0);
    build_attr_int(c.b, c.n, "noop_with_empty_axes", 1);
    GIVES(&c, "f32[2]", 1, 2);
    /* Over no axis only the sum is left out, not what is done with each element before and behind it. */
    static const struct {
        const char *op;
        double y[2];
    } over_none[] = {{"ReduceSum", {-1, 2}},       {"ReduceMean", {-1, 2}},
                     {"ReduceL1", {1, 2}},         {"ReduceL2", {1, 2}},
                     {"ReduceLogSumExp", {-1, 2}}, {"ReduceSumSquare", {1, 4}}};
    for (size_t i = 0; i < COUNT_OF(over_none); i++) {
        c = one_op(state, 18, "2", over_none[i].op, "v");
        F32(&c, "v", "2", -1, 2);
        build_attr_int(c.b, c.n, "noop_with_empty_axes", 1);
        GIVES(&c, "f32[2]", over_none[i].y[0], over_none[i].y[1]);
    }
    c = one_op(state, 18, "2", "ReduceLogSum", "x");
    build_attr_int(c.b, c.n, "noop_with_empty_axes", 1);
    GIVES(&c, "f32[2]", 0, 0.6931472);
    c = one_op(state, 13, "0", "Slice", "x from to axis step"); /* backwards through nothing */
    I64(&c, "from", "1", -3);
    I64(&c, "to", "1", -4);
    I64(&c, "axis", "1", 0);
    I64(&c, "step", "1", -3);
    gives(&c, "f32[0]", NULL, 0);
    /* Gates of 1/2: the cell's 6 becomes 3, whose tanh is taken whole, since only the gates' sums are clipped. */
    c = one_op(state, 14, "1,1,1", "LSTM", "x w r - - h c");
    F32(&c, "w", "1,4,1", 0, 0, 0, 0);
    F32(&c, "r", "1,4,1", 0, 0, 0, 0);
    F32(&c, "h", "1,1,1", 0);
    F32(&c, "c", "1,1,1", 6);
    build_attr_int(c.b, c.n, "hidden_size", 1);
    number(&c, "clip", 0.25);
    GIVES(&c, "f32[1,1,1,1]", 0.4975274);
    c = one_op(state, 23, "1,2", "RMSNormalization", "x s");
    F32(&c, "s", "2", 1, 2);
    number(&c, "epsilon", 0);
    GIVES(&c, "f32[1,2]", 1 / sqrt(2.5), 4 / sqrt(2.5));
}

static void affine_grid(void **state)
{
    Case c = one_op(state, 20, "1,2,3", "AffineGrid", "x s");
    I64(&c, "s", "4", 1, 1, 2, 2);
    GIVES(&c, "f32[1,2,2,2]", 1.5, 1.5, 2.5, 5.5, 3.5, 6.5, 4.5, 10.5);
    c = one_op(state, 20, "1,2,3", "AffineGrid", "x s");
    I64(&c, "s", "4", 1, 1, 99999999999, 99999999999);
    expect_refused(c.f, c.b, NULL, "size is invalid");
}

static void microsoft_domain(void **state)
{
    Case c = one_op(state, 13, "2,2", "com.microsoft:FusedMatMul", "x x");
    build_attr_int(c.b, c.n, "transB", 1);
    number(&c, "alpha", 2);
    GIVES(&c, "f32[2,2]", 10, 22, 22, 50);
    c = one_op(state, 13, "1,1,2", "com.microsoft:FusedConv", "x w - z");
    F32(&c, "w", "1,1,1", -1);
    F32(&c, "z", "1,1,2", 0, 5);
    text(&c, "activation", "Relu");
    GIVES(&c, "f32[1,1,2]", 0, 3);
    c = one_op(state, 13, "1,2", "com.microsoft:SkipLayerNormalization", "x k g");
    F32(&c, "k", "1,2", 0, 1);
    F32(&c, "g", "2", 1, 1);
    GIVES(&c, "f32[1,2]", -1, 1);
    c = one_op(state, 13, "2", "com.microsoft:QLinearAdd", "q s z q s z s z");
    c.b->graph->n_input = 0;
    build_input(c.b, "q", U8, "2"); /* (1 - 1) · 0.5 twice, (2 - 1) · 0.5 twice */
    F32(&c, "s", "", 0.5f);
    build_init(c.b, "z", DT_U8, "", (uint8_t[]){1});
    GIVES(&c, "u8[2]", 1, 3);
}

static void experiments(void **state)
{
    Case c = one_op(state, 7, "1,2,1,2", "ImageScaler", "x");
    number(&c, "scale", 2);
    floats(&c, "bias", (float[]){10, 20}, 2);
    GIVES(&c, "f32[1,2,1,2]", 12, 14, 26, 28);
    c = one_op(state, 7, "1,1,3,3", "Crop", "x");
    INTS(&c, "border", 1, 0, 0, 2);
    GIVES(&c, "f32[1,1,1,2]", 2, 3);
    INTS(&c, "scale", 2, 1);
    GIVES(&c, "f32[1,1,2,1]", 2, 5);
    INTS(&c, "border", 3, 0, 0, 2);
    c.n->attribute[0] = c.n->attribute[2];
    expect_refused(c.f, c.b, NULL, "cuts off more than there is");
    c = one_op(state, 7, "2", "Affine", "x");
    number(&c, "alpha", 3);
    number(&c, "beta", -1);
    GIVES(&c, "f32[2]", 2, 5);
}

static void tensor_scatter(void **state)
{
    Case c = one_op(state, 24, "2,3,1", "TensorScatter", "x u w");
    F32(&c, "u", "2,2,1", 10, 20, 30, 40);
    I64(&c, "w", "2", 1, 2);
    text(&c, "mode", "circular");
    GIVES(&c, "f32[2,3,1]", 1, 10, 20, 40, 5, 30);
    c = one_op(state, 24, "1,3", "TensorScatter", "x u");
    F32(&c, "u", "1,2", 10, 20);
    expect_refused(c.f, c.b, NULL, "mode, axis or update is invalid"); /* axis -2 is the batch */
}

/* One position attends to itself alone: the result is the value projection. */
static void attention(void **state)
{
    Case c = one_op(state, 13, "1,1,2", "com.microsoft:Attention", "x w b");
    F32(&c, "w", "2,6", 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);
    F32(&c, "b", "6", 0, 0, 0, 0, 10, 20);
    build_attr_int(c.b, c.n, "num_heads", 2);
    GIVES(&c, "f32[1,1,2]", 11, 22);
    build_attr_int(c.b, c.n, "unidirectional", 1);
    GIVES(&c, "f32[1,1,2]", 11, 22);
}

/* The mean and the mean square of 4,096 numbers that are not the same twice; the generator's first number is known. */
static void random_numbers(void **state)
{
    static const struct {
        const char *op;
        double mean, square;
    } cases[] = {{"RandomUniformLike", 0.5, 1.0 / 3}, {"RandomNormalLike", 0, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Case c = one_op(state, 22, "4096", cases[i].op, "x");
        number(&c, "seed", 0);
        const Graph *g = expect_type(c.f, c.b, NULL, "f32[4096]");
        const float *v = value_at(g, g->outputs[0].value)->data;
        double sum = 0, squares = 0;
        assert_non_null(v);
        for (int k = 0; k < 4096; k++) {
            sum += (double)v[k];
            squares += (double)(v[k] * v[k]);
        }
        assert_true(sum / 4096 > cases[i].mean - 0.05 && sum / 4096 < cases[i].mean + 0.05);
        assert_true(squares / 4096 > cases[i].square - 0.05 &&
                    squares / 4096 < cases[i].square + 0.05);
        if (i == 0) /* splitmix64 from 0 begins with 0xe220a8397b1dcdaf */
            assert_true(v[0] == (float)((double)(UINT64_C(0xe220a8397b1dcdaf) >> 11) * 0x1p-53));
    }
    Case c = one_op(state, 22, "3", "Bernoulli", "p");
    F32(&c, "p", "3", 0, 1, 0.9f);
    number(&c, "seed", 0);
    GIVES(&c, "f32[3]", 0, 1, 1);
    c = one_op(state, 22, "2", "RandomNormalLike", "x");
    expect_refused(c.f, c.b, NULL, "without the attribute seed");
}

/* Classes of probability 0, 0.25, 0.75 and 0, 4,096 times each in two rows, which are not the same. */
static void multinomial(void **state)
{
    Case c = one_op(state, 22, "2,4", "Multinomial", "p");
    const float log[] = {-INFINITY, 0, 1.0986123f, -INFINITY};
    F32(&c, "p", "2,4", log[0], log[1], log[2], log[3], log[0], log[1], log[2], log[3]);
    number(&c, "seed", 1);
    build_attr_int(c.b, c.n, "sample_size", 4096);
    Graph *g = expect_type(c.f, c.b, NULL, "i32[2,4096]");
    Tensor in = {.type = *type_of(g, g->inputs[0].value), .data = (float[8]){0}}, out;
    assert_true(eval_graph(g, &in, &out, c.f->arena));
    const int32_t *v = out.data;
    for (int row = 0; row < 2; row++) {
        int n[4] = {0};
        for (int k = 0; k < 4096; k++)
            n[v[row * 4096 + k] & 3]++;
        assert_int_equal(n[0] + n[3], 0);
        assert_in_range(n[1], 924, 1124);
    }
    assert_memory_not_equal(v, v + 4096, 4096 * sizeof *v);
    build_attr_int(c.b, c.n, "dtype", DT_F32);
    expect_refused(c.f, c.b, NULL, "samples of f32[2,4] are not supported");
    c = one_op(state, 22, "1,2", "Multinomial", "x");
    expect_refused(c.f, c.b, NULL, "without the attribute seed");
}

static void causal_convolution(void **state)
{
    Case c = one_op(state, 27, "1,2,3", "CausalConvWithState", "x w b past"); /* 1, 2, 3; 4, 5, 6 */
    F32(&c, "w", "2,1,3", 1, 10, 100, 1, 0, 2);
    F32(&c, "b", "2", 0.5f, 0);
    F32(&c, "past", "1,2,2", 7, 8, 9, 10);
    GIVES(&c, "f32[1,2,3]", 187.5, 218.5, 321.5, 17, 20, 16);
    c.n->output[0] = arena_strdup(c.f->arena, "conv");
    c.n->output = ARENA_ARRAY(c.f->arena, char *, 2);
    c.n->output[0] = arena_strdup(c.f->arena, "conv");
    c.n->output[1] = arena_strdup(c.f->arena, "y");
    c.n->n_output = 2;
    GIVES(&c, "f32[1,2,2]", 2, 3, 5, 6);
    c.n->input[3] = arena_strdup(c.f->arena, "");
    c.n->n_output = 1;
    c.n->output[0] = arena_strdup(c.f->arena, "y");
    text(&c, "activation", "silu");
    GIVES(&c, "f32[1,2,3]", 100.5, 210.5, 321.5, 7.99731717, 9.99954602, 15.99999820);
    c.n->attribute[0]->s.data[0] = 'g';
    expect_refused(c.f, c.b, NULL, "activation 'gilu' is not supported");
    c = one_op(state, 27, "1,2,3", "com.microsoft:CausalConvWithState", "x w");
    F32(&c, "w", "3,1,1", 1, 2, 3);
    expect_refused(c.f, c.b, NULL, "weights f32[3,1,1] do not belong to f32[1,2,3]");
}

/* Against the recurrence written out with lists of numbers. */
static void linear_attention(void **state)
{
    Case c = one_op(state, 27, "1,2,8", "LinearAttention", "x k v s d b");
    F32(&c, "k", "1,2,2", 0.5f, -0.5f, 0.25f, 1); /* one head of keys for both of values */
    F32(&c, "v", "1,2,2", 1, 2, 3, -4);
    F32(&c, "s", "1,2,2,1", 1, 0.5f, 0, -1);
    F32(&c, "d", "1,2,4", 0, -0.5f, -1, -0.25f, -0.125f, 0, -2, -1);
    F32(&c, "b", "1,2,2", 0.5f, 1, 0.25f, 0.75f);
    build_attr_int(c.b, c.n, "q_num_heads", 4);
    build_attr_int(c.b, c.n, "kv_num_heads", 2);
    GIVES(&c, "f32[1,2,4]", 1.02079525, 2.86389076, -3.87360484, -4.97499547, 13.16057314,
          15.96083142, -36.27802086, -41.51482592);
    text(&c, "update_rule", "delta");
    expect_refused(c.f, c.b, NULL, "takes another choice of decay and beta");
    c.n->n_attribute = 2;
    c.n->attribute[0]->i = 3;
    expect_refused(c.f, c.b, NULL, "its heads do not belong together");
    /* a head of queries shared by two of values, no state before */
    c = one_op(state, 27, "1,1,2", "com.microsoft:LinearAttention", "x k v");
    F32(&c, "k", "1,1,4", 1, 0, 0, 1);
    F32(&c, "v", "1,1,2", 3, 5);
    build_attr_int(c.b, c.n, "q_num_heads", 1);
    build_attr_int(c.b, c.n, "kv_num_heads", 2);
    number(&c, "scale", 1);
    text(&c, "update_rule", "linear");
    GIVES(&c, "f32[1,1,2]", 3, 10);
    c = one_op(state, 27, "1,4000,1", "LinearAttention", "x x x");
    build_attr_int(c.b, c.n, "q_num_heads", 1);
    build_attr_int(c.b, c.n, "kv_num_heads", 1);
    text(&c, "update_rule", "linear");
    expect_refused(c.f, c.b, NULL, "unrolling its loop gives too many nodes");
}

/* One query of 1 and 2, two keys whose scores are 1 and 2; scores are doubled, probabilities halved. */
static void flex_attention(void **state)
{
    const char *const mods[] = {"score_mod", "prob_mod"};
    Case c = one_op(state, 26, "1,1,1,2", "ai.onnx.preview:FlexAttention", "x k v");
    F32(&c, "k", "1,1,2,2", 1, 0, 0, 1);
    F32(&c, "v", "1,1,2,1", 0, 10);
    number(&c, "scale", 1);
    Onnx__GraphProto *outer = c.b->graph;
    for (int i = 0; i < 2; i++) {
        Onnx__GraphProto *g = c.b->graph = build_graph(c.b);
        build_input(c.b, "s", FLOAT, NULL);
        build_init(c.b, "factor", DT_F32, "", (const float[]){i ? 0.5f : 2});
        build_node(c.b, "Mul", "s factor", "t");
        build_output(c.b, "t", FLOAT, NULL);
        build_attr_graph(c.b, c.n, mods[i], g);
    }
    c.b->graph = outer;
    GIVES(&c, "f32[1,1,1,1]", 5 / (1 + exp(-2)));
    c.n->attribute[1]->g->node[0]->op_type = arena_strdup(c.f->arena, "Equal");
    expect_refused(c.f, c.b, NULL, "its graph's output must be f32[1,1,1,2]");
    c.n->attribute[1]->g->n_output = 0;
    expect_refused(c.f, c.b, NULL, "its graph has 0 outputs");
}

static void of_newer_opsets(void **state)
{
    Case c = one_op(state, 28, "3", "SwiGLU", "x b");
    F32(&c, "b", "3", 2, 2, 10);
    number(&c, "alpha", 0);
    GIVES(&c, "f32[3]", 1, 2, 15);
    c = one_op(state, 28, "3", "SwiGLU", "x b");
    F32(&c, "b", "1", 2);
    expect_refused(c.f, c.b, NULL, "its inputs are f32[3] and f32[1]");
    c = one_op(state, 26, "2", "BitCast", "x");
    build_attr_int(c.b, c.n, "to", DT_I32);
    GIVES(&c, "i32[2]", 1065353216, 1073741824);
    c = one_op(state, 26, "4", "CumProd", "x axis");
    build_init(c.b, "axis", DT_I64, "", (const int64_t[]){-1});
    build_attr_int(c.b, c.n, "exclusive", 1);
    GIVES(&c, "f32[4]", 1, 1, 2, 6);
}

/* x is 1 … 9; all taps read half a pixel further to the right, where there is 0 outside. */
static void deformable_convolution(void **state)
{
    Case c = one_op(state, 22, "1,1,3,3", "DeformConv", "x w o");
    F32(&c, "w", "1,1,2,2", 1, 1, 1, 1);
    F32(&c, "o", "1,8,2,2", 0, 0, 0, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0, 0, 0, 0.5f, 0.5f, 0.5f, 0.5f,
        0, 0, 0, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0, 0, 0, 0.5f, 0.5f, 0.5f, 0.5f);
    GIVES(&c, "f32[1,1,2,2]", 14, 12.5, 26, 21.5);
    c = one_op(state, 22, "1,1,3,3", "DeformConv", "x w o b m");
    F32(&c, "w", "1,1,3,3", 0, 0, 0, 0, 2, 0, 0, 0, 0);
    F32(&c, "o", "1,18,1,1", 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    F32(&c, "b", "1", 100);
    F32(&c, "m", "1,9,1,1", 9, 9, 9, 9, 0.5f, 9, 9, 9, 9);
    GIVES(&c, "f32[1,1,1,1]", 102); /* what is above the middle */
    c = one_op(state, 22, "1,1,3,3", "DeformConv", "x w o");
    F32(&c, "w", "1,1,2,2", 1, 1, 1, 1);
    F32(&c, "o", "1,8,1,1", 0, 0, 0, 0, 0, 0, 0, 0);
    expect_refused(c.f, c.b, NULL, "do not belong together");
}

/* x is 1, 2, 3, 4, 5. n-grams: 2; 9; 1 2; 1 3, which stands there with one item between. */
static Case n_grams(void **state, const char *mode)
{
    Case c = one_op(state, 9, "5", "TfIdfVectorizer", "x");
    c.b->graph->input[0]->type->tensor_type->elem_type = INT64;
    text(&c, "mode", mode);
    build_attr_int(c.b, c.n, "min_gram_length", 1);
    build_attr_int(c.b, c.n, "max_gram_length", 2);
    build_attr_int(c.b, c.n, "max_skip_count", 3);
    INTS(&c, "ngram_counts", 0, 2);
    INTS(&c, "pool_int64s", 2, 9, 1, 2, 1, 3);
    return c;
}

static void tf_idf(void **state)
{
    static const float weights[] = {2, 3, 4, 5};
    Case c = n_grams(state, "TF");
    INTS(&c, "ngram_indexes", 0, 3, 1, 2);
    GIVES(&c, "f32[4]", 1, 1, 1, 0);
    c = n_grams(state, "TF");
    INTS(&c, "ngram_indexes", 1, 1, 1, 1);
    GIVES(&c, "f32[2]", 0, 3);
    c = n_grams(state, "TFIDF");
    INTS(&c, "ngram_indexes", 1, 1, 1, 3);
    floats(&c, "weights", weights, 4);
    GIVES(&c, "f32[4]", 0, 6, 0, 5);
    c = n_grams(state, "IDF");
    INTS(&c, "ngram_indexes", 1, 1, 1, 3);
    floats(&c, "weights", weights, 4);
    GIVES(&c, "f32[4]", 0, 3, 0, 5);
    c = n_grams(state, "TF");
    INTS(&c, "ngram_indexes", 0, 1, 2);
    expect_refused(c.f, c.b, NULL, "ngram_indexes does not belong to the n-grams");
}

/* x + window(n) */
static Case window(void **state, const char *dims, const char *op, int64_t n, bool periodic)
{
    Case c = one_op(state, 17, dims, "Add", "x w");
    c.n = build_node(c.b, op, "n", "w");
    build_attr_int(c.b, c.n, "periodic", periodic);
    I64(&c, "n", "", n);
    return c;
}

static void windows(void **state)
{
    Case c = window(state, "4", "HannWindow", 4, true);
    GIVES(&c, "f32[4]", 1, 2.5, 4, 4.5);
    c = window(state, "3", "HannWindow", 3, false);
    GIVES(&c, "f32[3]", 1, 3, 3);
    c = window(state, "4", "BlackmanWindow", 4, true);
    GIVES(&c, "f32[4]", 1, 2.34, 4, 4.34);
    c = window(state, "1", "HammingWindow", 1, false);
    GIVES(&c, "f32[1]", 1 + 25 / 46.0 - 21 / 46.0);
}

static void frames(void **state)
{
    Case c = one_op(state, 17, "1,4,1", "STFT", "x step - length");
    I64(&c, "step", "", 2);
    I64(&c, "length", "", 2);
    GIVES(&c, "f32[1,2,2,2]", 3, 0, -1, 0, 7, 0, -1, 0);
    c = one_op(state, 17, "1,4,1", "STFT", "x step w");
    I64(&c, "step", "", 2);
    F32(&c, "w", "2", 1, 0);
    build_attr_int(c.b, c.n, "onesided", 0);
    GIVES(&c, "f32[1,2,2,2]", 1, 0, 1, 0, 3, 0, 3, 0);
    c = one_op(state, 17, "1,2,1", "DFT", "x length");
    I64(&c, "length", "", 4); /* two zeros behind */
    build_attr_int(c.b, c.n, "axis", 1);
    GIVES(&c, "f32[1,4,2]", 3, 0, 1, -2, -1, 0, 1, 2);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(optimisers),       TEST(newer_operators),
        TEST(affine_grid),      TEST(microsoft_domain),
        TEST(experiments),      TEST(tensor_scatter),
        TEST(attention),        TEST(random_numbers),
        TEST(multinomial),      TEST(causal_convolution),
        TEST(linear_attention), TEST(flex_attention),
        TEST(of_newer_opsets),  TEST(deformable_convolution),
        TEST(tf_idf),           TEST(windows),
        TEST(frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
