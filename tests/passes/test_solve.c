/* The solver of labelling problems: against all combinations where there are few, and on problems too entangled to be exact. */
#include "../../gen/layout/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdint.h>

enum { MOST_VARIABLES = 200, MOST_LABELS = 4 };

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

typedef struct Sizes {
    uint32_t n, of[MOST_VARIABLES];
} Sizes;

/* n variables and `pairs` costs between them; one combination in `forbidden` must not be, never that of all labels 0. */
static Problem *random_problem(Arena *arena, uint64_t *seed, uint32_t n, uint32_t pairs,
                               uint32_t forbidden, Sizes *sizes)
{
    double cost[MOST_LABELS * MOST_LABELS];
    Problem *p = problem_new(arena);
    *sizes = (Sizes){.n = n};
    for (uint32_t v = 0; v < n; v++) {
        sizes->of[v] = 1 + below(seed, MOST_LABELS);
        for (uint32_t i = 0; i < sizes->of[v]; i++)
            cost[i] = below(seed, 100);
        assert_int_equal(problem_variable(p, sizes->of[v], cost), v);
    }
    for (uint32_t k = 0; k < pairs; k++) {
        uint32_t a = below(seed, n), b = (a + 1 + below(seed, n - 1)) % n;
        for (uint32_t i = 0; i < sizes->of[a] * sizes->of[b]; i++)
            cost[i] = i > 0 && below(seed, forbidden) == 0 ? INFINITY : below(seed, 100);
        problem_pair(p, a, b, cost);
    }
    return p;
}

static double least(const Problem *p, const Sizes *sizes)
{
    uint32_t label[MOST_VARIABLES] = {0};
    double best = INFINITY;
    for (uint32_t v = 0; v < sizes->n;) {
        best = fmin(best, problem_cost(p, label));
        for (v = 0; v < sizes->n && ++label[v] == sizes->of[v]; v++)
            label[v] = 0;
    }
    return best;
}

static void test_few_variables(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 400; trial++) {
        Arena *arena = arena_new();
        Sizes sizes;
        uint32_t label[MOST_VARIABLES] = {0}, n = 2 + below(&seed, 6);
        Problem *p = random_problem(arena, &seed, n, below(&seed, 12), 5, &sizes);
        assert_true(problem_solve(p, label));
        assert_true(problem_cost(p, label) == least(p, &sizes));
        arena_free(arena);
    }
}

/* A chain has a solution by hand: the shortest way. */
static void test_long_chain(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    uint64_t seed = 2;
    Problem *p = problem_new(arena);
    uint32_t label[MOST_VARIABLES] = {0};
    double way[MOST_LABELS] = {0}, next[MOST_LABELS], cost[MOST_LABELS * MOST_LABELS];
    for (uint32_t v = 0; v < MOST_VARIABLES; v++) {
        for (int i = 0; i < MOST_LABELS; i++)
            next[i] = 0;
        problem_variable(p, MOST_LABELS, next);
        for (uint32_t i = 0; i < MOST_LABELS * MOST_LABELS; i++)
            cost[i] = below(&seed, 1000);
        if (v)
            problem_pair(p, v - 1, v, cost);
        for (int j = 0; v && j < MOST_LABELS; j++) {
            next[j] = INFINITY;
            for (int i = 0; i < MOST_LABELS; i++)
                next[j] = fmin(next[j], way[i] + cost[i * MOST_LABELS + j]);
        }
        for (int i = 0; i < MOST_LABELS; i++)
            way[i] = next[i];
    }
    assert_true(problem_solve(p, label));
    assert_true(problem_cost(p, label) == fmin(fmin(way[0], way[1]), fmin(way[2], way[3])));
    arena_free(arena);
}

/* Every variable with many others: no longer exact, but never worse than what it began with, allowed, and the same every time. */
static void test_entangled(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 5; trial++) {
        Arena *arena = arena_new();
        Sizes sizes;
        uint32_t label[MOST_VARIABLES] = {0}, again[MOST_VARIABLES] = {0};
        Problem *p = random_problem(arena, &seed, 40, 300, 30, &sizes);
        const double before = problem_cost(p, label);
        assert_false(problem_solve(p, label));
        assert_true(problem_cost(p, label) < 0.95 * before);
        problem_solve(p, again);
        assert_memory_equal(label, again, sizeof label);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_variables),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_entangled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
