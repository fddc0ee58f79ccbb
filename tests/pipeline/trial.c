/* Compiling one graph as the command does, in a child process. */
#include "trial.h"

#include "../../gen/emit/emit.h"
#include "../../gen/layout/choose.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *compile(Graph *g, const Trial *trial)
{
    Diag *diag = g->diag;
    DnnlEngine *engine = NULL;
    const Machine machine = machine_of_isa(trial->target_c ? NULL : onednn_isa_name(NULL));
    const PassOptions passes = {.target_c = trial->target_c,
                                .threads = trial->threads,
                                .bf16 = trial->bf16,
                                .machine = trial->dnnl_conv ? NULL : &machine,
                                .int8 = !trial->target_c && onednn_isa_has_int8(NULL)};
    if (!run_passes(g, NULL, &passes, trial->passes, NULL, NULL, NULL, NULL))
        return diag->message;
    if (!trial->target_c && !onednn_engine_open(g->arena, diag, NULL, trial->threads, &engine))
        return diag->message;
    const LowerOptions lowering = {.conv = trial->conv, .share_all = trial->share_all};
    const EmitOptions emit = {.dir = trial->dir,
                              .origin = {.name = "m",
                                         .command = "test",
                                         .model_hash = "0",
                                         .isa = engine ? onednn_engine_isa(engine) : "any",
                                         .threads = trial->threads,
                                         .dnnl = !trial->target_c,
                                         .bf16 = trial->bf16},
                              .weights = WEIGHTS_EMBED};
    Program *p = choose_and_lower(g, engine, &lowering);
    bool ok = p && (!trial->check || trial->check(p, diag)) && plan_memory(p) &&
              verify_program(p) && emit_folder(p, &emit);
    onednn_engine_close(engine);
    return ok ? NULL : diag->message;
}

/* The library and its table; main's own files come from this program. */
static const char *build(Arena *arena, const Trial *trial, const char *object)
{
    const char *command = arena_printf(
        arena,
        "cd %s && LD_PRELOAD= gcc $PIPELINE_CFLAGS -std=%s -D_GNU_SOURCE -O1 -Wall -Wextra "
        "-Wpedantic -Werror -shared -fPIC "
        "-isystem \"${DNNLC_ONEDNN:-${XDG_CACHE_HOME:-$HOME/.cache}/dnnlc/onednn}/include\" "
        "m_*.c m_weights.S -o ../$(basename %s) -lm",
        trial->dir, trial->target_c ? "c99" : "c17", object);
    return system(command) ? "build: the emitted code does not compile" : NULL;
}

/* The same nodes in bf16 as in what was compiled, so that only the places of rounding differ. */
static const char *convert(Graph *g)
{
    const PassOptions options = {.bf16 = true};
    return run_passes(g, NULL, &options, NULL, NULL, "convert-precision", NULL, NULL)
               ? NULL
               : g->diag->message;
}

static const char *attempt(Arena *arena, const Graph *g, const Trial *trial)
{
    Diag diag = {.arena = arena};
    Graph *reference = copy_graph(arena, &diag, g), *copy = copy_graph(arena, &diag, g);
    const char *object = arena_printf(arena, "%s.so", trial->dir), *why;
    if (!reference || !copy)
        return arena_printf(arena, "text: %s", diag.message);
    if ((why = compile(copy, trial)))
        return arena_printf(arena, "refused: %s", why);
    if (trial->check_only)
        return NULL;
    if ((why = build(arena, trial, object)) || (trial->bf16 && (why = convert(reference))))
        return why;
    return execute(arena, object, reference, trial);
}

static const char *first_line(Arena *arena, const char *path)
{
    char *data, *error;
    size_t size;
    Diag diag = {.arena = arena};
    if (!read_file(arena, path, &data, &size, &diag))
        return "nothing";
    error = strstr(data, "error:");
    error = error ? error : data;
    error[strcspn(error, "\n")] = 0;
    return error;
}

/* A child that ends by _exit leaves its counts of coverage by this, which is there where they are counted. */
void __gcov_dump(void) __attribute__((weak));

const char *try_graph(Arena *arena, const Graph *g, const void *how)
{
    const Trial *trial = how;
    const char *log = arena_printf(arena, "%s.log", trial->dir);
    int status = 0;
    system(arena_printf(arena, "rm -rf %s && mkdir -p %s", trial->dir, trial->dir));
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        Arena *own = arena_new();
        if (!freopen(log, "w", stdout) || dup2(fileno(stdout), 2) < 0)
            _exit(3);
        alarm(120);
        const char *why = attempt(own, g, trial);
        if (why)
            printf("error: %s\n", why);
        fflush(NULL);
        if (__gcov_dump)
            __gcov_dump();
        _exit(why ? 1 : 0);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        return arena_printf(arena, "died by signal %d: %s", WTERMSIG(status),
                            first_line(arena, log));
    return WEXITSTATUS(status) ? first_line(arena, log) : NULL;
}
