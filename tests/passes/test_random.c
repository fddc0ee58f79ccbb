/* The property: no pass changes what a graph computes, and composites say what their nodes do. Random graphs of three makers
 * by turns (small images with the habits of real models; everything lowering treats specially; quantised ones), each pass by itself in the
 * default order; text goes out and comes back in between. A graph that fails is made smaller and printed. Of enough
 * graphs every anchor of the pattern table has to have been met.
 *
 *   test_random [FIRST [COUNT]] */
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"
#include "../../passes/pattern/table.h"
#include "../pipeline/maker.h"
#include "../pipeline/shrink.h"
#include "compare.h"
#include "random_graph.h"
#include "random_quantised.h"
#include "rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_COUNT = 4500 };

/* One graph, and which rows of the pattern table all of them have met so far. */
typedef struct Random {
    uint64_t seed;
    const PatternTable *table;
    bool *met; /* by anchor row */
} Random;

static const char *try_pass(Arena *arena, Diag *diag, const Graph *original, Graph **g,
                            const PassInfo *pass, uint64_t seed)
{
    PassOptions options = {
        .target_c = seed % 8 == 7, .threads = 1, .int8 = seed % 8 != 7 && seed % 5 != 4};
    if (!run_passes(*g, NULL, &options, pass->name, NULL, NULL, NULL, NULL))
        return diag->message;
    const char *why = compare_graphs(arena, original, *g, seed, 2e-4);
    if (why)
        return why;
    Graph *rebuilt = rebuild_from_composites(arena, diag, *g);
    why = rebuilt ? compare_graphs(arena, original, rebuilt, seed, 2e-4) : diag->message;
    if (why)
        return arena_printf(arena, "composites: %s", why);
    *g = copy_graph(arena, diag, *g);
    return *g ? NULL : diag->message;
}

/* Composites of the graph as it is: later there are fewer kinds of nodes left to match. */
static const char *try_raw_composites(Arena *arena, Diag *diag, const Graph *original,
                                      const Random *r)
{
    PassOptions options = {.threads = 1};
    Graph *g = copy_graph(arena, diag, original);
    if (!g || !run_passes(g, NULL, &options, "merge-composite", NULL, NULL, NULL, NULL))
        return diag->message;
    for (uint32_t i = 0; i < g->columns->n_composites; i++)
        for (size_t k = 0; k < r->table->n_anchors; k++)
            if (strcmp(r->table->anchor[k].name, g->columns->composites[i].pattern) == 0)
                r->met[k] = true;
    Graph *rebuilt = rebuild_from_composites(arena, diag, g);
    return rebuilt ? compare_graphs(arena, original, rebuilt, r->seed, 2e-4) : diag->message;
}

/* A TryFn; `how` is a Random. */
static const char *try_passes(Arena *arena, const Graph *given, const void *how)
{
    const Random *r = how;
    Diag diag = {.arena = arena};
    Graph *original = copy_graph(arena, &diag, given), *g = copy_graph(arena, &diag, given);
    if (!original || !g)
        return diag.message;
    const char *why = try_raw_composites(arena, &diag, original, r);
    for (const PassInfo *p = pass_table; p->name && !why; p++) {
        if (p->when != BY_DEFAULT)
            continue;
        why = try_pass(arena, &diag, original, &g, p, r->seed);
        if (why)
            why = arena_printf(arena, "%s: %s", p->name, why);
    }
    return why;
}

static bool try_seed(const Random *r)
{
    uint64_t seed = r->seed;
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Graph *g = seed % 3 == 0   ? quantised_graph(arena, &diag, seed / 3)
               : seed % 3 == 1 ? random_graph(arena, &diag, seed)
                               : pipeline_graph(arena, &diag, seed);
    const char *why = g ? try_passes(arena, g, r) : diag.message;
    if (why)
        fprintf(stderr, "seed %llu, %s\n", (unsigned long long)seed, why);
    if (why && g) {
        Text t = text_new(arena);
        print_text_ir(shrink(arena, g, try_passes, r, why), &t);
        fprintf(stderr, "%s", t.data);
    }
    arena_free(arena);
    return !why;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : DEFAULT_COUNT, failed = 0;
    Arena *arena = arena_new();
    Random r = {.seed = first, .table = pattern_table_new(arena)};
    r.met = ARENA_ARRAY(arena, bool, r.table->n_anchors);
    for (; r.seed < first + count; r.seed++)
        failed += !try_seed(&r);
    uint64_t passed = count - failed;
    for (size_t k = 0; k < r.table->n_anchors && count >= DEFAULT_COUNT; k++) {
        passed += r.met[k];
        failed += !r.met[k];
        if (!r.met[k])
            fprintf(stderr, "no random graph has met '%s'\n", r.table->anchor[k].name);
    }
    arena_free(arena);
    printf("%llu passed, %llu failed, 0 skipped\n", (unsigned long long)passed,
           (unsigned long long)failed);
    return failed != 0;
}
