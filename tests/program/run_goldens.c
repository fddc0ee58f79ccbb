/* Goldens of programs: run_goldens [--rewrite] FILE.ir…
 *
 * The first line of FILE.ir names a pass that makes or completes a program: `// RUN: plan-memory`. All passes up to it are run for the
 * C target, or after a second line `// WITH: dnnl` for oneDNN as tests/program/answers remembers it (for AVX2, one thread). The program they
 * leave is compared with FILE.out beside it (large constants as hashes); --rewrite writes that file, and the answers, instead. Besides, print -> parse -> print of the whole, contents included, is the identity. */
#include "../../gen/dnnl/plan.h"
#include "../../gen/program/text.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"

#include <stdio.h>
#include <string.h>

typedef struct Golden {
    Arena *arena;
    Diag diag;
    const char *path, *pass;
    char *text;
    size_t size;
} Golden;

static bool fail(const Golden *t, const char *what)
{
    fprintf(stderr, "%s: %s\n", t->path, what);
    return false;
}

static bool read_pass(Golden *t)
{
    static const char run[] = "// RUN: ";
    if (strncmp(t->text, run, sizeof run - 1) != 0)
        return fail(t, "the first line does not say how it is run");
    const char *name = t->text + sizeof run - 1;
    t->pass = arena_strndup(t->arena, name, strcspn(name, "\n"));
    return wants_program(NULL, t->pass, false) || fail(t, "this pass makes no program");
}

static bool check_round_trip(Golden *t, const Program *p)
{
    Program again;
    Text once = text_new(t->arena), twice = text_new(t->arena);
    print_program_text(p, &once);
    if (!parse_program_text(t->arena, &t->diag, t->path, once.data, once.size, &again))
        return fail(t, t->diag.message);
    print_program_text(&again, &twice);
    return strcmp(once.data, twice.data) == 0 || fail(t, "print, parse, print is not the identity");
}

static bool check_expectation(Golden *t, const Text *got, bool rewrite)
{
    const char *path = arena_printf(t->arena, "%.*s.out", (int)(strlen(t->path) - 3), t->path);
    char *want;
    size_t size;
    if (rewrite)
        return write_file_if_changed(path, got->data, got->size, &t->diag) ||
               fail(t, t->diag.message);
    if (!read_file(t->arena, path, &want, &size, &t->diag))
        return fail(t, t->diag.message);
    if (strcmp(want, got->data) == 0)
        return true;
    fprintf(stderr, "%s: what came out differs from the .out file:\n%s", t->path, got->data);
    return false;
}

static bool open_engine(Golden *t, bool rewrite, DnnlEngine **engine)
{
    static const char answers[] = "tests/program/answers";
    *engine = NULL;
    if (!strstr(t->text, "\n// WITH: dnnl\n"))
        return true;
    if (!rewrite)
        return onednn_engine_replay(t->arena, &t->diag, answers, engine);
    return onednn_engine_open(t->arena, &t->diag, "avx2", 1, engine) &&
           onednn_engine_record(t->arena, &t->diag, answers, *engine, engine);
}

static bool compile(Golden *t, DnnlEngine *engine, bool rewrite)
{
    const PassOptions options = {
        .target_c = !engine, .isa = "avx2", .threads = 1, .engine = engine};
    Text out = text_new(t->arena);
    Graph *g = parse_text_ir(t->arena, &t->diag, t->path, t->text, t->size);
    Program p = {.graph = g, .arena = t->arena};
    if (!g || !run_passes(g, &p, &options, NULL, NULL, t->pass, NULL, NULL))
        return fail(t, t->diag.message);
    print_program_elided(&p, &out);
    return check_round_trip(t, &p) && check_expectation(t, &out, rewrite);
}

static bool run_golden(const char *path, bool rewrite)
{
    Arena *arena = arena_new();
    Golden t = {.arena = arena, .diag = {.arena = arena}, .path = path};
    bool good = read_file(arena, path, &t.text, &t.size, &t.diag) || fail(&t, t.diag.message);
    DnnlEngine *engine = NULL;
    good = good && read_pass(&t) &&
           (open_engine(&t, rewrite, &engine) || fail(&t, t.diag.message)) &&
           compile(&t, engine, rewrite) &&
           (!engine || onednn_engine_finish(engine, &t.diag) || fail(&t, t.diag.message));
    onednn_engine_close(engine);
    arena_free(arena);
    return good;
}

int main(int argc, char **argv)
{
    const bool rewrite = argc > 1 && strcmp(argv[1], "--rewrite") == 0;
    int failed = 0, first = rewrite ? 2 : 1;
    for (int i = first; i < argc; i++)
        failed += !run_golden(argv[i], rewrite);
    printf("%d passed, %d failed, 0 skipped\n", argc - first - failed, failed);
    return failed != 0;
}
