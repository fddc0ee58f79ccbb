#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STARTS = 2
}; /* processes in a round whose time to the first output is taken; the shorter counts */

/* The number after "key": in a JSON object on one line; 0 if it is not there. */
static double json_number(const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    return at ? atof(at + strlen(quoted)) : 0;
}

bool is_limited(const struct config *c)
{
    return strcmp(c->isa, "native") != 0;
}

/* With `runs` of 0 it makes one output and ends. */
static bool run_ours(const char *path, const struct config *c, int runs, int instances,
                     struct process *p)
{
    char count[16], n[16], at_once[16], isa[96];
    char *argv[16] = {"env", isa, (char *)path, "--random", "1", "--threads", count};
    size_t used = 7;
    snprintf(count, sizeof count, "%d", c->threads);
    snprintf(n, sizeof n, "%d", runs);
    snprintf(at_once, sizeof at_once, "%d", instances);
    isa_setting(c, isa, sizeof isa);
    if (runs) {
        argv[used++] = "--bench";
        argv[used++] = n;
        argv[used++] = "--json";
        argv[used++] = "--instances";
        argv[used++] = at_once;
    }
    /* env(1) would be a part of the time to the first output. */
    run_process(is_limited(c) ? argv : argv + 2, c->threads * instances, p);
    return p->status == 0;
}

static int runs_within(const struct options *o, double ms)
{
    double runs = o->budget * 1e3 / (ms + 1e-6);
    return runs < 5 ? 5 : runs > 50000 ? 50000 : (int)runs;
}

static struct sample ours_from(const char *json)
{
    return (struct sample){.done = true,
                           .init = json_number(json, "init_ms"),
                           .first = json_number(json, "first_run_ms"),
                           .median = json_number(json, "median_ms"),
                           .min = json_number(json, "min_ms"),
                           .rss = json_number(json, "peak_rss_kb"),
                           .start = NAN};
}

/* Milliseconds of a process that makes one output; NaN where it fails or that is not measured. */
static double start_of_ours(const struct options *o, const struct model *m, const struct config *c)
{
    char path[PATH_SIZE];
    struct process p;
    executable_path(o, m, c, path);
    return c->batch == 1 && !is_limited(c) && run_ours(path, c, 0, 1, &p) ? p.ms : NAN;
}

/* A run of a few tells how many fit into the budget. Starts are measured as long as nothing else is set. */
void measure_ours(const struct options *o, struct model *m, size_t config, int round)
{
    const struct config *c = &o->configs[config];
    struct result *r = &m->by_config[config];
    char path[PATH_SIZE];
    struct process p;
    double start = NAN;
    if (!r->built || *r->why)
        return;
    executable_path(o, m, c, path);
    for (int i = 0; i < STARTS; i++)
        start = fmin(start, start_of_ours(o, m, c));
    bool done = run_ours(path, c, 3, 1, &p) &&
                run_ours(path, c, runs_within(o, json_number(p.out, "median_ms")), 1, &p);
    if (done) {
        r->ours[round] = ours_from(p.out);
        r->ours[round].start = start;
        r->workspace_bytes = json_number(p.out, "workspace_bytes");
    } else {
        snprintf(r->why, sizeof r->why, "fails: exit status %d: %.400s", p.status, p.err);
    }
}

static struct sample only_start(double ms)
{
    return (struct sample){.done = !isnan(ms),
                           .init = NAN,
                           .first = NAN,
                           .median = NAN,
                           .min = NAN,
                           .rss = NAN,
                           .start = ms};
}

struct their_command {
    char budget[32], count[16], path[PATH_SIZE];
    char *argv[MAX_FLAGS + 16];
};

static bool command_theirs(const struct options *o, const struct model *m, const struct config *c,
                           bool bench, struct their_command *t)
{
    size_t n = 0;
    if (!o->ort || !onnx_path(o, m, c, t->path))
        return false;
    snprintf(t->budget, sizeof t->budget, "%g", o->budget);
    snprintf(t->count, sizeof t->count, "%d", c->threads);
    char *const words[] = {(char *)o->ort, t->path,    "--threads", t->count, "--bench",
                           "50000",        "--budget", t->budget,   "--csv"};
    for (size_t i = 0; i < (bench ? sizeof words / sizeof *words : 4); i++)
        t->argv[n++] = words[i];
    for (size_t i = 0; i < m->n_flags && c->batch == 1; i++)
        t->argv[n++] = m->flags[i];
    t->argv[n] = NULL;
    return true;
}

