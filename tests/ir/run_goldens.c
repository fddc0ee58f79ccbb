/* Runs the goldens: run_goldens [--rewrite] FILE.ir…
 *
 * The first line of FILE.ir says how it is run: `// RUN: simplify,fold-constant` (nothing after the
 * colon: it is only parsed and printed). A second line may hold options: `// WITH: target-c no-eval
 * 2e-4 patterns=FILE isa=NAME` — everything to the C target; no comparison of numbers; the relative tolerance of that
 * comparison; what --patterns takes; the figures of that instruction set. What the passes leave is compared with FILE.out beside it (large constants as
 * hashes); --rewrite writes that file instead.
 *
 * Besides, for each file: print -> parse -> print is the identity before and after the passes; a
 * second run gives the same text; and the reference evaluator gives the same numbers before and
 * after, and from what the composites say. */
#include "../../gen/machine/machine.h"
#include "../../gen/text/data.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"
#include "../../passes/pattern/table.h"
#include "../passes/compare.h"
#include "../passes/rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Golden {
    Arena *arena;
    const char *path, *name, *text;
    size_t size;
    char *passes;
    const char *patterns; /* a file, or NULL */
    const char *isa;      /* whose figures are planned by, or NULL */
    bool target_c, no_eval;
    double tolerance;
} Golden;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool read_options(Golden *t)
{
    static const char run[] = "// RUN:", with[] = "// WITH:";
    if (strncmp(t->text, run, sizeof run - 1) != 0)
        return false;
    const char *p = t->text + sizeof run - 1;
    p += strspn(p, " ");
    t->passes = arena_strndup(t->arena, p, strcspn(p, "\n"));
    p += strcspn(p, "\n");
    if (strncmp(p + (*p == '\n'), with, sizeof with - 1) != 0)
        return true;
    p += sizeof with;
    char *words = arena_strndup(t->arena, p, strcspn(p, "\n")), *state = NULL;
    for (char *w = strtok_r(words, " ", &state); w; w = strtok_r(NULL, " ", &state)) {
        if (strcmp(w, "target-c") == 0)
            t->target_c = true;
        else if (strcmp(w, "no-eval") == 0)
            t->no_eval = true;
        else if (strncmp(w, "patterns=", 9) == 0)
            t->patterns = w + 9;
        else if (strncmp(w, "isa=", 4) == 0)
            t->isa = w + 4;
        else if ((t->tolerance = strtod(w, NULL)) <= 0)
            return false;
    }
    return true;
}

static Graph *parse(const Golden *t, Diag *diag, const char *text, size_t size)
{
    return parse_text_ir(t->arena, diag, t->name, text, size);
}

static bool fail(const Golden *t, const char *what)
{
    fprintf(stderr, "%s: %s\n", t->path, what);
    return false;
}

static bool check_round_trip(const Golden *t, const Graph *g)
{
    Diag diag = {.arena = t->arena};
    Text once = text_new(t->arena), twice = text_new(t->arena);
    print_text_ir(g, &once);
    Graph *again = parse(t, &diag, once.data, once.size);
    if (!again)
        return fail(t, diag.message);
    print_text_ir(again, &twice);
    return strcmp(once.data, twice.data) == 0 || fail(t, "print, parse, print is not the identity");
}

static bool check_numbers(const Golden *t, const Graph *before, const Graph *after)
{
    Diag diag = {.arena = t->arena};
    const char *why = compare_graphs(t->arena, before, after, 1, t->tolerance);
    if (why)
        return fail(t, why);
    Graph *rebuilt = rebuild_from_composites(t->arena, &diag, after);
    why = rebuilt ? compare_graphs(t->arena, before, rebuilt, 1, t->tolerance) : diag.message;
    return !why || fail(t, arena_printf(t->arena, "composites: %s", why));
}

/* Parses, runs the passes, prints; a refusal is printed in place of the graph. */
static bool run(const Golden *t, Text *out, bool check)
{
    Diag diag = {.arena = t->arena};
    PatternTable *patterns = pattern_table_new(t->arena);
    PassOptions options = {
        .target_c = t->target_c, .threads = 1, .int8 = true, .patterns = patterns};
    const Machine machine = machine_of_isa(t->isa);
    Text log = text_new(t->arena);
    if (t->isa)
        options.machine = &machine;
    if (t->patterns && !pattern_file_read(t->arena, &diag, t->patterns, patterns))
        return fail(t, diag.message);
    Graph *g = parse(t, &diag, t->text, t->size);
    Graph *before = g ? parse(t, &diag, t->text, t->size) : NULL;
    if (!g || !run_passes(g, NULL, &options, t->passes, NULL, NULL, &log, NULL)) {
        text_printf(out, "refused: %s\n", diag.message);
        return true;
    }
    print_text_ir_elided(g, out);
    if (!check)
        return true;
    if (!check_round_trip(t, before) || !check_round_trip(t, g))
        return false;
    return t->no_eval || check_numbers(t, before, g);
}

static bool check_expectation(const Golden *t, const Text *got, bool rewrite)
{
    char *path = arena_printf(t->arena, "%.*s.out", (int)(strlen(t->path) - 3), t->path);
    Diag diag = {.arena = t->arena};
    if (rewrite)
        return write_file_if_changed(path, got->data, got->size, &diag) || fail(t, diag.message);
    char *want;
    size_t size;
    if (!read_file(t->arena, path, &want, &size, &diag))
        return fail(t, diag.message);
    if (strcmp(want, got->data) == 0)
        return true;
    fprintf(stderr, "%s: what came out differs from %s:\n%s", t->path, base_name(path), got->data);
    return false;
}

static bool run_golden(const char *path, bool rewrite)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Golden t = {.arena = arena, .path = path, .name = base_name(path), .tolerance = 1e-4};
    char *text;
    Text first = text_new(arena), second = text_new(arena);
    bool good = strlen(path) > 3 && read_file(arena, path, &text, &t.size, &diag);
    if (!good) {
        fail(&t, diag.message ? diag.message : "not a golden");
    } else {
        t.text = text;
        good = read_options(&t) || fail(&t, "the first lines do not say how it is run");
        good = good && run(&t, &first, true) && run(&t, &second, false);
        if (good && strcmp(first.data, second.data) != 0)
            good = fail(&t, "two runs differ");
        good = good && check_expectation(&t, &first, rewrite);
    }
    arena_free(arena);
    return good;
}

int main(int argc, char **argv)
{
    bool rewrite = argc > 1 && strcmp(argv[1], "--rewrite") == 0;
    int failed = 0, first = rewrite ? 2 : 1;
    for (int i = first; i < argc; i++)
        failed += !run_golden(argv[i], rewrite);
    printf("%d passed, %d failed, 0 skipped\n", argc - first - failed, failed);
    return failed != 0;
}
