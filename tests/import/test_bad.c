/* Models that must be refused with one line that says why, and files that are no models. */
#include "testing.h"

#include <sys/stat.h>

enum { FLOAT = DT_F32, INT64 = DT_I64 };

/* x f32[2,3] -> op -> y */
static Build *one_node(Fixture *f, int64_t opset, const char *op, const char *inputs)
{
    Build *b = build_new(f->arena, opset);
    build_input(b, "x", FLOAT, "2,3");
    build_node(b, op, inputs, "y");
    build_output(b, "y", FLOAT, NULL);
    return b;
}

static void unknown_operator(void **state)
{
    expect_refused(*state, one_node(*state, 13, "Frobnicate", "x"), NULL,
                   "node 0 'n0' (Frobnicate): dnnlc does not know this operator of domain");
    expect_refused(*state, one_node(*state, 13, "other.domain:Relu", "x"), NULL,
                   "does not know this operator");
    expect_refused(*state, one_node(*state, 13, "RandomNormalLike", "x"), NULL, "random");
}

static void undefined_names(void **state)
{
    expect_refused(*state, one_node(*state, 13, "Relu", "w"), NULL, "input 0 'w' is not defined");
    Build *b = one_node(*state, 13, "Relu", "x");
    build_output(b, "z", FLOAT, "2,3");
    expect_refused(*state, b, NULL, "output 'z' is made by no node");
}

static void missing_initialiser(void **state)
{
    expect_refused(*state, one_node(*state, 13, "Add", "x weight"), NULL,
                   "input 1 'weight' is not defined");
}

static void cycle(void **state)
{
    Build *b = build_new(((Fixture *)*state)->arena, 13);
    build_input(b, "x", FLOAT, "2");
    build_node(b, "Add", "x c", "a");
    build_node(b, "Relu", "a", "b");
    build_node(b, "Relu", "b", "c");
    build_output(b, "c", FLOAT, "2");
    expect_refused(*state, b, NULL, "is on a cycle");
}

static void names_twice(void **state)
{
    Build *b = one_node(*state, 13, "Relu", "x");
    build_node(b, "Sqrt", "x", "y");
    expect_refused(*state, b, NULL, "'y' is an output of two nodes, 'n0' and 'n1'");
    b = one_node(*state, 13, "Relu", "x");
    b->model.opset_import[0]->version = -1;
    expect_refused(*state, b, NULL, "opset version -1 of domain '");
    b = build_new(((Fixture *)*state)->arena, 13);
    build_input(b, "x", FLOAT, "2,3");
    build_node(b, "Split", "x", "y y");
    build_output(b, "y", FLOAT, NULL);
    expect_refused(*state, b, NULL, "'y' is an output of two nodes, 'n0' and 'n0'");
}

/* x and a condition that is a constant -> an If or Loop with a body that is built in between. */
static void bodies(void **state)
{
    Fixture *f = *state;
    static const bool yes = true;
    static const char *const said[] = {"a branch has 0 outputs, the node 1",
                                       "its body has 0 inputs and 0 outputs",
                                       "its inputs do not fit its body"};
    static const char *const op[] = {"If", "Loop", "Scan"}, *const in[] = {"c", " c", "x"},
                             *const attr[] = {"then_branch", "body", "body"};
    for (size_t i = 0; i < COUNT_OF(said); i++) {
        Build *b = build_new(f->arena, 13);
        build_input(b, "x", FLOAT, "2,3");
        build_init(b, "c", DT_BOOL, "", &yes);
        Onnx__NodeProto *n = build_node(b, op[i], in[i], "y");
        build_output(b, "y", FLOAT, NULL);
        build_attr_graph(b, n, attr[i], build_graph(b));
        if (i == 0)
            build_attr_graph(b, n, "else_branch", build_graph(b));
        if (i == 2)
            build_attr_int(b, n, "num_scan_inputs", 1);
        expect_refused(f, b, NULL, said[i]);
    }
}

static void wrong_ranks_and_shapes(void **state)
{
    expect_refused(*state, one_node(*state, 13, "GlobalAveragePool", "x"), NULL, "rank 2");
    expect_refused(*state, one_node(*state, 13, "MatMul", "x x"), NULL, "n0");
    expect_refused(*state, one_node(*state, 13, "DepthToSpace", "x"), NULL, "n0");
}

