#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* The number after "key": in a JSON object on one line; 0 if it is not there. */
static double json_number(const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    return at ? atof(at + strlen(quoted)) : 0;
}

static bool run_ours(const char *path, int threads, int runs, struct process *p)
{
    char count[16], n[16];
    snprintf(count, sizeof count, "%d", threads);
    snprintf(n, sizeof n, "%d", runs);
    run_process(
        (char *[]){(char *)path, "--random", "1", "--threads", count, "--bench", n, "--json", NULL},
        threads, p);
    return p->status == 0;
}

static struct sample ours_from(const char *json)
{
    return (struct sample){.done = true,
                           .init = json_number(json, "init_ms"),
                           .first = json_number(json, "first_run_ms"),
                           .median = json_number(json, "median_ms"),
                           .min = json_number(json, "min_ms"),
                           .rss = json_number(json, "peak_rss_kb")};
}

/* A run of a few tells how many fit into the budget. */
void measure_ours(const struct options *o, const struct model *m, int threads, struct result *r,
                  int round)
{
    char path[PATH_SIZE];
    struct process p;
    if (!r->built || *r->why)
        return;
    executable_path(o, m, threads, path);
    bool done = run_ours(path, threads, 3, &p);
    if (done) {
        double runs = o->budget * 1e3 / (json_number(p.out, "median_ms") + 1e-6);
        done = run_ours(path, threads, runs < 5 ? 5 : runs > 50000 ? 50000 : (int)runs, &p);
    }
    if (done) {
        r->ours[round] = ours_from(p.out);
        r->workspace_bytes = json_number(p.out, "workspace_bytes");
    } else {
        snprintf(r->why, sizeof r->why, "fails: exit status %d: %.400s", p.status, p.err);
    }
}

void measure_theirs(const struct options *o, const struct model *m, int threads, struct result *r,
                    int round)
{
    char budget[32], count[16], path[PATH_SIZE];
    char *argv[MAX_FLAGS + 16] = {(char *)o->ort, path,       "--threads", count,  "--bench",
                                  "50000",        "--budget", budget,      "--csv"};
    size_t n = 9;
    struct process p;
    double v[9];
    if (!o->ort || !onnx_path(o, m, path))
        return;
    snprintf(budget, sizeof budget, "%g", o->budget);
    snprintf(count, sizeof count, "%d", threads);
    for (size_t i = 0; i < m->n_flags; i++)
        argv[n++] = m->flags[i];
    run_process(argv, threads, &p);
    /* session, first, median, p10, p90, min, runs, RSS of the session, peak RSS in MiB */
    if (p.status == 0 && sscanf(p.out, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2],
                                &v[3], &v[4], &v[5], &v[6], &v[7], &v[8]) == 9)
        r->theirs[round] = (struct sample){.done = true,
                                           .init = v[0],
                                           .first = v[1],
                                           .median = v[2],
                                           .min = v[5],
                                           .rss = v[8] * 1024};
}
