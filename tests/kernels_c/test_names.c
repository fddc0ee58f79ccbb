/* Nothing in a model becomes code: names as identifiers and in comments. How a buffer is spelled, and what operands are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../gen/emit/unit.h"
#include "../../gen/ops/ops.h"

static void test_identifiers(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"conv_3", "conv_3"},    {"input:0", "input_0"},
        {"a//b", "a_b"},         {"", "n"},
        {"7x", "n_7x"},          {"_x", "n_x"},
        {"while", "n_while"},    {"class", "n_class"},
        {"Caf\xc3\xa9", "Caf_"}, {"__", "n_"},
        {"a.b-c d", "a_b_c_d"},  {"$x$", "n_x_"},
        {"NULL", "n_NULL"},
    };
    Arena *arena = arena_new();
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        assert_string_equal(c_identifier(arena, pairs[i][0]), pairs[i][1]);
    char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    static const char first[] = "a7_A";
    for (size_t i = 0; i + 1 < sizeof first; i++) { /* what was made of a name is one already */
        longest[0] = first[i];
        const char *name = c_identifier(arena, longest);
        assert_true(strlen(name) < 64);
        assert_string_equal(c_identifier(arena, name), name);
    }
    assert_true(strlen(c_safe_text(arena, longest)) < 130);
    arena_free(arena);
}

static void test_safe_text(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"plain name", "plain name"},
        {"*/ int x; /*", "*_ int x; /_"},
        {"a\"b\\c'd", "a_b_c_d"},
        {"line\nbreak", "line_break"},
        {"?\?/", "?_/"},
        {"//x", "/_x"},
        {"\xff\x01", "__"},
        {"*\x01/", "*_/"},
    };
    Arena *arena = arena_new();
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const char *text = c_safe_text(arena, pairs[i][0]);
        assert_string_equal(text, pairs[i][1]);
        assert_null(strstr(text, "*/"));
    }
    arena_free(arena);
}

static void test_buffers(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Buffer b[] = {
        {.kind = BUFFER_INPUT, .port = 2, .base = NO_BUFFER, .type = {.dtype = DT_F32}},
        {.kind = BUFFER_OUTPUT, .port = 1, .base = NO_BUFFER, .type = {.dtype = DT_I8}},
        {.kind = BUFFER_CONST, .offset = 128, .base = NO_BUFFER, .type = {.dtype = DT_F16}},
        {.kind = BUFFER_ARENA, .offset = 4096, .base = NO_BUFFER, .type = {.dtype = DT_F32}},
        {.kind = BUFFER_ARENA, .base = 3, .base_offset = 64, .type = {.dtype = DT_F64}},
        {.kind = BUFFER_OUTPUT, .base = 1, .base_offset = 8, .type = {.dtype = DT_I8}},
        {.kind = BUFFER_ARENA, .base = 4, .base_offset = 32, .type = {.dtype = DT_BOOL}},
    };
    Program p = {.arena = arena, .buffers = b, .n_buffers = COUNT_OF(b)};
    assert_string_equal(buffer_expr(arena, &p, 0, true), "m->in[2]");
    assert_string_equal(buffer_expr(arena, &p, 1, false), "m->out[1]");
    assert_string_equal(buffer_expr(arena, &p, 2, true), "weights_at(m, 128)");
    assert_string_equal(buffer_expr(arena, &p, 3, false), "workspace_at(m, 4096)");
    assert_string_equal(buffer_expr(arena, &p, 4, true), "workspace_at(m, 4160)");
    assert_string_equal(buffer_expr(arena, &p, 5, false),
                        "(void *)((unsigned char *)m->out[1] + 8)");
    assert_string_equal(buffer_expr(arena, &p, 6, false), "workspace_at(m, 4192)");
    arena_free(arena);
}

/* Every input and output of every operator has a name, an identifier that no other of its operands has; and there are no more names. */
static void test_operands(void **state)
{
    (void)state;
    enum { MOST = 16, ANY_NUMBER = 6 };
    for (Op op = 0; op < OP_COUNT; op++) {
        Arena *arena = arena_new();
        const OpInfo *info = op_info(op);
        const int n_in = info->max_in < 0 ? ANY_NUMBER : info->max_in;
        const int n = n_in + (info->max_out < 0 ? ANY_NUMBER : info->max_out);
        const char *name[MOST];
        assert_true(n <= MOST);
        for (int i = 0; i < n; i++) {
            name[i] = i < n_in ? op_input_name(arena, op, (uint32_t)i)
                               : op_output_name(arena, op, (uint32_t)(i - n_in));
            assert_string_equal(c_identifier(arena, name[i]), name[i]);
            for (int j = 0; j < i; j++)
                assert_string_not_equal(name[i], name[j]);
        }
        int words = 1, listed = n_in;
        if (op_has(
                op,
                TRAIT_LOOP)) { /* some have names of their own, the others "src..." and "dst..." */
            arena_free(arena);
            continue;
        }
        for (const char *s = info->names; *s; s++)
            words += *s == ' ';
        if (info->max_in < 0)
            listed = info->min_in;
        if (strchr(info->names, '>'))
            listed += 1 + (info->max_out < 0 ? 1 : info->max_out);
        assert_int_equal(words, listed);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identifiers),
        cmocka_unit_test(test_safe_text),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
