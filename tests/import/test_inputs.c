/* Open dimensions, --dim, --shape, --bind; external data. */
#include "testing.h"

#include "../../runtime-stub/dnnlc_file.h"

enum { FLOAT = DT_F32, INT64 = DT_I64 };

static Build *with_input(Fixture *f, const char *dims)
{
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, dims);
    build_node(b, "Relu", "x", "y");
    build_output(b, "y", FLOAT, NULL);
    return b;
}

#define OPTIONS(field, ...)                                                                        \
    (&(ImportOptions){.field##s = (const char *const[]){__VA_ARGS__},                              \
                      .n_##field##s = COUNT_OF(((const char *const[]){__VA_ARGS__}))})

static void batch_left_open(void **state)
{
    Fixture *f = *state;
    expect_type(f, with_input(f, "N,3"), NULL, "f32[1,3]");
    assert_string_equal(f->notes.data,
                        "note: input 'x': batch dimension 'N' left open; set to 1\n");
    expect_type(f, with_input(f, "?,3"), NULL, "f32[1,3]");
    assert_string_equal(f->notes.data, "note: input 'x': batch dimension left open; set to 1\n");
    expect_type(f, with_input(f, "-1,3"), NULL, "f32[1,3]");
    expect_type(f, with_input(f, "0,3"), NULL, "f32[0,3]");
    expect_type(f, with_input(f, ""), NULL, "f32[]");
    assert_int_equal(f->notes.size, 0);
}

static void others_left_open(void **state)
{
    Fixture *f = *state;
    expect_refused(f, with_input(f, "N,seq"), NULL,
                   "input 'x' [N, seq]: dimension 'seq' is open; set it with --dim seq=N or "
                   "--shape x=1xA");
    expect_refused(f, with_input(f, "N,?"), NULL,
                   "input 'x' [N, ?]: dimension 1 is open; set it with --shape x=1xA");
    expect_refused(
        f, with_input(f, "N,3,height,width/2*k"), NULL,
        "input 'x' [N, 3, height, width/2*k]: dimensions 'height', 'width/2*k' are open; set "
        "them with --dim height=N --dim 'width/2*k=N' or --shape x=1x3xAxB");
    expect_refused(f, with_input(f, "N,?,h,?"), NULL,
                   "dimensions 1, 'h', 3 are open; set them with --shape x=1xAxBxC");
    expect_refused(f, with_input(f, NULL), NULL, "input 'x': its shape is open");
    Build *b = with_input(f, "N,seq");
    build_input(b, "past", FLOAT, "N,seq,4");
    build_input(b, "mask", FLOAT, "N,seq");
    expect_refused(f, b, NULL,
                   "input 'x' [N, seq]: dimension 'seq' is open, as in 2 more; set it with "
                   "--dim seq=N");
    b = with_input(f, "1,seq");
    build_input(b, "mask", FLOAT, "1,width,4");
    expect_refused(f, b, NULL, "--dim width=N");
    assert_non_null(strstr(f->diag.message, "--dim seq=N"));
}

/* Without axes a Squeeze removes the batch dimension as well, if it is 1. */
static void models_without_batches_of_one(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 11);
    build_input(b, "x", FLOAT, "N,3");
    build_node(b, "Squeeze", "x", "s");
    build_attr_ints(b, build_node(b, "Unsqueeze", "s", "y"), "axes", (const int64_t[]){2}, 1);
    build_output(b, "y", 0, NULL);
    expect_refused(
        f, b, NULL,
        "axis 2 is out of range for rank 2; the batch dimension was left open: with 2 it "
        "can be imported, set it with --dim '*=N'");
    expect_type(f, b, OPTIONS(dim, "*=2"), "f32[2,3,1]");
}

static void dims_and_shapes(void **state)
{
    Fixture *f = *state;
    expect_type(f, with_input(f, "N,seq"), OPTIONS(dim, "seq=7"), "f32[1,7]");
    expect_type(f, with_input(f, "N,seq"), OPTIONS(dim, "seq=7", "N=2"), "f32[2,7]");
    expect_type(f, with_input(f, "N,seq"), OPTIONS(dim, "*=4", "N=2"), "f32[2,4]");
    expect_type(f, with_input(f, "?,?"), OPTIONS(dim, "*=4"), "f32[4,4]");
    expect_type(f, with_input(f, "2,3"), OPTIONS(dim, "*=4"), "f32[2,3]");
    expect_type(f, with_input(f, "N,seq"), OPTIONS(shape, "x=5x6"), "f32[5,6]");
    expect_type(f, with_input(f, NULL), OPTIONS(shape, "x=5x6x7"), "f32[5,6,7]");
    expect_type(f, with_input(f, NULL), OPTIONS(shape, "x=scalar"), "f32[]");
}

static void symbols_agree(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "n,2");
    build_input(b, "y", FLOAT, "2,n");
    build_node(b, "MatMul", "x y", "z");
    build_output(b, "z", FLOAT, NULL);
    expect_type(f, b, OPTIONS(shape, "x=5x2"), "f32[5,5]");
    expect_refused(f, b, OPTIONS(shape, "x=5x2", "y=2x6"), "dimension 'n' is 5 by --shape x=5x2 and 6 by --shape y=2x6");
}

