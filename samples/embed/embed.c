/* Two contexts of one compiled model in two threads: each owns its workspace, both share the
 * weights, which nobody writes. Every result must equal, bit for bit, what one context alone gives.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits_dnnl.h"
#include "picture.h"

enum { JOBS = 2, RUNS = 200, DIGITS = 10 };

struct job {
    _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
    _Alignas(64) float input[DIGIT_SIDE * DIGIT_SIDE];
    _Alignas(64) float output[DIGITS];
    float alone[DIGITS]; /* what to expect */
    digits_context context;
    int differing; /* runs that gave something else */
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "embed: %s: %s\n", what, why);
    exit(1);
}

static void load(struct job *job, const char *path)
{
    struct picture picture;
    FILE *f = fopen(path, "rb");
    const char *why = f ? picture_read(&picture, f) : "cannot be opened";
    if (!why)
        why = picture_to_input(&picture, job->input);
    if (why)
        fail(path, why);
    picture_free(&picture);
    fclose(f);
}

/* The fallback buffer is needed only on a CPU whose layouts are not those that the weights were
 * packed for. */
static void open_context(struct job *job)
{
    digits_config config = {.workspace = job->workspace, .workspace_size = sizeof job->workspace};
    config.fallback_size = (digits_fallback_size() + 63) / 64 * 64;
    config.fallback = config.fallback_size ? aligned_alloc(64, config.fallback_size) : NULL;
    if (digits_init(&job->context, &config) != DIGITS_OK)
        fail("init", digits_error(&job->context));
}

static void run(digits_context *context, struct job *job)
{
    digits_inputs in = {.image = job->input};
    digits_outputs out = {.probabilities = job->output};
    if (digits_run(context, &in, &out) != DIGITS_OK)
        fail("run", digits_error(context));
}

static void *work(void *arg)
{
    struct job *job = arg;
    for (int i = 0; i < RUNS; i++) {
        run(&job->context, job);
        job->differing += memcmp(job->output, job->alone, sizeof job->alone) != 0;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct job jobs[JOBS];
    pthread_t threads[JOBS];
    int differing = 0;
    if (argc != 1 + JOBS)
        fail("usage", "embed PICTURE.pgm PICTURE.pgm");
    for (int k = 0; k < JOBS; k++)
        load(&jobs[k], argv[1 + k]);
    open_context(&jobs[0]);
    for (int k = 0; k < JOBS; k++) {
        run(&jobs[0].context, &jobs[k]);
        memcpy(jobs[k].alone, jobs[k].output, sizeof jobs[k].alone);
    }
    for (int k = 1; k < JOBS; k++)
        open_context(&jobs[k]);
    for (int k = 0; k < JOBS; k++)
        if (pthread_create(&threads[k], NULL, work, &jobs[k]))
            fail("pthread_create", "no thread");
    for (int k = 0; k < JOBS; k++) {
        int best = 0;
        pthread_join(threads[k], NULL);
        for (int d = 1; d < DIGITS; d++)
            best = jobs[k].output[d] > jobs[k].output[best] ? d : best;
        printf("%s: %d (%.2f %%), %d of %d runs differ from one context alone\n", argv[1 + k], best,
               100.0 * (double)jobs[k].output[best], jobs[k].differing, RUNS);
        differing += jobs[k].differing;
        digits_fini(&jobs[k].context);
        /* A fallback buffer would be freed here; the process ends anyway. */
    }
    return differing != 0;
}
