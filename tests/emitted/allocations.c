/* What a context allocates, by functions that the linker puts in the place of the C library's, and what is left of it: a context that is
 * initialised already is refused and nothing is lost, the first run allocates no more than a later one but for the threads of OpenMP, and no run leaves
 * anything behind. With SILENT nothing may be allocated at all. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m_dnnl.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__real_memalign(size_t align, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **p, size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_memalign(size_t align, size_t size);
void __wrap_free(void *p);

/* Two of its blocks for a team, its list of threads, and a thread's own memory, in the first parallel loop. */
enum { MOST_OF_OPENMP = 4 };

static long made, held; /* allocations since the program began; those that are not released */

static void *count(void *p)
{
    __atomic_add_fetch(&made, p != NULL, __ATOMIC_RELAXED);
    __atomic_add_fetch(&held, p != NULL, __ATOMIC_RELAXED);
    return p;
}

void *__wrap_malloc(size_t size)
{
    return count(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return count(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = __real_realloc(old, size);
    return old ? p : count(p);
}

int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
    int failed = __real_posix_memalign(p, align, size);
    if (!failed)
        count(*p);
    return failed;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return count(__real_aligned_alloc(align, size));
}

void *__wrap_memalign(size_t align, size_t size)
{
    return count(__real_memalign(align, size));
}

void __wrap_free(void *p)
{
    __atomic_sub_fetch(&held, p != NULL, __ATOMIC_RELAXED);
    __real_free(p);
}

static int wrong;

static void expect(const char *what, long got, long from, long to)
{
    if (from <= got && got <= to)
        return;
    fprintf(stderr, "%s: %ld instead of %ld to %ld\n", what, got, from, to);
    wrong = 1;
}

/* Init, which is asked for again while the context is in use, five runs, fini; returns what is held then. */
static long use(m_context *ctx, const m_config *config, const m_inputs *in, const m_outputs *out)
{
    long before = made, first, after;
    expect("init", m_init(ctx, config), M_OK, M_OK);
#ifdef SILENT
    expect("allocations of init", made - before, 0, 0);
#endif
    before = made;
    expect("init again", m_init(ctx, config), M_BAD_ARGUMENT, M_BAD_ARGUMENT);
    expect("its allocations", made - before, 0, 0);
    expect("its message", strncmp(m_error(ctx), "the context is initialised already", 34), 0, 0);
    before = made;
    expect("the first run", m_run(ctx, in, out), M_OK, M_OK);
    first = made - before;
    after = held;
    for (int i = 0; i < 4; i++) {
        before = made;
        expect("a run", m_run(ctx, in, out), M_OK, M_OK);
        expect("allocations of the first run", first, made - before,
               made - before + MOST_OF_OPENMP);
        expect("allocations that are left of a run", held - after, 0, 0);
    }
#ifdef SILENT
    expect("allocations of runs", first, 0, 0);
#endif
    m_fini(ctx);
    return held;
}

int main(void)
{
    static m_context zero, garbage, *contexts[] = {&zero, &garbage};
    static _Alignas(64) unsigned char workspace[M_WORKSPACE_SIZE + 64];
    static float image[28 * 28], probabilities[10];
    m_config config = {.workspace = workspace, .workspace_size = M_WORKSPACE_SIZE};
    const m_inputs in = {image};
    const m_outputs out = {probabilities};
    memset(&garbage, 0xa5, sizeof garbage);
    long left = use(&zero, &config, &in,
                    &out); /* oneDNN keeps what it needs to know of the CPU, and caches */
    for (int i = 0; i < 4; i++)
        expect("allocations that are left of a context", use(contexts[i % 2], &config, &in, &out),
               left, left);
    m_fini(&zero); /* twice does no harm */
    return wrong;
}