static void bad_options(void **state)
{
    Fixture *f = *state;
    Build *b = with_input(f, "N,3");
    expect_refused(f, b, OPTIONS(dim, "M=3"), "the model has no dimension 'M'");
    expect_refused(f, b, OPTIONS(dim, "N"), "must be SYMBOL=N");
    expect_refused(f, b, OPTIONS(dim, "N=-3"), "must be SYMBOL=N");
    expect_refused(f, b, OPTIONS(dim, "N=3x"), "must be SYMBOL=N");
    expect_refused(f, b, OPTIONS(dim, "N=99999999999999999999"), "must be SYMBOL=N");
    expect_refused(f, b, OPTIONS(dim, "N=3", "N=4"), "dimension 'N' is 3 by --dim N=3 and 4");
    expect_refused(f, b, OPTIONS(shape, "z=3"), "the model has no such input");
    expect_refused(f, b, OPTIONS(shape, "x"), "must be INPUT=AxBxC");
    expect_refused(f, b, OPTIONS(shape, "x=3xx4"), "is not a shape");
    expect_refused(f, b, OPTIONS(shape, "x=3x"), "is not a shape");
    expect_refused(f, b, OPTIONS(shape, "x="), "is not a shape");
    expect_refused(f, b, OPTIONS(shape, "x=2x3x1"), "input 'x' has rank 2, not 3");
    expect_refused(f, b, OPTIONS(shape, "x=90000000000000x3"), "input 'x' is too large");
    expect_refused(f, b, OPTIONS(bind, "q=file.npy"), "the model has no such input");
    expect_refused(f, b, OPTIONS(bind, "x=/nowhere/file.npy"), "--bind x");
    expect_refused(f, b, OPTIONS(bind, "x"),
                   "--bind x: must be INPUT=FILE or INPUT=NUMBER[,NUMBER...]");
    b->graph->input[0]->name = arena_strdup(f->arena, "");
    expect_refused(f, b, NULL, "an input has no name");
    b = build_new(f->arena, 13);
    for (int i = 0; i <= 10000; i++)
        build_input(b, arena_printf(f->arena, "x%d", i), FLOAT, "2");
    build_output(b, "x0", FLOAT, NULL);
    expect_refused(f, b, NULL, "the model has too many inputs");
}

static const char *npy(Fixture *f, int dtype, int rank, const int64_t *dims, const void *data)
{
    char why[256];
    struct dnnlc_array a = {0};
    const char *path = arena_printf(f->arena, "%s/a.npy", f->folder);
    assert_true(dnnlc_array_describe(&a, dtype, rank, dims, why, sizeof why));
    a.data = arena_copy(f->arena, data, a.bytes);
    assert_true(dnnlc_array_write(path, &a, why, sizeof why));
    return path;
}

