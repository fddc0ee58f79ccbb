/* Factors of 1 and summands of 0 leave emitted kernels; what only looks like them stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../gen/emit/c/nn.h"

static void expect(const char *code, const char *wanted)
{
    Arena *arena = arena_new();
    assert_string_equal(nn_folded(arena, code), wanted);
    arena_free(arena);
}

static void test_folded(void **state)
{
    (void)state;
    expect("sy = row * 1 + tap * 1 - 0;", "sy = row + tap;");
    expect("tap < 1 * 2;", "tap < 2;");
    expect("src[(o * 6 + i) * 1 + c]", "src[o * 6 + i + c]");
    expect("dst[((t * 1 + 0) * B + b) * H]", "dst[(t * B + b) * H]");
    expect("row[at[i] * 1]", "row[at[i]]");
    expect("x = a / b * 1;", "x = a / b;");
    expect("src0[0 + i * 4 + j]", "src0[i * 4 + j]");
    expect("dst0[0 + 0 + i]", "dst0[i]");
    expect("const float x = (-1e-05f);", "const float x = -1e-05f;");
}

static void test_left_alone(void **state)
{
    static const char *const texts[] = {
        "",
        "x * 16 + 10 - 0x1 - 01;",
        "y = x * 1.5f + 0.0f - 0.5f;",
        "a / 1 * b",
        "a - 0 * b + 0 / c",
        "a * 1u + 1 + x1 * y",
        "f(1, 0) + (b - c)",
        "/* e^x * 1 + 0; */ x = 2;",
        "return x == 0 ? 1 : -1;",
        "x = (-7) * y;",
        "x = a + (-7);",
        "x = (-a - b);",
        "f(0 + x) + y[10 + i]",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        expect(texts[i], texts[i]);
    expect("x[(a ? b : c) * 1 + d]", "x[(a ? b : c) + d]");
    expect("x = a - (b + c) * 1;", "x = a - (b + c);");
    expect("f(x * 1)", "f(x)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded),
        cmocka_unit_test(test_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
