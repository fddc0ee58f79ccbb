/* Chains of multiply-adds that do not wait for each other, in the widest registers that the CPU has; and sums over more bytes than
 * caches hold. Each thread repeats short passes, of which quick ones count: what other processes take does not. */
#include "dnnlc_peak.h"

#include "dnnlc_session.h"
#include "dnnlc_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 1 << 16,
    CHAINS = 12,
    PASSES = 40,
    READ_PASSES = 4,
    READ_BYTES = 64 << 20,
    PIECE = 2 << 20
};

/* What the passes compute goes here, so that they are made. */
static volatile float results;

#if defined(__GNUC__)
#define VECTOR(bytes) __attribute__((vector_size(bytes), may_alias))
#else
#define VECTOR(bytes)
#endif

/* Two functions for registers of so many bytes: STEPS multiply-adds of each chain; the sum of n registers' worth of bytes. */
#define PASSES_OF(name, target, bytes)                                                             \
    typedef float vector_##name VECTOR(bytes);                                                     \
    target static void multiply_##name(void)                                                       \
    {                                                                                              \
        vector_##name c[CHAINS], half, sum;                                                        \
        fill(&half, sizeof half, 0.5f);                                                            \
        for (int i = 0; i < CHAINS; i++)                                                           \
            fill(&c[i], sizeof c[i], (float)i);                                                    \
        vector_##name c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6], \
                      c7 = c[7], c8 = c[8], c9 = c[9], c10 = c[10], c11 = c[11];                   \
        for (int i = 0; i < STEPS; i++) {                                                          \
            c0 = c0 * half + half, c1 = c1 * half + half, c2 = c2 * half + half;                   \
            c3 = c3 * half + half, c4 = c4 * half + half, c5 = c5 * half + half;                   \
            c6 = c6 * half + half, c7 = c7 * half + half, c8 = c8 * half + half;                   \
            c9 = c9 * half + half, c10 = c10 * half + half, c11 = c11 * half + half;               \
        }                                                                                          \
        sum = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + c9 + c10 + c11;                         \
        float first;                                                                               \
        memcpy(&first, &sum, sizeof first);                                                        \
        results = first;                                                                           \
    }                                                                                              \
    target static void read_##name(const void *memory, size_t size)                                \
    {                                                                                              \
        const vector_##name *v = memory;                                                           \
        vector_##name s[4];                                                                        \
        memset(s, 0, sizeof s);                                                                    \
        vector_##name s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];                                  \
        for (size_t i = 0; i < size / sizeof *v; i += 4)                                           \
            s0 += v[i], s1 += v[i + 1], s2 += v[i + 2], s3 += v[i + 3];                            \
        s0 += s1 + s2 + s3;                                                                        \
        float first;                                                                               \
        memcpy(&first, &s0, sizeof first);                                                         \
        results = first;                                                                           \
    }

static void fill(void *vector, size_t bytes, float value)
{
    for (size_t i = 0; i < bytes; i += sizeof value)
        memcpy((char *)vector + i, &value, sizeof value);
}

struct passes {
    void (*multiply)(void);
    void (*read)(const void *memory, size_t size);
    size_t floats; /* in a register */
};

#if defined(__GNUC__)
PASSES_OF(usual, , 16)
static const struct passes usual = {multiply_usual, read_usual, 4};
#else
PASSES_OF(usual, , 4)
static const struct passes usual = {multiply_usual, read_usual, 1};
#endif

#if defined(__x86_64__) && defined(__GNUC__)
PASSES_OF(avx2, __attribute__((target("avx2,fma"))), 32)
PASSES_OF(avx512, __attribute__((target("avx512f"))), 64)

static const struct passes *choose(void)
{
    static const struct passes avx2 = {multiply_avx2, read_avx2, 8},
                               avx512 = {multiply_avx512, read_avx512, 16};
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f")                                 ? &avx512
           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2
                                                                             : &usual;
}
#else
static const struct passes *choose(void)
{
    return &usual;
}
#endif

struct worker {
    pthread_t thread;
    const struct passes *passes;
    void *memory;
    size_t size;
    struct dnnlc_peak peak;
};

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Bytes are read in pieces, most of which are over before another process gets the CPU. Caches may
 * still have some of them, so it is not the quickest one that counts, but one that a quarter of all
 * are quicker than. */
static double read_gbytes(const struct worker *w)
{
    double rates[READ_PASSES * (READ_BYTES / PIECE + 1)];
    size_t n = 0;
    for (int pass = 0; pass < READ_PASSES; pass++)
        for (size_t at = 0; at < w->size; at += PIECE) {
            const size_t left = w->size - at, size = left < PIECE ? left : PIECE;
            const double begin = dnnlc_now_ms();
            w->passes->read((const char *)w->memory + at, size);
            const double ms = dnnlc_now_ms() - begin;
            if (ms > 0 && (size == PIECE || w->size < PIECE))
                rates[n++] = 1e-6 * (double)size / ms;
        }
    qsort(rates, n, sizeof *rates, by_size);
    return n ? rates[n - 1 - n / 4] : 0;
}

static void *measure(void *user)
{
    struct worker *w = user;
    dnnlc_thread_anywhere();
    const double operations = 2.0 * STEPS * CHAINS * (double)w->passes->floats;
    memset(w->memory, 0, w->size);
    for (int i = 0; i < PASSES; i++) {
        const double begin = dnnlc_now_ms();
        w->passes->multiply();
        const double ms = dnnlc_now_ms() - begin, rate = ms > 0 ? 1e-6 * operations / ms : 0;
        w->peak.gflops = rate > w->peak.gflops ? rate : w->peak.gflops;
    }
    w->peak.gbytes = read_gbytes(w);
    return NULL;
}

static bool measure_all(struct worker *workers, int threads, char *why, size_t why_size)
{
    const struct passes *passes = choose();
    const size_t size = READ_BYTES / (size_t)threads / 4096 * 4096 + 4096;
    int started = 0, failed = 0;
    bool done = true;
    for (int i = 0; i < threads && done; i++) {
        workers[i].passes = passes;
        workers[i].size = size;
        workers[i].memory = dnnlc_alloc_aligned(size, DNNLC_ALIGN);
        done = workers[i].memory != NULL;
    }
    if (!done)
        dnnlc_fail(why, why_size, "no memory to measure the peak with: %d times %zu bytes", threads,
                   size);
    for (; done && started < threads && !failed; started += !failed)
        failed = pthread_create(&workers[started].thread, NULL, measure, &workers[started]);
    for (int i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < threads; i++)
        free(workers[i].memory);
    return done &&
           (!failed || dnnlc_fail(why, why_size, "no thread %d of %d to measure the peak with: %s",
                                  started + 1, threads, strerror(failed)));
}

bool dnnlc_measure_peak(int threads, struct dnnlc_peak *peak, char *why, size_t why_size)
{
    *peak = (struct dnnlc_peak){0};
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers)
        return dnnlc_fail(why, why_size, "no memory to measure the peak of %d threads", threads);
    const bool done = measure_all(workers, threads, why, why_size);
    for (int i = 0; i < threads; i++) {
        peak->gflops += workers[i].peak.gflops;
        peak->gbytes += workers[i].peak.gbytes;
    }
    free(workers);
    return done;
}