static void bound_inputs(void **state)
{
    static const int64_t shape[] = {3, 2}, two = 2;
    static const float numbers[] = {1, 2, 3};
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2,3");
    build_input(b, "shape", INT64, "n");
    build_node(b, "Reshape", "x shape", "y");
    build_output(b, "y", FLOAT, NULL);
    const char *bind = arena_printf(f->arena, "shape=%s", npy(f, DNNLC_I64, 1, &two, shape));
    Graph *g = expect_type(f, b, OPTIONS(bind, bind), "f32[3,2]");
    assert_int_equal(g->n_inputs, 1);
    expect_refused(f, b, OPTIONS(bind, bind, bind, "x=/nowhere.npy"), "--bind x");
    bind = arena_printf(f->arena, "shape=%s", npy(f, DNNLC_F32, 1, (int64_t[]){3}, numbers));
    expect_refused(f, b, OPTIONS(bind, bind), "the file holds f32, the input takes i64");
    expect_refused(f, b, OPTIONS(bind, "shape=./3,2"), "--bind shape: ./3,2");
    expect_refused(f, b, OPTIONS(bind, "shape=3,2,"), "--bind shape: 3,2,");
    expect_type(f, b, OPTIONS(bind, "shape=3,2"), "f32[3,2]");
    expect_type(f, b, OPTIONS(bind, "shape=-1"), "f32[6]");
    expect_refused(f, b, OPTIONS(bind, "shape=3,2.5"), "--bind shape=3,2.5: '2.5' is no i64");
    expect_refused(f, b, OPTIONS(bind, "shape=99999999999999999999"), "is no i64");
    expect_refused(f, b, OPTIONS(bind, "x=1,2"), "input 'x' has rank 2, not 1");
    expect_refused(f, b, OPTIONS(bind, "x=1"), "dimension 0 of input 'x' is fixed to 2");
    bind = arena_printf(f->arena, "x=%s", npy(f, DNNLC_F32, 1, (int64_t[]){3}, numbers));
    expect_refused(f, b, OPTIONS(bind, bind), "input 'x' has rank 2, not 1");
    bind = arena_printf(f->arena, "x=%s", npy(f, DNNLC_F32, 2, (int64_t[]){3, 1}, numbers));
    expect_refused(f, b, OPTIONS(bind, bind), "dimension 0 of input 'x' is fixed to 2");
    b = with_input(f, "3");
    b->graph->input[0]->type->tensor_type->elem_type = 22; /* int4 */
    bind = arena_printf(f->arena, "x=%s", npy(f, DNNLC_U8, 1, (int64_t[]){3}, "abc"));
    expect_refused(f, b, OPTIONS(bind, bind), "--bind x: the file has 3 bytes, the input takes 2");
    expect_refused(f, b, OPTIONS(bind, "x=1,2,3"), "the elements of 'x' are read from a file only");
    b = with_input(f, "1,n");
    b->graph->input[0]->type->tensor_type->elem_type = 22;
    expect_refused(f, b, OPTIONS(dim, "n=..4"),
                   "input 'x' cannot have a bound: its elements are no numbers of a whole byte");
}

/* Numbers of each type, for a scalar, one element of any rank, an input of unknown rank, one tensor of a sequence. */
static void typed_inputs(void **state)
{
    static const struct {
        int type;
        const char *dims, *bind, *says;
        double is;
    } cases[] = {{FLOAT, "", "x=-2.5e1", "f32[]", -25},
                 {FLOAT, "1,1,1", "x=.5", "f32[1,1,1]", 0.5},
                 {FLOAT, "1,n", "x=7", "f32[1,1]", 7},
                 {FLOAT, NULL, "x=3", "f32[]", 3},
                 {INT64, "", "x=-4611686018427387905", "i64[]", -4611686018427387905.0},
                 {DT_BOOL, "1", "x=1", "bool[1]", 1}};
    Fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Build *b = build_new(f->arena, 13);
        build_input(b, "x", cases[i].type, cases[i].dims);
        build_node(b, "Identity", "x", "y");
        build_output(b, "y", cases[i].type, NULL);
        Graph *g = expect_type(f, b, OPTIONS(bind, cases[i].bind), cases[i].says);
        assert_int_equal(g->n_inputs, 0);
        expect_values(f, g, &cases[i].is, 1);
        if (cases[i].type == DT_BOOL)
            expect_refused(f, b, OPTIONS(bind, "x=2"), "--bind x=2: '2' is no bool");
    }
}

/* ConcatFromSequence of an input that is a sequence. */
static Build *with_sequence(Fixture *f, const char *dims)
{
    Build *b = build_new(f->arena, 13);
    build_input(b, "s", FLOAT, dims);
    build_sequence_of(b, b->graph->input[0]);
    build_attr_int(b, build_node(b, "ConcatFromSequence", "s", "y"), "axis", 0);
    build_output(b, "y", FLOAT, NULL);
    return b;
}

