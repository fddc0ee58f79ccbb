#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "dnnlc_profile.h"

#include "dnnlc_bench.h"
#include "dnnlc_file.h"
#include "dnnlc_peak.h"
#include "dnnlc_report.h"
#include "dnnlc_threads.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 20, MIN_RUNS = 3, MAX_RUNS = 1000, LONG_MS = 3000, SHORT_MS = 100 };

/* The time of each layer: from the end of the one before it. */
struct layer_time {
    double ms;    /* summed over the runs */
    double least; /* of an execution: what other processes disturb least */
    size_t
        times; /* executions: one a run, other numbers in loops and where there are several plans */
    size_t layer;
};

/* One execution of a layer, for --trace. */
struct event {
    double begin, end; /* ms */
    size_t layer;
};

struct profile {
    struct layer_time *layers;
    size_t count, runs;
    double last;
    double ms, least; /* of whole runs: together, and of the shortest */
    int threads;
    bool has_peak;
    struct dnnlc_peak peak;
};

static void trace(void *user, unsigned layer)
{
    struct profile *p = user;
    double now = dnnlc_now_ms();
    if (layer < p->count) {
        struct layer_time *t = &p->layers[layer];
        t->ms += now - p->last;
        if (t->times++ == 0 || now - p->last < t->least)
            t->least = now - p->last;
    }
    p->last = dnnlc_now_ms();
}

/* The events of one run. */
struct events {
    struct event *all;
    size_t count, capacity, n_layers;
    double last;
    bool lost; /* there was no memory for one */
};

static void add_event(void *user, unsigned layer)
{
    struct events *e = user;
    const double now = dnnlc_now_ms();
    if (layer >= e->n_layers)
        return;
    if (e->count == e->capacity) {
        const size_t capacity = 2 * e->capacity + 64;
        struct event *all = realloc(e->all, capacity * sizeof *all);
        e->lost |= !all;
        if (!all)
            return;
        e->all = all;
        e->capacity = capacity;
    }
    e->all[e->count++] = (struct event){e->last, now, layer};
    e->last = dnnlc_now_ms();
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
    return p->runs >= MAX_RUNS || (p->runs >= RUNS && p->ms > SHORT_MS) ||
           (p->runs >= MIN_RUNS && p->ms > LONG_MS);
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
        done = dnnlc_timed_run(session, &ms, why, why_size);
        p->ms += ms;
        p->least = p->runs == 0 || ms < p->least ? ms : p->least;
    }
    model->set_trace(session->context, NULL, NULL);
    return done;
}

/* What a layer does in its least time; 0 where that is less than the clock can tell, or nothing is done. */
struct rates {
    double gflops, gbytes, of_peak; /* 10^9 in a second; a part of the CPU's */
};

static struct rates rates_of(const struct profile *p, const struct dnnlc_layer *layer,
                             const struct layer_time *t)
{
    const double per_second = t->least > 0 ? 1e-6 / t->least : 0;
    struct rates r = {.gflops = per_second * (double)layer->operations,
                      .gbytes = per_second * ((double)layer->read + (double)layer->written)};
    r.of_peak = p->peak.gflops > 0 ? r.gflops / p->peak.gflops : 0;
    return r;
}

static void put_member(FILE *to, const char *name, const char *text)
{
    fprintf(to, ", \"%s\": ", name);
    dnnlc_put_json(to, text);
}

/* What is known of a layer without a clock. */
static void put_facts(FILE *to, const struct dnnlc_layer *layer)
{
    put_member(to, "detail", layer->detail);
    put_member(to, "unit", layer->subgraph);
    put_member(to, "implementation", layer->implementation);
    fprintf(to, ", \"operations\": %lld, \"read_bytes\": %lld, \"written_bytes\": %lld",
            (long long)layer->operations, (long long)layer->read, (long long)layer->written);
}

/* In the order of the layers, which --info and the manifest have too. */
static void print_json(const struct dnnlc_model *model, const struct profile *p)
{
    const double mean = 1 / (double)p->runs;
    printf("{\"runs\": %zu, \"least_ms\": %.6f, \"mean_ms\": %.6f", p->runs, p->least,
           p->ms * mean);
    put_member(stdout, "model", model->name);
    put_member(stdout, "model_sha256", model->model_hash);
    put_member(stdout, "dnnlc", model->compiler_version);
    put_member(stdout, "target", model->target);
    put_member(stdout, "isa", model->isa);
    put_member(stdout, "precision", model->precision);
    if (model->n_variants > 1)
        put_member(stdout, "variant", model->called);
    printf(", \"threads\": %d", p->threads);
    if (p->has_peak)
        printf(", \"peak_gflops\": %.6g, \"memory_gbytes_per_s\": %.6g", p->peak.gflops,
               p->peak.gbytes);
    fputs(", \"layers\": [", stdout);
    for (size_t i = 0; i < p->count; i++) {
        const struct dnnlc_layer *layer = &model->layers[i];
        const struct layer_time *t = &p->layers[i];
        const struct rates r = rates_of(p, layer, t);
        printf("%s\n {\"layer\": %zu, \"least_ms\": %.6f, \"mean_ms\": %.6f, \"executions\": %.6g",
               i ? "," : "", i, t->least, t->ms * mean, (double)t->times * mean);
        put_member(stdout, "op", layer->op);
        put_member(stdout, "name", layer->name);
        put_facts(stdout, layer);
        printf(", \"gflops\": %.6g, \"gbytes_per_s\": %.6g", r.gflops, r.gbytes);
        if (p->has_peak)
            printf(", \"peak_share\": %.6g", r.of_peak);
        putchar('}');
    }
    puts("\n]}");
}

