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

static void expect_in(Arena *arena, const char *text, const char *wanted)
{
    Bindings *b = bindings_new(arena, NULL);
    Text out;
    text_init(&out, arena);
    bind(b, "name", "conv_%d", 3);
    bind_int(b, "n", -7);
    bind(b, "empty", "%s", "");
    bind(b, "zero", "0");
    bind(b, "many", "a();\n\nb();\n");
    for (int i = 0; i < 3; i++) {
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
    expect_bug("//@begin\n//@for n\n//@end\n", "t.c:2: //@for over a text: 'n'");
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
    Text out;
    size_t size = 0;
    text_init(&out, arena);
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
        cmocka_unit_test(test_text),     cmocka_unit_test(test_if),      cmocka_unit_test(test_for),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_bundled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
