/* Running a compiled model in this process, under conditions that bring out what is wrong with it: memory full of NaN,
 * several runs, tensors aligned no better than their elements, two contexts, bytes around everything that must stay. */
#include "../passes/random_quantised.h"
#include "stability.h"
#include "trial.h"

#include "../../gen/eval/eval.h"
#include "../../gen/text/data.h"
#include "../../runtime-stub/dnnlc_main.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, POISON = 0xff }; /* bytes; four or eight of them are a NaN */

static const struct dnnlc_model *loaded;

/* What the emitted main() calls, in place of the executable's. */
int dnnlc_main(int argc, char **argv, const struct dnnlc_model *model)
{
    (void)argc;
    (void)argv;
    loaded = model;
    return 0;
}

typedef struct Guarded {
    unsigned char *start, *data;
    size_t size;
} Guarded;

/* Under AddressSanitizer (preloaded; PIPELINE_CFLAGS=-fsanitize=address for the emitted code) reads count as well. */
static void forbid(void *start, size_t size)
{
    void (*poison)(const volatile void *, size_t) = NULL;
    *(void **)&poison = dlsym(RTLD_DEFAULT, "__asan_poison_memory_region");
    if (poison)
        poison(start, size);
}

/* `size` bytes at `skew` bytes after a multiple of 64, poisoned, with guards on both sides. */
static Guarded guarded(size_t size, size_t skew)
{
    Guarded g = {.size = size};
    if (posix_memalign((void **)&g.start, 64, size + 2 * GUARD + 64))
        abort();
    memset(g.start, POISON, size + 2 * GUARD + 64);
    g.data = g.start + GUARD + skew;
    forbid(g.start, (size_t)(g.data - g.start));
    forbid(g.data + size, GUARD - skew);
    return g;
}

static bool guards_hold(const Guarded *g)
{
    for (const unsigned char *c = g->start; c < g->data; c++)
        if (*c != POISON)
            return false;
    for (size_t i = 0; i < GUARD; i++)
        if (g->data[g->size + i] != POISON)
            return false;
    return true;
}

typedef struct Session {
    Arena *arena;
    const struct dnnlc_model *model;
    const Graph *g;
    bool bf16;
    const double *allowed; /* NULL, or of each output: the rms_difference of a real model */
    void *ctx;
    Guarded workspace, fallback;
    Guarded *in, *out;
} Session;

static Guarded *tensors(Arena *arena, const struct dnnlc_tensor *t, size_t n)
{
    Guarded *g = ARENA_ARRAY(arena, Guarded, n + 1);
    for (size_t i = 0; i < n; i++)
        g[i] = guarded(t[i].bytes, dtype_size((DType)t[i].dtype));
    return g;
}

static const char *open_session(Session *s, Arena *arena, const Graph *g, bool bf16)
{
    const struct dnnlc_model *m = loaded;
    *s = (Session){.arena = arena, .model = m, .g = g, .bf16 = bf16};
    if (m->n_inputs != g->n_inputs || m->n_outputs != g->n_outputs)
        return "wrong number of inputs or outputs";
    s->in = tensors(arena, m->inputs, m->n_inputs);
    s->out = tensors(arena, m->outputs, m->n_outputs);
    s->workspace = guarded(m->workspace_size, 0);
    s->fallback = guarded(m->fallback_size ? m->fallback_size() : 0, 0);
    s->ctx = arena_alloc(arena, m->context_size);
    if (m->init(s->ctx, s->workspace.data, s->workspace.size, NULL, 0, s->fallback.data,
                s->fallback.size, m->threads, m->variant))
        return arena_printf(arena, "init: %s in %s", m->error(s->ctx), m->error_layer(s->ctx));
    return NULL;
}

static const char *run(Session *s, const Tensor *inputs)
{
    const struct dnnlc_model *m = s->model;
    const void **in = ARENA_ARRAY(s->arena, const void *, m->n_inputs + 1);
    void **out = ARENA_ARRAY(s->arena, void *, m->n_outputs + 1);
    for (size_t i = 0; i < m->n_inputs; i++) {
        memcpy(s->in[i].data, inputs[i].data, s->in[i].size);
        in[i] = s->in[i].data;
    }
    for (size_t i = 0; i < m->n_outputs; i++) {
        memset(s->out[i].data, POISON, s->out[i].size);
        out[i] = s->out[i].data;
    }
    if (m->run(s->ctx, in, out))
        return arena_printf(s->arena, "run: %s in %s", m->error(s->ctx), m->error_layer(s->ctx));
    for (size_t i = 0; i < m->n_inputs; i++)
        if (memcmp(s->in[i].data, inputs[i].data, s->in[i].size) || !guards_hold(&s->in[i]))
            return "an input was written to";
    for (size_t i = 0; i < m->n_outputs; i++)
        if (!guards_hold(&s->out[i]))
            return "bytes beside an output were written to";
    if (!guards_hold(&s->workspace) || !guards_hold(&s->fallback))
        return "bytes beside the workspace were written to";
    return NULL;
}

static void close_session(Session *s)
{
    if (s->ctx)
        s->model->fini(s->ctx);
}