static void sequences(void **state)
{
    static const char two[] = "\x0a\x01q\x10\x01"
                              "\x1a\x0a\x08\x01\x10\x01\x4a\x04\0\0\x80\x3f"
                              "\x1a\x0a\x08\x01\x10\x01\x4a\x04\0\0\0\x40";
    Fixture *f = *state;
    Build *b = with_sequence(f, "N");
    Graph *g = expect_type(f, b, OPTIONS(shape, "s_0=2", "s_1=1"), "f32[3]");
    assert_int_equal(g->n_inputs, 2);
    assert_string_equal(g->inputs[1].name, "s_1");
    expect_type(f, b, OPTIONS(bind, "s_0=1,2", "s_1=3"), "f32[3]");
    expect_type(f, b, OPTIONS(bind, "s=1,2"), "f32[2]");
    expect_type(f, b, OPTIONS(shape, "s_1=3"), "f32[4]"); /* s_0 as any batch that is left open */
    expect_refused(
        f, b, NULL,
        "input 's' is a sequence, whose tensors have to be known; give the shape of each "
        "with --shape s_0=AxB --shape s_1=AxB; without any, --shape s=empty");
    expect_refused(f, with_sequence(f, "2,?"), OPTIONS(shape, "s_1=2x3"),
                   "dimension 1 is open; set it with --shape s_0=2xA");
    expect_refused(f, b, OPTIONS(shape, "s=2"), "the input is 0 tensors, not one");
    expect_refused(f, b, OPTIONS(shape, "s=empty"), "its sequence is empty");
    expect_refused(f, b, OPTIONS(shape, "s=absent", "s_0=1"), "is not a shape");
    expect_refused(f, b, OPTIONS(shape, "s_10000=2"), "input 's' has too many tensors");
    write_bytes(f, "two.pb", two, sizeof two - 1);
    const char *bind = arena_printf(f->arena, "s=%s/two.pb", f->folder);
    ImportOptions *o = OPTIONS(bind, bind);
    g = expect_type(f, b, o, "f32[2]");
    assert_int_equal(g->n_inputs, 0);
    expect_values(f, g, (double[]){1, 2}, 2);
    o->shapes = (const char *const[]){"s_5=3"};
    o->n_shapes = 1;
    expect_refused(f, b, o, "the input is 0 tensors, not one");
    build_optional_of(b, b->graph->input[0]);
    expect_refused(f, b, NULL, "--shape s=absent");
    build_sequence_of(b, b->graph->input[0]);
    expect_refused(f, b, NULL, "input 's': maps and sequences of sequences are not supported");
}

static void optionals(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 18);
    build_input(b, "o", FLOAT, "N,3");
    build_optional_of(b, b->graph->input[0]);
    build_node(b, "OptionalHasElement", "o", "y");
    build_output(b, "y", DT_BOOL, NULL);
    Graph *g = expect_type(f, b, NULL, "bool[]");
    assert_non_null(strstr(f->notes.data, "note: input 'o' is optional and taken to be given; "
                                          "otherwise --shape o=absent\n"));
    expect_values(f, g, (double[]){1}, 1);
    g = expect_type(f, b, OPTIONS(shape, "o=absent"), "bool[]");
    assert_int_equal(g->n_inputs, 0);
    expect_values(f, g, (double[]){0}, 1);
    expect_refused(f, b, OPTIONS(shape, "o=absent", "o=2x3"), "the input is 0 tensors");
    build_node(b, "Identity", "o", "z");
    build_output(b, "z", FLOAT, NULL);
    build_optional_of(b, b->graph->output[1]);
    assert_int_equal(expect_type(f, b, OPTIONS(shape, "o=2x3"), "bool[]")->n_outputs, 2);
    assert_int_equal(expect_type(f, b, OPTIONS(shape, "o=absent"), "bool[]")->n_outputs, 1);
    b->graph->output[0] = b->graph->output[1];
    b->graph->n_output = 1;
    expect_refused(f, b, OPTIONS(shape, "o=absent"), "without a tensor");
}

static void output_sequences(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2,3");
    build_node(b, "SplitToSequence", "x", "y");
    build_output(b, "y", FLOAT, NULL);
    build_sequence_of(b, b->graph->output[0]);
    Graph *g = expect_type(f, b, NULL, "f32[1,3]");
    assert_int_equal(g->n_outputs, 2);
    assert_string_equal(g->outputs[1].name, "y_1");
}