/* The format that Chrome's about:tracing and Perfetto read: times in microseconds, here from the begin of the run. */
static void put_trace(FILE *to, const struct dnnlc_model *model, const struct events *e)
{
    fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"model\": ", to);
    dnnlc_put_json(to, model->name);
    put_member(to, "model_sha256", model->model_hash);
    fputs("}, \"traceEvents\": [", to);
    for (size_t i = 0; i < e->count; i++) {
        const struct dnnlc_layer *layer = &model->layers[e->all[i].layer];
        fprintf(to, "%s\n {\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": %.3f, \"dur\": %.3f",
                i ? "," : "", 1e3 * (e->all[i].begin - e->all[0].begin),
                1e3 * (e->all[i].end - e->all[i].begin));
        put_member(to, "name", layer->name);
        put_member(to, "cat", layer->op);
        fprintf(to, ", \"args\": {\"layer\": %zu", e->all[i].layer);
        put_facts(to, layer);
        fputs("}}", to);
    }
    fputs("\n]}\n", to);
}

static bool write_trace(const char *path, const struct dnnlc_model *model, const struct events *e,
                        char *why, size_t why_size)
{
    struct dnnlc_bytes bytes = {NULL, 0};
    char *text = NULL;
    FILE *to = e->lost ? NULL : open_memstream(&text, &bytes.size);
    bool done = to != NULL;
    if (done) {
        put_trace(to, model, e);
        done = !ferror(to);
        done = fclose(to) == 0 && done;
    }
    bytes.data = text;
    done = done ? dnnlc_file_write(path, &bytes, why, why_size)
                : dnnlc_fail(why, why_size, "%s: no memory", path);
    free(text);
    return done;
}

/* One more run, layer by layer. */
static bool trace_run(struct dnnlc_session *session, const char *path, char *why, size_t why_size)
{
    struct events e = {.n_layers = session->model->n_layers};
    double ms;
    session->model->set_trace(session->context, add_event, &e);
    e.last = dnnlc_now_ms();
    const bool done = dnnlc_timed_run(session, &ms, why, why_size) &&
                      write_trace(path, session->model, &e, why, why_size);
    session->model->set_trace(session->context, NULL, NULL);
    free(e.all);
    return done;
}

static void print_layer(const struct dnnlc_model *model, const struct profile *p,
                        const struct layer_time *t)
{
    const struct dnnlc_layer *layer = &model->layers[t->layer];
    const char *const texts[] = {layer->name, layer->op, layer->detail, layer->implementation};
    const struct rates r = rates_of(p, layer, t);
    printf("%10.4f %10.4f %6.2f %5zu %8.2f %8.2f", t->least, t->ms / (double)p->runs,
           p->ms > 0 ? 100 * t->ms / p->ms : 0, t->layer, r.gflops, r.gbytes);
    if (p->has_peak)
        printf(" %6.2f", 100 * r.of_peak);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k] && *texts[k]) {
            fputs("  ", stdout);
            dnnlc_print(texts[k]);
        }
    putchar('\n');
}

static void print_table(const struct dnnlc_model *model, struct profile *p)
{
    const double total = p->ms, mean = 1 / (double)p->runs, share = total > 0 ? 100 / total : 0;
    double traced = 0, least = 0;
    qsort(p->layers, p->count, sizeof *p->layers, compare_layers);
    printf("%10s %10s %6s %5s %8s %8s%s  layer  op  detail  implementation\n", "least ms",
           "mean ms", "%", "#", "GFLOP/s", "GB/s", p->has_peak ? " peak %" : "");
    for (size_t i = 0; i < p->count; i++) {
        print_layer(model, p, &p->layers[i]);
        traced += p->layers[i].ms;
        least += p->layers[i].least;
    }
    printf("%10s %10.4f %6.2f %5s  between layers\n", "", (total - traced) * mean,
           (total - traced) * share, "");
    printf("%10.4f %10.4f %6.2f %5s  total, mean of %zu runs\n", least, total * mean, 100.0, "",
           p->runs);
    if (p->has_peak)
        printf("peak of this CPU, measured just now on %d thread%s: %.6g GFLOP/s of f32, %.6g GB/s "
               "read from memory\n",
               p->threads, p->threads == 1 ? "" : "s", p->peak.gflops, p->peak.gbytes);
}

bool dnnlc_profile(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                   size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    struct profile p = {.count = model->n_layers, .has_peak = !dnnlc_given(options, DNNLC_NO_PEAK)};
    p.threads = options->threads ? options->threads : dnnlc_usable_threads(model->threads);
    p.layers = calloc(p.count + 1, sizeof *p.layers);
    if (!p.layers)
        return dnnlc_fail(why, why_size, "no memory for the times of %zu layers", p.count);
    for (size_t i = 0; i < p.count; i++)
        p.layers[i].layer = i;
    bool done = dnnlc_session_start(session, options->threads, why, why_size) &&
                dnnlc_warm_up(session, why, why_size) && profile_runs(session, &p, why, why_size) &&
                (!options->trace || trace_run(session, options->trace, why, why_size)) &&
                (!p.has_peak || dnnlc_measure_peak(p.threads, &p.peak, why, why_size));
    if (done && dnnlc_given(options, DNNLC_JSON))
        print_json(model, &p);
    else if (done)
        print_table(model, &p);
    free(p.layers);
    return done;
}
