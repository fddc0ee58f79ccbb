/* plan-memory by itself: random chains with side branches. Nothing that is alive together may overlap, and the plan may take
 * 1.01 of what is alive at once on average (which is not always possible: a buffer cannot be cut), 1.1 at worst. */
#include "../../passes/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdint.h>

enum { STEPS = 120, PROGRAMS = 60, READS = 3 };

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

/* Step i writes buffer i and reads the last one, and now and then one from long before. */
static Program *chain(Arena *arena, uint64_t seed)
{
    static Diag diag;
    Program *p = ARENA_NEW(arena, Program);
    p->graph = graph_new(arena, &diag, "chain", "chain");
    p->arena = arena;
    p->n_steps = p->n_buffers = STEPS;
    p->steps = ARENA_ARRAY(arena, Step, STEPS);
    p->buffers = ARENA_ARRAY(arena, Buffer, STEPS);
    for (uint32_t i = 0; i < STEPS; i++) {
        Step *s = &p->steps[i];
        p->buffers[i] = (Buffer){.kind = BUFFER_ARENA,
                                 .value = NO_VALUE,
                                 .bytes = (1 + below(&seed, 40)) * (1 + below(&seed, 4000)),
                                 .base = NO_BUFFER};
        s->scratch = NO_BUFFER;
        s->out = ARENA_ARRAY(arena, BufferId, 1);
        s->out[0] = i;
        s->n_out = 1;
        s->in = ARENA_ARRAY(arena, BufferId, READS);
        for (uint32_t k = 0; k < READS && i; k++)
            if (k == 0 || below(&seed, 4) == 0)
                s->in[s->n_in++] = k ? i - 1 - below(&seed, i < 20 ? i : 20) : i - 1;
    }
    return p;
}

static size_t end_of(const Buffer *b)
{
    return b->offset + b->bytes;
}

static void check_overlap(const Program *p)
{
    for (uint32_t i = 0; i < p->n_buffers; i++)
        for (uint32_t j = 0; j < i; j++) {
            const Buffer *a = &p->buffers[i], *b = &p->buffers[j];
            bool together = a->first <= b->last && b->first <= a->last;
            assert_false(together && a->offset < end_of(b) && b->offset < end_of(a));
        }
}

/* Counted again: what some step finds alive. */
static size_t most_alive(const Program *p)
{
    size_t most = 0;
    for (uint32_t s = 0; s < p->n_steps; s++) {
        size_t alive = 0;
        for (uint32_t i = 0; i < p->n_buffers; i++)
            if (p->buffers[i].first <= s && s <= p->buffers[i].last)
                alive += (p->buffers[i].bytes + 63) / 64 * 64;
        most = alive > most ? alive : most;
    }
    return most;
}

static void test_random_chains(void **unused)
{
    (void)unused;
    double sum = 0, worst = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        Arena *arena = arena_new();
        Program *p = chain(arena, seed);
        assert_true(plan_memory(p));
        check_overlap(p);
        assert_int_equal(p->live_bytes, most_alive(p));
        for (uint32_t i = 0; i < p->n_buffers; i++)
            assert_true(p->buffers[i].offset % 64 == 0 &&
                        end_of(&p->buffers[i]) <= p->workspace_bytes);
        double ratio = (double)p->workspace_bytes / (double)p->live_bytes;
        sum += ratio;
        worst = ratio > worst ? ratio : worst;
        arena_free(arena);
    }
    if (worst > 1.1 || sum > 1.01 * PROGRAMS)
        fail_msg("planned / alive: %.4f at worst, %.4f on average", worst, sum / PROGRAMS);
}

static void test_same_again(void **unused)
{
    (void)unused;
    Arena *arena = arena_new();
    Program *a = chain(arena, 7), *b = chain(arena, 7);
    assert_true(plan_memory(a) && plan_memory(b));
    for (uint32_t i = 0; i < STEPS; i++)
        assert_int_equal(a->buffers[i].offset, b->buffers[i].offset);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_chains),
        cmocka_unit_test(test_same_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
