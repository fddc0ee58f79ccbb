/* What a busy machine does to threads that work on one layer after the other, each waiting for the last one.
 *
 * Where another process holds a CPU, the scheduler sees two CPUs with one or two threads to run and leaves it at that, also where two of
 * ours are those two: they take turns then, a slice of milliseconds each, for every layer. With a CPU of its own a thread shares it with
 * strangers alone, and all layers of a slice go at full speed. docs/measurements.md, "Threads that wait". */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "dnnlc_threads.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Threads of GNU OpenMP spin 300,000 times, for up to 10 ms, before they sleep, which takes the CPU from whoever they wait for where two
 * share it. A thirtieth is as fast on CPUs that are free, where the next layer begins within microseconds. A static libgomp reads the
 * environment in a constructor without a priority, which comes after this one; whoever has said how threads wait is left alone. */
__attribute__((constructor(101))) static void wait_briefly(void)
{
    if (!getenv("OMP_WAIT_POLICY"))
        setenv("GOMP_SPINCOUNT", "10000", 0);
}

#ifdef CPU_COUNT
static cpu_set_t whole; /* of the process, where threads have been spread over it */
static bool is_spread;
#endif

int dnnlc_usable_threads(int most)
{
    int usable = (int)sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t set = whole;
    if (is_spread || sched_getaffinity(0, sizeof set, &set) == 0)
        usable = CPU_COUNT(&set);
#endif
    usable = usable < 1 ? 1 : usable;
    return usable < most ? usable : most < 1 ? 1 : most;
}

#if defined(CPU_COUNT) && defined(_OPENMP)
/* omp.h is there only where the compiler's OpenMP is installed for it. */
int omp_get_thread_num(void);

/* CPU i of the set, `first` being 0. */
static int cpu_of(const cpu_set_t *set, int first, int i)
{
    int cpu = first;
    for (int next = 0; i > 0; next++)
        if (next != first && CPU_ISSET((size_t)next, set)) {
            cpu = next;
            i--;
        }
    return cpu;
}

void dnnlc_threads_spread(int threads)
{
    const int here = sched_getcpu();
    if (is_spread || threads < 2 || getenv("OMP_PROC_BIND") || getenv("GOMP_CPU_AFFINITY") ||
        here < 0 || sched_getaffinity(0, sizeof whole, &whole) != 0 ||
        CPU_COUNT(&whole) != threads || !CPU_ISSET((size_t)here, &whole))
        return;
    is_spread = true;
#pragma omp parallel num_threads(threads)
    {
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET((size_t)cpu_of(&whole, here, omp_get_thread_num()), &own);
        sched_setaffinity(0, sizeof own, &own);
    }
}

void dnnlc_thread_anywhere(void)
{
    if (is_spread)
        sched_setaffinity(0, sizeof whole, &whole);
}
#else
void dnnlc_threads_spread(int threads)
{
    (void)threads;
}

void dnnlc_thread_anywhere(void) {}
#endif
