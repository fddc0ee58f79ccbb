/* All refusals of a model at once, and what its file says of itself. */
#include "testing.h"

#include "../../gen/onnx/refusals.h"
#include "../../gen/onnx/survey.h"

enum { FLOAT = DT_F32 };

/* x -> Relu -> a; a -> Frobnicate -> b; b -> Sqrt -> c; a -> Softmax, of a wrong axis -> d; d -> Mystery -> e; c + e -> y */
static Build *several(Fixture *f)
{
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2,3");
    build_node(b, "Relu", "x", "a");
    build_node(b, "Frobnicate", "a", "b");
    build_node(b, "Sqrt", "b", "c");
    build_attr_int(b, build_node(b, "Softmax", "a", "d"), "axis", 7);
    build_node(b, "other.domain:Mystery", "d", "e");
    build_node(b, "Add", "c e", "y");
    build_output(b, "y", FLOAT, NULL);
    return b;
}

static void all_at_once(void **state)
{
    Fixture *f = *state;
    Refusals r = {.arena = f->arena};
    assert_null(import_built(f, several(f), &(ImportOptions){.refusals = &r}));
    assert_int_equal(r.n, 3);
    assert_int_equal(r.rows[0].index, 1);
    assert_string_equal(r.rows[0].place, "node 1 'n1' (Frobnicate)");
    assert_string_equal(r.rows[0].op, "Frobnicate");
    assert_non_null(strstr(r.rows[0].why, "dnnlc does not know this operator of domain 'ai.onnx'"));
    assert_int_equal(r.rows[1].index, 3);
    assert_string_equal(r.rows[1].why, "axis 7 is out of range for rank 2");
    /* Its input is not known, but that does not matter. */
    assert_int_equal(r.rows[2].index, 4);
    assert_non_null(strstr(r.rows[2].why, "domain 'other.domain'"));
    assert_int_equal(r.n_unjudged, 2);
    assert_int_equal(r.unjudged[0], 2);
    assert_int_equal(r.unjudged[1], 5);
    /* What is said is what is said without. */
    const char *said = f->diag.message;
    expect_refused(f, several(f), NULL, "node 1 'n1' (Frobnicate): dnnlc does not know");
    assert_string_equal(said, f->diag.message);
}

/* The model itself, and one without anything to refuse. */
static void of_the_model(void **state)
{
    Fixture *f = *state;
    Refusals r = {.arena = f->arena}, none = {.arena = f->arena};
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2,N");
    build_node(b, "Relu", "x", "y");
    build_output(b, "y", FLOAT, NULL);
    assert_null(import_built(f, b, &(ImportOptions){.refusals = &r}));
    assert_int_equal(r.n, 1);
    assert_int_equal(r.rows[0].index, UINT32_MAX);
    assert_string_equal(r.rows[0].place, "");
    const char *dims[] = {"N=4"};
    assert_non_null(
        import_built(f, b, &(ImportOptions){.refusals = &none, .dims = dims, .n_dims = 1}));
    assert_int_equal(none.n, 0);
}

/* Nodes in a body that read what a refused one would make, and one that is refused in it. */
static void in_bodies(void **state)
{
    Fixture *f = *state;
    Refusals r = {.arena = f->arena};
    Build *b = build_new(f->arena, 13);
    build_input(b, "c", DT_BOOL, "");
    build_input(b, "x", FLOAT, "2");
    build_node(b, "Frobnicate", "x", "a");
    Onnx__GraphProto *main_graph = b->graph, *reads = build_graph(b), *wrong = build_graph(b);
    b->graph = reads;
    build_node(b, "Relu", "a", "t");
    build_output(b, "t", FLOAT, "2");
    b->graph = wrong;
    build_node(b, "Mystery", "x", "e");
    build_output(b, "e", FLOAT, "2");
    b->graph = main_graph;
    Onnx__NodeProto *n = build_node(b, "If", "c", "y");
    build_attr_graph(b, n, "then_branch", reads);
    build_attr_graph(b, n, "else_branch", reads);
    n = build_node(b, "If", "c", "z");
    build_attr_graph(b, n, "then_branch", wrong);
    build_attr_graph(b, n, "else_branch", wrong);
    build_node(b, "Relu", "x", "w");
    build_output(b, "y", FLOAT, "2");
    build_output(b, "z", FLOAT, "2");
    build_output(b, "w", FLOAT, "2");
    assert_null(import_built(f, b, &(ImportOptions){.refusals = &r}));
    assert_int_equal(r.n, 2);
    assert_int_equal(r.rows[1].index, 2);
    assert_non_null(strstr(r.rows[1].why, "Mystery"));
    assert_int_equal(r.n_unjudged, 1);
    assert_int_equal(r.unjudged[0], 1);
}

