/* The line that says how far long work is. */
#include "../../gen/base/progress.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void lines(void **state)
{
    (void)state;
    static const struct {
        double done, of, seconds;
        const char *line;
    } cases[] = {
        {0, 0, 3, "dnnlc: lower, 3 s"},
        {0, 10, 3, "dnnlc: lower, 3 s"}, /* nothing is done yet: nobody knows */
        {1, 4, 3, "dnnlc: lower, 3 s, 9 s left"},
        {1, 101, 6, "dnnlc: lower, 6 s, 10 min left"},
        {4, 4, 3, "dnnlc: lower, 3 s"},
        {5, 4, 3, "dnnlc: lower, 3 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[79];
        progress_line(line, sizeof line, "lower", cases[i].done, cases[i].of, cases[i].seconds);
        assert_string_equal(line, cases[i].line);
    }
}

/* A name that is too long is cut, not written behind the line. */
static void long_names(void **state)
{
    (void)state;
    char line[20], name[100];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    progress_line(line, sizeof line, name, 1, 4, 3);
    assert_int_equal(strlen(line), sizeof line - 1);
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
}

/* What of some work, with other work inside of it, comes to standard error. */
static void work(char *said, size_t size)
{
    const int kept = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    progress_begin("outer");
    progress_begin("inner");
    wait_a_little();
    progress_at(1, 2);
    progress_at(1, 2); /* too soon for another line */
    progress_end();
    progress_end();
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    const ssize_t n = pread(fileno(file), said, size - 1, 0);
    said[n > 0 ? n : 0] = 0;
    fclose(file);
}

static void shown(void **state)
{
    (void)state;
    char said[200];
    work(said, sizeof said);
    assert_string_equal(said, ""); /* nobody has allowed it: a log has none */
    progress_allow(60);
    work(said, sizeof said);
    assert_string_equal(said, ""); /* it did not take long enough */
    progress_allow(0);
    work(said, sizeof said);
    assert_string_equal(said, "dnnlc: outer, 0 s, 0 s left\033[K\r\033[K");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(long_names),
        cmocka_unit_test(shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
