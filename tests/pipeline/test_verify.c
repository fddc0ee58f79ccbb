/* The checker of programs finds what is wrong: programs of random graphs are damaged in ways that give wrong numbers, and
 * every time it has to say so. */
#include "../../gen/layout/choose.h"
#include "../../passes/pass.h"
#include "maker.h"

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

/* A result is made in the place of an operand that a later step reads as well. */
static bool overwrite_in_place(Program *p)
{
    for (uint32_t s = 0; s + 1 < p->n_steps; s++)
        for (uint32_t k = 0; k < p->steps[s].n_in && p->steps[s].n_out; k++) {
            BufferId in = p->steps[s].in[k], out = p->steps[s].out[0];
            if (!in_arena(p, in) || !in_arena(p, out) || in >= out ||
                p->buffers[out].base != NO_BUFFER || p->buffers[in].base != NO_BUFFER ||
                p->buffers[in].bytes != p->buffers[out].bytes || p->buffers[in].last <= s)
                continue;
            for (uint32_t t = s + 1; t < p->n_steps; t++)
                for (uint32_t i = 0; i < p->steps[t].n_in; i++)
                    if (p->steps[t].in[i] == in) {
                        p->buffers[out].base = in;
                        return true;
                    }
        }
    return false;
}

/* Two that are alive together, one after the other in no step: the second is moved onto the first. */
static bool share_with_bystander(Program *p)
{
    for (BufferId a = 0; a < p->n_buffers; a++)
        for (BufferId b = a + 1; b < p->n_buffers; b++) {
            Buffer *x = &p->buffers[a], *y = &p->buffers[b];
            if (x->kind != BUFFER_ARENA || y->kind != BUFFER_ARENA || x->base != NO_BUFFER ||
                y->base != NO_BUFFER || !x->bytes || !y->bytes || x->first >= y->first ||
                x->last <= y->last || y->first == UINT32_MAX)
                continue;
            y->offset = x->offset;
            return true;
        }
    return false;
}

static bool write_to_another(Program *p)
{
    for (uint32_t s = 1; s < p->n_steps; s++)
        if (p->steps[s].n_out && p->steps[s - 1].n_out && in_arena(p, p->steps[s].out[0]) &&
            in_arena(p, p->steps[s - 1].out[0])) {
            p->steps[s].out[0] = p->steps[s - 1].out[0];
            return true;
        }
    return false;
}

static Buffer *next_constant(Program *p, BufferId from)
{
    for (BufferId b = from; b < p->n_buffers; b++)
        if (p->buffers[b].kind == BUFFER_CONST && p->buffers[b].base == NO_BUFFER &&
            p->buffers[b].bytes)
            return &p->buffers[b];
    return NULL;
}

static bool unbind_constant(Program *p)
{
    Buffer *b = next_constant(p, 0);
    if (b)
        b->data = NULL;
    return b != NULL;
}

static bool share_constants(Program *p)
{
    Buffer *a = next_constant(p, 0);
    Buffer *b = a ? next_constant(p, (BufferId)(a - p->buffers) + 1) : NULL;
    if (b)
        b->offset = a->offset;
    return b != NULL;
}

static bool forget_operand(Program *p)
{
    for (uint32_t s = 0; s < p->n_steps; s++)
        if (!p->steps[s].dnnl && p->steps[s].n_nodes == 1 && p->steps[s].n_in) {
            p->steps[s].in[0] = NO_BUFFER;
            return true;
        }
    return false;
}

static const struct Damage {
    const char *name;
    DamageFn *damage;
} damages[] = {
    {"a step too early", run_too_early},
    {"two buffers in one place", share_memory},
    {"a write to an input", write_to_input},
    {"a misaligned buffer", misalign},
    {"a workspace too small", shrink_workspace},
    {"an output forgotten", forget_output},
    {"an operand in place that is not dead", overwrite_in_place},
    {"memory of a bystander", share_with_bystander},
    {"a result in another's place", write_to_another},
    {"a constant without contents", unbind_constant},
    {"two constants in one place", share_constants},
    {"an operand forgotten", forget_operand},
};

static Program *make_program(Arena *arena, Diag *diag, uint64_t seed)
{
    DnnlEngine *engine = NULL;
    bool target_c = seed % 2;
    const PassOptions passes = {.target_c = target_c, .threads = 1};
    const LowerOptions lowering = {.conv = CONV_WHERE_FASTER};
    Graph *g = pipeline_graph(arena, diag, seed);
    if (!g || !run_passes(g, NULL, &passes, NULL, NULL, NULL, NULL, NULL) ||
        (!target_c && !onednn_engine_open(arena, diag, NULL, 1, &engine)))
        return NULL;
    Program *p = choose_and_lower(g, engine, &lowering);
    onednn_engine_close(engine);
    return p && plan_memory(p) ? p : NULL;
}

enum { FOUND, MISSED, NO_PLACE, NO_PROGRAM };

/* In a child: each takes the memory of a whole compilation. */
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
        _exit(verify_program(p) ? MISSED : diag.message ? FOUND : MISSED);
    }
    if (waitpid(pid, &status, 0) < 0)
        return NO_PROGRAM;
    return WIFEXITED(status) ? WEXITSTATUS(status) : MISSED;
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
