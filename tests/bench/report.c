#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void config_text(const struct config *c, char *text, size_t size)
{
    int n = snprintf(text, size, "%d thread%s", c->threads, c->threads == 1 ? "" : "s");
    if (c->batch > 1)
        n += snprintf(text + n, size - (size_t)n, ", batch %d", c->batch);
    if (is_limited(c))
        snprintf(text + n, size - (size_t)n, ", ours limited to %s", c->isa);
}

void config_word(const struct config *c, char *text, size_t size)
{
    int n = snprintf(text, size, "t%d", c->threads);
    if (c->batch > 1)
        n += snprintf(text + n, size - (size_t)n, "-b%d", c->batch);
    if (is_limited(c))
        snprintf(text + n, size - (size_t)n, "-%s", c->isa);
}

/* Three digits or so, "-" for what was not measured. */
static void cell(int width, double v)
{
    if (isnan(v))
        printf("  %*s", width, "-");
    else
        printf("  %*.*f", width, v < 1 ? 3 : v < 100 ? 2 : 1, v);
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

static double mean_of(const struct mean *m)
{
    return m->count ? exp(m->logs / m->count) : NAN;
}

/* --- a table for each configuration --------------------------------------------------------------------- */

static void print_row(const struct model *m, const struct result *r, int rounds, double gflops)
{
    printf("%-28s", m->name);
    cell(8, MEDIAN(r->ours, rounds, median));
    cell(8, MEDIAN(r->theirs, rounds, median));
    cell(6, median_ratio(r, rounds));
    cell(6, best_ratio(r, rounds));
    cell(8, shortest_start(r->ours, rounds));
    cell(9, shortest_start(r->theirs, rounds));
    cell(6, start_ratio(r, rounds));
    cell(7, MEDIAN(r->ours, rounds, rss) / 1024);
    cell(7, MEDIAN(r->theirs, rounds, rss) / 1024);
    cell(6, peak_share(r, rounds, gflops));
    cell(7, r->built ? r->exe_bytes / 1e6 : NAN);
    cell(6, r->built ? r->over_live : NAN);
    putchar('\n');
}

/* Why not, by reason: one line for all models that a configuration is none for. */
static void print_reasons(const struct model *models, size_t n, size_t config)
{
    for (size_t i = 0; i < n; i++) {
        const struct result *r = &models[i].by_config[config];
        if (*r->why)
            printf("%s: %s\n", models[i].name, r->why);
    }
}

static void print_table(const struct options *o, const struct model *models, size_t n,
                        size_t config, double gflops)
{
    struct mean speed = {0}, best = {0}, start = {0}, rss = {0};
    char text[96];
    config_text(&o->configs[config], text, sizeof text);
    printf("\n%s, peak %.1f GFLOP/s f32, %d rounds\n", text, gflops, o->rounds);
    printf("%-28s  %8s  %8s  %6s  %6s  %8s  %9s  %6s  %7s  %7s  %6s  %7s  %6s\n", "model",
           "dnnlc ms", "ORT ms", "ratio", "best", "start ms", "ORT start", "start", "RSS MB",
           "ORT RSS", "peak %", "exe MB", "plan");
    for (size_t i = 0; i < n; i++) {
        const struct result *r = &models[i].by_config[config];
        if (!r->left_out)
            print_row(&models[i], r, o->rounds, gflops);
        add_ratio(&speed, median_ratio(r, o->rounds));
        add_ratio(&best, best_ratio(r, o->rounds));
        add_ratio(&start, start_ratio(r, o->rounds));
        add_ratio(&rss, rss_ratio(r, o->rounds));
    }
    if (speed.count)
        printf("geometric mean of %d ratios: %.3f, of the best runs %.3f; below 1 dnnlc is faster, "
               "as on %d models; peak RSS: %.3f of ONNX Runtime's\n",
               speed.count, mean_of(&speed), mean_of(&best), speed.wins, mean_of(&rss));
    if (start.count)
        printf("from start to first output: %.3f of ONNX Runtime's time, of %d models\n",
               mean_of(&start), start.count);
    print_reasons(models, n, config);
}

/* --- all configurations side by side -------------------------------------------------------------------- */

/* Ratios of the configurations, then that of throughput. */
static size_t n_ratios(const struct options *o)
{
    return o->n_configs + (o->instances > 0);
}

static double ratio_of(const struct options *o, const struct model *m, size_t column)
{
    return column < o->n_configs ? median_ratio(&m->by_config[column], o->rounds)
                                 : throughput_ratio(m, o->rounds);
}

static void print_heads(const struct options *o, const char *first)
{
    char word[64];
    printf("%-28s", first);
    for (size_t k = 0; k < n_ratios(o); k++) {
        snprintf(word, sizeof word, "%d at once", o->instances);
        if (k < o->n_configs)
            config_word(&o->configs[k], word, sizeof word);
        printf("  %14s", word);
    }
}

/* Above 1, or more than 0.05 worse than the first configuration where both are as the CPU is: it does not hold there. */
static bool is_lost(const struct options *o, const struct model *m, size_t column)
{
    const double allowed = 0.05, here = ratio_of(o, m, column), first = ratio_of(o, m, 0);
    const bool alike = column >= o->n_configs || !is_limited(&o->configs[column]);
    return here > 1 || (alike && here > first + allowed);
}

static void print_ratios(const struct options *o, const struct model *models, size_t n)
{
    puts(
        "\nratios of all configurations; !: above 1, or 0.05 above the first where nothing is limited");
    print_heads(o, "model");
    printf("  %s\n", "kind");
    for (size_t i = 0; i < n; i++) {
        printf("%-28s", models[i].name);
        for (size_t k = 0; k < n_ratios(o); k++) {
            cell(13, ratio_of(o, &models[i], k));
            putchar(is_lost(o, &models[i], k) ? '!' : ' ');
        }
        printf(" %s\n", kind_names[models[i].kind]);
    }
}

static void print_kinds(const struct options *o, const struct model *models, size_t n)
{
    puts("\ngeometric means of the ratios, by kind");
    print_heads(o, "kind");
    puts("  models");
    for (int kind = 0; kind <= N_KINDS; kind++) {
        struct mean means[MAX_CONFIGS + 1] = {{0}};
        int count = 0;
        for (size_t i = 0; i < n; i++) {
            if (kind < N_KINDS && models[i].kind != kind)
                continue;
            count++;
            for (size_t k = 0; k < n_ratios(o); k++)
                add_ratio(&means[k], ratio_of(o, &models[i], k));
        }
        if (!count)
            continue;
        printf("%-28s", kind < N_KINDS ? kind_names[kind] : "all");
        for (size_t k = 0; k < n_ratios(o); k++)
            cell(14, mean_of(&means[k]));
        printf("  %6d\n", count);
    }
}

/* --- the worst ------------------------------------------------------------------------------------------ */

struct place {
    const struct model *model;
    double value;
};

static int largest_first(const void *a, const void *b)
{
    const double x = ((const struct place *)a)->value, y = ((const struct place *)b)->value;
    return (x < y) - (x > y);
}

static void print_worst(const struct options *o, const struct model *models, size_t n,
                        const char *what, double (*value)(const struct result *r, int rounds))
{
    enum { SHOWN = 10 };
    struct place places[MAX_MODELS];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const double v = value(&models[i].by_config[0], o->rounds);
        if (!isnan(v))
            places[count++] = (struct place){&models[i], v};
    }
    qsort(places, count, sizeof *places, largest_first);
    printf("\nthe worst by %s:", what);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        printf("%s %s %.3f", i ? "," : "", places[i].model->name, places[i].value);
    putchar('\n');
}

static void print_throughput(const struct options *o, const struct model *models, size_t n)
{
    printf("\nruns per second: %d contexts in one process, and as many processes of ONNX Runtime's "
           "runner, a thread each\n%-28s  %10s  %10s  %6s\n",
           o->instances, "model", "dnnlc /s", "ORT /s", "ratio");
    for (size_t i = 0; i < n; i++) {
        printf("%-28s", models[i].name);
        cell(10, throughput(models[i].our_throughput, o->rounds));
        cell(10, throughput(models[i].their_throughput, o->rounds));
        cell(6, throughput_ratio(&models[i], o->rounds));
        putchar('\n');
    }
}

void print_report(const struct options *o, const struct model *models, size_t n,
                  const double *gflops)
{
    for (size_t k = 0; k < o->n_configs; k++)
        print_table(o, models, n, k, gflops[k]);
    if (o->instances)
        print_throughput(o, models, n);
    if (!o->ort) {
        puts("\nONNX Runtime was not measured: its runner is not there.");
        return;
    }
    if (!o->starts) {
        print_ratios(o, models, n);
        print_kinds(o, models, n);
        print_worst(o, models, n, "ratio", median_ratio);
    }
    print_worst(o, models, n, "start", start_ratio);
}
