/* Two models in one process, compiled for one and for two threads: one after the other, and in threads of their own at
 * the same time. Neither changes the other's numbers, nor the number of threads that the program had chosen.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one/one_dnnl.h"
#include "two/two_dnnl.h"

int omp_get_max_threads(void);
void omp_set_num_threads(int threads);

enum { PIXELS = 28 * 28, DIGITS = 10, RUNS = 50 };

static const float image[PIXELS] = {[300] = 1, [328] = 0.75f, [356] = 0.5f, [384] = 1, [412] = 1};
static one_context first;
static two_context second;

static void *memory(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!p)
        abort();
    return p;
}

static int run_first(float *out)
{
    return one_run(&first, &(one_inputs){image}, &(one_outputs){out}) != ONE_OK;
}

static int run_second(float *out)
{
    return two_run(&second, &(two_inputs){image}, &(two_outputs){out}) != TWO_OK;
}

typedef struct work {
    int (*run)(float *out);
    const float *want;
    int wrong;
} work;

static void *many(void *data)
{
    work *w = data;
    float out[DIGITS];
    for (int i = 0; i < RUNS; i++)
        w->wrong += w->run(out) || memcmp(out, w->want, sizeof out) != 0;
    return NULL;
}

static int at_the_same_time(const float *want_first, const float *want_second)
{
    work w[2] = {{run_first, want_first, 0}, {run_second, want_second, 0}};
    pthread_t thread[2];
    for (int k = 0; k < 2; k++)
        if (pthread_create(&thread[k], NULL, many, &w[k]))
            abort();
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    return w[0].wrong + w[1].wrong;
}

static int in_turns(const float *want_first, const float *want_second)
{
    float out[DIGITS];
    int wrong = 0;
    for (int i = 0; i < RUNS; i++) {
        wrong += run_first(out) || memcmp(out, want_first, sizeof out) != 0;
        wrong += run_second(out) || memcmp(out, want_second, sizeof out) != 0;
        wrong += omp_get_max_threads() != 3;
    }
    return wrong;
}

int main(void)
{
    one_config a = {.workspace = memory(ONE_WORKSPACE_SIZE), .workspace_size = ONE_WORKSPACE_SIZE};
    two_config b = {.workspace = memory(TWO_WORKSPACE_SIZE), .workspace_size = TWO_WORKSPACE_SIZE};
    float want_first[DIGITS], want_second[DIGITS];
    omp_set_num_threads(3);
    b.threads = 2;
    if (one_init(&first, &a) != ONE_OK || two_init(&second, &b) != TWO_OK ||
        run_first(want_first) || run_second(want_second) || omp_get_max_threads() != 3) {
        fprintf(stderr, "%s%s\n", one_error(&first), two_error(&second));
        return 1;
    }
    int wrong = in_turns(want_first, want_second) + at_the_same_time(want_first, want_second);
    one_fini(&first);
    wrong += run_second(want_first) || memcmp(want_first, want_second, sizeof want_first) != 0;
    two_fini(&second);
    printf("%d of %d runs went wrong\n", wrong, 4 * RUNS);
    return wrong != 0;
}
