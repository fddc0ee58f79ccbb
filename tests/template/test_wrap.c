/* Emitted lines are broken at 100 columns: what comes out, that only white space changes, and that wrapping again changes
 * nothing more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../../gen/emit/unit.h"

static const char *wrapped(Arena *arena, const char *text)
{
    Text out = text_new(arena);
    wrap_lines(&out, arena, text);
    return out.data;
}

static const char *without_space(Arena *arena, const char *text)
{
    Text out = text_new(arena);
    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            text_append(&out, text, 1);
    return out.data;
}

static void expect(const char *text, const char *wanted)
{
    Arena *arena = arena_new();
    const char *once = wrapped(arena, text);
    assert_string_equal(once, wanted);
    assert_string_equal(wrapped(arena, once), wanted);
    assert_string_equal(without_space(arena, once), without_space(arena, text));
    arena_free(arena);
}

#define SUMMANDS "a * 1000 + b * 1000 + c * 1000 + d * 1000 + e * 1000 + f * 1000" /* 63 columns */
#define TEN "aaaaaaaaa," /* as an argument */
#define FORTY TEN " " TEN " " TEN " " TEN
#define SEVENTY FORTY " " TEN " " TEN " " TEN

static void test_joined(void **state)
{
    (void)state;
    expect("    f(a,\n          b);\n", "    f(a, b);\n");
    expect("int x =\n        3;\nint y;\n", "int x = 3;\nint y;\n");
    expect("v = f(\n    a[1 +\n 2]);\n", "v = f(a[1 + 2]);\n");
    expect("static void f(int a,\n   int b)\n{\n}\n", "static void f(int a, int b)\n{\n}\n");
}

static void test_broken(void **state)
{
    (void)state;
    expect("    call(" FORTY " " FORTY " b, ccccccccc);\n",
           "    call(" FORTY " " FORTY " b,\n         ccccccccc);\n");
    expect("    descriptor x = make(" SEVENTY " b);\n",
           "    descriptor x =\n        make(" SEVENTY " b);\n");
    expect("    if (a_function_of_a_name_so_long_that_few_columns_are_left(" FORTY " " FORTY
           " " FORTY " b))\n",
           "    if (a_function_of_a_name_so_long_that_few_columns_are_left(\n            " FORTY
           " " FORTY "\n            " FORTY " b))\n");
    expect("    {\"" FORTY "\", \"" FORTY "\", \"" TEN "\"},\n",
           "    {\"" FORTY "\", \"" FORTY "\",\n     \"" TEN "\"},\n");
    expect("    check(&l, create(" SEVENTY " b));\n",
           "    check(&l,\n          create(" SEVENTY " b));\n");
}

static void test_sums(void **state)
{
    (void)state;
    expect("    const int x = " SUMMANDS " + " SUMMANDS " + b;\n",
           "    const int x =\n        " SUMMANDS " + a * 1000 + b * 1000 +\n"
           "        c * 1000 + d * 1000 + e * 1000 + f * 1000 + b;\n");
    expect("    x = src0[" SUMMANDS " + " SUMMANDS " + b];\n",
           "    x =\n        src0[" SUMMANDS " + a * 1000 + b * 1000 +\n"
           "             c * 1000 + d * 1000 + e * 1000 + f * 1000 + b];\n");
}

/* Behind the * of a product, not behind one that reads through a pointer. */
static void test_products(void **state)
{
    (void)state;
    const char *const factor =
        "*(const a_vector_of_a_kernel_whose_name_is_longer_than_most_are *)(s + v * 8)";
    Arena *arena = arena_new();
    expect(
        arena_printf(arena, "    sum[p][v] += %s * the_weights[v];\n", factor),
        arena_printf(arena, "    sum[p][v] += %s *\n                 the_weights[v];\n", factor));
    arena_free(arena);
}

/* Neither comments nor directives, nor what cannot be broken between arguments. */
static void test_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "/* f(a,\n * b); */\nint x; /* f(\n   g */\n",
        "#define F(a, \\\n          b) a\n",
        "f(a, /* the first */\n      b);\n",
        "if (a)\n    b = \"(\";\n",
        "c = '(';\nd = '\\'';\n",
        "static const int t[] = {\n    {1, 2},\n};\n",
        "\n\nno line feed at the end",
        "f(a,",
        "a )\n",
        "x = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa * "
        "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb;\n",
        "x = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa +\n"
        "      bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb);\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        expect(texts[i], texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joined),     cmocka_unit_test(test_broken),
        cmocka_unit_test(test_sums),       cmocka_unit_test(test_products),
        cmocka_unit_test(test_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