/* Exporters have written such models, and what the nodes make is clear. */
static void wrong_output_shape(void **state)
{
    Fixture *f = *state;
    Build *b = one_node(f, 13, "Relu", "x");
    b->graph->output[0]->type->tensor_type->shape = NULL;
    build_output(b, "x", FLOAT, "2,4");
    expect_type(f, b, NULL, "f32[2,3]");
    assert_string_equal(f->notes.data,
                        "note: output 'x' is f32[2,3], which contradicts its declared shape\n");
}

static void wrong_output_type(void **state)
{
    Build *b = one_node(*state, 13, "Relu", "x");
    b->graph->output[0]->type->tensor_type->elem_type = INT64;
    expect_refused(*state, b, NULL, "output 'y' is declared with element type i64, but is f32");
}

static void defined_twice(void **state)
{
    Build *b = one_node(*state, 13, "Relu", "x");
    build_node(b, "Abs", "x", "y");
    expect_refused(*state, b, NULL, "'y' is an output of two nodes");
    b = one_node(*state, 13, "Relu", "x");
    build_node(b, "Abs", "y", "x");
    build_output(b, "x", FLOAT, NULL);
    expect_refused(*state, b, NULL, "is on a cycle");
    b = one_node(*state, 13, "Relu", "x");
    build_input(b, "z", FLOAT, "2,3");
    build_node(b, "Abs", "x", "z");
    build_output(b, "z", FLOAT, NULL);
    expect_refused(*state, b, NULL, "output 0 'z' is already defined");
    b = one_node(*state, 13, "Relu", "x");
    build_input(b, "x", FLOAT, "2,3");
    expect_refused(*state, b, NULL, "input 'x' is listed twice");
}

static void unusable_inputs(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", -1, NULL);
    build_node(b, "Relu", "x", "y");
    build_output(b, "y", FLOAT, NULL);
    expect_refused(f, b, NULL, "input 'x' has no type");
    b->graph->n_input = 0;
    build_input(b, "x", 8, "2");
    expect_refused(f, b, NULL, "strings of an input are compared with known ones only");
    b->graph->n_input = 0;
    build_input(b, "x", 77, "2");
    expect_refused(f, b, NULL, "element type 77 is unknown");
    b->graph->n_input = 0;
    build_input(b, "x", FLOAT, "1,1,1,1,1,1,1,1,1,1,1,1,1");
    expect_refused(f, b, NULL, "rank 13 is more than 12");
    b->graph->n_input = 0;
    build_input(b, "x", FLOAT, "9000000000000,9000000000000");
    expect_refused(f, b, NULL, "too large");
}

static void unknown_contents(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2,3");
    build_input(b, "shape", INT64, "2");
    build_node(b, "Reshape", "x shape", "y");
    build_output(b, "y", FLOAT, NULL);
    expect_refused(
        f, b, NULL,
        "must be known at compile time; give it with --bind shape=FILE (or numbers: shape=1,3)");
    b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2,3");
    build_input(b, "unused", INT64, "2");
    build_input(b, "a", INT64, "2");
    build_input(b, "b", INT64, "2");
    build_node(b, "Add", "a b", "inner");
    build_node(b, "Reshape", "x inner", "y");
    build_output(b, "y", FLOAT, NULL);
    expect_refused(f, b, NULL,
                   "input 1 (shape) must be known at compile time; it is computed from the inputs "
                   "'a', 'b'; give them with --bind a=FILE --bind b=FILE (or numbers: b=1,3)");
}

/* Read after it was refused: its count must not stay behind. */
static void floats_for_integers(void **state)
{
    static const float data[200] = {1};
    static const char *const ops[] = {"ReduceSum", "ReduceSumSquare", "Squeeze", "Unsqueeze",
                                      "Split",     "Reshape",         "Expand",  "Tile"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        Build *b = one_node(*state, 18, ops[i], "x w");
        build_init(b, "w", DT_F32, "200", data);
        expect_refused(*state, b, NULL, "must hold integers");
    }
}

