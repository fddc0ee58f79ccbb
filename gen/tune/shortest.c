/* How long something takes that is run here, in the emitted code's place. */
#include "dnnl_time.h"

#include <stdlib.h>
#include <time.h>

float *filled_floats(size_t n)
{
    float *f = aligned_alloc(64, align_up(n * sizeof *f));
    for (size_t i = 0; f && i < n; i++)
        f[i] = 0.01f;
    return f;
}

static double now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Long runs on one thread are timed by the processor time that they take: others that want the processor meanwhile are not part of that. To ask for
 * it takes some tenths of a microsecond, which short runs would show. */
double shortest_ns(void (*run)(void *data), void *data, bool one_thread)
{
    enum { LEAST_RUNS = 5, MOST_RUNS = 500 };
    const double enough = 17e6, is_long = 50e3; /* ns */
    double shortest = 0, spent = 0, start = now_ns(CLOCK_MONOTONIC);
    run(data); /* brings memory and code into the caches */
    const clockid_t clock = one_thread && now_ns(CLOCK_MONOTONIC) - start > is_long
                                ? CLOCK_THREAD_CPUTIME_ID
                                : CLOCK_MONOTONIC;
    for (int i = 0; i < LEAST_RUNS || (i < MOST_RUNS && spent < enough); i++) {
        start = now_ns(clock);
        run(data);
        const double took = now_ns(clock) - start;
        shortest = i == 0 || took < shortest ? took : shortest;
        spent += took;
    }
    return shortest > 1 ? shortest : 1; /* a clock may stand still */
}
