/* Strings: constants, what operators make of them, and the bytes of an output. Then patterns of RegexFullMatch. */
#include "../../gen/onnx/regex.h"
#include "cases.h"

/* Elements of a tensor of strings, which hold no zero byte but where they are told to. */
static Onnx__TensorProto *string_init(Case *c, const char *name, const char *dims,
                                      const char *const *v, size_t n)
{
    Onnx__TensorProto *t =
        build_init(c->b, name, DT_I64, dims, arena_alloc(c->f->arena, 8 * n + 8));
    t->data_type = DT_STRING;
    t->has_raw_data = false;
    t->n_string_data = n;
    t->string_data = ARENA_ARRAY(c->f->arena, ProtobufCBinaryData, n + 1);
    for (size_t i = 0; i < n; i++)
        t->string_data[i] =
            (ProtobufCBinaryData){strlen(v[i]), (uint8_t *)arena_strdup(c->f->arena, v[i])};
    return t;
}
#define WORDS(...)                                                                                 \
    (const char *const[]){__VA_ARGS__}, COUNT_OF(((const char *const[]){__VA_ARGS__}))

/* Output 0 is known: these bytes. */
static void gives_bytes(Case *c, const char *type, const char *bytes)
{
    const Graph *g = expect_type(c->f, c->b, NULL, type);
    const Value *v = value_at(g, g->outputs[0].value);
    assert_non_null(v->data);
    assert_memory_equal(v->data, bytes, type_bytes(&v->type));
}

static void concatenated(void **state)
{
    Case c = one_op(state, 20, "1", "StringConcat", "a b");
    string_init(&c, "a", "2,1", WORDS("x", "long"));
    string_init(&c, "b", "3", WORDS("", "yz", "\xc3\xa4"));
    gives_bytes(&c, "u8[2,3,6]",
                "x\0\0\0\0\0"
                "xyz\0\0\0"
                "x\xc3\xa4\0\0\0"
                "long\0\0"
                "longyz"
                "long\xc3\xa4");
    c.b->graph->output[0]->type->tensor_type->elem_type = DT_F32;
    expect_refused(c.f, c.b, NULL, "declared with element type f32, but is string");
    c = one_op(state, 20, "1", "StringConcat", "a x");
    string_init(&c, "a", "1", WORDS("x"));
    expect_refused(c.f, c.b, NULL, "input 1 must hold strings");
    c = one_op(state, 20, "1", "StringConcat", "a a");
    string_init(&c, "a", "1", WORDS("xy"))->string_data[0].data[1] = 0;
    expect_refused(c.f, c.b, NULL, "a string holds a zero byte, which is not supported");
    c = one_op(state, 20, "1", "Identity", "a");
    string_init(&c, "a", "1", WORDS("xy"))->n_string_data = 0;
    expect_refused(c.f, c.b, NULL, "its shape asks for 1 strings, there are 0");
}

/* Doubled again and again, a string ends at a limit, and not with memory. */
static void doubled(void **state)
{
    Case c = one_op(state, 20, "1", "StringConcat", "a a");
    string_init(&c, "a", "1", WORDS("0123456789abcdef"));
    c.n->output[0] = arena_strdup(c.f->arena, "t0");
    for (int i = 0; i < 40; i++)
        build_node(c.b, "StringConcat", arena_printf(c.f->arena, "t%d t%d", i, i),
                   i < 39 ? arena_printf(c.f->arena, "t%d", i + 1) : "y");
    expect_refused(c.f, c.b, NULL, "a string of more than 1048576 bytes is not supported");
}

/* Ten thousand strings with each of as many others. */
static void outer_product(void **state)
{
    enum { N = 10000 };
    Case c = one_op(state, 20, "1", "StringConcat", "a b");
    const char **words = ARENA_ARRAY(c.f->arena, const char *, N);
    for (int i = 0; i < N; i++)
        words[i] = arena_printf(c.f->arena, "%d", i);
    string_init(&c, "a", "10000,1", words, N);
    string_init(&c, "b", "10000", words, N);
    expect_refused(c.f, c.b, NULL, "take more than 1024 MiB");
    c = one_op(state, 10, "1", "StringNormalizer", "a");
    string_init(&c, "a", "10000", words, N);
    string_list(&c, "stopwords", words, N);
    expect_refused(c.f, c.b, NULL, "10000 words to leave out of 10000 are too many");
}