/* session, first, median, p10, p90, min, runs, RSS of the session, peak RSS in MiB */
static struct sample theirs_from(const struct process *p)
{
    double v[9];
    if (p->status != 0 || sscanf(p->out, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2],
                                 &v[3], &v[4], &v[5], &v[6], &v[7], &v[8]) != 9)
        return (struct sample){0};
    return (struct sample){.done = true,
                           .init = v[0],
                           .first = v[1],
                           .median = v[2],
                           .min = v[5],
                           .rss = v[8] * 1024,
                           .start = NAN};
}

static double start_of_theirs(const struct options *o, const struct model *m,
                              const struct config *c)
{
    struct their_command t;
    struct process p;
    if (c->batch != 1 || is_limited(c) || !command_theirs(o, m, c, false, &t))
        return NAN;
    run_process(t.argv, c->threads, &p);
    return p.status == 0 ? p.ms : NAN;
}

void measure_starts(const struct options *o, struct model *m, size_t config, int round)
{
    const struct config *c = &o->configs[config];
    struct result *r = &m->by_config[config];
    double ours = NAN, theirs = NAN;
    if (!r->built || *r->why)
        return;
    for (int i = 0; i < o->starts; i++) {
        ours = fmin(ours, start_of_ours(o, m, c));
        theirs = fmin(theirs, start_of_theirs(o, m, c));
    }
    r->ours[round] = only_start(ours);
    r->theirs[round] = only_start(theirs);
}

/* What limits ours does not limit ONNX Runtime: there its sample is that of the same round without. */
void measure_theirs(const struct options *o, struct model *m, size_t config, int round)
{
    const struct config *c = &o->configs[config];
    struct sample *s = &m->by_config[config].theirs[round];
    struct their_command t;
    struct process p;
    double start = NAN;
    if (is_limited(c)) {
        *s = m->by_config[0].theirs[round];
        s->start = NAN;
        return;
    }
    for (int i = 0; i < STARTS; i++)
        start = fmin(start, start_of_theirs(o, m, c));
    if (m->by_config[config].left_out || !command_theirs(o, m, c, true, &t))
        return;
    run_process(t.argv, c->threads, &p);
    *s = theirs_from(&p);
    s->start = start;
}

/* --- throughput ---------------------------------------------------------------------------------------- */

/* As many processes of it, each on a core of its own, since its runner has one session. */
static double their_rate(const struct options *o, const struct model *m, const struct config *c)
{
    static struct process p[MAX_INSTANCES];
    struct their_command t;
    double rate = 0;
    bool done = command_theirs(o, m, c, true, &t);
    for (int i = 0; done && i < o->instances; i++)
        start_process(t.argv, i * c->threads, c->threads, &p[i]);
    for (int i = 0; done && i < o->instances; i++) {
        finish_process(&p[i]);
        const struct sample s = theirs_from(&p[i]);
        rate = s.done && rate >= 0 ? rate + 1e3 / s.median : -1;
    }
    return fmax(rate, 0);
}

/* One thread for each of the contexts or sessions; a rate is the sum of the inverse medians, ours as theirs. */
void measure_throughput(const struct options *o, struct model *m, int round)
{
    const struct config c = {.threads = 1, .batch = 1, .isa = "native"};
    const struct result *r = &m->by_config[0];
    char path[PATH_SIZE];
    struct process p;
    if (!o->instances || !r->built || *r->why || !r->ours[round].done)
        return;
    executable_path(o, m, &o->configs[0], path);
    if (run_ours(path, &c, runs_within(o, r->ours[round].median), o->instances, &p))
        m->our_throughput[round] = o->instances * 1e3 / json_number(p.out, "median_ms");
    m->their_throughput[round] = their_rate(o, m, &c);
}
