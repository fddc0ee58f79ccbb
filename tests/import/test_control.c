/* Functions, If, Loop, Scan and sequences: what is expanded while importing, and its limits. */
#include "../../gen/eval/eval.h"
#include "testing.h"

enum { FLOAT = DT_F32, INT64 = DT_I64, BOOL = DT_BOOL };

#define TOO_MANY "the model has too many nodes once its functions and loops are expanded"

static Build *begin(Fixture *f)
{
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2");
    build_output(b, "y", FLOAT, NULL);
    return b;
}

/* local.Twice(a) = a + a, with a node of another function called inside. */
static void functions(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_node(b, "local:Four", "x", "y");
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    b->graph = body;
    build_node(b, "Add", "a a", "r");
    build_body(b, build_function(b, "local", "Twice", "a", "r"), body);
    build_node(b, "local:Twice", "a", "t");
    build_node(b, "local:Twice", "t", "r");
    build_body(b, build_function(b, "local", "Four", "a", "r"), body);
    b->graph = outer;
    expect_values(f, expect_type(f, b, NULL, "f32[2]"), (double[]){4, 8}, 2);
}

static void function_attributes(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_attr_ints(b, build_node(b, "local:Move", "x", "y"), "order", (int64_t[]){1, 0}, 2);
    b->graph->input[0]->type->tensor_type->shape = NULL;
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    b->graph = body;
    Onnx__AttributeProto *a = build_attr(b, build_node(b, "Transpose", "a", "r"), "perm",
                                         ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    a->ref_attr_name = arena_strdup(f->arena, "order");
    build_body(b, build_function(b, "local", "Move", "a", "r"), body);
    b->graph = outer;
    const char *const shapes[] = {"x=2x3"};
    expect_type(f, b, &(ImportOptions){.shapes = shapes, .n_shapes = 1}, "f32[3,2]");
    b->graph->node[0]->n_attribute = 0; /* then the reference stands for nothing */
    expect_type(f, b, &(ImportOptions){.shapes = shapes, .n_shapes = 1}, "f32[3,2]");
}

static void function_recursion(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_node(b, "local:A", "x", "y");
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    b->graph = body;
    build_node(b, "local:B", "a", "r");
    build_body(b, build_function(b, "local", "A", "a", "r"), body);
    build_node(b, "local:A", "a", "r");
    build_body(b, build_function(b, "local", "B", "a", "r"), body);
    b->graph = outer;
    expect_refused(f, b, NULL, "function 'A' calls itself");
}

/* local.F(INPUTS) -> OUTPUT by a Relu of a, called with `given`. */
static void refused_call(Fixture *f, const char *inputs, const char *output, const char *given,
                         const char *said)
{
    Build *b = begin(f);
    build_node(b, "local:F", given, "y");
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    b->graph = body;
    build_node(b, "Relu", "a", "r");
    build_body(b, build_function(b, "local", "F", inputs, output), body);
    b->graph = outer;
    expect_refused(f, b, NULL, said);
}

static void function_refusals(void **state)
{
    Fixture *f = *state;
    refused_call(f, "a", "r", "x x", "has 2 inputs and 1 outputs, function 'F' has 1 and 1");
    refused_call(f, "a a", "r", "x", "function 'F' has two inputs 'a'");
    refused_call(f, "a", "q", "x", "function 'F' does not make its output 'q'");
}

/* A default value of an attribute is field 11, which protobuf-c keeps as it is: its length, and a field that ends too soon. */
static void function_defaults(void **state)
{
    Fixture *f = *state;
    static uint8_t damaged[] = {2, 0x0a, 0x05};
    ProtobufCMessageUnknownField field = {11, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, sizeof damaged,
                                          damaged};
    Build *b = begin(f);
    build_node(b, "local:F", "x", "y");
    Onnx__FunctionProto *function = build_function(b, "local", "F", "a", "a");
    function->base.n_unknown_fields = 1;
    function->base.unknown_fields = &field;
    expect_refused(f, b, NULL, "a default of its function is malformed: ");
}

/* Each function calls the one before it ten times: 10^12 nodes if nobody counts. */
static void billion_laughs(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_node(b, "local:F11", "x", "y");
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    b->graph = body;
    for (int level = 0; level < 12; level++) {
        for (int i = 0; i < 10; i++)
            build_node(b, level ? arena_printf(f->arena, "local:F%d", level - 1) : "Relu",
                       i ? arena_printf(f->arena, "t%d", i - 1) : "a",
                       i == 9 ? "r" : arena_printf(f->arena, "t%d", i));
        build_body(b, build_function(b, "local", arena_printf(f->arena, "F%d", level), "a", "r"),
                   body);
    }
    b->graph = outer;
    expect_refused(f, b, NULL, TOO_MANY);
}

static Onnx__GraphProto *branch(Build *b, const char *op, const char *dims)
{
    Onnx__GraphProto *outer = b->graph, *g = build_graph(b);
    b->graph = g;
    build_node(b, op, "x", "r"); /* x is of the outer graph */
    build_output(b, "r", FLOAT, dims);
    b->graph = outer;
    return g;
}

static void if_known_and_unknown(void **state)
{
    static const uint8_t no = 0;
    Fixture *f = *state;
    Build *b = begin(f);
    Onnx__NodeProto *n = build_node(b, "If", "c", "y");
    build_attr_graph(b, n, "then_branch", branch(b, "Relu", "2"));
    build_attr_graph(b, n, "else_branch", branch(b, "Neg", "2"));
    build_init(b, "c", DT_BOOL, "", &no);
    Graph *g = expect_type(f, b, NULL, "f32[2]");
    assert_int_equal(g->n_nodes, 1);
    assert_string_equal(last_op(g), "Neg");
    b->graph->n_initializer = 0;
    build_input(b, "c", BOOL, "1");
    g = expect_type(f, b, NULL, "f32[2]");
    assert_string_equal(last_op(g), "Where");
    expect_values(f, g, (double[]){1, 2}, 2);
}

static void if_branches_differ(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_input(b, "c", BOOL, "");
    Onnx__NodeProto *n = build_node(b, "If", "c", "y");
    build_attr_graph(b, n, "then_branch", branch(b, "Relu", "2"));
    build_attr_graph(b, n, "else_branch", branch(b, "IsNaN", "2"));
    expect_refused(f, b, NULL, "its branches give output 0 different types");
}

/* What is wrong there does not matter where the condition is known. */
static void if_branch_is_impossible(void **state)
{
    static const uint8_t yes = 1;
    Fixture *f = *state;
    Build *b = begin(f);
    Onnx__NodeProto *n = build_node(b, "If", "c", "y");
    build_attr_graph(b, n, "then_branch", branch(b, "Relu", "2"));
    build_attr_graph(b, n, "else_branch", branch(b, "GlobalAveragePool", "2"));
    build_init(b, "c", DT_BOOL, "", &yes);
    assert_string_equal(last_op(expect_type(f, b, NULL, "f32[2]")), "Relu");
    b->graph->n_initializer = 0;
    build_input(b, "c", BOOL, "1");
    expect_refused(
        f, b, NULL,
        "whose condition is not known at compile time; give it with --bind c=FILE (or numbers: c=1,3)");
}

/* body(i, cond, v): v' = v + x, scanned out as well */
static Onnx__GraphProto *adding_body(Build *b)
{
    Onnx__GraphProto *outer = b->graph, *g = build_graph(b);
    b->graph = g;
    build_input(b, "i", INT64, "");
    build_input(b, "cond", BOOL, "");
    build_input(b, "v", FLOAT, "2");
    build_node(b, "Add", "v x", "w");
    build_node(b, "Identity", "w", "s");
    build_output(b, "cond", BOOL, "");
    build_output(b, "w", FLOAT, "2");
    build_output(b, "s", FLOAT, "2");
    b->graph = outer;
    return g;
}

static Build *loop(Fixture *f, int64_t trips, const char *outputs)
{
    Build *b = begin(f);
    build_init(b, "trips", DT_I64, "", &trips);
    build_attr_graph(b, build_node(b, "Loop", "trips - x", outputs), "body", adding_body(b));
    return b;
}

static void loop_unrolled(void **state)
{
    Fixture *f = *state;
    Graph *g = expect_type(f, loop(f, 3, "y"), NULL, "f32[2]");
    assert_int_equal(g->n_nodes, 3);
    expect_values(f, g, (double[]){4, 8}, 2);
    g = expect_type(f, loop(f, 3, "- y"), NULL, "f32[3,2]");
    expect_values(f, g, (double[]){2, 4, 3, 6, 4, 8}, 6);
    g = expect_type(f, loop(f, 3, "w y"), NULL, "f32[3,2]"); /* w is the body's name as well */
    expect_values(f, g, (double[]){2, 4, 3, 6, 4, 8}, 6);
    expect_type(f, loop(f, 0, "- y"), NULL, "f32[0,2]");
    expect_values(f, expect_type(f, loop(f, 0, "y"), NULL, "f32[2]"), (double[]){1, 2}, 2);
}

/* The number of the iteration has the rank that the body declares. */
static void loop_number_of_rank_1(void **state)
{
    static const int64_t trips = 2;
    Fixture *f = *state;
    for (int rank = 0; rank < 2; rank++) {
        Build *b = begin(f);
        Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
        build_init(b, "trips", DT_I64, "", &trips);
        Onnx__NodeProto *n = build_node(b, "Loop", "trips -", "y");
        b->graph = body;
        build_input(b, "i", INT64, rank ? "1" : "");
        build_input(b, "cond", BOOL, "");
        build_node(b, "Cast", "i", "s");
        build_attr_int(b, body->node[0], "to", FLOAT);
        build_output(b, "cond", BOOL, "");
        build_output(b, "s", FLOAT, rank ? "1" : "");
        b->graph = outer;
        build_attr_graph(b, n, "body", body);
        expect_values(f, expect_type(f, b, NULL, rank ? "f32[2,1]" : "f32[2]"), (double[]){0, 1},
                      2);
    }
}

/* No trip count, and a condition that stays true. */
static void loop_without_end(void **state)
{
    static const uint8_t yes = 1;
    Fixture *f = *state;
    Build *b = begin(f);
    build_init(b, "yes", DT_BOOL, "", &yes);
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    Onnx__NodeProto *n = build_node(b, "Loop", "- yes x", "y");
    b->graph = body;
    build_input(b, "i", INT64, "");
    build_input(b, "cond", BOOL, "");
    build_input(b, "v", FLOAT, "2");
    build_output(b, "cond", BOOL, "");
    build_output(b, "v", FLOAT, "2");
    b->graph = outer;
    build_attr_graph(b, n, "body", body);
    expect_refused(f, b, NULL, "it runs too often to be unrolled; nor can it be left as a loop");
    expect_refused(f, b, NULL, "never ends");
}

/* Each function calls the one before it. */
static void nested_too_deep(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_node(b, "local:F69", "x", "y");
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    b->graph = body;
    for (int i = 0; i < 70; i++) {
        build_node(b, i ? arena_printf(f->arena, "local:F%d", i - 1) : "Relu", "a", "r");
        build_body(b, build_function(b, "local", arena_printf(f->arena, "F%d", i), "a", "r"), body);
    }
    b->graph = outer;
    expect_refused(f, b, NULL, "graphs and functions are nested too deep");
}

/* Bodies that hold much and use little: each trip costs what it enters. */
static void loop_over_dead_weight(void **state)
{
    enum { TRIPS = 80000, DEAD = 3000 };
    Fixture *f = *state;
    for (int initialisers = 0; initialisers < 2; initialisers++) {
        static const float zero[2];
        Build *b = loop(f, TRIPS, "y");
        Onnx__GraphProto *outer = b->graph, *body = outer->node[0]->attribute[0]->g;
        b->graph = body;
        body->node[0]->op_type = arena_strdup(f->arena, "Identity"); /* nothing is made */
        body->node[0]->n_input = 1;
        body->node[0]->input[0] = build_init(b, "other", DT_F32, "1", zero)->name; /* nor a loop */
        for (int i = 0; i < DEAD; i++) {
            const char *name = arena_printf(f->arena, "dead%d", i);
            if (initialisers)
                build_init(b, name, DT_F32, "2", zero);
            else
                build_node(b, "Relu", "x", name);
        }
        b->graph = outer;
        expect_refused(f, b, NULL, TOO_MANY);
    }
}

/* The trip count is an input, which expect_values sets to 1. */
static Build *unknown_loop(Fixture *f, const char *inputs, const char *outputs)
{
    Build *b = begin(f);
    build_input(b, "trips", INT64, "");
    build_attr_graph(b, build_node(b, "Loop", inputs, outputs), "body", adding_body(b));
    return b;
}

static void loop_of_unknown_length(void **state)
{
    Fixture *f = *state;
    ImportOptions most = {.max_trips = 4};
    Graph *g = expect_type(f, unknown_loop(f, "trips - x", "y"), NULL, "f32[2]");
    assert_string_equal(last_op(g), "LoopEnd");
    assert_int_equal(g->n_nodes, 3);
    expect_values(f, g, (double[]){2, 4}, 2);
    expect_refused(
        f, unknown_loop(f, "trips - x", "- y"), NULL,
        "its results have a row for each iteration, of which there may be any number: --max-trips N says how many at most, and how often it "
        "runs is not known at compile time; give it with --bind");
    g = expect_type(f, unknown_loop(f, "trips - x", "- y"), &most, "f32[4,2]");
    assert_int_equal(g->n_outputs, 2); /* and the count */
    expect_values(f, g, (double[]){2, 4, 0, 0, 0, 0, 0, 0}, 8);
}

static void evaluation_refused(Fixture *f, Graph *g, const char *why)
{
    int64_t trips = 100000000;
    float x[2] = {1, 2}, out[8];
    const Tensor in[] = {{*type_of(g, g->inputs[0].value), x},
                         {*type_of(g, g->inputs[1].value), &trips}};
    Tensor made[] = {{.data = out}, {.data = out}};
    assert_false(eval_graph(g, in, made, f->arena));
    assert_non_null(strstr(f->diag.message, why));
}

/* More iterations than there are rows for, or than the evaluator has time for. */
static void too_many_iterations(void **state)
{
    Fixture *f = *state;
    ImportOptions most = {.max_trips = 4};
    evaluation_refused(f, expect_type(f, unknown_loop(f, "trips - x", "- y"), &most, "f32[4,2]"),
                       "makes more iterations than its results have rows");
    evaluation_refused(f, expect_type(f, unknown_loop(f, "trips - x", "y"), NULL, "f32[2]"),
                       "runs too often for the reference evaluator");
}

/* Row i of a table: that there is one is known by the bound. */
static void part_by_iteration(void **state)
{
    static const float table[] = {1, 2, 10, 20, 100, 200};
    static const int64_t one = 1, axis = 0;
    Fixture *f = *state;
    ImportOptions most = {.max_trips = 3};
    Build *b = unknown_loop(f, "trips - x", "y");
    Onnx__GraphProto *outer = b->graph, *body = outer->node[0]->attribute[0]->g;
    build_init(b, "table", DT_F32, "3,2", table);
    build_init(b, "one", DT_I64, "1", &one);
    build_init(b, "axis", DT_I64, "1", &axis);
    b->graph = body;
    body->node[0]->input[1] = arena_strdup(f->arena, "part");
    build_node(b, "Reshape", "i one", "from");
    build_node(b, "Add", "from one", "to");
    build_node(b, "Slice", "table from to axis", "row");
    build_node(b, "Squeeze", "row axis", "part");
    b->graph = outer;
    expect_values(f, expect_type(f, b, &most, "f32[2]"), (double[]){2, 4}, 2);
    most.max_trips = 4;
    expect_refused(f, b, &most, "a part may end behind the last one");
}

/* As many copies of the body would be too much code. */
static void long_loop(void **state)
{
    Fixture *f = *state;
    Graph *g = expect_type(f, loop(f, 1000, "y"), NULL, "f32[2]");
    assert_int_equal(g->n_nodes, 3);
    expect_values(f, g, (double[]){1001, 2002}, 2);
    g = expect_type(f, loop(f, 1000, "- y"), NULL, "f32[1000,2]");
    assert_int_equal(g->n_outputs, 1);
}

static void loops_refused(void **state)
{
    Fixture *f = *state;
    ImportOptions most = {.max_trips = 4};
    Build *b = unknown_loop(f, "trips - x", "y");
    Onnx__GraphProto *body = b->graph->node[0]->attribute[0]->g;
    body->node[0]->op_type = arena_strdup(f->arena, "IsNaN");
    body->node[0]->n_input = 1;
    expect_refused(f, b, NULL, "what it carries as 'v' is f32[2] at first and bool[2] later");
    b = loop(f, 3, "y");
    b->graph->node[0]->input[1] = b->graph->node[0]->input[2];
    expect_refused(f, b, NULL, "its condition must be one bool");
    b = unknown_loop(f, "x - x", "y");
    expect_refused(f, b, NULL, "its trip count or condition is not one number");
    b = unknown_loop(f, "few - x", "y");
    build_input(b, "few", FLOAT, "");
    expect_refused(f, b, NULL, "its trip count must be of type i64, its condition a bool");
    b = unknown_loop(f, "trips - s", "y");
    build_node(b, "SequenceConstruct", "x x", "s");
    expect_refused(f, b, NULL, "it carries a sequence or an optional");
    b = unknown_loop(f, "trips - x", "- y");
    body = b->graph->node[0]->attribute[0]->g;
    body->node[1]->op_type = arena_strdup(f->arena, "NonZero");
    expect_refused(f, b, &most,
                   "output 1 of an iteration is a number of rows that depends on data");
    body->node[1]->op_type = arena_strdup(f->arena, "SequenceConstruct");
    expect_refused(f, b, &most, "output 1 of an iteration is no tensor");
    b = unknown_loop(f, "trips - x", "y");
    body = b->graph->node[0]->attribute[0]->g;
    body->output[0]->name = arena_strdup(f->arena, "w");
    expect_refused(f, b, NULL, "its trip count or condition is not one number");
}

/* The loop in the branch that is not taken has no end: it does not begin. */
static void loop_in_a_branch(void **state)
{
    static const uint8_t yes = 1;
    Fixture *f = *state;
    Build *b = begin(f);
    build_input(b, "k", FLOAT, "");
    build_init(b, "limit", DT_F32, "", &(float){5});
    build_node(b, "Less", "limit k", "c"); /* 5 < 1 */
    Onnx__NodeProto *n = build_node(b, "If", "c", "y");
    build_init(b, "yes", DT_BOOL, "", &yes);
    Onnx__GraphProto *outer = b->graph, *then = build_graph(b), *body = adding_body(b);
    b->graph = body;
    build_node(b, "Less", "limit k", "d");
    build_node(b, "Or", "d cond", "more");
    body->output[0]->name = arena_strdup(f->arena, "more");
    b->graph = then;
    build_attr_graph(b, build_node(b, "Loop", "- yes x", "r"), "body", body);
    build_output(b, "r", FLOAT, "2");
    b->graph = outer;
    build_attr_graph(b, n, "then_branch", then);
    build_attr_graph(b, n, "else_branch", branch(b, "Neg", "2"));
    expect_values(f, expect_type(f, b, NULL, "f32[2]"), (double[]){-1, -2}, 2);
}

static void scan(void **state)
{
    Fixture *f = *state;
    Build *b = begin(f);
    build_input(b, "rows", FLOAT, "3,2");
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    Onnx__NodeProto *n = build_node(b, "Scan", "x rows", "last y");
    build_attr_int(b, n, "num_scan_inputs", 1);
    b->graph = body;
    build_input(b, "s", FLOAT, "2");
    build_input(b, "row", FLOAT, "2");
    build_node(b, "Add", "s row", "t");
    build_node(b, "Identity", "t", "u");
    build_output(b, "t", FLOAT, "2");
    build_output(b, "u", FLOAT, "2");
    b->graph = outer;
    build_attr_graph(b, n, "body", body);
    expect_values(f, expect_type(f, b, NULL, "f32[3,2]"), (double[]){2, 4, 5, 8, 10, 14}, 6);
    /* as a loop, from behind, into columns */
    b->graph->input[1]->type->tensor_type->shape->dim[0]->dim_value = 900;
    build_attr_ints(b, n, "scan_input_directions", (int64_t[]){1}, 1);
    build_attr_ints(b, n, "scan_output_directions", (int64_t[]){1}, 1);
    build_attr_ints(b, n, "scan_output_axes", (int64_t[]){-1}, 1);
    Graph *g = expect_type(f, b, NULL, "f32[2,900]");
    assert_true(g->n_nodes < 10);
    double columns[2][900];
    for (int row = 0; row < 2; row++) /* rows are counted from 1, elements of x too */
        for (int k = 900; k-- > 0;)
            columns[row][k] = 2 * k + row + 1 + (k == 899 ? row + 1 : columns[row][k + 1]);
    expect_values(f, g, columns[0], (size_t)2 * 900);
}

/* Opset 8: each element of the batch is scanned alone, in a loop of its own where it is long. */
static void scan_of_batches(void **state)
{
    enum { BATCH = 2, LENGTH = 900, WIDTH = 2 };
    static double sums[BATCH][LENGTH][WIDTH];
    Fixture *f = *state;
    Build *b = build_new(f->arena, 8);
    build_input(b, "x", FLOAT, "2,2");
    build_input(b, "rows", FLOAT, "2,900,2");
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    Onnx__NodeProto *n = build_node(b, "Scan", "- x rows", "last y");
    build_attr_int(b, n, "num_scan_inputs", 1);
    b->graph = body;
    build_input(b, "s", FLOAT, "2");
    build_input(b, "row", FLOAT, "2");
    build_node(b, "Add", "s row", "t");
    build_node(b, "Identity", "t", "u");
    build_output(b, "t", FLOAT, "2");
    build_output(b, "u", FLOAT, "2");
    b->graph = outer;
    build_attr_graph(b, n, "body", body);
    build_output(b, "y", FLOAT, NULL);
    build_output(b, "last", FLOAT, NULL);
    Graph *g = expect_type(f, b, NULL, "f32[2,900,2]");
    assert_true(g->n_nodes < 40);
    for (int i = 0; i < BATCH; i++)
        for (int k = 0; k < LENGTH; k++)
            for (int j = 0; j < WIDTH; j++)
                sums[i][k][j] =
                    (i * LENGTH + k) * WIDTH + j + 1 + (k ? sums[i][k - 1][j] : i * WIDTH + j + 1);
    expect_values(f, g, sums[0][0], (size_t)BATCH * LENGTH * WIDTH);
}

static void sequences(void **state)
{
    static const int64_t last = -1;
    Fixture *f = *state;
    Build *b = begin(f);
    build_init(b, "last", DT_I64, "", &last);
    build_node(b, "Neg", "x", "n");
    build_node(b, "SequenceConstruct", "x n", "s");
    build_node(b, "SequenceInsert", "s x last", "t");
    build_node(b, "SequenceErase", "t last", "u");
    build_node(b, "SequenceAt", "u last", "y");
    expect_values(f, expect_type(f, b, NULL, "f32[2]"), (double[]){1, 2}, 2);
    b->graph->n_node = 2;
    build_node(b, "Identity", "s", "y");
    assert_int_equal(expect_type(f, b, NULL, "f32[2]")->n_outputs, 2); /* a port for each tensor */
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(functions),
        TEST(function_attributes),
        TEST(function_recursion),
        TEST(function_refusals),
        TEST(function_defaults),
        TEST(nested_too_deep),
        TEST(billion_laughs),
        TEST(if_known_and_unknown),
        TEST(if_branches_differ),
        TEST(if_branch_is_impossible),
        TEST(loop_unrolled),
        TEST(loop_number_of_rank_1),
        TEST(loop_without_end),
        TEST(loop_over_dead_weight),
        TEST(loop_of_unknown_length),
        TEST(long_loop),
        TEST(part_by_iteration),
        TEST(too_many_iterations),
        TEST(loops_refused),
        TEST(loop_in_a_branch),
        TEST(scan),
        TEST(scan_of_batches),
        TEST(sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
