/* The cache of measured times, as one process uses it: rounds, limits of time, and what comes back from the file. */
#include "../../gen/tune/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/dnnlc-tune-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int remove_folder(void **state)
{
    char path[sizeof folder + 16];
    (void)state;
    snprintf(path, sizeof path, "%s/dnnlc/tune", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/dnnlc", folder);
    rmdir(path);
    return rmdir(folder);
}

static void add(Tune *t, const char *key, double ns, double kept)
{
    tune_add(t, key, &ns);
    assert_true(fabs(ns - kept) < 1e-9);
}

static void expect(const Tune *t, const char *key, double kept)
{
    double ns = 0;
    assert_true(tune_find(t, key, &ns));
    assert_true(fabs(ns - kept) < 1e-9);
}

/* In each round a time is measured once more, and the shortest of all counts. */
static void test_rounds(void **state)
{
    Arena *arena = arena_new();
    Tune *t = tune_open(arena, "avx2", 1);
    double ns;
    const char *why = NULL;
    (void)state;
    assert_false(tune_find(t, "a", &ns));
    add(t, "a", 5, 5);
    expect(t, "a", 5);
    tune_round(t, 2);
    assert_false(tune_find(t, "a", &ns));
    add(t, "a", 7, 5);
    expect(t, "a", 5);
    tune_round(t, 3);
    assert_false(tune_find(t, "a", &ns));
    add(t, "a", 4, 4);
    expect(t, "a", 4);
    add(t, "b", 9, 9); /* met in the last round only: it is measured as often as it is asked for there */
    assert_false(tune_find(t, "b", &ns));
    tune_round(t, 1);
    expect(t, "b", 9);
    assert_true(tune_save(t, &why));
    arena_free(arena);
}

/* A file's times are as good as those of all rounds. */
static void test_file(void **state)
{
    Arena *arena = arena_new();
    Tune *t = tune_open(arena, "avx2", 1);
    size_t measured, found;
    (void)state;
    tune_round(t, TUNE_ROUNDS);
    expect(t, "a", 4);
    tune_count(t, &measured, &found);
    assert_int_equal(measured, 0);
    assert_int_equal(found, 1);
    arena_free(arena);
}

/* Where nothing is to be measured any more, what has been measured is what there is. */
static void test_limit(void **state)
{
    Arena *arena = arena_new();
    Tune *t = tune_open(arena, "avx2", 2);
    double ns;
    (void)state;
    add(t, "a", 3, 3);
    tune_round(t, 2);
    assert_false(tune_find(t, "a", &ns));
    tune_until(t, 0);
    assert_false(tune_may_measure(t));
    expect(t, "a", 3);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounds), cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
