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
    "  --batches A,B,...  images at a time (1,8), of models whose first dimension they are\n"
    "  --isas A,B,...     what ours is limited to (native,avx512_core,avx2)\n"
    "  --instances N      throughput of N contexts, and of N processes of ONNX Runtime (2; 0: none)\n"
    "  --rounds N         times that both are run (3)\n"
    "  --starts N         only starts are measured: N processes of each in turns in a round\n"
    "  --budget SECONDS   how long a run measures (0.3)\n"
    "  --models DIR       folders with model.onnx and flags ($DNNLC_MODELS or ../shared/models)\n"
    "  --graphs DIR       text IR (build/graphs)\n"
    "  --dnnlc FILE       the compiler (build/dnnlc)\n"
    "  --ort FILE         ONNX Runtime's runner (build/bench/ort/ort_run)\n"
    "  --out DIR          where bench.json, bench.svg and executables go (build/bench)\n"
    "  --peak N           only print the peak of N threads, GFLOP/s\n"
    "  --kind FILE        only print the kind of network that text IR is\n";

/* The values of the lists that make the configurations. */
struct lists {
    int threads[MAX_VALUES], batches[MAX_VALUES];
    size_t n_threads, n_batches, n_isas;
    char isas[MAX_VALUES][32];
};

static bool parse_numbers(const char *text, int most, int *numbers, size_t *n)
{
    *n = 0;
    for (char *end; *text; text = *end ? end + 1 : end) {
        long v = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || v < 1 || v > most || *n == MAX_VALUES)
            return false;
        numbers[(*n)++] = (int)v;
    }
    return *n > 0;
}

static bool parse_isas(struct lists *l, const char *text)
{
    l->n_isas = 0;
    for (size_t length; *text; text += length + (text[length] != 0)) {
        length = strcspn(text, ",");
        if (!length || length >= sizeof *l->isas || l->n_isas == MAX_VALUES)
            return false;
        snprintf(l->isas[l->n_isas++], sizeof *l->isas, "%.*s", (int)length, text);
    }
    return l->n_isas > 0;
}

static bool parse_option(struct options *o, struct lists *l, const char *key, const char *value)
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
        return parse_numbers(value, 16, l->threads, &l->n_threads);
    if (!strcmp(key, "--batches"))
        return parse_numbers(value, 1024, l->batches, &l->n_batches);
    if (!strcmp(key, "--isas"))
        return parse_isas(l, value);
    if (!strcmp(key, "--instances"))
        return (o->instances = atoi(value)) >= 0 && o->instances <= MAX_INSTANCES;
    if (!strcmp(key, "--rounds"))
        return (o->rounds = atoi(value)) >= 1 && o->rounds <= MAX_ROUNDS;
    if (!strcmp(key, "--starts"))
        return (o->starts = atoi(value)) >= 1;
    if (!strcmp(key, "--budget"))
        return (o->budget = atof(value)) > 0;
    return false;
}

static void add_config(struct options *o, int threads, int batch, const char *isa)
{
    o->configs[o->n_configs++] = (struct config){threads, batch, isa};
}

static void make_configs(struct options *o, const struct lists *l)
{
    for (size_t i = 0; i < l->n_threads; i++)
        add_config(o, l->threads[i], l->batches[0], l->isas[0]);
    for (size_t i = 1; i < l->n_batches; i++)
        add_config(o, l->threads[0], l->batches[i], l->isas[0]);
    for (size_t i = 1; i < l->n_isas; i++)
        add_config(o, l->threads[0], l->batches[0], l->isas[i]);
}

static bool parse(struct options *o, struct lists *l, int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (!parse_option(o, l, argv[i], argv[i + 1]))
            return fprintf(stderr, "bench: %s %s\n", argv[i], argv[i + 1]), false;
    o->names = argv + i;
    o->n_names = argc - i;
    make_configs(o, l);
    for (; i < argc; i++)
        if (argv[i][0] == '-')
            return fprintf(stderr, "bench: %s: options stand before the models\n", argv[i]), false;
    return true;
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
    char text[96], path[PATH_SIZE];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < o->n_configs; k++) {
            config_text(&o->configs[k], text, sizeof text);
            fprintf(stderr, "building %s, %s\n", models[i].name, text);
            build_model(o, &models[i], k);
        }
        models[i].kind = kind_of(ir_path(o, &models[i], path) ? path : "");
    }
}

static void measure_round(const struct options *o, struct model *models, size_t n, int round)
{
    for (size_t i = 0; i < n; i++) {
        struct model *m = &models[i];
        fprintf(stderr, "round %d of %d: %s\n", round + 1, o->rounds, m->name);
        for (size_t k = 0; k < o->n_configs; k++) {
            if (o->starts) {
                measure_starts(o, m, k, round);
                continue;
            }
            if (round % 2 == 0)
                measure_ours(o, m, k, round);
            measure_theirs(o, m, k, round);
            if (round % 2 != 0)
                measure_ours(o, m, k, round);
        }
        measure_throughput(o, m, round);
    }
}

static int run(const struct options *o, const char *self)
{
    static struct model models[MAX_MODELS];
    char path[PATH_SIZE];
    double gflops[MAX_CONFIGS] = {0};
    size_t n = find_models(o, models);
    snprintf(path, sizeof path, "%.900s/run", o->out);
    mkdir(o->out, 0777);
    mkdir(path, 0777);
    if (n == 0)
        return fputs("bench: no such model\n", stderr), 1;
    build_all(o, models, n);
    for (int round = 0; round < o->rounds; round++) {
        for (size_t k = 0; k < o->n_configs && !o->starts; k++) {
            double peak = pinned_peak(self, o->configs[k].threads);
            gflops[k] = peak > gflops[k] ? peak : gflops[k];
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
                        .batched = "tests/bench/batched",
                        .instances = 2,
                        .rounds = 3,
                        .budget = 0.3};
    struct lists lists = {.threads = {1, 2},
                          .n_threads = 2,
                          .batches = {1, 8},
                          .n_batches = 2,
                          .isas = {"native", "avx512_core", "avx2"},
                          .n_isas = 3};
    if (argc == 3 && !strcmp(argv[1], "--peak"))
        return printf("%.2f\n", measure_peak(atoi(argv[2]))) < 0;
    if (argc == 3 && !strcmp(argv[1], "--kind"))
        return puts(kind_names[kind_of(argv[2])]) < 0;
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(help, stdout) == EOF;
    if (!parse(&o, &lists, argc, argv))
        return fputs(help, stderr), 2;
    if (o.starts)
        o.instances = 0;
    if (!o.models)
        o.models = "../shared/models";
    if (!file_exists(o.ort))
        o.ort = NULL;
    return run(&o, argv[0]);
}