static void split(void **state)
{
    Case c = one_op(state, 20, "1", "StringSplit", "a");
    string_init(&c, "a", "3", WORDS(" a  bc ", "", "d e f"));
    gives_bytes(&c, "u8[3,3,2]",
                "a\0bc\0\0"
                "\0\0\0\0\0\0"
                "d\0e\0f\0");
    build_attr_int(c.b, c.n, "maxsplit", 1);
    gives_bytes(&c, "u8[3,2,3]",
                "a\0\0bc "
                "\0\0\0\0\0\0"
                "d\0\0e f");
    c = one_op(state, 20, "1", "StringSplit", "a");
    string_init(&c, "a", "2", WORDS("a--b--", ""));
    text(&c, "delimiter", "--");
    gives_bytes(&c, "u8[2,3,1]", "ab\0\0\0\0");
    c.n->output = ARENA_ARRAY(c.f->arena, char *, 2);
    c.n->output[0] = arena_strdup(c.f->arena, "parts");
    c.n->output[1] = arena_strdup(c.f->arena, "y");
    c.n->n_output = 2;
    GIVES(&c, "i64[2]", 3, 1);
}

static void normalised(void **state)
{
    Case c = one_op(state, 10, "1", "StringNormalizer", "a");
    string_init(&c, "a", "1,3", WORDS("One", "TWO", "three"));
    string_list(&c, "stopwords", WORDS("two"));
    text(&c, "case_change_action", "UPPER");
    gives_bytes(&c, "u8[1,2,5]", "ONE\0\0THREE");
    build_attr_int(c.b, c.n, "is_case_sensitive", 1);
    gives_bytes(&c, "u8[1,3,5]", "ONE\0\0TWO\0\0THREE");
    c = one_op(state, 10, "1", "StringNormalizer", "a");
    string_init(&c, "a", "1", WORDS("x"));
    string_list(&c, "stopwords", WORDS("X"));
    gives_bytes(&c, "u8[1,1]", "\0");
    c = one_op(state, 10, "1", "StringNormalizer", "a");
    string_init(&c, "a", "1", WORDS("\xc3\xa4"));
    text(&c, "case_change_action", "UPPER");
    expect_refused(c.f, c.b, NULL, "beyond ASCII");
}

/* Numbers choose among strings in a run; strings are moved, compared, and turned into numbers. */
static void chosen(void **state)
{
    Case c = one_op(state, 13, "3", "Cast", "x");
    build_attr_int(c.b, c.n, "to", INT64);
    c.n->output[0] = arena_strdup(c.f->arena, "i");
    c.n = build_node(c.b, "ai.onnx.ml:LabelEncoder", "i", "y");
    ints(&c, "keys_int64s", (const int64_t[]){3, 1}, 2);
    string_list(&c, "values_strings", WORDS("three", "one"));
    GIVES(&c, "u8[3,7]", 'o', 'n', 'e', 0, 0, 0, 0, '_', 'U', 'n', 'u', 's', 'e', 'd', 't', 'h',
          'r', 'e', 'e', 0, 0);
    c.b->graph->output[0]->type->tensor_type->elem_type = DT_STRING;
    expect_type(c.f, c.b, NULL, "u8[3,7]");
    c = one_op(state, 13, "1", "Equal", "a b");
    string_init(&c, "a", "2,1", WORDS("u", "v"));
    string_init(&c, "b", "2", WORDS("v", "u"));
    GIVES(&c, "bool[2,2]", 0, 1, 1, 0);
    c = one_op(state, 13, "1", "Cast", "a");
    string_init(&c, "a", "3", WORDS("-2", "1e-2", "+3.5"));
    build_attr_int(c.b, c.n, "to", DT_F32);
    GIVES(&c, "f32[3]", -2, 0.01, 3.5);
    c.n->attribute[0]->i = DT_I32;
    expect_refused(c.f, c.b, NULL, "a string is not a number of type i32");
    c = one_op(state, 13, "1", "Cast", "x");
    build_attr_int(c.b, c.n, "to", DT_STRING);
    expect_refused(c.f, c.b, NULL, "element type string is not supported");
    c = one_op(state, 13, "1", "Constant", "");
    string_list(&c, "value_strings", WORDS("p", "qr"));
    gives_bytes(&c, "u8[2,2]", "p\0qr");
}

