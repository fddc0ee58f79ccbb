/* The most fused multiply-adds a core does: twelve independent chains of vectors hide the latency of two
 * units, and nothing touches memory. */
#include "bench.h"

#include <pthread.h>
#include <time.h>

enum { CHAINS = 12, STEPS = 1 << 16, TRIALS = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Each returns something of the result, so that it is computed. */
#define KERNEL(name, isa, vector, set, multiply_add, first)                                        \
    __attribute__((target(isa))) static float name(void)                                           \
    {                                                                                              \
        vector x[CHAINS], scale = set(0.999f), shift = set(0.001f);                                \
        for (int c = 0; c < CHAINS; c++)                                                           \
            x[c] = set((float)c);                                                                  \
        for (int i = 0; i < STEPS; i++) {                                                          \
            _Pragma("GCC unroll 12") for (int c = 0; c < CHAINS; c++) x[c] =                       \
                multiply_add(x[c], scale, shift);                                                  \
        }                                                                                          \
        for (int c = 1; c < CHAINS; c++)                                                           \
            x[0] = multiply_add(x[c], scale, x[0]);                                                \
        return first(x[0]);                                                                        \
    }
#define MULTIPLY_ADD_SSE(x, y, z) _mm_add_ps(_mm_mul_ps(x, y), z)

KERNEL(peak_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32)
KERNEL(peak_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32)
KERNEL(peak_sse, "sse2", __m128, _mm_set1_ps, MULTIPLY_ADD_SSE, _mm_cvtss_f32)
#endif

static double trial(void)
{
    float (*kernel)(void) = NULL;
    int lanes = 0;
#if defined(__x86_64__)
    bool avx512 = __builtin_cpu_supports("avx512f");
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    kernel = avx512 ? peak_avx512 : avx2 ? peak_avx2 : peak_sse;
    lanes = avx512 ? 16 : avx2 ? 8 : 4;
#endif
    if (!kernel)
        return 0;
    double begin = now();
    volatile float sink = kernel();
    (void)sink;
    return 2.0 * CHAINS * STEPS * lanes / (now() - begin) * 1e-9;
}

static void *worker(void *best)
{
    for (int i = 0; i < TRIALS; i++) {
        double gflops = trial();
        if (gflops > *(double *)best)
            *(double *)best = gflops;
    }
    return NULL;
}

double measure_peak(int threads)
{
    double best[16] = {0}, sum = 0;
    pthread_t ids[16];
    int started = 0;
    while (started < threads && started < 16 &&
           pthread_create(&ids[started], NULL, worker, &best[started]) == 0)
        started++;
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
        sum += best[i];
    }
    return sum;
}
