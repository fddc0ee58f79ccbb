/* Memory of an emitted model, in the place of the executable's dnnlc_main.c: what init, run and fini allocate, and what comes of it if
 * that fails. SPDX-License-Identifier: Apache-2.0
 *
 *   NAME count                 init, runs, fini, again and again: no run allocates, nothing is left
 *   NAME fail FIRST STEP       every STEP-th call from number FIRST on fails in init: alone, and with all that come after it
 *
 * The C library's functions are replaced by the linker (--wrap), so that calls of the C++ library and of OpenMP are seen as well. mmap and
 * mprotect, by which memory for generated code is made, count like allocations.
 *
 * With threads, OpenMP is left alone: it ends the process where it cannot start a thread. It starts them for good in the first parallel loop. */
#define _GNU_SOURCE
#include "dnnlc_main.h"
#include "wrap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* libgcc sorts its table of stack frames for the first exception, and keeps it. */
enum { MAX_TENSORS = 64, RUNS = 4, FRAME_TABLE = 1 };

static long made, held;  /* calls so far; blocks and mappings that are not released */
static long fails_at;    /* this call fails; 0: none */
static bool fails_after; /* so do those that come after it */

/* Whether this call fails. */
static bool fails(void)
{
    if (in_openmp)
        return false;
    const long n = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    return fails_at && (n == fails_at || (fails_after && n > fails_at));
}

static void *hold(void *p)
{
    if (p && p != MAP_FAILED && !in_openmp)
        __atomic_add_fetch(&held, 1, __ATOMIC_RELAXED);
    return p;
}

WRAP(void *, malloc, size_t size)
{
    return fails() ? NULL : hold(__real_malloc(size));
}

WRAP(void *, calloc, size_t n, size_t size)
{
    return fails() ? NULL : hold(__real_calloc(n, size));
}

WRAP(void *, realloc, void *old, size_t size)
{
    if (fails())
        return NULL;
    void *p = __real_realloc(old, size);
    return old ? p : hold(p);
}

WRAP(int, posix_memalign, void **p, size_t align, size_t size)
{
    const int failed = fails() ? ENOMEM : __real_posix_memalign(p, align, size);
    if (!failed)
        hold(*p);
    return failed;
}

WRAP(void *, aligned_alloc, size_t align, size_t size)
{
    return fails() ? NULL : hold(__real_aligned_alloc(align, size));
}

WRAP(void *, memalign, size_t align, size_t size)
{
    return fails() ? NULL : hold(__real_memalign(align, size));
}

WRAP(void, free, void *p)
{
    if (p && !in_openmp)
        __atomic_sub_fetch(&held, 1, __ATOMIC_RELAXED);
    __real_free(p);
}

WRAP(void *, mmap, void *at, size_t size, int access, int flags, int fd, off_t offset)
{
    errno = ENOMEM;
    return fails() ? MAP_FAILED : hold(__real_mmap(at, size, access, flags, fd, offset));
}

WRAP(int, munmap, void *p, size_t size)
{
    __atomic_sub_fetch(&held, 1, __ATOMIC_RELAXED);
    return __real_munmap(p, size);
}

WRAP(int, mprotect, void *p, size_t size, int access)
{
    errno = ENOMEM;
    return fails() ? -1 : __real_mprotect(p, size, access);
}

#ifdef OPENMP
WRAP_OPENMP(void *, gomp_aligned_alloc, (align, size), size_t align, size_t size)
WRAP_OPENMP(int, pthread_create, (thread, attr, start, arg), void *thread, const void *attr,
            void *(*start)(void *), void *arg)
#endif

static const struct dnnlc_model *model;
static void *workspace, *fallback, *context;
static size_t fallback_size;
static void *ins[MAX_TENSORS], *outs[MAX_TENSORS], *wanted[MAX_TENSORS];
static int wrong;

static void expect(const char *what, long number, long got, long from, long to)
{
    if (from <= got && got <= to)
        return;
    fprintf(stderr, "%s (%ld): %ld instead of %ld to %ld\n", what, number, got, from, to);
    wrong = 1;
}

static void *buffer(size_t bytes)
{
    void *p = __real_aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p)
        abort();
    return memset(p, 0, (bytes + 127) / 64 * 64);
}

/* Shared with the processes. */
static struct {
    long left, calls;
    size_t fallback;
} * seen;