static void looked_up(void **state)
{
    Case c = one_op(state, 13, "1", "ai.onnx.ml:LabelEncoder", "a");
    string_init(&c, "a", "3", WORDS("b", "zz", "a"));
    string_list(&c, "keys_strings", WORDS("a", "b"));
    floats(&c, "values_floats", (const float[]){0.5f, 1.5f}, 2);
    number(&c, "default_float", -2);
    GIVES(&c, "f32[3]", 1.5, -2, 0.5);
    c.n->attribute[1]->n_floats = 1;
    expect_refused(c.f, c.b, NULL, "its 2 keys and their values do not belong together");
    c = one_op(state, 13, "1", "ai.onnx.ml:LabelEncoder", "a"); /* of opset 1 */
    string_init(&c, "a", "2", WORDS("b", "?"));
    string_list(&c, "classes_strings", WORDS("a", "b"));
    GIVES(&c, "i64[2]", 1, -1);
    c = one_op(state, 13, "1", "ai.onnx.ml:CategoryMapper", "a");
    string_init(&c, "a", "2", WORDS("cat", "cow"));
    string_list(&c, "cats_strings", WORDS("cat", "dog"));
    ints(&c, "cats_int64s", (const int64_t[]){7, 8}, 2);
    GIVES(&c, "i64[2]", 7, -1);
    c = one_op(state, 13, "1", "ai.onnx.ml:OneHotEncoder", "a");
    string_init(&c, "a", "2", WORDS("cat", "cow"));
    string_list(&c, "cats_strings", WORDS("cow", "cat"));
    GIVES(&c, "f32[2,2]", 0, 1, 1, 0);
    c = one_op(state, 13, "1", "TfIdfVectorizer", "a");
    string_init(&c, "a", "4", WORDS("to", "be", "or", "be"));
    string_list(&c, "pool_strings", WORDS("be", "not", "or"));
    INTS(&c, "ngram_counts", 0);
    INTS(&c, "ngram_indexes", 0, 1, 2);
    text(&c, "mode", "TF");
    GIVES(&c, "f32[3]", 2, 0, 1);
}

/* What computes does not take strings, whatever number one has. */
static void not_numbers(void **state)
{
    static const char *const ops[] = {"Add", "Greater", "MatMul", "ScatterElements"};
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        Case c = one_op(state, 13, "1", ops[i], i == 3 ? "a k a" : "a a");
        string_init(&c, "a", "1", WORDS("b"));
        I64(&c, "k", "1", 0);
        expect_refused(c.f, c.b, NULL, "strings, which it does not take");
    }
    Case c = one_op(state, 13, "1", "Reshape", "x a");
    string_init(&c, "a", "1", WORDS("1"));
    expect_refused(c.f, c.b, NULL, "must hold numbers, not strings");
}

/* The input 's' of strings with bytes 1, 2, 3, … */
static Case of_strings(void **state, const char *op, const char *inputs)
{
    Case c = one_op(state, 13, "1", op, inputs);
    build_input(c.b, "s", DT_STRING, "2");
    return c;
}

