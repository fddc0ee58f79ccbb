/* What somebody may have meant who mistyped a word: distances, and what is near enough. */
#include "../../gen/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "", 3},
        {"target", "target", 0},
        {"tagret", "target", 1}, /* neighbours that changed places */
        {"target", "trget", 1},
        {"target", "ttarget", 1},
        {"target", "tarjet", 1},
        {"Batch", "batch", 0}, /* case counts for nothing */
        {"ca", "abc", 3},      /* no letter is moved twice */
        {"kitten", "sitting", 3},
        {"avx2", "avx512_core", 7},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const size_t na = strlen(cases[i].a), nb = strlen(cases[i].b);
        if (edit_distance(cases[i].a, na, cases[i].b, nb) != cases[i].distance ||
            edit_distance(cases[i].b, nb, cases[i].a, na) != cases[i].distance)
            fail_msg("'%s' and '%s': %zu", cases[i].a, cases[i].b,
                     edit_distance(cases[i].a, na, cases[i].b, nb));
    }
}

/* Longer words than anybody types are far from everything, and no memory is read behind the rows. */
static void long_words(void **state)
{
    (void)state;
    char word[200];
    memset(word, 'a', sizeof word);
    assert_int_equal(edit_distance(word, LONG_WORD, word, LONG_WORD), 0);
    assert_int_equal(edit_distance(word, LONG_WORD, "", 0), LONG_WORD);
    assert_int_equal(edit_distance(word, sizeof word, word, sizeof word), LONG_WORD);
}

static const char *meant(Arena *arena, const char *typed, const char *list)
{
    Nearest n = nearest_to(arena, typed);
    nearest_try_list(&n, list, '|');
    return did_you_mean(&n);
}

static void hints(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_string_equal(meant(arena, "emebd", "embed|c|file"), " (did you mean 'embed'?)");
    assert_string_equal(meant(arena, "fil", "embed|c|file"), " (did you mean 'file'?)");
    assert_string_equal(meant(arena, "gpu", "dnnl|c"), "");
    assert_string_equal(meant(arena, "x", "a|b|c"), ""); /* every letter is near every other */
    assert_string_equal(meant(arena, "", "a|b|c"), "");
    assert_string_equal(meant(arena, "batch", "batch"), " (did you mean 'batch'?)");
    /* The nearest, and of equally near ones the first. */
    assert_string_equal(meant(arena, "--tun", "--tuna|--tune|--tu"), " (did you mean '--tuna'?)");
    assert_string_equal(meant(arena, "--tume", "--tuma|--tune"), " (did you mean '--tuma'?)");
    assert_string_equal(meant(arena, "--tune2", "--tua|--tune"), " (did you mean '--tune'?)");
    /* The beginning of a long one. */
    assert_string_equal(meant(arena, "avx512", "avx2|avx512_core|avx512_core_vnni"),
                        " (did you mean 'avx512_core'?)");
    assert_string_equal(meant(arena, "av", "sse41|avx512_core"), "");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(long_words),
        cmocka_unit_test(hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
