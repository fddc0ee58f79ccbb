/* Two contexts of one compiled model in two threads: each owns its workspace, both share the
 * weights. Every result must equal, bit for bit, what a context alone gave before. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits_dnnl.h"
#include "picture.h"

enum { JOBS = 2, RUNS = 200, DIGITS = 10 };

struct job {
    _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
    _Alignas(64) float image[DIGIT_SIDE * DIGIT_SIDE], output[DIGITS];
    float alone[DIGITS]; /* what to expect */
    int runs, differing; /* how often to compare, and how often it differed */
    const char *failure; /* or NULL */
};

static void *work(void *arg)
{
    struct job *job = arg;
    digits_context model;
    digits_config config = {.workspace = job->workspace, .workspace_size = sizeof job->workspace};
    void *fallback = NULL;
#ifdef DIGITS_HAS_FALLBACK /* For the weights, should this CPU want another layout than they were packed in. */
    if ((config.fallback_size = (digits_fallback_size() + 63) / 64 * 64) != 0)
        config.fallback = fallback = aligned_alloc(64, config.fallback_size);
#endif
    digits_status status = digits_init(&model, &config);
    for (int i = 0; i <= job->runs && status == DIGITS_OK; i++) {
        status = digits_run(&model, &(digits_inputs){.image = job->image},
                            &(digits_outputs){.probabilities = job->output});
        job->differing += i && memcmp(job->output, job->alone, sizeof job->alone);
    }
    job->failure = status == DIGITS_OK ? NULL : digits_error(&model);
    digits_fini(&model);
    free(fallback);
    return NULL;
}

/* What one context alone makes of the picture; false if that fails. */
static int prepare(struct job *job, const char *picture)
{
    job->failure = picture_load(picture, job->image);
    if (!job->failure)
        work(job);
    memcpy(job->alone, job->output, sizeof job->alone);
    job->runs = RUNS;
    return job->failure == NULL;
}

int main(int argc, char **argv)
{
    static struct job jobs[JOBS];
    pthread_t threads[JOBS];
    int wrong = 0;
    if (argc != 1 + JOBS) {
        fprintf(stderr, "usage: embed PICTURE.pgm PICTURE.pgm\n");
        return 2;
    }
    for (int k = 0; k < JOBS; k++)
        if (!prepare(&jobs[k], argv[1 + k])) {
            fprintf(stderr, "embed: %s: %s\n", argv[1 + k], jobs[k].failure);
            return 1;
        }
    for (int k = 0; k < JOBS; k++)
        if (pthread_create(&threads[k], NULL, work, &jobs[k])) {
            fprintf(stderr, "embed: no thread\n");
            return 1;
        }
    for (int k = 0; k < JOBS; k++) {
        pthread_join(threads[k], NULL);
        wrong |= jobs[k].failure || jobs[k].differing;
        printf("%s: %d of %d runs differ from one alone\n", argv[1 + k], jobs[k].differing, RUNS);
    }
    return wrong;
}
