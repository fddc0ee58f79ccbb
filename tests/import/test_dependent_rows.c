/* Rows whose number depends on data: what of a result counts, and what is refused. The inputs are 1, 2, 3, …. */
#include "cases.h"

#include "../../gen/eval/eval.h"

#include <math.h>

/* x: f32[4,3], of whose rows those that begin with more than 5 are r: two of them, 7 8 9 and 10 11 12. */
static Build *begin(Fixture *f)
{
    static const int64_t zero[] = {0};
    static const float five[] = {5};
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "4,3");
    build_init(b, "zero", DT_I64, "", zero);
    build_init(b, "five", DT_F32, "", five);
    build_attr_int(b, build_node(b, "Gather", "x zero", "first"), "axis", 1);
    build_node(b, "Greater", "first five", "more");
    build_attr_int(b, build_node(b, "Compress", "x more", "r"), "axis", 0);
    return b;
}

static void init_ints(Build *b, const char *name, const char *dims, const int64_t *v)
{
    build_init(b, name, DT_I64, dims, v);
}
#define INIT(b, name, dims, ...) init_ints(b, name, dims, (const int64_t[]){__VA_ARGS__})

/* Output 0 has data-dependent rows along the axis, and these are its elements that count. */
static void expect_rows(Fixture *f, Build *b, const char *type, int axis, const double *values,
                        size_t n)
{
    Graph *g = expect_type(f, b, NULL, type);
    assert_int_equal(g->n_outputs, 2);
    assert_int_equal(g->outputs[0].counts[0].by, 1);
    assert_int_equal(g->outputs[0].counts[0].axis, axis);
    assert_string_equal(g->outputs[1].name, "y_count");
    const TensorType t = *type_of(g, g->outputs[0].value);
    Tensor in, out[2];
    float x[12];
    for (int i = 0; i < 12; i++)
        x[i] = (float)(i + 1);
    in = (Tensor){*type_of(g, g->inputs[0].value), x};
    if (!eval_graph(g, &in, out, f->arena))
        fail_msg("evaluation: %s", f->diag.message);
    const int64_t count = *(const int64_t *)out[1].data;
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < t.rank; d++)
        *(d < axis ? &outer : d > axis ? &inner : &(int64_t){1}) *= t.dims[d];
    assert_int_equal(outer * count * inner, n);
    for (int64_t o = 0, k = 0; o < outer; o++)
        for (int64_t i = 0; i < count * inner; i++, k++) {
            const double v = elem_f64(t.dtype, out[0].data, (size_t)(o * t.dims[axis] * inner + i));
            if (fabs(v - values[k]) > 1e-4)
                fail_msg("element %lld is %g, not %g", (long long)k, v, values[k]);
        }
}
#define ROWS(f, b, type, axis, ...)                                                                \
    expect_rows(f, b, type, axis, (const double[]){__VA_ARGS__},                                   \
                COUNT_OF(((const double[]){__VA_ARGS__})))

static Build *one_node(Fixture *f, const char *op, const char *inputs)
{
    Build *b = begin(f);
    build_node(b, op, inputs, "y");
    build_output(b, "y", 0, NULL);
    return b;
}

static Onnx__NodeProto *last_node(Build *b)
{
    return b->graph->node[b->graph->n_node - 1];
}

static void rows_pass(void **state)
{
    Fixture *f = *state;
    Build *b = one_node(f, "Add", "r five");
    ROWS(f, b, "f32[4,3]", 0, 12, 13, 14, 15, 16, 17);
    b = one_node(f, "Transpose", "r");
    ROWS(f, b, "f32[3,4]", 1, 7, 10, 8, 11, 9, 12);
    b = one_node(f, "Gather", "r zero");
    build_attr_int(b, last_node(b), "axis", 1);
    ROWS(f, b, "f32[4]", 0, 7, 10);
    b = one_node(f, "Concat", "r r");
    build_attr_int(b, last_node(b), "axis", 1);
    ROWS(f, b, "f32[4,6]", 0, 7, 8, 9, 7, 8, 9, 10, 11, 12, 10, 11, 12);
    b = one_node(f, "CumSum", "r zero");
    build_attr_int(b, last_node(b), "reverse", 1);
    ROWS(f, b, "f32[4,3]", 0, 17, 19, 21, 10, 11, 12);
    b = begin(f);
    INIT(b, "ends", "4", 0, 1, 0, 0);
    build_node(b, "Pad", "r ends", "y");
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "f32[4,4]", 0, 0, 7, 8, 9, 0, 10, 11, 12);
    static const float ones[] = {1, 1, 1};
    b = one_node(f, "MatMul", "r ones");
    build_init(b, "ones", DT_F32, "3,1", ones);
    ROWS(f, b, "f32[4,1]", 0, 24, 33);
    b = one_node(f, "Softmax", "r");
    build_attr_int(b, last_node(b), "axis", 0);
    const double low = 1 / (1 + exp(3)), high = 1 / (1 + exp(-3));
    ROWS(f, b, "f32[4,3]", 0, low, low, low, high, high, high);
}

