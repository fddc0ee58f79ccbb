/* contexts RUNS: eight contexts of one model in eight threads at the same time. Every run gives the bits that the first one gave, and none leaves memory behind:
 * the process is no larger in the end than after a tenth of the runs. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "m_dnnl.h"

enum {
    THREADS = 8,
    PIXELS = 28 * 28,
    DIGITS = 10,
    SLACK = 64
}; /* SLACK: pages, of the C library's own */

static const float image[PIXELS] = {[300] = 1, [328] = 0.75f, [356] = 0.5f, [384] = 1, [412] = 1};
static float want[DIGITS];
static pthread_barrier_t barrier;
static long grown[2]; /* pages after a tenth of the runs, and after all of them */

typedef struct worker {
    m_context context;
    long runs, wrong;
} worker;

static long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &resident) != 2)
        abort();
    fclose(f);
    return resident;
}

static void begin(m_context *context)
{
    void *memory = aligned_alloc(64, (M_WORKSPACE_SIZE + 63) / 64 * 64);
    const m_config config = {.workspace = memory, .workspace_size = M_WORKSPACE_SIZE};
    if (!memory || m_init(context, &config) != M_OK) {
        fprintf(stderr, "%s\n", m_error(context));
        abort();
    }
}

/* One of the threads looks at the process while the others wait. */
static void measure(int when)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        grown[when] = resident_pages();
    pthread_barrier_wait(&barrier);
}

static void *work(void *data)
{
    worker *w = data;
    float out[DIGITS];
    begin(&w->context);
    for (long i = 0; i < w->runs; i++) {
        memset(out, 0xff, sizeof out);
        w->wrong += m_run(&w->context, &(m_inputs){image}, &(m_outputs){out}) != M_OK ||
                    memcmp(out, want, sizeof out) != 0;
        if (i == w->runs / 10)
            measure(0);
    }
    measure(1);
    m_fini(&w->context);
    return NULL;
}

int main(int argc, char **argv)
{
    static worker workers[THREADS];
    static m_context first;
    pthread_t thread[THREADS];
    long wrong = 0;
    const long runs = argc > 1 ? atol(argv[1]) : 100;
    begin(&first);
    if (m_run(&first, &(m_inputs){image}, &(m_outputs){want}) != M_OK ||
        pthread_barrier_init(&barrier, NULL, THREADS))
        return 1;
    m_fini(&first);
    for (int k = 0; k < THREADS; k++) {
        workers[k].runs = runs;
        if (pthread_create(&thread[k], NULL, work, &workers[k]))
            return 1;
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        wrong += workers[k].wrong;
    }
    printf("%ld of %ld runs went wrong; %ld pages, then %ld\n", wrong, THREADS * runs, grown[0],
           grown[1]);
    return wrong || grown[1] > grown[0] + SLACK;
}