static void in_a_run(void **state)
{
    const char *shapes[] = {"s=2x2", "t=2x3"};
    ImportOptions one = {.shapes = shapes, .n_shapes = 1}, two = {.shapes = shapes, .n_shapes = 2};
    Case c = of_strings(state, "ai.onnx.ml:LabelEncoder", "s");
    string_list(&c, "keys_strings", WORDS("\3\4", "\1\2\5", "\1"));
    ints(&c, "values_int64s", (const int64_t[]){7, 8, 9}, 3);
    expect_values(c.f, expect_type(c.f, c.b, &one, "i64[2]"), (const double[]){-1, 7}, 2);
    c = of_strings(state, "ai.onnx.ml:OneHotEncoder", "s");
    string_list(&c, "cats_strings", WORDS("\1\2", "\3\4"));
    expect_values(c.f, expect_type(c.f, c.b, &one, "f32[2,2]"), (const double[]){1, 0, 0, 1}, 4);
    c = of_strings(state, "TfIdfVectorizer", "s");
    string_list(&c, "pool_strings", WORDS("\3\4", "\3", "\1\2", "\3\4"));
    INTS(&c, "ngram_counts", 0, 2);
    INTS(&c, "ngram_indexes", 0, 1, 2);
    build_attr_int(c.b, c.n, "max_gram_length", 2);
    text(&c, "mode", "TF");
    expect_values(c.f, expect_type(c.f, c.b, &one, "f32[3]"), (const double[]){1, 0, 1}, 3);
    c = of_strings(state, "Equal", "s k");
    string_init(&c, "k", "3,1", WORDS("\1\2", "\3", "\3\4"));
    expect_values(c.f, expect_type(c.f, c.b, &one, "bool[3,2]"), (const double[]){1, 0, 0, 0, 0, 1},
                  6);
    c = of_strings(state, "Equal", "s t");
    build_input(c.b, "t", DT_STRING, "2");
    expect_values(c.f, expect_type(c.f, c.b, &two, "bool[2]"), (const double[]){0, 0}, 2);
    shapes[1] = "t=2x2";
    expect_values(c.f, expect_type(c.f, c.b, &two, "bool[2]"), (const double[]){1, 1}, 2);
    c = of_strings(state, "Identity", "s");
    expect_type(c.f, c.b, NULL, "u8[2,64]"); /* as it comes */
    expect_type(c.f, c.b, &one, "u8[2,2]");
}

/* Nothing but comparisons with known ones and with each other. */
static void of_a_run_refused(void **state)
{
    static const char *const moves[] = {"Unsqueeze", "StringNormalizer", "Size", "Cast"};
    for (size_t i = 0; i < COUNT_OF(moves); i++) {
        Case c = of_strings(state, moves[i], "s");
        if (i == 0)
            ints(&c, "axes", (const int64_t[]){0}, 1);
        if (i == 3)
            build_attr_int(c.b, c.n, "to", DT_F32);
        if (i == 2)
            GIVES(&c, "i64[]", 2);
        else
            expect_refused(c.f, c.b, NULL, "--bind s=FILE");
    }
    Case c = of_strings(state, "Gather", "s i");
    I64(&c, "i", "1", 0);
    expect_refused(c.f, c.b, NULL, "strings of an input are compared with known ones only");
    c = of_strings(state, "ai.onnx.ml:LabelEncoder", "s");
    const char *const shape = "s=20000000x2";
    ImportOptions many = {.shapes = &shape, .n_shapes = 1};
    c.b->graph->input[1]->type->tensor_type->shape->dim[0]->dim_value = 20000000;
    string_list(&c, "keys_strings", WORDS("a", "b"));
    ints(&c, "values_int64s", (const int64_t[]){7, 8}, 2);
    expect_refused(c.f, c.b, &many, "it compares too many strings");
}

static void bound(void **state)
{
    static const char npy[] =
        "\x93NUMPY\1\0\71\0{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }"
        "ab\0xyz";
    Case c = one_op(state, 13, "1", "Identity", "s");
    build_input(c.b, "s", DT_STRING, "N");
    write_bytes(c.f, "s.npy", npy, sizeof npy - 1);
    const char *bind = arena_printf(c.f->arena, "s=%s/s.npy", c.f->folder);
    ImportOptions options = {.binds = &bind, .n_binds = 1};
    const Graph *g = expect_type(c.f, c.b, &options, "u8[2,3]");
    assert_memory_equal(value_at(g, g->outputs[0].value)->data, "ab\0xyz", 6);
    write_bytes(c.f, "s.npy", npy, sizeof npy);
    expect_refused(c.f, c.b, &options, "takes 6 bytes of data, the file has 7");
    char hole[sizeof npy];
    memcpy(hole, npy, sizeof npy);
    hole[sizeof npy - 3] = 0;
    write_bytes(c.f, "s.npy", hole, sizeof npy - 1);
    expect_refused(c.f, c.b, &options, "a string holds a zero byte");
    write_bytes(c.f, "s.npy", npy, sizeof npy - 1);
    c.b->graph->input[1]->type->tensor_type->elem_type = DT_U8;
    expect_refused(c.f, c.b, &options, "the file holds string, the input takes u8");
}

