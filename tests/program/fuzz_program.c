/* Damages programs and reads them: whatever comes out, the parser, the checker, the printer and emission may not crash.
 * fuzz_program ROUNDS FOLDER FILE.ir… Each graph is compiled, for the C target and for oneDNN; each round changes some bytes or numbers of
 * the program's text, or swaps in a piece of another place. What is accepted is emitted into the folder. */
#include "../../gen/dnnl/plan.h"
#include "../../gen/emit/emit.h"
#include "../../gen/program/text.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 1;

static size_t below(size_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(random_state >> 33) % n;
}

/* Programs are mostly numbers: a digit becomes another, so that what comes out is often accepted. */
static void change_digit(char *text, size_t size)
{
    for (size_t at = below(size), n = 0; n < size; n++, at = (at + 1) % size)
        if (isdigit((unsigned char)text[at])) {
            text[at] = (char)('0' + below(10));
            return;
        }
}

static void damage(char *text, size_t size)
{
    static const char bytes[] = "{}[]()%\"@#=,:-_.0123456789einfxb \n\\\xff";
    for (size_t n = 1 + below(3); n > 0; n--) {
        size_t from = below(size), to = below(size), length = below(24);
        switch (below(6)) {
        case 0:
            text[to] = bytes[below(sizeof bytes)];
            break;
        case 1:
            if (from + length <= size && to + length <= size)
                memmove(text + to, text + from, length);
            break;
        default:
            change_digit(text, size);
        }
    }
}

static bool emit(const Program *p, const char *folder)
{
    const ProgramOrigin *o = &p->origin;
    const EmitOptions options = {.dir = folder,
                                 .name = o->name ? o->name : "net",
                                 .model = o->model,
                                 .command = o->command ? o->command : "",
                                 .model_hash = o->model_hash ? o->model_hash : "",
                                 .isa = o->isa ? o->isa : "any",
                                 .threads = o->threads,
                                 .weights = WEIGHTS_C,
                                 .dnnl = o->dnnl};
    return p->placed && p->workspace_bytes < 1 << 20 && p->weights_bytes < 1 << 20 &&
           emit_folder(p, &options);
}

/* Returns whether the damaged text was accepted. */
static bool try_text(const char *text, size_t size, const char *folder)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Program p;
    const bool ok = parse_program_text(arena, &diag, "fuzz", text, size, &p);
    if (ok) {
        Text out = text_new(arena);
        print_program_text(&p, &out);
        emit(&p, folder);
    } else if (!diag.message) {
        fprintf(stderr, "refused without a reason\n");
        abort();
    }
    arena_free(arena);
    return ok;
}

static bool compile(Arena *arena, const char *path, bool dnnl, Text *out)
{
    Diag diag = {.arena = arena};
    char *text;
    size_t size;
    DnnlEngine *engine = NULL;
    if (!read_file(arena, path, &text, &size, &diag) ||
        (dnnl && !onednn_engine_open(arena, &diag, NULL, 2, &engine)))
        return fprintf(stderr, "%s: %s\n", path, diag.message), false;
    Graph *g = parse_text_ir(arena, &diag, path, text, size);
    Program p = {.graph = g,
                 .arena = arena,
                 .origin = {.name = "net", .threads = 2, .dnnl = dnnl, .isa = "avx2"}};
    const PassOptions options = {.target_c = !dnnl, .threads = 2, .engine = engine};
    const bool ok = g && run_passes(g, &p, &options, NULL, NULL, NULL, NULL, NULL);
    if (ok)
        print_program_text(&p, out);
    else
        fprintf(stderr, "%s: %s\n", path, diag.message);
    onednn_engine_close(engine);
    return ok;
}

int main(int argc, char **argv)
{
    const long rounds = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    long accepted = 0, tried = 0;
    bool ok = true;
    for (int i = 3; i < argc; i++)
        for (int dnnl = 0; dnnl < 2; dnnl++) {
            Arena *arena = arena_new();
            Text text = text_new(arena);
            ok = compile(arena, argv[i], dnnl, &text) && ok;
            const char *program = text.size ? strstr(text.data, "\nprogram {") : NULL;
            const size_t before = program ? (size_t)(program - text.data) + 10 : 0;
            char *copy = arena_alloc(arena, text.size + 1);
            for (long k = 0; program && k < rounds; k++, tried++) {
                memcpy(copy, text.data, text.size);
                damage(copy + before, text.size - before);
                accepted += try_text(copy, text.size, argv[2]);
            }
            arena_free(arena);
        }
    printf("%ld damaged programs, %ld of them accepted\n%d passed, %d failed, 0 skipped\n", tried,
           accepted, ok, !ok);
    return !ok;
}