static void bad_tensors(void **state)
{
    static const float data[] = {1, 2, 3, 4, 5, 6};
    Fixture *f = *state;
    Build *b = one_node(f, 13, "Add", "x w");
    Onnx__TensorProto *t = build_init(b, "w", DT_F32, "2,3", data);
    t->raw_data.len = 23;
    expect_refused(f, b, NULL, "initialiser 'w': its shape asks for 24 bytes, there are 23");
    t->raw_data.len = 24;
    t->dims[0] = -2;
    expect_refused(f, b, NULL, "its shape is invalid or too large");
    t->dims[0] = INT64_MAX;
    expect_refused(f, b, NULL, "its shape is invalid or too large");
    t->dims[0] = 2;
    t->data_type = 8;
    expect_refused(f, b, NULL, "its shape asks for 6 strings, there are 0");
    t->data_type = DT_F32;
    t->has_raw_data = false;
    expect_refused(f, b, NULL, "asks for 6 elements, there are 0");
    Onnx__TensorProto__Segment segment = ONNX__TENSOR_PROTO__SEGMENT__INIT;
    t->segment = &segment;
    expect_refused(f, b, NULL, "tensors in segments are not supported");
    t->segment = NULL;
    t->n_dims = 40;
    expect_refused(f, b, NULL, "rank 40");
    int32_t wide[] = {1, 2, 3, 4, 5, 300};
    t->n_dims = 2;
    t->data_type = DT_U8;
    t->int32_data = wide;
    t->n_int32_data = 6;
    expect_refused(f, b, NULL, "a number does not fit its element type");
}

static void bad_attributes(void **state)
{
    Fixture *f = *state;
    Build *b = one_node(f, 13, "Transpose", "x");
    build_attr_ints(b, b->graph->node[0], "perm", (int64_t[]){0, 0}, 2);
    expect_refused(f, b, NULL, "perm names axis 0 twice");
    b = one_node(f, 13, "Transpose", "x");
    build_attr_int(b, b->graph->node[0], "perm", 1);
    expect_refused(f, b, NULL, "attribute 'perm' has the wrong type");
    b = one_node(f, 13, "Concat", "x x");
    build_attr_int(b, b->graph->node[0], "axis", 7);
    expect_refused(f, b, NULL, "axis 7 is out of range for rank 2");
    b = one_node(f, 13, "Cast", "x");
    build_attr_int(b, b->graph->node[0], "to", 8);
    expect_refused(f, b, NULL, "element type string is not supported");
    b = one_node(f, 13, "If", "x");
    expect_refused(f, b, NULL, "attribute 'then_branch' is missing");
}

static void names_of_the_model(void **state)
{
    Fixture *f = *state;
    Build *b = one_node(f, 13, "Relu", "x");
    b->graph->node[0]->name = arena_strdup(f->arena, "a\nb");
    expect_refused(f, b, NULL, "a name holds a control character");
    b->graph->node[0]->name = arena_strdup(f->arena, "\xff\xfe");
    expect_refused(f, b, NULL, "a name is not valid UTF-8");
    /* a surrogate, overlong forms, beyond U+10FFFF, cut short */
    static const char *const malformed[] = {"\xed\xa0\x80",     "\xc0\x80",         "\xe0\x80\x8a",
                                            "\xf0\x80\x80\x8a", "\xf4\x90\x80\x80", "\xe2\x82"};
    for (size_t i = 0; i < COUNT_OF(malformed); i++) {
        b->graph->node[0]->name = arena_strdup(f->arena, malformed[i]);
        expect_refused(f, b, NULL, "a name is not valid UTF-8");
    }
    /* U+0085, U+009B, U+2028, U+202E, U+2066 */
    static const char *const controls[] = {"\xc2\x85", "\xc2\x9b", "\xe2\x80\xa8", "\xe2\x80\xae",
                                           "\xe2\x81\xa6"};
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        b->graph->node[0]->name = arena_strdup(f->arena, controls[i]);
        expect_refused(f, b, NULL, "a name holds a control character");
    }
}

static void refused_path(Fixture *f, const char *path, const char *text)
{
    Diag diag = {.arena = f->arena};
    assert_null(import_onnx(f->arena, &diag, path, NULL));
    if (!strstr(diag.message, text))
        fail_msg("refused with '%s', not '%s'", diag.message, text);
    assert_non_null(strstr(diag.message, path));
}

