/* The property: no pass changes what a graph computes, and composites say what their nodes do. Random graphs, each pass by itself in the
 * default order; text goes out and comes back in between. test_random [FIRST [COUNT]] */
#include "../../gen/text_ir.h"
#include "../../passes/pass.h"
#include "compare.h"
#include "random_graph.h"
#include "rebuild.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_COUNT = 300 };

static Graph *reparse(Arena *arena, Diag *diag, const Graph *g)
{
    Text t;
    text_init(&t, arena);
    print_text_ir(g, &t);
    return parse_text_ir(arena, diag, "text", t.data, t.size);
}

static const char *try_pass(Arena *arena, Diag *diag, const Graph *original, Graph **g,
                            const PassInfo *pass, uint64_t seed)
{
    PassOptions options = {.target_c = seed % 8 == 7, .threads = 1};
    if (!run_passes(*g, &options, pass->name, NULL, NULL, NULL, NULL))
        return diag->message;
    const char *why = compare_graphs(arena, original, *g, seed, 2e-4);
    if (why)
        return why;
    Graph *rebuilt = rebuild_from_composites(arena, diag, *g);
    why = rebuilt ? compare_graphs(arena, original, rebuilt, seed, 2e-4) : diag->message;
    if (why)
        return arena_printf(arena, "composites: %s", why);
    *g = reparse(arena, diag, *g);
    return *g ? NULL : diag->message;
}

/* Composites of the graph as it is: later there are fewer kinds of nodes left to match. */
static const char *try_raw_composites(Arena *arena, Diag *diag, const Graph *original,
                                      uint64_t seed)
{
    PassOptions options = {.threads = 1};
    Graph *g = reparse(arena, diag, original);
    if (!g || !run_passes(g, &options, "merge-composite", NULL, NULL, NULL, NULL))
        return diag->message;
    Graph *rebuilt = rebuild_from_composites(arena, diag, g);
    return rebuilt ? compare_graphs(arena, original, rebuilt, seed, 2e-4) : diag->message;
}

static bool try_seed(uint64_t seed)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const char *why = NULL, *at = "making it";
    Graph *g = random_graph(arena, &diag, seed);
    Graph *original = g ? reparse(arena, &diag, g) : NULL;
    if (!original)
        why = diag.message;
    else
        why = try_raw_composites(arena, &diag, original, seed);
    for (const PassInfo *p = pass_table; p->name && !why; p++) {
        if (!p->by_default)
            continue;
        at = p->name;
        why = try_pass(arena, &diag, original, &g, p, seed);
    }
    if (why)
        fprintf(stderr, "seed %llu, %s: %s\n", (unsigned long long)seed, at, why);
    arena_free(arena);
    return !why;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : DEFAULT_COUNT, failed = 0;
    for (uint64_t seed = first; seed < first + count; seed++)
        failed += !try_seed(seed);
    printf("%llu passed, %llu failed, 0 skipped\n", (unsigned long long)(count - failed),
           (unsigned long long)failed);
    return failed != 0;
}
