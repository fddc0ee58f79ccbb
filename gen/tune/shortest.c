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

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double shortest_ns(void (*run)(void *data), void *data)
{
    enum { LEAST_RUNS = 15, MOST_RUNS = 500 };
    const double enough = 50e6; /* ns */
    double shortest = 0, spent = 0;
    run(data); /* brings memory and code into the caches */
    for (int i = 0; i < LEAST_RUNS || (i < MOST_RUNS && spent < enough); i++) {
        double start = now_ns();
        run(data);
        double took = now_ns() - start;
        shortest = i == 0 || took < shortest ? took : shortest;
        spent += took;
    }
    return shortest > 1 ? shortest : 1; /* a clock may stand still */
}
