#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare_doubles);
    return n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : NAN;
}

double median_of(const struct sample *samples, int rounds, size_t field)
{
    double v[MAX_ROUNDS];
    int n = 0;
    for (int i = 0; i < rounds; i++)
        if (samples[i].done)
            memcpy(&v[n++], (const char *)&samples[i] + field, sizeof *v);
    return median(v, n);
}

double median_ratio(const struct result *r, int rounds)
{
    double v[MAX_ROUNDS];
    int n = 0;
    for (int i = 0; i < rounds; i++)
        if (r->ours[i].done && r->theirs[i].done)
            v[n++] = r->ours[i].median / r->theirs[i].median;
    return median(v, n);
}

static double fastest(const struct sample *samples, int rounds)
{
    double best = NAN;
    for (int i = 0; i < rounds; i++)
        if (samples[i].done)
            best = fmin(best, samples[i].min);
    return best;
}

double best_ratio(const struct result *r, int rounds)
{
    return fastest(r->ours, rounds) / fastest(r->theirs, rounds);
}

double peak_share(const struct result *r, int rounds, double gflops)
{
    return r->macs > 0 && gflops > 0
               ? 2e-6 * r->macs / MEDIAN(r->ours, rounds, median) / gflops * 100
               : NAN;
}

/* Three digits or so, "-" for what was not measured. */
static void cell(int width, double v)
{
    if (isnan(v))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, v < 1 ? 3 : v < 100 ? 2 : 1, v);
}

struct mean {
    double logs;
    int count, wins;
};

static void add_ratio(struct mean *m, double ratio)
{
    if (isnan(ratio))
        return;
    m->logs += log(ratio);
    m->count++;
    m->wins += ratio < 1;
}

static double first_output(const struct sample *samples, int rounds)
{
    return MEDIAN(samples, rounds, init) + MEDIAN(samples, rounds, first);
}

static double start_ratio(const struct result *r, int rounds)
{
    return first_output(r->ours, rounds) / first_output(r->theirs, rounds);
}

static double rss_ratio(const struct result *r, int rounds)
{
    return MEDIAN(r->ours, rounds, rss) / MEDIAN(r->theirs, rounds, rss);
}

static void print_row(const struct model *m, const struct result *r, int rounds, double gflops)
{
    printf("%-28s", m->name);
    cell(9, MEDIAN(r->ours, rounds, median));
    cell(9, MEDIAN(r->theirs, rounds, median));
    cell(7, median_ratio(r, rounds));
    cell(7, best_ratio(r, rounds));
    cell(8, first_output(r->ours, rounds));
    cell(8, first_output(r->theirs, rounds));
    cell(8, MEDIAN(r->ours, rounds, rss) / 1024);
    cell(8, MEDIAN(r->theirs, rounds, rss) / 1024);
    cell(7, peak_share(r, rounds, gflops));
    cell(8, r->built ? r->exe_bytes / 1e6 : NAN);
    cell(7, r->built ? r->over_live : NAN);
    putchar('\n');
}

static void print_table(const struct options *o, const struct model *models, size_t n, size_t t,
                        double gflops)
{
    struct mean speed = {0}, best = {0}, start = {0}, rss = {0};
    printf("\n%d thread%s, peak %.1f GFLOP/s f32, %d rounds\n", o->threads[t],
           o->threads[t] == 1 ? "" : "s", gflops, o->rounds);
    printf("%-28s %9s %9s %7s %7s %8s %8s %8s %8s %7s %8s %7s\n", "model", "dnnlc ms", "ORT ms",
           "ratio", "best", "init ms", "ORT init", "RSS MB", "ORT RSS", "peak %", "exe MB", "plan");
    for (size_t i = 0; i < n; i++) {
        const struct result *r = &models[i].by_threads[t];
        print_row(&models[i], r, o->rounds, gflops);
        add_ratio(&speed, median_ratio(r, o->rounds));
        add_ratio(&best, best_ratio(r, o->rounds));
        add_ratio(&start, start_ratio(r, o->rounds));
        add_ratio(&rss, rss_ratio(r, o->rounds));
    }
    if (speed.count) {
        printf(
            "geometric mean of %d ratios: %.3f, of the best runs %.3f; below 1 dnnlc is faster, as "
            "on %d models\n",
            speed.count, exp(speed.logs / speed.count), exp(best.logs / best.count), speed.wins);
        printf("from start to first output: %.3f of ONNX Runtime's time; peak RSS: %.3f of its\n",
               exp(start.logs / start.count), exp(rss.logs / rss.count));
    }
    for (size_t i = 0; i < n; i++)
        if (*models[i].by_threads[t].why)
            printf("%s: %s\n", models[i].name, models[i].by_threads[t].why);
}

