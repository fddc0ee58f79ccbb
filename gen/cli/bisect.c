/* dnnlc bisect: the passes run in a process of their own, which may crash. Which pass runs stands in memory that both see. */
#include "../verify/bisect_say.h"

#include "../base/utf8.h"
#include "../dnnl/engine.h"
#include "bisect.h"
#include "compile.h"
#include "inputs.h"
#include "load.h"
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME_SIZE = 64 };

/* What the child lets its parent know, in memory that both see. */
typedef struct Shared {
    char running[NAME_SIZE]; /* the pass; "" between passes */
    bool begun, ended;       /* the JSON object */
} Shared;

typedef struct Said {
    Text text;
    Shared *shared;
    const Options *o;
    uint64_t seed;
} Said;

static const Tensor *give_inputs(void *user, const Graph *g)
{
    const Said *said = user;
    return inputs_given(g, said->o, said->seed);
}

static void write_lines(void *user, const char *running)
{
    Said *said = user;
    snprintf(said->shared->running, NAME_SIZE, "%s", running);
    said->shared->begun = said->shared->begun || said->text.size;
    fwrite(said->text.data, 1, said->text.size, stdout);
    fflush(stdout);
    said->text = text_new(said->text.arena);
}

/* In the child: 0, nothing is wrong; 1, it is said what is. */
static int run_child(Graph *g, Compiler *c, const char *hash, uint64_t seed, Shared *shared)
{
    Program p;
    DnnlEngine *engine = NULL;
    const Options *o = c->o;
    Said said = {text_new(g->arena), shared, o, seed};
    Bisect b = {.arena = g->arena,
                .inputs = give_inputs,
                .coarse = o->bf16,
                .json = o->json,
                .file = o->model,
                .hash = hash,
                .about = inputs_text(g->arena, o),
                .width = terminal_width(),
                .out = &said.text,
                .say = write_lines,
                .user = &said};
    const PassWatch watch = bisect_watch(&b);
    c->watch = &watch;
    c->keeps = true;
    const bool done = plan_graph(g, &p, c, hash, &engine);
    const char *message = g->diag->message ? utf8_one_line(g->arena, g->diag->message) : "";
    const char *running = shared->running;
    if (done && !o->json)
        text_puts(&said.text, "no pass changes an output beyond the bound\n");
    else if (*running && !o->json)
        text_printf(&said.text, "\npass '%s' fails: %s\n", running, message);
    else if (o->json && shared->begun && !b.culprit)
        bisect_json_end(&said.text, running,
                        done ? NULL : arena_printf(g->arena, "fails: %s", message));
    else if (!b.culprit)
        fprintf(stderr, "dnnlc: %s\n", message);
    shared->ended = true;
    write_lines(&said, "");
    return done ? 0 : 1;
}

/* What ends it ends the child, and time that is over ends the child, so that the pass can be named. */
static void prepare_child(unsigned seconds)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
}

static const char *end_text(Arena *arena, int signal, const Options *o)
{
    return signal == SIGALRM ? arena_printf(arena, "still runs after the %d second%s of --max-time",
                                            o->max_time, o->max_time == 1 ? "" : "s")
                             : arena_printf(arena, "crashes: %s", strsignal(signal));
}

/* The child has ended by a signal: what has it not said itself? */
static void say_end(Arena *arena, const Options *o, const Shared *shared, const char *how)
{
    const char *running = shared->running;
    Text t = text_new(arena);
    if (!o->json)
        text_printf(&t, "\n%s%s%s %s\n", *running ? "pass '" : "what stands between passes",
                    running, *running ? "'" : "", how);
    else if (shared->begun && !shared->ended)
        bisect_json_end(&t, running, how);
    else
        fprintf(stderr, "dnnlc: %s: %s\n", o->model, how);
    fwrite(t.data, 1, t.size, stdout);
}

static bool await_child(Arena *arena, pid_t child, const Options *o, const Shared *shared)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    if (WIFSIGNALED(status))
        say_end(arena, o, shared, end_text(arena, WTERMSIG(status), o));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool bisect_command(Arena *arena, Diag *diag, const Options *o)
{
    char hash[65];
    uint64_t seed;
    Compiler c;
    Program p = {0};
    Graph *g = NULL;
    if (!seed_of(diag, o, &seed) || !begin_compiler(arena, diag, o, &c) ||
        !(g = load_graph(arena, diag, o, hash, &p)))
        return false;
    if (p.lowered)
        return refuse(diag, "%s: is a program: all passes have run", o->model);
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL);
    const unsigned seconds = alarm(0);
    const pid_t child = shared == MAP_FAILED ? -1 : fork();
    if (child < 0)
        return refuse(diag, "no process for the passes: %s", strerror(errno));
    if (child == 0) {
        prepare_child(seconds);
        _exit(run_child(g, &c, arena_strdup(arena, hash), seed, shared));
    }
    const bool found_nothing = await_child(arena, child, o, shared);
    munmap(shared, sizeof *shared);
    return found_nothing;
}
