#include "bench.h"

#include <math.h>

static void put_string(FILE *f, const char *s)
{
    putc('"', f);
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            fprintf(f, "\\u%04x", (unsigned char)*s);
        else
            putc(*s, f);
    putc('"', f);
}

/* JSON has no NaN. */
static void put_number(FILE *f, const char *key, double v)
{
    fprintf(f, isnan(v) ? ", \"%s\": null" : ", \"%s\": %.6g", key, v);
}

static void put_samples(FILE *f, const char *key, const struct sample *s, int rounds)
{
    const char *comma = "";
    fprintf(f, ", \"%s\": [", key);
    for (int i = 0; i < rounds; i++)
        if (s[i].done) {
            fprintf(f, "%s{\"round\": %d", comma, i);
            put_number(f, "init_ms", s[i].init);
            put_number(f, "first_run_ms", s[i].first);
            put_number(f, "median_ms", s[i].median);
            put_number(f, "min_ms", s[i].min);
            put_number(f, "peak_rss_kb", s[i].rss);
            put_number(f, "start_ms", s[i].start);
            fputs("}", f);
            comma = ", ";
        }
    fputs("]", f);
}

static void put_result(FILE *f, const struct options *o, const struct model *m, size_t config,
                       double gflops)
{
    const struct config *c = &o->configs[config];
    const struct result *r = &m->by_config[config];
    fputs("\n    {\"model\": ", f);
    put_string(f, m->name);
    fputs(", \"kind\": ", f);
    put_string(f, kind_names[m->kind]);
    fprintf(f, ", \"threads\": %d, \"batch\": %d, \"isa\": ", c->threads, c->batch);
    put_string(f, c->isa);
    fprintf(f, ", \"left_out\": %s, \"failure\": ", r->left_out ? "true" : "false");
    if (*r->why)
        put_string(f, r->why);
    else
        fputs("null", f);
    put_number(f, "median_ms", MEDIAN(r->ours, o->rounds, median));
    put_number(f, "ort_median_ms", MEDIAN(r->theirs, o->rounds, median));
    put_number(f, "ratio", median_ratio(r, o->rounds));
    put_number(f, "best_ratio", best_ratio(r, o->rounds));
    put_number(f, "start_ms", shortest_start(r->ours, o->rounds));
    put_number(f, "ort_start_ms", shortest_start(r->theirs, o->rounds));
    put_number(f, "start_ratio", start_ratio(r, o->rounds));
    put_number(f, "rss_ratio", rss_ratio(r, o->rounds));
    put_number(f, "planned_over_live", r->built ? r->over_live : NAN);
    put_number(f, "peak_percent", peak_share(r, o->rounds, gflops));
    fprintf(f, ", \"macs\": %.0f, \"executable_bytes\": %.0f, \"workspace_bytes\": %.0f", r->macs,
            r->exe_bytes, r->workspace_bytes);
    put_samples(f, "dnnlc", r->ours, o->rounds);
    put_samples(f, "ort", r->theirs, o->rounds);
    fputs("}", f);
}

static void put_throughput(FILE *f, const struct options *o, const struct model *m)
{
    fputs("\n    {\"model\": ", f);
    put_string(f, m->name);
    put_number(f, "runs_per_s", throughput(m->our_throughput, o->rounds));
    put_number(f, "ort_runs_per_s", throughput(m->their_throughput, o->rounds));
    put_number(f, "ratio", throughput_ratio(m, o->rounds));
    fputs("}", f);
}

bool write_json(const struct options *o, const struct model *models, size_t n, const double *gflops)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.900s/bench.json", o->out);
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "{\n  \"rounds\": %d,\n  \"budget_s\": %g,\n  \"peak_gflops\": {", o->rounds,
            o->budget);
    for (size_t k = 0; k < o->n_configs; k++) {
        char word[64];
        config_word(&o->configs[k], word, sizeof word);
        fprintf(f, "%s\"%s\": %.2f", k ? ", " : "", word, gflops[k]);
    }
    fputs("},\n  \"results\": [", f);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < o->n_configs; k++) {
            fputs(i || k ? "," : "", f);
            put_result(f, o, &models[i], k, gflops[k]);
        }
    fprintf(f, "\n  ],\n  \"instances\": %d,\n  \"throughput\": [", o->instances);
    for (size_t i = 0; o->instances && i < n; i++) {
        fputs(i ? "," : "", f);
        put_throughput(f, o, &models[i]);
    }
    fputs("\n  ]\n}\n", f);
    return fclose(f) == 0;
}
