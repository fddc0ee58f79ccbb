/* bench [options] [MODEL]...
 *
 * Compiles each model and measures it in turns with ONNX Runtime: in every round each model is run by
 * the one and then by the other, in the next round the other way round, each in a process of its own,
 * pinned to as many cores as threads. What drifts (clock, neighbours) meets both alike. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "bench [options] [MODEL]...\n"
    "  --threads A,B,...  numbers of threads (1,2)\n"
    "  --rounds N         times that both are run (3)\n"
    "  --budget SECONDS   how long a run measures (0.7)\n"
    "  --models DIR       folders with model.onnx and flags ($DNNLC_MODELS or ../shared/models)\n"
    "  --graphs DIR       text IR (build/graphs)\n"
    "  --dnnlc FILE       the compiler (build/dnnlc)\n"
    "  --ort FILE         ONNX Runtime's runner (build/bench/ort/ort_run)\n"
    "  --out DIR          where bench.json, bench.svg and executables go (build/bench)\n"
    "  --peak N           only print the peak of N threads, GFLOP/s\n";

static bool parse_threads(struct options *o, const char *text)
{
    o->n_threads = 0;
    for (char *end; *text; text = *end ? end + 1 : end) {
        long v = strtol(text, &end, 10);
        if (end == text || v < 1 || v > 16 || o->n_threads == MAX_THREAD_COUNTS)
            return false;
        o->threads[o->n_threads++] = (int)v;
    }
    return o->n_threads > 0;
}

static bool parse_option(struct options *o, const char *key, const char *value)
{
    const struct {
        const char *key, **text;
    } texts[] = {{"--models", &o->models},
                 {"--graphs", &o->graphs},
                 {"--dnnlc", &o->dnnlc},
                 {"--ort", &o->ort},
                 {"--out", &o->out}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(key, texts[i].key)) {
            *texts[i].text = value;
            return true;
        }
    if (!strcmp(key, "--threads"))
        return parse_threads(o, value);
    if (!strcmp(key, "--rounds"))
        return (o->rounds = atoi(value)) >= 1 && o->rounds <= MAX_ROUNDS;
    if (!strcmp(key, "--budget"))
        return (o->budget = atof(value)) > 0;
    return false;
}

static bool parse(struct options *o, int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (!parse_option(o, argv[i], argv[i + 1]))
            return false;
    o->names = argv + i;
    o->n_names = argc - i;
    return i == argc || argv[i][0] != '-';
}

/* In a process of its own, to be pinned like the models. */
static double pinned_peak(const char *self, int threads)
{
    char count[16];
    struct process p;
    snprintf(count, sizeof count, "%d", threads);
    run_process((char *[]){(char *)self, "--peak", count, NULL}, threads, &p);
    return p.status == 0 ? atof(p.out) : 0;
}

static void build_all(const struct options *o, struct model *models, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < o->n_threads; t++) {
            fprintf(stderr, "building %s for %d thread(s)\n", models[i].name, o->threads[t]);
            build_model(o, &models[i], o->threads[t], &models[i].by_threads[t]);
        }
}

static void measure_round(const struct options *o, struct model *models, size_t n, int round)
{
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < o->n_threads; t++) {
            const struct model *m = &models[i];
            struct result *r = &models[i].by_threads[t];
            fprintf(stderr, "round %d of %d: %s\n", round + 1, o->rounds, m->name);
            if (round % 2 == 0)
                measure_ours(o, m, o->threads[t], r, round);
            measure_theirs(o, m, o->threads[t], r, round);
            if (round % 2 != 0)
                measure_ours(o, m, o->threads[t], r, round);
        }
}

static int run(const struct options *o, const char *self)
{
    static struct model models[MAX_MODELS];
    char path[PATH_SIZE];
    double gflops[MAX_THREAD_COUNTS] = {0};
    size_t n = find_models(o, models);
    snprintf(path, sizeof path, "%.900s/run", o->out);
    mkdir(o->out, 0777);
    mkdir(path, 0777);
    if (n == 0)
        return fputs("bench: no such model\n", stderr), 1;
    build_all(o, models, n);
    for (int round = 0; round < o->rounds; round++) {
        for (size_t t = 0; t < o->n_threads; t++) {
            double peak = pinned_peak(self, o->threads[t]);
            gflops[t] = peak > gflops[t] ? peak : gflops[t];
        }
        measure_round(o, models, n, round);
    }
    print_report(o, models, n, gflops);
    bool written = write_json(o, models, n, gflops) && write_plot(o, models, n);
    if (!written)
        perror(o->out);
    else
        printf("written: %s/bench.json, %s/bench.svg\n", o->out, o->out);
    return !written;
}

int main(int argc, char **argv)
{
    struct options o = {.dnnlc = "build/dnnlc",
                        .ort = "build/bench/ort/ort_run",
                        .models = getenv("DNNLC_MODELS"),
                        .graphs = "build/graphs",
                        .out = "build/bench",
                        .threads = {1, 2},
                        .n_threads = 2,
                        .rounds = 3,
                        .budget = 0.7};
    if (argc == 3 && !strcmp(argv[1], "--peak"))
        return printf("%.2f\n", measure_peak(atoi(argv[2]))) < 0;
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(help, stdout) == EOF;
    if (!parse(&o, argc, argv))
        return fputs(help, stderr), 2;
    if (!o.models)
        o.models = "../shared/models";
    if (!file_exists(o.ort))
        o.ort = NULL;
    return run(&o, argv[0]);
}