/* The exit status of f in a process of its own, or -1 where that crashed. */
static int apart(int (*f)(long, bool, long), long number, bool after, long left)
{
    const pid_t pid = fork();
    if (pid == 0) {
        wrong = 0;
        _exit(f(number, after, left));
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *shared(size_t bytes)
{
    void *p =
        __real_mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    return p;
}

static int measure_fallback(long number, bool after, long left)
{
    (void)number;
    (void)after;
    (void)left;
    seen->fallback = model->fallback_size();
    return 0;
}

static void prepare(void)
{
    seen = shared(sizeof *seen);
    if (model->fallback_size)
        expect("the fallback buffer", 0, apart(measure_fallback, 0, false, 0), 0, 0);
    fallback_size = seen->fallback;
    fallback = fallback_size ? buffer(fallback_size) : NULL;
    if (model->n_inputs > MAX_TENSORS || model->n_outputs > MAX_TENSORS)
        abort();
    workspace = buffer(model->workspace_size);
    context = buffer(model->context_size);
    for (size_t i = 0; i < model->n_inputs; i++) {
        unsigned char *p = ins[i] = buffer(model->inputs[i].bytes);
        for (size_t k = 0; model->inputs[i].dtype == 1 && k < model->inputs[i].bytes; k += 4)
            p[k + 3] = (unsigned char)(k * 2654435761u >> 29) + 58; /* floats from 1e-4 to 10 */
    }
    for (size_t i = 0; i < model->n_outputs; i++) {
        outs[i] = buffer(model->outputs[i].bytes);
        wanted[i] = buffer(model->outputs[i].bytes);
    }
}

static int init(void)
{
    return model->init(context, workspace, model->workspace_size, NULL, 0, fallback, fallback_size,
                       0, 0);
}

static int run(void)
{
    return model->run(context, (const void *const *)ins, outs);
}

/* Init, a run and fini in which nothing fails; what is held then. */
static long use(const char *when, long number)
{
    expect(when, number, init(), 0, 0);
    expect(when, number, run(), 0, 0);
    model->fini(context);
    return held;
}

static int count(void)
{
    long left = use("a context", 0);
    for (int i = 0; i < RUNS; i++) {
        expect("init", i, init(), 0, 0);
        const long before = made, holds = held;
        for (int k = 0; k < RUNS; k++)
            expect("a run", k, run(), 0, 0);
        expect("allocations of runs", i, made - before, 0, 0);
        expect("what runs leave", i, held - holds, 0, 0);
        model->fini(context);
        expect("what a context leaves", i, held - left, 0, 0);
    }
    return wrong;
}

/* In a process of its own. The first init fails, or does without what it did not get; the next one is as good as any. */
static int fail_at(long number, bool after, long left)
{
    fails_at = made + number;
    fails_after = after;
    const int status = init();
    fails_at = 0;
    expect("init", number, status, 0, 2);
    if (status == 0)
        model->fini(context);
    else
        expect("init's status", number, status, 2, 2); /* NAME_OUT_OF_MEMORY */
    expect("what is left of it", number, held, 0, left + FRAME_TABLE);
    expect("what is left of the next", number, use("the next", number), left, left + FRAME_TABLE);
    for (size_t i = 0; i < model->n_outputs; i++)
        expect("the next one's output", number, memcmp(outs[i], wanted[i], model->outputs[i].bytes),
               0, 0);
    return wrong ? 1 : status ? 10 : 0;
}

static int measure(long number, bool after, long left)
{
    const long before = made;
    (void)after;
    (void)left;
    expect("init", number, init(), 0, 0);
    seen->calls = made - before;
    expect("a run", number, run(), 0, 0);
    model->fini(context);
    seen->left = held;
    return wrong;
}

static int fail(long first, long step)
{
    for (size_t i = 0; i < model->n_outputs; i++)
        outs[i] = wanted[i] = shared(model->outputs[i].bytes);
    expect("without a failure", 0, apart(measure, 0, false, 0), 0, 0);
    for (size_t i = 0; i < model->n_outputs; i++)
        outs[i] = buffer(model->outputs[i].bytes);
    long failures = 0, tolerated = 0;
    for (long number = first; number <= seen->calls; number += step)
        for (int after = 0; after < 2; after++) {
            const int status = apart(fail_at, number, after, seen->left);
            failures++;
            tolerated += status == 0;
            if (status != 0 && status != 10) {
                fprintf(stderr, "call %ld of %ld%s: %s\n", number, seen->calls,
                        after ? " and all after it" : "", status < 0 ? "crashed" : "wrong");
                wrong = 1;
            }
        }
    printf("%ld calls in init, %ld failures, %ld of them without consequence\n", seen->calls,
           failures, tolerated);
    return wrong;
}

int dnnlc_main(int argc, char **argv, const struct dnnlc_model *m)
{
    model = m;
    prepare();
    held = 0;
    if (argc > 1 && !strcmp(argv[1], "count"))
        return count();
    if (argc > 3 && !strcmp(argv[1], "fail"))
        return fail(atol(argv[2]), atol(argv[3]));
    fprintf(stderr, "%s count | fail FIRST STEP\n", argv[0]);
    return 2;
}