/* Does the lead hold on more threads? The ratio to ONNX Runtime there less that on the fewest. */
static void print_scaling(const struct options *o, const struct model *models, size_t n, size_t t)
{
    const double allowed = 0.10;
    int within = 0, count = 0;
    printf("\nratio on %d thread%s and on %d\n%-28s %9s %9s %9s\n", o->threads[0],
           o->threads[0] == 1 ? "" : "s", o->threads[t], "model", "few", "many", "change");
    for (size_t i = 0; i < n; i++) {
        double few = median_ratio(&models[i].by_threads[0], o->rounds),
               many = median_ratio(&models[i].by_threads[t], o->rounds);
        if (isnan(few) || isnan(many))
            continue;
        printf("%-28s", models[i].name);
        cell(9, few);
        cell(9, many);
        printf(" %+9.3f%s\n", many - few, many - few > allowed ? "  !" : "");
        count++;
        within += many - few <= allowed;
    }
    printf("on %d of %d models it is at most %.2f more\n", within, count, allowed);
}

void print_report(const struct options *o, const struct model *models, size_t n,
                  const double *gflops)
{
    for (size_t t = 0; t < o->n_threads; t++)
        print_table(o, models, n, t, gflops[t]);
    for (size_t t = 1; o->ort && t < o->n_threads; t++)
        print_scaling(o, models, n, t);
    if (!o->ort)
        puts("\nONNX Runtime was not measured: its runner is not there.");
}

/* --- JSON --------------------------------------------------------------------------------------------- */

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
            fprintf(f,
                    "%s{\"round\": %d, \"init_ms\": %.6g, \"first_run_ms\": %.6g, "
                    "\"median_ms\": %.6g, \"min_ms\": %.6g, \"peak_rss_kb\": %.0f}",
                    comma, i, s[i].init, s[i].first, s[i].median, s[i].min, s[i].rss);
            comma = ", ";
        }
    fputs("]", f);
}

static void put_result(FILE *f, const struct options *o, const struct model *m,
                       const struct result *r, int threads, double gflops)
{
    fputs("\n    {\"model\": ", f);
    put_string(f, m->name);
    fprintf(f, ", \"threads\": %d, \"failure\": ", threads);
    if (*r->why)
        put_string(f, r->why);
    else
        fputs("null", f);
    put_number(f, "median_ms", MEDIAN(r->ours, o->rounds, median));
    put_number(f, "ort_median_ms", MEDIAN(r->theirs, o->rounds, median));
    put_number(f, "ratio", median_ratio(r, o->rounds));
    put_number(f, "best_ratio", best_ratio(r, o->rounds));
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

bool write_json(const struct options *o, const struct model *models, size_t n, const double *gflops)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.900s/bench.json", o->out);
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "{\n  \"rounds\": %d,\n  \"budget_s\": %g,\n  \"peak_gflops\": {", o->rounds,
            o->budget);
    for (size_t t = 0; t < o->n_threads; t++)
        fprintf(f, "%s\"%d\": %.2f", t ? ", " : "", o->threads[t], gflops[t]);
    fputs("},\n  \"results\": [", f);
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < o->n_threads; t++) {
            fputs(i || t ? "," : "", f);
            put_result(f, o, &models[i], &models[i].by_threads[t], o->threads[t], gflops[t]);
        }
    fputs("\n  ]\n}\n", f);
    return fclose(f) == 0;
}