static Build *with_external(Fixture *f, const char *location, const char *offset,
                            const char *length)
{
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "3");
    build_external(b, build_init(b, "w", DT_F32, "3", NULL), location, offset, length);
    build_node(b, "Add", "x w", "y");
    build_output(b, "y", FLOAT, NULL);
    return b;
}

static void external_data(void **state)
{
    static const float data[] = {0, 10, 20, 30};
    Fixture *f = *state;
    write_bytes(f, "w.bin", data, sizeof data);
    expect_values(f, expect_type(f, with_external(f, "w.bin", "4", "12"), NULL, "f32[3]"),
                  (double[]){11, 22, 33}, 3);
    expect_values(f, expect_type(f, with_external(f, "./w.bin", NULL, NULL), NULL, "f32[3]"),
                  (double[]){1, 12, 23}, 3);
    expect_refused(f, with_external(f, "w.bin", "8", NULL), NULL, "is too short");
    expect_refused(f, with_external(f, "w.bin", "18446744073709551615", NULL), NULL,
                   "is too short");
    expect_refused(f, with_external(f, "w.bin", "18446744073709551616", NULL), NULL,
                   "has an invalid offset");
    expect_refused(f, with_external(f, "w.bin", "-4", NULL), NULL, "has an invalid offset");
    expect_refused(f, with_external(f, "w.bin", "0", "16"), NULL,
                   "has another length than the tensor's shape asks for");
    expect_refused(f, with_external(f, "w.bin", "0", "12x"), NULL, "has an invalid length");
    expect_refused(f, with_external(f, "w\n.bin", NULL, NULL), NULL,
                   "has a control character in its name");
    expect_refused(f, with_external(f, "none.bin", NULL, NULL), NULL,
                   "external file 'none.bin' does not exist; initialiser 'w' is the first to name it");
    expect_refused(f, with_external(f, NULL, NULL, NULL), NULL, "has no location");
}

static void external_data_outside(void **state)
{
    static const float data[] = {0, 10, 20, 30};
    Fixture *f = *state;
    write_bytes(f, "w.bin", data, sizeof data);
    expect_refused(f, with_external(f, "/etc/passwd", NULL, NULL), NULL,
                   "is not a path relative to the model");
    expect_refused(f, with_external(f, "../w.bin", NULL, NULL), NULL, "outside the model's folder");
    expect_refused(f, with_external(f, "a/../../w.bin", NULL, NULL), NULL, "outside");
    expect_refused(f, with_external(f, ".", NULL, NULL), NULL, "external file '.'");
    assert_int_equal(symlink("/etc/passwd", arena_printf(f->arena, "%s/link", f->folder)), 0);
    expect_refused(f, with_external(f, "link", NULL, NULL), NULL, "is outside the model's folder");
    assert_int_equal(symlink("w.bin", arena_printf(f->arena, "%s/inside", f->folder)), 0);
    expect_type(f, with_external(f, "inside", NULL, NULL), NULL, "f32[3]");
}

/* The graphs for two sizes of n do not go side by side. */
static void expect_apart(Fixture *f, Build *b, const char *text)
{
    Graph *one = import_built(f, b, OPTIONS(dim, "n=1"));
    assert_non_null(one);
    one->variants.n = 1;
    const Graph *other = import_built(f, b, OPTIONS(dim, "n=2"));
    assert_non_null(other);
    one->diag = &f->diag;
    assert_false(graph_add_variant(one, other));
    assert_non_null(strstr(f->diag.message, text));
    assert_null(strchr(f->diag.message, '\n'));
}

static void variants_apart(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "n,3");
    build_node(b, "Squeeze", "x", "y");
    build_output(b, "y", FLOAT, NULL);
    expect_apart(f, b, "variants differ in more than sizes: output 'y' is f32[3], or 'y' f32[2,3]");
    b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "n,3");
    build_node(b, "SplitToSequence", "x", "y");
    build_output(b, "y", FLOAT, NULL);
    build_sequence_of(b, b->graph->output[0]);
    expect_apart(f, b, "variants differ in more than sizes: 1 inputs and 1 outputs, or 1 and 2");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(batch_left_open),       TEST(others_left_open), TEST(models_without_batches_of_one),
        TEST(dims_and_shapes),       TEST(symbols_agree),    TEST(bad_options),
        TEST(bound_inputs),          TEST(typed_inputs),     TEST(external_data),
        TEST(external_data_outside), TEST(sequences),        TEST(optionals),
        TEST(output_sequences),      TEST(variants_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
