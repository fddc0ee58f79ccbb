/* The template engine: what templates render to, and that each mistake in one names its file and
 * line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../gen/base/bundle.h"
#include "../../gen/base/template.h"

static const unsigned char sample[] = "int $x$;\n//@begin\nint $name$_k;\n";
const BundledFile bundled_files[] = {
    {"templates/sample.c", sample, sizeof sample - 1},
    {0, 0, 0},
};

/* "f(a|b)" */
static const char *spelled(const void *user, Arena *arena, const char *const *operand, size_t n)
{
    return arena_printf(arena, "%s(%s%s%s)", (const char *)user, operand[0], n > 1 ? "|" : "",
                        n > 1 ? operand[1] : "");
}

static void bind_loops(Bindings *b, const char *list, int n)
{
    bind_list(b, list, "");
    for (int i = 0; i < n; i++) {
        Bindings *row = bind_row(b, list);
        bind(row, "i", "i%d", i);
        bind_int(row, "end", 10 + i);
    }
}

static void expect_in(Arena *arena, const char *text, const char *wanted)
{
    Bindings *b = bindings_new(arena, NULL);
    Text out = text_new(arena);
    bind(b, "name", "conv_%d", 3);
    bind_int(b, "n", -7);
    bind(b, "empty", "%s", "");
    bind(b, "zero", "0");
    bind(b, "many", "a();\n\nb();\n");
    bind_fn(b, "f", spelled, "f");
    bind_macro(b, "larger", "acc, x", "$acc$ = $f$($x$) > $acc$ ? $x$ : $n$");
    bind_list(b, "nobodies", "+");
    bind_list(b, "sum", " + ");
    bind_loops(b, "flat", 0);
    bind_loops(b, "line", 1);
    bind_loops(b, "plane", 2);
    for (int i = 0; i < 3; i++) {
        bind_int(bind_row(b, "sum"), "i", i);
        Bindings *row = bind_row(b, "rows");
        bind_int(row, "i", i);
        for (int j = 0; j < i; j++)
            bind_int(bind_row(row, "cols"), "j", j);
    }
    render_text(&out, "t.c", text, b);
    assert_string_equal(out.data, wanted);
}

static void expect(const char *text, const char *wanted)
{
    Arena *arena = arena_new();
    expect_in(arena, text, wanted);
    arena_free(arena);
}

static void test_text(void **state)
{
    (void)state;
    expect("#define $n$ 1\n//@begin\n", "");
    expect("//@begin\nint $name$ = $n$;\n", "int conv_3 = -7;\n");
    expect("//@begin\nno newline at $n$", "no newline at -7\n");
    expect("//@begin\n$n$$n$ $name$x\n", "-7-7 conv_3x\n");
    expect("//@begin\n    $many$\nx\n", "    a();\n\n    b();\nx\n");
    expect("//@begin\n  { $many$ }\n", "  { a();\n\n  b();\n }\n");
    expect("//@begin\n  $empty$\nx\n", "x\n");
    expect("//@begin\n  $empty$;\nx\n", "  ;\nx\n");
}

static void test_if(void **state)
{
    (void)state;
    expect("//@begin\n//@if n\na\n//@else\nb\n//@end\n", "a\n");
    expect("//@begin\n  //@if zero\na\n  //@else\nb\n  //@end\nc\n", "b\nc\n");
    expect("//@begin\n//@if empty\na\n//@end\nc\n", "c\n");
    expect("//@begin\n//@if zero\n//@if nobody\n$nobody$\n//@else\n//@end\n//@else\nb\n//@end\n",
           "b\n");
}

static void test_for(void **state)
{
    (void)state;
    expect("//@begin\n//@for rows\nr$i$\n//@for cols\n$i$$j$$n$\n//@end\n//@end\n.\n",
           "r0\nr1\n10-7\nr2\n20-7\n21-7\n.\n");
    expect("//@begin\n//@for none\n$nobody$\n//@end\n.\n", ".\n");
    expect("//@begin\n//@for rows\n//@if i\n$i$\n//@else\nzero\n//@end\n//@end\n", "zero\n1\n2\n");
}

static void test_functions(void **state)
{
    (void)state;
    expect("//@begin\nx = $f$(a[i]) + 1;\n", "x = f(a[i]) + 1;\n");
    expect("//@begin\n$f$($name$, g(a, b))\n", "f(conv_3|g(a, b))\n");
    expect("//@begin\n$f$($f$((a)), $f$(b[c, d]))\n", "f(f((a))|f(b[c, d]))\n");
    expect("//@begin\n    $larger$(sum[x], v);\n", "    sum[x] = f(v) > sum[x] ? v : -7;\n");
    expect("//@begin\nv = $sum$(a$i$ * $n$);\n", "v = a0 * -7 + a1 * -7 + a2 * -7;\n");
    expect("//@begin\nv = $sum$($rows$(x$i$));\n", "v = x0, x1, x2 + x0, x1, x2 + x0, x1, x2;\n");
    expect("//@begin\n$nobodies$(a)\nv()$nobodies$(a);\n", "v();\n");
    expect("//@begin\n//@if nobodies\nx\n//@else\ny\n//@end\n//@if sum\nz\n//@end\n", "y\nz\n");
}

/* One loop as C, whose body is two statements or one. */
#define LOOP "    for ($i$ < $end$)"
#define TWO "        a;\n        b;\n"