/* Rows of one operand directly behind those of the other. */
static void rows_are_joined(void **state)
{
    Fixture *f = *state;
    Build *b = one_node(f, "Concat", "r x r");
    build_attr_int(b, last_node(b), "axis", 0);
    ROWS(f, b, "f32[12,3]", 0, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7, 8, 9,
         10, 11, 12);
}

static void shapes(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    INIT(b, "shape", "2", -1, 1);
    build_node(b, "Reshape", "r shape", "y");
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "f32[12,1]", 0, 7, 8, 9, 10, 11, 12);
    b = begin(f);
    INIT(b, "one", "1", 1);
    INIT(b, "at", "1", 0);
    build_node(b, "Shape", "r", "dims");
    build_node(b, "Gather", "dims at", "n");
    build_attr_int(b, build_node(b, "Concat", "one n", "shape"), "axis", 0);
    build_node(b, "Expand", "five shape", "y");
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "f32[1,4]", 1, 5, 5);
    b = begin(f);
    INIT(b, "at", "", 0);
    INIT(b, "one", "", 1);
    build_node(b, "Shape", "r", "dims");
    build_node(b, "Gather", "dims at", "n");
    build_node(b, "Range", "at n one", "y");
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "i64[4]", 0, 0, 1);
    b = one_node(f, "Size", "r");
    expect_values(f, expect_type(f, b, NULL, "i64[]"), (double[]){6}, 1);
}

static void parts(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    INIT(b, "from", "1", 1);
    INIT(b, "to", "1", 100);
    INIT(b, "axes", "1", 0);
    build_node(b, "Slice", "r from to axes", "y");
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "f32[3,3]", 0, 10, 11, 12);
    b = begin(f);
    INIT(b, "from", "1", 0);
    INIT(b, "to", "1", -1);
    build_node(b, "Slice", "r from to", "y");
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "f32[3,3]", 0, 7, 8, 9);
    b = begin(f); /* the last row is not where the capacity ends */
    INIT(b, "last", "", -1);
    build_node(b, "Gather", "r last", "y");
    build_output(b, "y", 0, NULL);
    expect_values(f, expect_type(f, b, NULL, "f32[3]"), (double[]){10, 11, 12}, 3);
    b = begin(f); /* as many as there are, but not more than 3 */
    INIT(b, "three", "1", 3);
    INIT(b, "at", "1", 0);
    build_node(b, "Shape", "r", "dims");
    build_node(b, "Gather", "dims at", "n");
    build_node(b, "Min", "n three", "k");
    build_attr_int(b, build_node(b, "TopK", "r k", "y i"), "axis", 0);
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "f32[3,3]", 0, 10, 11, 12, 7, 8, 9);
}

static void reductions(void **state)
{
    static const struct {
        const char *op;
        double result[3];
    } cases[] = {
        {"ReduceMax", {10, 11, 12}},
        {"ReduceMin", {7, 8, 9}},
        {"ReduceMean", {8.5, 9.5, 10.5}},
        {"ReduceProd", {70, 88, 108}},
        {"ReduceSumSquare", {149, 185, 225}},
        {"ArgMin", {0, 0, 0}},
        {"ReduceLogSumExp", {10.048587, 11.048587, 12.048587}},
    };
    Fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Build *b = one_node(f, cases[i].op, "r");
        if (strcmp(cases[i].op, "ArgMin"))
            build_attr_ints(b, last_node(b), "axes", (int64_t[]){0}, 1);
        build_attr_int(b, last_node(b), "keepdims", 0);
        Graph *g = import_built(f, b, NULL);
        if (!g)
            fail_msg("refused: %s", f->diag.message);
        assert_int_equal(g->n_outputs, 1);
        Tensor out;
        float x[12];
        for (int k = 0; k < 12; k++)
            x[k] = (float)(k + 1);
        Tensor in = {*type_of(g, g->inputs[0].value), x};
        assert_true(eval_graph(g, &in, &out, f->arena));
        for (size_t k = 0; k < 3; k++)
            assert_true(fabs(elem_f64(out.type.dtype, out.data, k) - cases[i].result[k]) < 1e-4);
    }
}

