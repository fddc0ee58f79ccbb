/* test_layouts [--rewrite] MODEL...: that a network and the same one written with its channels last (channels_last.h) end
 * up in the same plan: the same layers by the same implementations, the same reorders, the same memory. Of NAME.ir that plan
 * is NAME.out beside it, by the answers of oneDNN in the file `answers` there (AVX2, one thread), so that every machine gives the same;
 * of NAME.onnx there is nothing to compare it with, and oneDNN itself is asked. */
#include "channels_last.h"

#include "../../gen/emit/emit.h"
#include "../../gen/layout/choose.h"
#include "../../gen/onnx/import.h"
#include "../../gen/ops/ops.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/common/util.h"
#include "../../passes/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Graph *load(Arena *arena, Diag *diag, const char *path)
{
    char *data;
    size_t size;
    Text notes = text_new(arena);
    if (has_suffix(path, ".onnx"))
        return import_onnx(arena, diag, path, &(ImportOptions){.notes = &notes});
    if (!read_file(arena, path, &data, &size, diag))
        return NULL;
    return parse_text_ir(arena, diag, path, data, size);
}

/* One line for each step, whatever its operands' dimensions are called. */
static void print_step(const Program *p, const Step *s, Text *out)
{
    if (!s->n_nodes) {
        const Buffer *from = &p->buffers[s->in[0]], *to = &p->buffers[s->out[0]];
        text_printf(out, "copy of %zu bytes%s%s\n", type_bytes(&from->type),
                    from->layout.pitch ? " out of a wider tensor" : "",
                    to->layout.pitch ? " into a wider tensor" : "");
        return;
    }
    for (uint32_t i = 0; i < s->n_nodes; i++)
        text_printf(out, "%s%s", i ? " + " : "", op_info(node_at(p->graph, s->nodes[i])->op)->name);
    text_printf(out, " '%s' -> %s\n", node_at(p->graph, s->node)->name,
                s->dnnl ? s->dnnl->impl : "C");
}

static bool step_only_moves(const Program *p, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (op_info(node_at(p->graph, s->nodes[i])->op)->class != CLASS_MOVE)
            return false;
    return true;
}

/* All steps, and into `moves` those that only move elements. */
static const char *plan_of(Graph *g, DnnlEngine *engine, Text *moves)
{
    const PassOptions passes = {.isa = "avx2", .threads = 1};
    const LowerOptions lowering = {.conv = CONV_WHERE_FASTER};
    Text out = text_new(g->arena);
    if (!run_passes(g, NULL, &passes, NULL, NULL, NULL, NULL, NULL))
        return NULL;
    Program *p = choose_and_lower(g, engine, &lowering);
    if (p && plan_memory(p) && verify_program(p)) {
        for (uint32_t i = 0; i < p->n_steps; i++) {
            print_step(p, &p->steps[i], &out);
            if (step_only_moves(p, &p->steps[i]))
                print_step(p, &p->steps[i], moves);
        }
        text_printf(&out, "workspace: %zu bytes, alive at once: %zu\n", p->workspace_bytes,
                    p->live_bytes);
    }
    return p ? out.data : NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in alphabetical order: what does not wait for one another may be computed in any. */
static const char *sorted(Arena *arena, const char *plan)
{
    char *text = arena_strdup(arena, plan);
    char **line = ARENA_ARRAY(arena, char *, strlen(plan) + 1);
    size_t n = 0;
    Text out = text_new(arena);
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
        line[n++] = at;
    qsort(line, n, sizeof *line, by_text);
    for (size_t i = 0; i < n; i++)
        text_printf(&out, "%s\n", line[i]);
    return out.data;
}

/* The first line that differs, of both. */
static bool same(const char *what, const char *want, const char *got)
{
    uint32_t line = 1;
    if (!strcmp(want, got))
        return true;
    while (*want && *want == *got) {
        line += *want == '\n';
        want++, got++;
    }
    while (want[-1] != '\n' && line > 1)
        want--, got--;
    fprintf(stderr, "%s: line %u: '%.*s', not '%.*s'\n", what, line, (int)strcspn(got, "\n"), got,
            (int)strcspn(want, "\n"), want);
    return false;
}

static bool same_as_file(Arena *arena, Diag *diag, const char *model, const char *moves,
                         bool rewrite)
{
    char *want;
    size_t size;
    const char *path = arena_printf(arena, "%.*s.out", (int)(strlen(model) - 3), model);
    if (rewrite)
        return write_file_if_changed(path, moves, strlen(moves), diag);
    return read_file(arena, path, &want, &size, diag) && same(model, want, moves);
}

static bool try(const char *model, DnnlEngine *engine, bool rewrite)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Graph *g = load(arena, &diag, model);
    Text moves = text_new(arena), other = text_new(arena);
    Graph *last = g ? with_channels_last(arena, &diag, g) : NULL;
    const char *plan = last ? plan_of(g, engine, &moves) : NULL,
               *plan_last = plan ? plan_of(last, engine, &other) : NULL;
    bool ok = plan_last &&
              (!has_suffix(model, ".ir") || same_as_file(arena, &diag, model, moves.data, rewrite));
    ok = ok && same(arena_printf(arena, "%s with its channels last", model), sorted(arena, plan),
                    sorted(arena, plan_last));
    if (!ok && diag.message)
        fprintf(stderr, "%s: %s\n", model, diag.message);
    arena_free(arena);
    return ok;
}

/* All models are of one folder and one kind. */
static bool open_engine(Arena *arena, Diag *diag, const char *model, bool rewrite,
                        DnnlEngine **engine)
{
    const char *slash = strrchr(model, '/');
    const char *answers =
        arena_printf(arena, "%.*sanswers", slash ? (int)(slash + 1 - model) : 0, model);
    if (!has_suffix(model, ".ir"))
        return onednn_engine_open(arena, diag, "avx2", 1, engine);
    if (!rewrite)
        return onednn_engine_replay(arena, diag, answers, engine);
    remove(answers);
    return onednn_engine_open(arena, diag, "avx2", 1, engine) &&
           onednn_engine_record(arena, diag, answers, *engine, engine);
}

int main(int argc, char **argv)
{
    const bool rewrite = argc > 1 && !strcmp(argv[1], "--rewrite");
    int failed = 0, first = rewrite ? 2 : 1;
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    DnnlEngine *engine;
    if (first == argc) {
        fprintf(stderr, "usage: %s [--rewrite] MODEL...\n", argv[0]);
        return 2;
    }
    if (!open_engine(arena, &diag, argv[first], rewrite, &engine)) {
        fprintf(stderr, "%s\n", diag.message);
        return 1;
    }
    for (int i = first; i < argc; i++)
        failed += !try(argv[i], engine, rewrite);
    if (!onednn_engine_finish(engine, &diag)) {
        fprintf(stderr, "%s\n", diag.message);
        failed++;
    }
    onednn_engine_close(engine);
    arena_free(arena);
    printf("%d passed, %d failed, 0 skipped\n", argc - first - failed, failed);
    return failed != 0;
}
