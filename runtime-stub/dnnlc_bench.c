#define _XOPEN_SOURCE 700
#include "dnnlc_bench.h"

#include "dnnlc_report.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WARM_UP_RUNS = 3, PROFILE_RUNS = 20, PROFILE_MIN_RUNS = 3, PROFILE_MS = 3000 };
enum { PROFILE_MAX_RUNS = 1000, PROFILE_SHORT_MS = 100 };

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

static bool timed_run(struct dnnlc_session *session, double *ms, char *why, size_t why_size)
{
    begin_again(session);
    double begin = dnnlc_now_ms();
    bool done = dnnlc_session_run(session, why, why_size);
    *ms = dnnlc_now_ms() - begin;
    return done;
}

static bool warm_up(struct dnnlc_session *session, char *why, size_t why_size)
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
    in->done = warm_up(&in->session, in->why, sizeof in->why);
    if (in->gate && !pass(in->gate))
        return NULL;
    in->begin = dnnlc_now_ms();
    for (size_t i = 0; i < in->count && in->done; i++)
        in->done = timed_run(&in->session, &in->runs[i], in->why, sizeof in->why);
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

/* Another context of the same model with the same inputs and weights. */
static bool open_beside(struct dnnlc_session *session, const struct dnnlc_session *first,
                        int threads, char *why, size_t why_size)
{
    if (!dnnlc_session_open(session, first->model, why, why_size))
        return false;
    for (size_t i = 0; i < first->model->n_inputs; i++)
        session->inputs[i].data = first->inputs[i].data;
    memcpy(session->rows, first->rows, first->model->n_dimensions * sizeof *first->rows);
    session->weights = first->weights;
    return dnnlc_session_start(session, threads, why, why_size);
}

static void close_beside(struct dnnlc_session *session)
{
    for (size_t i = 0; session->inputs && i < session->model->n_inputs; i++)
        session->inputs[i].data = NULL;
    session->weights = (struct dnnlc_bytes){0};
    dnnlc_session_close(session);
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
            done = open_beside(&instances[i].session, first, t->threads, why, why_size);
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
    if (!timed_run(session, &t->first, why, why_size))
        return false;
    instances[0].session = *session;
    bool done = measure_instances(session, instances, t, why, why_size);
    session->ran = instances[0].session.ran;
    for (int i = 1; i < t->instances; i++)
        close_beside(&instances[i].session);
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

/* The time of each layer: from the end of the one before it. */
struct layer_time {
    double ms;    /* summed over the runs */
    double least; /* of a run: what other processes disturb least */
    size_t layer;
};

struct profile {
    struct layer_time *layers;
    size_t count, runs;
    double last;
    double ms, least; /* of whole runs: together, and of the shortest */
};

static void trace(void *user, unsigned layer)
{
    struct profile *p = user;
    double now = dnnlc_now_ms();
    if (layer < p->count) {
        struct layer_time *t = &p->layers[layer];
        t->ms += now - p->last;
        if (t->least <= 0 || now - p->last < t->least)
            t->least = now - p->last;
    }
    p->last = dnnlc_now_ms();
}

static int compare_layers(const void *a, const void *b)
{
    const struct layer_time *x = a, *y = b;
    const int slower = (x->least < y->least) - (x->least > y->least);
    return slower ? slower : (x->layer > y->layer) - (x->layer < y->layer);
}

/* Enough runs for a mean, few enough not to take long. */
static bool is_enough(const struct profile *p)
{
    return p->runs >= PROFILE_MAX_RUNS || (p->runs >= PROFILE_RUNS && p->ms > PROFILE_SHORT_MS) ||
           (p->runs >= PROFILE_MIN_RUNS && p->ms > PROFILE_MS);
}

/* Runs with the trace on. */
static bool profile_runs(struct dnnlc_session *session, struct profile *p, char *why,
                         size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    bool done = true;
    model->set_trace(session->context, trace, p);
    for (; done && !is_enough(p); p->runs++) {
        double ms;
        p->last = dnnlc_now_ms();
        done = timed_run(session, &ms, why, why_size);
        p->ms += ms;
        p->least = p->runs == 0 || ms < p->least ? ms : p->least;
    }
    model->set_trace(session->context, NULL, NULL);
    return done;
}

/* In the order of the layers, which --info and the manifest have too. */
static void print_profile_json(const struct dnnlc_model *model, const struct profile *p)
{
    const double mean = 1 / (double)p->runs;
    printf("{\"runs\": %zu, \"least_ms\": %.6f, \"mean_ms\": %.6f, \"layers\": [", p->runs,
           p->least, p->ms * mean);
    for (size_t i = 0; i < p->count; i++) {
        printf("%s\n {\"layer\": %zu, \"least_ms\": %.6f, \"mean_ms\": %.6f, \"op\": ",
               i ? "," : "", i, p->layers[i].least, p->layers[i].ms * mean);
        dnnlc_print_json(model->layers[i].op ? model->layers[i].op : "");
        putchar('}');
    }
    puts("\n]}");
}

static void print_profile(const struct dnnlc_model *model, struct profile *p)
{
    const double total = p->ms, mean = 1 / (double)p->runs, share = total > 0 ? 100 / total : 0;
    double traced = 0, least = 0;
    qsort(p->layers, p->count, sizeof *p->layers, compare_layers);
    printf("%10s %10s %6s %5s  layer  op  detail\n", "least ms", "mean ms", "%", "#");
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_time *t = &p->layers[i];
        const struct dnnlc_layer *layer = &model->layers[t->layer];
        const char *const texts[] = {layer->name, layer->op, layer->detail};
        printf("%10.4f %10.4f %6.2f %5zu", t->least, t->ms * mean, t->ms * share, t->layer);
        for (int k = 0; k < 3; k++)
            if (texts[k] && *texts[k]) {
                fputs("  ", stdout);
                dnnlc_print(texts[k]);
            }
        putchar('\n');
        traced += t->ms;
        least += t->least;
    }
    printf("%10s %10.4f %6.2f %5s  between layers\n", "", (total - traced) * mean,
           (total - traced) * share, "");
    printf("%10.4f %10.4f %6.2f %5s  total, mean of %zu runs\n", least, total * mean, 100.0, "",
           p->runs);
}

bool dnnlc_profile(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                   size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    struct profile p = {.count = model->n_layers};
    p.layers = calloc(p.count + 1, sizeof *p.layers);
    if (!p.layers)
        return dnnlc_fail(why, why_size, "no memory for the times of %zu layers", p.count);
    for (size_t i = 0; i < p.count; i++)
        p.layers[i].layer = i;
    bool done = dnnlc_session_start(session, options->threads, why, why_size) &&
                warm_up(session, why, why_size) && profile_runs(session, &p, why, why_size);
    if (done && dnnlc_given(options, DNNLC_JSON))
        print_profile_json(model, &p);
    else if (done)
        print_profile(model, &p);
    free(p.layers);
    return done;
}
