#define _XOPEN_SOURCE 700
#include "dnnlc_bench.h"

#include "dnnlc_report.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WARM_UP_RUNS = 3 };

struct times {
    double init, first;
    double *runs; /* of all instances, ascending */
    size_t count;
    int instances, threads;
    double per_second; /* runs of all instances together */
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* States that each run makes longer would be full after some. */
static void begin_again(struct dnnlc_session *session)
{
    for (size_t k = 0; k < session->model->n_states; k++)
        if (session->model->states[k].input >= session->model->n_inputs) {
            dnnlc_session_set_states(session);
            return;
        }
}

bool dnnlc_timed_run(struct dnnlc_session *session, double *ms, char *why, size_t why_size)
{
    begin_again(session);
    double begin = dnnlc_now_ms();
    bool done = dnnlc_session_run(session, why, why_size);
    *ms = dnnlc_now_ms() - begin;
    return done;
}

bool dnnlc_warm_up(struct dnnlc_session *session, char *why, size_t why_size)
{
    for (int i = 0; i < WARM_UP_RUNS; i++) {
        begin_again(session);
        if (!dnnlc_session_run(session, why, why_size))
            return false;
    }
    return true;
}

/* --- several contexts at a time ------------------------------------------------------------------------ */

/* Instances wait here, warm, until all are. */
struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int waiting;
    bool open, given_up;
};

struct instance {
    struct dnnlc_session session; /* its inputs and the weights file are the first one's */
    pthread_t thread;
    struct gate *gate;
    double *runs, begin, end;
    size_t count;
    bool done;
    char why[512];
};

/* Whether to begin. */
static bool pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->waiting++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
    return !gate->given_up;
}

static void open_gate(struct gate *gate, int expected, bool given_up)
{
    pthread_mutex_lock(&gate->mutex);
    while (!given_up && gate->waiting < expected)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    gate->given_up = given_up;
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

static void *run_instance(void *user)
{
    struct instance *in = user;
    in->done = dnnlc_warm_up(&in->session, in->why, sizeof in->why);
    if (in->gate && !pass(in->gate))
        return NULL;
    in->begin = dnnlc_now_ms();
    for (size_t i = 0; i < in->count && in->done; i++)
        in->done = dnnlc_timed_run(&in->session, &in->runs[i], in->why, sizeof in->why);
    in->end = dnnlc_now_ms();
    return NULL;
}

static bool run_at_once(struct instance *instances, int n, char *why, size_t why_size)
{
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    int started = 0, failed = 0;
    while (started < n && !failed) {
        struct instance *in = &instances[started];
        in->gate = &gate;
        failed = pthread_create(&in->thread, NULL, run_instance, in);
        started += !failed;
    }
    open_gate(&gate, n, failed != 0);
    for (int i = 0; i < started; i++)
        pthread_join(instances[i].thread, NULL);
    return !failed || dnnlc_fail(why, why_size, "--instances: no thread %d of %d: %s", started + 1,
                                 n, strerror(failed));
}

/* The first session has been started; the others are here. */
static bool measure_instances(const struct dnnlc_session *first, struct instance *instances,
                              struct times *t, char *why, size_t why_size)
{
    const size_t each = t->count / (size_t)t->instances;
    double begin = INFINITY, end = 0;
    bool done = true;
    for (int i = 0; i < t->instances && done; i++) {
        instances[i].runs = t->runs + (size_t)i * each;
        instances[i].count = each;
        if (i > 0)
            done =
                dnnlc_session_open_beside(&instances[i].session, first, t->threads, why, why_size);
    }
    if (done && t->instances > 1)
        done = run_at_once(instances, t->instances, why, why_size);
    else if (done)
        run_instance(instances);
    for (int i = 0; i < t->instances && done; i++) {
        done = instances[i].done || dnnlc_fail(why, why_size, "%s", instances[i].why);
        begin = fmin(begin, instances[i].begin);
        end = fmax(end, instances[i].end);
    }
    t->per_second = 1e3 * (double)t->count / fmax(end - begin, 1e-6);
    return done;
}

static bool measure(struct dnnlc_session *session, struct instance *instances, struct times *t,
                    char *why, size_t why_size)
{
    double begin = dnnlc_now_ms();
    if (!dnnlc_session_start(session, t->threads, why, why_size))
        return false;
    t->init = dnnlc_now_ms() - begin;
    if (!dnnlc_timed_run(session, &t->first, why, why_size))
        return false;
    instances[0].session = *session;
    bool done = measure_instances(session, instances, t, why, why_size);
    session->ran = instances[0].session.ran;
    for (int i = 1; i < t->instances; i++)
        dnnlc_session_close_beside(&instances[i].session, session);
    if (done)
        qsort(t->runs, t->count, sizeof *t->runs, compare_doubles);
    return done;
}

/* --- reporting ----------------------------------------------------------------------------------------- */

static void print_times(const struct dnnlc_model *model, const struct times *t, bool json)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    size_t p90 = t->count * 9 / 10;
    const struct {
        const char *name;
        double ms;
    } rows[] = {{"init", t->init},
                {"first_run", t->first},
                {"median", t->runs[t->count / 2]},
                {"p10", t->runs[t->count / 10]},
                {"p90", t->runs[p90 < t->count ? p90 : t->count - 1]},
                {"min", t->runs[0]}};
    if (json) {
        fputs("{\"model\": ", stdout);
        dnnlc_print_json(model->name);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf(json ? ", \"%s_ms\": %.6f" : "%-12s%.6g ms\n", rows[i].name, rows[i].ms);
    printf(json ? ", \"runs\": %zu, \"threads\": %d, \"instances\": %d, \"runs_per_s\": %.6g, "
                  "\"workspace_bytes\": %zu, \"peak_rss_kb\": %ld}\n"
                : "runs        %zu\nthreads     %d\ninstances   %d\nruns/s      %.6g\n"
                  "workspace   %zu bytes\npeak RSS    %ld KiB\n",
           t->count, t->threads ? t->threads : model->threads, t->instances, t->per_second,
           model->workspace_size, usage.ru_maxrss);
}

bool dnnlc_bench(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                 size_t why_size)
{
    struct times t = {.instances = options->instances ? options->instances : 1,
                      .threads = options->threads || !options->instances ? options->threads : 1};
    t.count = (size_t)options->runs * (size_t)t.instances;
    t.runs = malloc(t.count * sizeof *t.runs);
    struct instance *instances = calloc((size_t)t.instances, sizeof *instances);
    bool done = t.runs && instances;
    if (!done)
        dnnlc_fail(why, why_size, "no memory for the times of %zu runs", t.count);
    done = done && measure(session, instances, &t, why, why_size);
    if (done)
        print_times(session->model, &t, dnnlc_given(options, DNNLC_JSON));
    free(instances);
    free(t.runs);
    return done;
}