static Survey survey(Fixture *f, Build *b, const ImportOptions *options)
{
    Survey s;
    MappedFile file;
    Diag diag = {.arena = f->arena};
    build_write(b, f->path);
    assert_true(map_file(f->arena, f->path, &file, &diag));
    assert_true(survey_onnx(f->arena, &diag, f->path, file, options, &s));
    assert_null(diag.message);
    return s;
}

static void own_words(void **state)
{
    Fixture *f = *state;
    static const float w[6];
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "N,3,it's long,?");
    build_input(b, "m", FLOAT, "N,?");
    build_init(b, "w", DT_F32, "2,3", w);
    build_node(b, "Relu", "x", "a");
    build_node(b, "Frobnicate", "a", "b");
    build_node(b, "Relu", "b", "y");
    build_output(b, "y", FLOAT, "N,?");
    const char *dims[] = {"N=4"};
    const Survey s = survey(f, b, &(ImportOptions){.dims = dims, .n_dims = 1});
    assert_int_equal(s.n_inputs, 2);
    assert_string_equal(s.inputs[0].type, "f32[N,3,it's long,?]");
    assert_string_equal(s.outputs[0].type, "f32[N,?]");
    assert_int_equal(s.parameters, 6);
    assert_int_equal(s.parameter_bytes, 24);
    assert_int_equal(s.n_operators, 2);
    assert_string_equal(s.operators[0].name, "Relu");
    assert_int_equal(s.operators[0].nodes, 2);
    assert_null(s.operators[0].why);
    assert_non_null(s.operators[1].why);
    assert_int_equal(s.n_symbols, 4);
    assert_int_equal(s.symbols[0].value, 4);
    assert_string_equal(s.symbols[0].source, "--dim N=4");
    assert_string_equal(s.symbols[0].where, "x[0], m[0]");
    assert_int_equal(s.symbols[1].value, -1);
    assert_string_equal(s.symbols[1].option, "--dim 'it'\\''s long=N'");
    assert_null(s.symbols[2].name);
    assert_string_equal(s.symbols[2].option, "--shape x=Ax3xBxC");
}

static void leading_is_one(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "N,3");
    build_node(b, "Relu", "x", "y");
    build_output(b, "y", FLOAT, "N,3");
    const Survey s = survey(f, b, &(ImportOptions){0});
    assert_int_equal(s.n_symbols, 1);
    assert_int_equal(s.symbols[0].value, 1);
    assert_string_equal(s.symbols[0].source, "the batch dimension");
}

/* Bodies and functions are counted apart; a function of the model is known. */
static void inside(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2");
    Onnx__GraphProto *main_graph = b->graph, *body = build_graph(b);
    b->graph = body;
    build_node(b, "Relu", "p", "q");
    build_node(b, "Sqrt", "q", "r");
    b->graph = main_graph;
    Onnx__FunctionProto *fn = build_function(b, "mine", "Twice", "p", "r");
    build_body(b, fn, body);
    build_node(b, "mine:Twice", "x", "a");
    build_node(b, "Relu", "a", "y");
    build_output(b, "y", FLOAT, "2");
    const Survey s = survey(f, b, &(ImportOptions){0});
    assert_int_equal(s.n_operators, 3);
    assert_string_equal(s.operators[0].name, "Twice");
    assert_true(s.operators[0].function);
    assert_int_equal(s.operators[1].nodes, 1); /* Relu */
    assert_int_equal(s.operators[1].inner, 1);
    assert_int_equal(s.operators[2].nodes, 0); /* Sqrt */
    assert_int_equal(s.operators[2].inner, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_at_once, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(of_the_model, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(in_bodies, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(own_words, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(leading_is_one, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(inside, fixture_begin, fixture_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