/* --- patterns ------------------------------------------------------------------------------------------------------- */

static void patterns(void **state)
{
    static const struct {
        const char *pattern, *match, *other;
    } cases[] = {
        {"", "", "a"},
        {"abc", "abc", "abcd"},
        {"a|bc|", "bc", "abc"},
        {"(a|b)*c", "ababc", "abab"},
        {"a+b?", "aaa", "b"},
        {"a+?b??", "aab", "abb"},
        {"a{2}", "aa", "aaa"},
        {"a{2,}", "aaaa", "a"},
        {"(?:ab){1,3}", "ababab", "abababab"},
        {"(?P<n>x){0}y", "y", "xy"},
        {"a{,2}", "a{,2}", "aa"},
        {".", "\xc3\xa4", "\n"},
        {"\xc3\xa4+", "\xc3\xa4\xc3\xa4", "\xc3\xa4\xa4"},
        {"[a-c\xc3\xa4]*",
         "ab\xc3\xa4"
         "c",
         "d"},
        {"[^a-c]", "d", "b"},
        {"[^\\w]", "-", "_"},
        {"[]x]+", "x]", "["},
        {"[\\]\\-a]+", "a-]", "b"},
        {"\\d+\\.\\d\\s\\S", "12.5 x", "12x5 x"},
        {"\\D\\W", "a-", "1-"},
        {"^a$", "a", "a\n"},
        {"a\\b.b\\B", "", "a b"},
        {"\\ba\\b-\\Bx?", "a-", "a-x"},
        {"(a*)*", "aaaa", "b"},
        {"((a|aa){20}){3}",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a"},
        {"(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)", "one.two@gmail.com",
         "one@hotmail.com"},
    };
    static const struct {
        const char *pattern, *why;
    } wrong[] = {
        {"(", "a ) is missing"},
        {")", "a ) is too much"},
        {"a)", "a ) is too much"},
        {"[", "a ] is missing"},
        {"[b-a]", "a range of characters is wrong"},
        {"[\\d-x", "a ] is missing"},
        {"*", "a repetition has nothing before it"},
        {"a**", "a repetition is repeated"},
        {"a{1001}", "the numbers of a repetition are wrong or too large"},
        {"a{2,1}", "the numbers of a repetition are wrong or too large"},
        {"(?i)a", "flags of a group are not known"},
        {"\\pL", "an escape is unknown"},
        {"\\1", "an escape is unknown"},
        {"\\", "an escape is unknown"},
        {"[[:alpha:]]", "classes by name are not known"},
        {"((a{1000}){1000}){1000}", "it is too large"},
    };
    Fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *why;
        const Regex *r = regex_new(f->arena, cases[i].pattern, &why);
        if (!r)
            fail_msg("%s: %s", cases[i].pattern, why);
        if (regex_matches(r, cases[i].match) == !strcmp(cases[i].pattern, "a\\b.b\\B"))
            fail_msg("%s: %s", cases[i].pattern, cases[i].match);
        if (regex_matches(r, cases[i].other))
            fail_msg("%s matches %s", cases[i].pattern, cases[i].other);
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const char *why = NULL;
        if (regex_new(f->arena, wrong[i].pattern, &why) || strcmp(why, wrong[i].why) != 0)
            fail_msg("%s: %s, not %s", wrong[i].pattern, why ? why : "taken", wrong[i].why);
    }
    char deep[2001];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    const char *why;
    assert_null(regex_new(f->arena, deep, &why));
    assert_string_equal(why, "it is nested too deeply");
    Case c = one_op(state, 20, "1", "RegexFullMatch", "a");
    string_init(&c, "a", "2", WORDS("7", "x"));
    text(&c, "pattern", "\\d");
    GIVES(&c, "bool[2]", 1, 0);
    c.n->attribute[0]->s.data[0] = '*';
    expect_refused(c.f, c.b, NULL,
                   "its pattern is not supported: a repetition has nothing before it");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(concatenated), TEST(doubled),  TEST(outer_product),    TEST(split),
        TEST(normalised),   TEST(chosen),   TEST(looked_up),        TEST(not_numbers),
        TEST(bound),        TEST(in_a_run), TEST(of_a_run_refused), TEST(patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