static void no_models(void **state)
{
    Fixture *f = *state;
    refused_path(f, arena_printf(f->arena, "%s/nothing.onnx", f->folder), "No such file");
    refused_path(f, f->folder, "is a directory");
    write_bytes(f, "model.onnx", "", 0);
    refused_path(f, f->path, "is empty");
    write_bytes(f, "model.onnx", "not a model at all", 18);
    refused_path(f, f->path, "is not a valid ONNX model");
    assert_int_equal(mkfifo(arena_printf(f->arena, "%s/pipe", f->folder), 0600), 0);
    refused_path(f, arena_printf(f->arena, "%s/pipe", f->folder), "is not a regular file");
    Build *b = build_new(f->arena, 13);
    b->model.graph = NULL;
    expect_refused(f, b, NULL, "is not a valid ONNX model: it has no graph");
    expect_refused(f, build_new(f->arena, 13), NULL, "the model has no outputs");
}

static void refused_bytes(Fixture *f, const void *bytes, size_t size, const char *text)
{
    write_bytes(f, "model.onnx", bytes, size);
    refused_path(f, f->path, text);
}

static void malformed(void **state)
{
    enum { PARTS = (16 << 20) + 1 };
    static const uint8_t floats[] = {0x3a, 7, 0x2a, 5, 0x22, 3, 0, 0, 0};
    Fixture *f = *state;
    refused_bytes(f, floats, sizeof floats, "a packed array has an incomplete element");
    uint8_t *empty = arena_alloc(f->arena, 2 * PARTS); /* many imports of opsets */
    for (size_t i = 0; i < PARTS; i++)
        empty[2 * i] = 0x42;
    refused_bytes(f, empty, 2 * PARTS, "it has too many parts");
}

static void too_many(void **state)
{
    enum { MANY = 70000 };
    Fixture *f = *state;
    Build *b = one_node(f, 13, "Sum", "x");
    char **in = ARENA_ARRAY(f->arena, char *, MANY);
    for (int i = 0; i < MANY; i++)
        in[i] = arena_strdup(f->arena, "x");
    b->graph->node[0]->input = in;
    b->graph->node[0]->n_input = MANY;
    expect_refused(f, b, NULL, "has too many inputs or outputs");
    b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "9000");
    for (int i = 0; i < 2; i++) {
        const char *name = arena_printf(f->arena, "parts%d", i);
        build_attr_int(b, build_node(b, "SplitToSequence", "x", name), "keepdims", 0);
        build_output(b, name, -1, NULL);
    }
    expect_refused(f, b, NULL, "the model has too many outputs");
}

/* Graphs in attributes of nodes of graphs … : field 7 of the model, then fields 1, 5 and 6 again and again. */
static void nested_too_deep(void **state)
{
    enum { LEVELS = 20000 };
    static const uint8_t keys[] = {1 << 3 | 2, 5 << 3 | 2, 6 << 3 | 2};
    Fixture *f = *state;
    size_t size = 0, cap = LEVELS * 6;
    uint8_t *bytes = arena_alloc(f->arena, cap), *at = bytes + cap;
    for (int level = LEVELS; level >= 0; level--) {
        uint8_t key = level ? keys[(level - 1) % 3] : 7 << 3 | 2, length[5];
        size_t n = 0;
        for (size_t v = size; n == 0 || v; v >>= 7)
            length[n++] = (uint8_t)((v & 127) | (v > 127 ? 128 : 0));
        for (size_t i = n; i-- > 0;)
            *--at = length[i];
        *--at = key;
        size = (size_t)(bytes + cap - at);
    }
    write_bytes(f, "model.onnx", at, size);
    refused_path(f, f->path, "messages are nested too deep");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(unknown_operator),
        TEST(undefined_names),
        TEST(missing_initialiser),
        TEST(cycle),
        TEST(wrong_ranks_and_shapes),
        TEST(wrong_output_shape),
        TEST(wrong_output_type),
        TEST(defined_twice),
        TEST(unusable_inputs),
        TEST(unknown_contents),
        TEST(floats_for_integers),
        TEST(bad_tensors),
        TEST(bad_attributes),
        TEST(names_of_the_model),
        TEST(no_models),
        TEST(names_twice),
        TEST(bodies),
        TEST(nested_too_deep),
        TEST(malformed),
        TEST(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
