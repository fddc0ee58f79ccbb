/* dnnlc bisect: the passes run in a process of their own, which may crash. Which pass runs stands in memory that both see. */
#include "../verify/bisect.h"

#include "../base/utf8.h"
#include "../dnnl/engine.h"
#include "bisect.h"
#include "compile.h"
#include "load.h"
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME_SIZE = 64 };

typedef struct Said {
    Text text;
    char *running; /* NAME_SIZE bytes, shared */
} Said;

static void write_lines(void *user, const char *running)
{
    Said *said = user;
    snprintf(said->running, NAME_SIZE, "%s", running);
    fwrite(said->text.data, 1, said->text.size, stdout);
    fflush(stdout);
    said->text = text_new(said->text.arena);
}

/* In the child: 0, nothing is wrong; 1, it is said what is. */
static int run_child(Graph *g, Compiler *c, const char *hash, uint64_t seed, char *running)
{
    Program p;
    DnnlEngine *engine = NULL;
    Said said = {text_new(g->arena), running};
    Bisect b = {.arena = g->arena,
                .seed = seed,
                .coarse = c->o->bf16,
                .width = terminal_width(),
                .out = &said.text,
                .say = write_lines,
                .user = &said};
    const PassWatch watch = bisect_watch(&b);
    c->watch = &watch;
    c->keeps = true;
    const bool done = plan_graph(g, &p, c, hash, &engine);
    const char *message = g->diag->message ? utf8_one_line(g->arena, g->diag->message) : "";
    if (done)
        text_puts(&said.text, "no pass changes an output beyond the bound\n");
    else if (*running)
        text_printf(&said.text, "\npass '%s' fails: %s\n", running, message);
    else if (!b.culprit)
        fprintf(stderr, "dnnlc: %s\n", message);
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

static bool await_child(Arena *arena, pid_t child, const Options *o, const char *running)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    if (WIFSIGNALED(status))
        printf("\n%s%s%s %s\n", *running ? "pass '" : "what stands between passes", running,
               *running ? "'" : "", end_text(arena, WTERMSIG(status), o));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool seed_of(Diag *diag, const Options *o, uint64_t *seed)
{
    char *end;
    errno = 0;
    *seed = o->random ? strtoull(o->random, &end, 10) : 1;
    return !o->random || (!errno && *end == 0 && *o->random >= '0' && *o->random <= '9') ||
           refuse(diag, "--random %s: not a whole number from 0 to 2^64 - 1", o->random);
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
    char *running =
        mmap(NULL, NAME_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL);
    const unsigned seconds = alarm(0);
    const pid_t child = running == MAP_FAILED ? -1 : fork();
    if (child < 0)
        return refuse(diag, "no process for the passes: %s", strerror(errno));
    if (child == 0) {
        prepare_child(seconds);
        _exit(run_child(g, &c, arena_strdup(arena, hash), seed, running));
    }
    const bool found_nothing = await_child(arena, child, o, running);
    munmap(running, NAME_SIZE);
    return found_nothing;
}
