/* An engine that asks the oneDNN of another CPU, which a program has that runs here in an emulator. Weights are packed here, by the layouts that it
 * chooses: strides and blocks say all of those for floats. */
#include "remote.h"

#include "engine.h"
#include "fill.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct Remote {
    DnnlEngine e;
    const char *program;
    pid_t child;
    FILE *to, *from;
    bool lost;            /* it has ended, or does not answer */
    const char *unfilled; /* weights that only oneDNN can pack */
} Remote;

static void tell(Remote *r, const void *data, size_t size)
{
    r->lost = r->lost || (size && fwrite(data, size, 1, r->to) != 1);
}

static void hear(Remote *r, void *data, size_t size)
{
    r->lost = r->lost || (size && fread(data, size, 1, r->from) != 1);
}

static void ask(Remote *r, const DnnlPrimitive *p)
{
    tell(r, p, sizeof *p);
    tell(r, p->memory, p->n_memory * sizeof *p->memory);
    tell(r, p->post, p->n_post * sizeof *p->post);
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        if (m->form == FORM_TAG)
            tell(r, m->tag, (size_t)m->rank);
        tell(r, m->given, m->given ? m->given_size : 0);
    }
    r->lost = r->lost || fflush(r->to) != 0;
}

/* Whether oneDNN generates the code, for these registers ("brgconv:sve_256") or, of binary operators and reorders, for any ("jit:uni"). The rest are
 * loops in C++, and the compiler's own C is several times quicker (docs/decisions.md): "gemm:jit:f32" is such a one there. */
static bool is_generated(const Remote *r, const char *impl)
{
    return strstr(impl, r->e.isa) || !strcmp(impl, "jit:uni");
}

static bool remote_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices)
{
    Remote *r = (Remote *)e;
    RemoteAnswer a = {.has = false};
    ask(r, p);
    hear(r, &a, sizeof a);
    if (r->lost)
        return engine_guess(arena, p, choices);
    if (!a.has)
        return false;
    char *impl = arena_alloc(arena, a.impl_size + 1);
    hear(r, impl, a.impl_size);
    p->impl = impl;
    p->scratch_bytes = a.scratch_bytes;
    for (uint32_t i = 0; i < p->n_memory; i++) {
        hear(r, &choices[i], sizeof choices[i]);
        if (r->lost)
            return engine_guess(arena, p, choices);
        void *blob = choices[i].blob_size ? arena_alloc(arena, choices[i].blob_size) : NULL;
        hear(r, blob, choices[i].blob_size);
        choices[i].blob = blob;
    }
    if (r->lost)
        return engine_guess(arena, p, choices);
    return p->kind == KIND_REORDER || is_generated(r, impl);
}

static bool remote_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst)
{
    Remote *r = (Remote *)e;
    if ((from->dtype != DT_F32 || !fill_layout(from, choice, dst)) && !r->unfilled)
        r->unfilled = from->name;
    return true;
}

static bool remote_time(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns)
{
    (void)e, (void)p, (void)spread, (void)ns;
    return false;
}

static bool remote_finish(DnnlEngine *e, Diag *diag)
{
    const Remote *r = (Remote *)e;
    return !r->lost || refuse(diag, "%s: it has ended before it answered", r->program);
}

static const char *remote_lacks(const DnnlEngine *e)
{
    return ((const Remote *)e)->unfilled;
}

static void remote_close(DnnlEngine *e)
{
    Remote *r = (Remote *)e;
    fclose(r->to);
    fclose(r->from);
    while (waitpid(r->child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static const EngineCalls calls = {.query = remote_query,
                                  .pack = remote_pack,
                                  .time = remote_time,
                                  .finish = remote_finish,
                                  .lacks = remote_lacks,
                                  .close = remote_close};

/* Beside the compiler, and called as it is: "build/dnnlc-aarch64-linux-gnu" for "build/dnnlc" and "build/dnnlc-c". */
static const char *program_for(Arena *arena, const char *host)
{
    char own[4096];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own);
    size_t folder = n > 0 && (size_t)n < sizeof own ? (size_t)n : 0;
    while (folder && own[folder - 1] != '/')
        folder--;
    return arena_printf(arena, "%.*sdnnlc-%s", (int)folder, own, host);
}

static bool start(Remote *r, const char *const words[])
{
    int to[2], from[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || posix_spawn_file_actions_init(&actions))
        return false;
    const bool started = !posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO) &&
                         !posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO) &&
                         !posix_spawnp(&r->child, words[0], &actions, NULL,
                                       (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    r->to = fdopen(to[1], "wb");
    r->from = fdopen(from[0], "rb");
    return started && r->to && r->from;
}

bool remote_open(Arena *arena, Diag *diag, const char *host, const char *isa, int registers,
                 int threads, DnnlEngine **engine)
{
    static const RemoteGreeting own = REMOTE_GREETING;
    RemoteGreeting greeting = {.version = ""};
    Remote *r = ARENA_NEW(arena, Remote);
    r->e = (DnnlEngine){.calls = &calls, .isa = isa, .threads = threads};
    r->program = program_for(arena, host);
    const char *emulator = arena_printf(arena, "qemu-%.*s", (int)strcspn(host, "-"), host);
    const char *cpu = arena_printf(arena, "max,sve-max-vq=%d", registers);
    const char *const words[] = {
        emulator, "-cpu", cpu, r->program, arena_printf(arena, "%d", threads), NULL};
    signal(SIGPIPE, SIG_IGN); /* a program that has ended is an error like others */
    if (access(r->program, X_OK))
        return refuse(diag,
                      "--isa %s: oneDNN is asked by %s, which is not there: "
                      "runtime-stub/get-onednn --host %s and then ninja build/dnnlc-%s make it",
                      isa, r->program, host, host);
    if (!start(r, words))
        return refuse(diag, "--isa %s: %s cannot be run, which oneDNN is asked with", isa,
                      emulator);
    hear(r, &greeting, sizeof greeting);
    if (r->lost || memcmp(&greeting, &own, sizeof own) != 0)
        return refuse(diag, "--isa %s: %s does not answer, or is of another version", isa,
                      r->program);
    *engine = &r->e;
    return true;
}