static double element(const TensorType *t, const void *data, size_t i)
{
    return dtype_is_float(t->dtype) ? elem_f64(t->dtype, data, i)
                                    : (double)elem_i64(t->dtype, data, i);
}

/* In parts of the largest element. Bf16 has 8 bits, and composites round once where the reference rounds after each node. */
static double tolerance(const Session *s, DType t)
{
    return s->bf16 && t == DT_F32 ? 4e-2 : t == DT_F16 ? 2e-3 : 1e-4;
}

static const char *compare(const Session *s, const Tensor *want, const char *when)
{
    for (size_t k = 0; k < s->model->n_outputs; k++) {
        const TensorType *t = &want[k].type;
        size_t n = (size_t)type_count(t);
        double largest = 0.1, worst = 0;
        unsigned char *got = arena_copy(s->arena, s->out[k].data, s->out[k].size); /* aligned */
        size_t where = 0;
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(element(t, want[k].data, i)));
        for (size_t i = 0; i < n; i++) {
            double x = element(t, want[k].data, i), y = element(t, got, i);
            double off = (isnan(x) && isnan(y)) || x == y ? 0 : fabs(x - y);
            if (isnan(off) || off > worst) {
                worst = isnan(off) ? INFINITY : off;
                where = i;
            }
        }
        if (worst > tolerance(s, t->dtype) * largest + allowed_by_name(s->model->outputs[k].name) &&
            !(s->allowed &&
              rms_difference(&(Tensor){.type = *t, .data = got}, &want[k]) <= s->allowed[k]))
            return arena_printf(s->arena, "wrong: %s, output '%s'[%zu] is %.9g, not %.9g", when,
                                s->model->outputs[k].name, where, element(t, got, where),
                                element(t, want[k].data, where));
    }
    return NULL;
}

static const char *run_all(Session *a, Session *b, Tensor *const in[2], Tensor *const want[2])
{
    const char *why;
    if ((why = run(a, in[0])) || (why = compare(a, want[0], "first run")))
        return why;
    if ((why = run(a, in[1])) || (why = compare(a, want[1], "second run")))
        return why;
    if ((why = run(b, in[0])) || (why = compare(b, want[0], "second context")))
        return why;
    if ((why = run(a, in[0])) || (why = compare(a, want[0], "third run")))
        return why;
    for (size_t k = 0; k < a->model->n_outputs; k++)
        if (memcmp(a->out[k].data, b->out[k].data, a->out[k].size))
            return "two contexts differ";
    return NULL;
}

/* What a real model's outputs may be off by; NULL after a refusal. */
static const double *real_allowance(const Graph *g, Tensor *const in[2], Tensor *const want[2])
{
    double *own = ARENA_ARRAY(g->arena, double, g->n_outputs + 1);
    bool quantises = false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        quantises |= op_has(g->nodes[i].op, TRAIT_QUANTISES) || g->nodes[i].op == OP_Ceil ||
                     g->nodes[i].op == OP_Floor || g->nodes[i].op == OP_Round;
    for (int k = 0; k < 2; k++)
        if (!own_differences(g, in[k], want[k], own))
            return NULL;
    for (uint32_t k = 0; k < g->n_outputs; k++)
        own[k] = fmax(4 * own[k], quantises ? 0.05 : 0);
    return own;
}

static void random_inputs(const Graph *g, Tensor *in, uint64_t seed)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        in[i].type = *type_of(g, g->inputs[i].value);
        in[i].data = arena_alloc(g->arena, type_bytes(&in[i].type) + 1);
        fill_random(&in[i].type, in[i].data, seed + i,
                    dtype_is_float(in[i].type.dtype) ? 1.5 : 120);
    }
}

const char *execute(Arena *arena, const char *object, const Graph *g, const Trial *trial)
{
    Tensor *in[2], *want[2];
    for (int k = 0; k < 2; k++) {
        in[k] = ARENA_ARRAY(arena, Tensor, g->n_inputs + 1);
        want[k] = ARENA_ARRAY(arena, Tensor, g->n_outputs + 1);
        if (!trial->inputs || !read_inputs(g, trial->inputs, in[k])) {
            g->diag->message = NULL;
            random_inputs(g, in[k], trial->seed * 1000 + 100 * (uint64_t)k);
        }
        if (!eval_graph(g, in[k], want[k], arena))
            return arena_printf(arena, "reference: %s", g->diag->message);
    }
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    int (*entry)(int, char **) = NULL;
    if (handle)
        *(void **)&entry = dlsym(handle, "main");
    if (!entry)
        return arena_printf(arena, "link: %s", dlerror());
    entry(0, NULL);
    Session a, b = {.ctx = NULL};
    const char *why = open_session(&a, arena, g, trial->bf16);
    why = why ? why : open_session(&b, arena, g, trial->bf16);
    why = why ? why : run_all(&a, &b, in, want);
    if (why && trial->inputs && !strncmp(why, "wrong: ", 7) &&
        (a.allowed = b.allowed = real_allowance(g, in, want)))
        why = run_all(&a, &b, in, want);
    close_session(&a);
    close_session(&b);
    return why;
}
