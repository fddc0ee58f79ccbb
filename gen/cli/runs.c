#include "runs.h"

#include <string.h>

typedef struct Words {
    const char **words;
    size_t n, cap;
} Words;

static void add_word(Arena *arena, Words *w, const char *word)
{
    ARENA_PUSH(arena, w->words, w->n, w->cap, word);
}

static void add_option(Arena *arena, Words *w, const char *option, const char *value)
{
    add_word(arena, w, option);
    add_word(arena, w, value);
}

static bool counts_state(const Graph *g, uint32_t input)
{
    return g->inputs[input].state > 0;
}

/* The most rows that plan `variant` has room for; 0: there is no such plan. */
static int64_t most_of(const Graph *g, uint32_t input, uint32_t variant)
{
    const Variants *v = &g->variants;
    if (variant >= v->n)
        return 0;
    for (uint32_t d = 0; d < v->n_dims; d++)
        if (!strcmp(v->dims[d], g->inputs[input].name))
            return v->sizes[variant * v->n_dims + d];
    return graph_bound(g, input);
}

/* All that there can be, or fewer, for which no smaller plan has room. A state begins without rows, as there have to be some left. */
static int64_t rows_of(const Graph *g, uint32_t input, uint32_t variant, bool fewer)
{
    const int64_t most = most_of(g, input, variant),
                  half = (most + most_of(g, input, variant + 1) + 1) / 2;
    return counts_state(g, input) ? (fewer ? most / 2 : 0) : fewer ? half : most;
}

static void add_rows(const Graph *g, Arena *arena, uint32_t variant, bool fewer, Words *w)
{
    for (uint32_t i = 0; i < inputs_each(g); i++)
        if (graph_bound(g, i) >= 0)
            add_option(arena, w, "--input",
                       arena_printf(arena, "%s=%lld", g->inputs[i].name,
                                    (long long)rows_of(g, i, variant, fewer)));
}

static Run run_of(const Graph *g, Arena *arena, const char *seed, uint32_t variant, bool fewer)
{
    Words w = {0};
    add_option(arena, &w, "--random", seed);
    if (graph_has_bounds(g))
        add_rows(g, arena, variant, fewer, &w);
    else if (g->variants.n > 1)
        add_option(arena, &w, "--variant", graph_variant_text(g, variant));
    return (Run){w.words, w.n};
}

static Run run_of_files(Arena *arena, const Options *o)
{
    Words w = {0};
    if (o->random)
        add_option(arena, &w, "--random", o->random);
    for (size_t i = 0; i < o->n_inputs; i++)
        add_option(arena, &w, "--input", o->inputs[i]);
    return (Run){w.words, w.n};
}

static bool can_be_fewer(const Graph *g)
{
    for (uint32_t i = 0; i < inputs_each(g); i++)
        for (uint32_t k = 0; graph_bound(g, i) >= 0 && k < g->variants.n; k++)
            if (rows_of(g, i, k, true) != rows_of(g, i, k, false))
                return true;
    return false;
}

const Round *runs_of_program(const Graph *g, const Options *o, Arena *arena, size_t *n)
{
    Round *rounds = ARENA_ARRAY(arena, Round, 2);
    *n = o->n_inputs || !can_be_fewer(g) ? 1 : 2;
    for (size_t r = 0; r < *n; r++) {
        Run *runs = ARENA_ARRAY(arena, Run, g->variants.n);
        for (uint32_t k = 0; k < g->variants.n && !o->n_inputs; k++)
            runs[k] = run_of(g, arena, o->random ? o->random : "1", k, r == 1);
        if (o->n_inputs)
            runs[0] = run_of_files(arena, o);
        rounds[r].runs = runs;
    }
    return rounds;
}
