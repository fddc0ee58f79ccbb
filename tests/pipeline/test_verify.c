/* The checker of programs finds what is wrong: programs of random graphs are damaged in ways that give wrong numbers, and
 * every time it has to say so. */
#include "../../gen/lower.h"
#include "../../passes/pass.h"
#include "../../passes/plan_memory.h"
#include "maker.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEEDS = 40 };

static BufferId root_of(const Program *p, BufferId b)
{
    while (p->buffers[b].base != NO_BUFFER)
        b = p->buffers[b].base;
    return b;
}

static bool in_arena(const Program *p, BufferId b)
{
    return b != NO_BUFFER && p->buffers[b].bytes && p->buffers[root_of(p, b)].kind == BUFFER_ARENA;
}

/* A damage returns whether it found a place to be done. */
typedef bool DamageFn(Program *p);

/* The first step that reads from the workspace runs before all others. */
static bool run_too_early(Program *p)
{
    for (uint32_t s = 1; s < p->n_steps; s++)
        for (uint32_t k = 0; k < p->steps[s].n_in; k++)
            if (in_arena(p, p->steps[s].in[k])) {
                Step moved = p->steps[s];
                for (uint32_t i = s; i > 0; i--)
                    p->steps[i] = p->steps[i - 1];
                p->steps[0] = moved;
                return true;
            }
    return false;
}

static bool share_memory(Program *p)
{
    for (uint32_t s = 0; s < p->n_steps; s++)
        for (uint32_t k = 0; k < p->steps[s].n_in; k++)
            for (uint32_t o = 0; o < p->steps[s].n_out; o++) {
                BufferId in = p->steps[s].in[k], out = p->steps[s].out[o];
                if (!in_arena(p, in) || !in_arena(p, out) || root_of(p, in) == root_of(p, out))
                    continue;
                p->buffers[root_of(p, out)].offset = p->buffers[root_of(p, in)].offset;
                return true;
            }
    return false;
}

static bool write_to_input(Program *p)
{
    for (uint32_t s = 0; s < p->n_steps; s++)
        for (uint32_t k = 0; k < p->steps[s].n_in; k++)
            if (p->steps[s].n_out && p->steps[s].in[k] != NO_BUFFER && !p->steps[s].dnnl &&
                p->buffers[root_of(p, p->steps[s].in[k])].kind == BUFFER_INPUT &&
                p->buffers[p->steps[s].in[k]].bytes) {
                p->steps[s].out[0] = p->steps[s].in[k];
                return true;
            }
    return false;
}

static bool misalign(Program *p)
{
    for (uint32_t s = 0; s < p->n_steps; s++)
        for (uint32_t o = 0; o < p->steps[s].n_out; o++)
            if (in_arena(p, p->steps[s].out[o])) {
                p->buffers[root_of(p, p->steps[s].out[o])].offset += 4;
                return true;
            }
    return false;
}

static bool shrink_workspace(Program *p)
{
    bool any = p->workspace_bytes > 0;
    p->workspace_bytes /= 2;
    return any;
}

static bool forget_output(Program *p)
{
    for (uint32_t i = 0; i < p->n_copies; i++)
        if (p->buffers[p->copies[i].to].bytes) {
            p->copies[i] = p->copies[--p->n_copies];
            return true;
        }
    return false;
}

static const struct Damage {
    const char *name;
    DamageFn *damage;
} damages[] = {
    {"a step too early", run_too_early},         {"two buffers in one place", share_memory},
    {"a write to an input", write_to_input},     {"a misaligned buffer", misalign},
    {"a workspace too small", shrink_workspace}, {"an output forgotten", forget_output},
};

static Program *make_program(Arena *arena, Diag *diag, uint64_t seed)
{
    DnnlEngine *engine = NULL;
    bool target_c = seed % 2;
    const PassOptions passes = {.target_c = target_c, .threads = 1};
    const LowerOptions lowering = {.winograd = WINOGRAD_WHERE_FASTER};
    Graph *g = pipeline_graph(arena, diag, seed);
    if (!g || !run_passes(g, &passes, NULL, NULL, NULL, NULL, NULL) ||
        (!target_c && !dnnl_engine_open(arena, diag, NULL, 1, &engine)))
        return NULL;
    Program *p = lower(g, engine, &lowering);
    dnnl_engine_close(engine);
    return p && plan_memory(p) ? p : NULL;
}

enum { FOUND, MISSED, NO_PLACE, NO_PROGRAM };

/* In a child, because what the checker finds ends the process. */
static int try_damage(uint64_t seed, DamageFn *damage)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        Arena *arena = arena_new();
        Diag diag = {.arena = arena};
        if (!freopen("/dev/null", "w", stderr))
            _exit(NO_PROGRAM);
        Program *p = make_program(arena, &diag, seed);
        if (!p)
            _exit(NO_PROGRAM);
        if (!damage(p))
            _exit(NO_PLACE);
        verify_program(p);
        _exit(MISSED);
    }
    if (waitpid(pid, &status, 0) < 0)
        return NO_PROGRAM;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? FOUND : WEXITSTATUS(status);
}

int main(void)
{
    int passed = 0, failed = 0;
    for (size_t d = 0; d < COUNT_OF(damages); d++) {
        int found = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            int what = try_damage(seed, damages[d].damage);
            found += what == FOUND;
            if (what != MISSED)
                continue;
            failed++;
            fprintf(stderr, "seed %llu: %s is not found\n", (unsigned long long)seed,
                    damages[d].name);
        }
        if (found)
            passed++;
        else {
            failed++;
            fprintf(stderr, "%s never happened\n", damages[d].name);
        }
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