static void test_nest(void **state)
{
    (void)state;
    expect("//@begin\n//@nest flat\n" LOOP " {\n" TWO "    }\n//@end\nc\n", "    a;\n    b;\nc\n");
    expect("//@begin\n//@nest line\n" LOOP " {\n" TWO "    }\n//@end\nc\n",
           "    for (i0 < 10) {\n        a;\n        b;\n    }\nc\n");
    expect(
        "//@begin\n//@nest plane\n" LOOP " {\n" TWO "    }\n//@end\n",
        "    for (i0 < 10)\n        for (i1 < 11) {\n            a;\n            b;\n        }\n");
    expect("//@begin\n//@nest line\n" LOOP " {\n        a;\n    }\n//@end\n",
           "    for (i0 < 10)\n        a;\n");
    expect("//@begin\n//@nest plane\n" LOOP "\n        $many$\n//@end\n",
           "    for (i0 < 10)\n        for (i1 < 11)\n            a();\n\n            b();\n");
    expect("//@begin\n//@if zero\n//@nest nobody\n$nobody$\n//@end\n//@end\nc\n", "c\n");
}

/* Nests, lists and conditions in the body of a nest; directives of the preprocessor stay at the left. */
static void test_nest_within(void **state)
{
    (void)state;
    expect(
        "//@begin\n//@nest plane\nfor ($i$) {\n//@nest line\n    for ($i$)\n        x\n//@end\n"
        "//@nest flat\n    for ($i$) {\n        y\n    }\n//@end\n#if 1\n//@for sum\n    "
        "z$i$\n//@end\n}\n//@end\n",
        "for (i0)\n    for (i1) {\n        for (i0)\n            x\n        y\n#if 1\n        z0\n"
        "        z1\n        z2\n    }\n");
}

/* Renders in a child process; its message must contain `wanted`. */
static void expect_bug(const char *text, const char *wanted)
{
    int fd[2];
    char message[512];
    assert_int_equal(pipe(fd), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        dup2(fd[1], 2);
        expect(text, "");
        _exit(0);
    }
    close(fd[1]);
    ssize_t n, got = 0;
    while ((n = read(fd[0], message + got, sizeof message - 1 - (size_t)got)) > 0)
        got += n;
    message[got] = 0;
    close(fd[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    if (!strstr(message, wanted))
        fail_msg("'%s' does not contain '%s'", message, wanted);
}

static void test_mistakes(void **state)
{
    (void)state;
    expect_bug("a\n//@begin\nb\nint $nobody$;\n", "t.c:4: unbound placeholder '$nobody$'");
    expect_bug("//@begin\n$rows$\n", "t.c:2: unbound placeholder '$rows$'");
    expect_bug("//@begin\n//@if nobody\n//@end\n", "t.c:2: unbound name in //@if 'nobody'");
    expect_bug("//@begin\n\n//@if n\n", "t.c:3: //@if without its //@end: 'n'");
    expect_bug("//@begin\n//@if n\n//@else\n//@else\n//@end\n",
               "t.c:2: //@if without its //@end: 'n'");
    expect_bug("//@begin\n//@for rows\nx\n", "t.c:2: //@for without its //@end: 'rows'");
    expect_bug("//@begin\n//@for n\n//@end\n", "t.c:2: not a list: 'n'");
    expect_bug("//@begin\nx\n$f$ (a)\n", "t.c:3: unbound placeholder '$f$'");
    expect_bug("//@begin\n$f$((a)\n", "t.c:2: operands without an end in '$f$((a)'");
    expect_bug("//@begin\n$larger$(a)\n", "t.c:2: not as many operands as parameters: 'a'");
    expect_bug("//@begin\n$f$(1,2,3,4,5,6,7,8,9)\n", "t.c:2: too many operands");
    expect_bug("//@begin\n//@nest line\n//@end\n",
               "t.c:2: //@nest without a line of a loop: 'line'");
    expect_bug("//@begin\n//@nest line\nfor\n", "t.c:2: //@nest without its //@end: 'line'");
    expect_bug("//@begin\n//@nest n\nfor\n//@end\n", "t.c:2: not a list: 'n'");
    expect_bug("//@begin\n//@nest line\nfor ($i$) {\nx\n//@end\n",
               "t.c:2: the block is not closed in front of the //@end of nest 'for ($i$) {'");
    expect_bug("//@begin\n//@nest line\nfor ($nobody$)\nx\n//@end\n",
               "t.c:3: unbound placeholder '$nobody$'");
    expect_bug("//@begin\nx\n//@end\n", "t.c:3: unmatched directive '//@end'");
    expect_bug("//@begin\n//@while x\n", "t.c:2: unknown directive 'while x'");
    expect_bug("//@begin\n//@if\n", "t.c:2: unknown directive 'if'");
    expect_bug("//@begin\ncost: 5 $\n", "t.c:2: stray '$' in 'cost: 5 $'");
    expect_bug("//@begin\n//@begin\n", "t.c:2: second directive '//@begin'");
    expect_bug("no beginning\n", "t.c:1: no directive '//@begin'");
}

static void test_bundled(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Bindings *b = bindings_new(arena, bindings_new(arena, NULL));
    size_t size = 0;
    Text out = text_new(arena);
    bind(b, "name", "x");
    render(&out, "sample.c", b);
    assert_string_equal(out.data, "int x_k;\n");
    assert_ptr_equal(bundled_file("templates/sample.c", &size), sample);
    assert_int_equal(size, sizeof sample - 1);
    assert_null(bundled_file("templates/other.c", &size));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),     cmocka_unit_test(test_if),
        cmocka_unit_test(test_for),      cmocka_unit_test(test_functions),
        cmocka_unit_test(test_nest),     cmocka_unit_test(test_nest_within),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_bundled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