/* The same mask asked twice is one count. */
static void same_count(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_attr_int(b, build_node(b, "Compress", "x more", "r2"), "axis", 0);
    build_node(b, "Sub", "r r2", "y");
    build_output(b, "y", 0, NULL);
    ROWS(f, b, "f32[4,3]", 0, 0, 0, 0, 0, 0, 0);
}

/* Updates are added as far as they count. */
static void scattered(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_node(b, "Sub", "r r", "none");
    build_attr_int(b, build_node(b, "Cast", "none", "at"), "to", DT_I64);
    Onnx__AttributeProto *a =
        build_attr(b, build_node(b, "ScatterElements", "x at r", "y"), "reduction",
                   ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
    a->has_s = true;
    a->s = (ProtobufCBinaryData){3, (uint8_t *)arena_strdup(f->arena, "add")};
    build_output(b, "y", 0, NULL);
    expect_values(f, expect_type(f, b, NULL, "f32[4,3]"),
                  (double[]){18, 21, 24, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 12);
}

static void refused(void **state)
{
    Fixture *f = *state;
    Build *b = one_node(f, "Add", "r x");
    expect_refused(f, b, NULL, "(Add): an operand has a number of rows that depends on data");
    b = one_node(f, "InstanceNormalization", "r r r");
    expect_refused(f, b, NULL, "number of rows that depends on data");
    b = begin(f);
    INIT(b, "shape", "2", 4, 3);
    build_node(b, "Reshape", "r shape", "t");
    INIT(b, "shape2", "2", 2, -1);
    build_node(b, "Reshape", "r shape2", "y");
    build_output(b, "y", 0, NULL);
    expect_refused(f, b, NULL, "dimension 0 of its shape is not as many rows");
    b->graph->output[0]->name = arena_strdup(f->arena, "t");
    b->graph->node[b->graph->n_node - 1]->output[0] = arena_strdup(f->arena, "unused");
    b->graph->node[b->graph->n_node - 2]->input[1] = arena_strdup(f->arena, "shape2");
    expect_refused(f, b, NULL, "(Reshape)");
    b = begin(f);
    INIT(b, "from", "1", -2);
    INIT(b, "to", "1", 100);
    build_node(b, "Slice", "r from to", "y");
    build_output(b, "y", 0, NULL);
    expect_refused(f, b, NULL, "a part that begins at their end");
    b = one_node(f, "Unique", "r");
    expect_refused(f, b, NULL, "(Unique)");
    b = one_node(f, "Cast", "r");
    build_attr_int(b, b->graph->node[b->graph->n_node - 1], "to", 17);
    expect_refused(f, b, NULL, "this operator is not supported on such");
    b = build_new(f->arena, 13);
    build_input(b, "x", 17, "4");
    build_input(b, "more", DT_BOOL, "4");
    build_node(b, "Compress", "x more", "y");
    build_output(b, "y", 17, NULL);
    expect_refused(f, b, NULL, "output 'y': data-dependent rows of float8e4m3fn are not supported");
}

/* An untrusted model may ask for any number of rows. */
static void capacity_is_limited(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "boxes", FLOAT, "1,100000,4");
    build_input(b, "scores", FLOAT, "1,1000,100000");
    INIT(b, "most", "1", INT64_MAX);
    build_node(b, "NonMaxSuppression", "boxes scores most", "y");
    build_output(b, "y", 0, NULL);
    expect_refused(f, b, NULL, "may have 100000000 rows, more than 256 MiB");
    INIT(b, "few", "1", 10);
    b->graph->node[0]->input[2] = arena_strdup(f->arena, "few");
    expect_type(f, b, NULL, "i64[10000,3]");
    INIT(b, "none", "1", -1);
    b->graph->node[0]->input[2] = arena_strdup(f->arena, "none");
    expect_type(f, b, NULL, "i64[0,3]");
    static const float two[] = {2};
    build_init(b, "two", DT_F32, "1", two);
    b->graph->n_node = 0;
    build_node(b, "NonMaxSuppression", "boxes scores few two", "y");
    expect_refused(f, b, NULL, "iou_threshold is 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_pass, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(rows_are_joined, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(shapes, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(parts, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(reductions, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(same_count, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(scattered, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(refused, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(capacity_is_limited, fixture_begin, fixture_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
