#define _POSIX_C_SOURCE 200809L
#include "dnnlc_options.h"

#include "dnnlc_assign.h"
#include "dnnlc_tensor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIT(option) (1u << DNNLC_##option)

struct parser {
    struct dnnlc_options *options;
    const struct dnnlc_model *model;
    struct dnnlc_words inputs, outputs, stacked; /* of --input, --output and --batch-file */
    char *why;
    size_t why_size;
};

#define REFUSE(p, ...) dnnlc_fail((p)->why, (p)->why_size, __VA_ARGS__)

/* Digits only: no sign, space, or other base. */
static bool parse_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    *value = 0;
    for (const char *c = text; *c; c++) {
        const uint64_t digit = (uint64_t)(*c - '0'); /* of what is none: large */
        if (digit > 9 || digit > most || *value > (most - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return *text && *value >= least;
}

static bool parse_tolerance(const char *text, double *value)
{
    char *end;
    if ((*text < '0' || *text > '9') && *text != '.')
        return false;
    *value = strtod(text, &end);
    return *end == 0 && isfinite(*value);
}

static bool set_input(struct parser *p, const char *value)
{
    p->inputs.words[p->inputs.count++] = value;
    return true;
}

static bool set_output(struct parser *p, const char *value)
{
    p->outputs.words[p->outputs.count++] = value;
    return true;
}

static bool set_batch_file(struct parser *p, const char *value)
{
    p->stacked.words[p->stacked.count++] = value;
    return true;
}

/* K/N; whether there is such a shard is a question of the job, not of the line. */
static bool set_shard(struct parser *p, const char *value)
{
    char number[24] = "";
    const char *slash = strchr(value, '/');
    uint64_t k, n;
    if (slash && (size_t)(slash - value) < sizeof number)
        memcpy(number, value, (size_t)(slash - value));
    if (!slash || !parse_whole(slash + 1, 1, INT32_MAX, &n) ||
        !parse_whole(number, 0, INT32_MAX, &k))
        return REFUSE(p, "--shard %s: not K/N, shard K of N", value);
    p->options->shard = (struct dnnlc_shard){(int64_t)k, (int64_t)n};
    return true;
}

static bool set_output_dir(struct parser *p, const char *value)
{
    p->options->output_dir = value;
    return true;
}

static bool set_random(struct parser *p, const char *value)
{
    return parse_whole(value, 0, UINT64_MAX, &p->options->seed) ||
           REFUSE(p, "--random %s: not a whole number from 0 to 2^64 - 1", value);
}

static bool set_threads(struct parser *p, const char *value)
{
    uint64_t n;
    if (!parse_whole(value, 1, 4096, &n))
        return REFUSE(p, "--threads %s: not a whole number from 1 to 4096", value);
    p->options->threads = (int)n;
    return true;
}

static bool set_variant(struct parser *p, const char *value)
{
    p->options->variant = value;
    return p->model->n_variants > 1 ||
           REFUSE(p, "--variant %s: the model was compiled for one size", value);
}

static bool set_each(struct parser *p, const char *value)
{
    p->options->each = value;
    return true;
}

static bool set_check(struct parser *p, const char *value)
{
    p->options->check_dir = value;
    return true;
}

static bool set_dump_layers(struct parser *p, const char *value)
{
    p->options->dump_dir = value;
    return true;
}

static bool set_rtol(struct parser *p, const char *value)
{
    return parse_tolerance(value, &p->options->rtol) ||
           REFUSE(p, "--rtol %s: not a number >= 0", value);
}

static bool set_atol(struct parser *p, const char *value)
{
    return parse_tolerance(value, &p->options->atol) ||
           REFUSE(p, "--atol %s: not a number >= 0", value);
}

static bool set_bench(struct parser *p, const char *value)
{
    uint64_t n;
    if (!parse_whole(value, 1, 10000000, &n))
        return REFUSE(p, "--bench %s: not a whole number from 1 to 10000000", value);
    p->options->runs = (int)n;
    return true;
}

static bool set_instances(struct parser *p, const char *value)
{
    uint64_t n;
    if (!parse_whole(value, 1, 1024, &n))
        return REFUSE(p, "--instances %s: not a whole number from 1 to 1024", value);
    p->options->instances = (int)n;
    return true;
}

static bool set_trace(struct parser *p, const char *value)
{
    p->options->trace = value;
    return true;
}

/* `excludes` is symmetric in effect, so each pair stands in one row only. */
static const struct option_row {
    const char *name, *value, *help;
    unsigned excludes;                               /* bits */
    enum dnnlc_option needs, or_needs;               /* one of these; 0: none */
    bool (*set)(struct parser *, const char *value); /* NULL: an option without a value */
    bool many;                                       /* values, up to the next option */
    bool repeats;                                    /* may be given several times */
} rows[DNNLC_N_OPTIONS] = {
    [DNNLC_INPUT] =
        {.name = "--input",
         .value = "[INPUT=]FILE",
         .help = "read an input from a .npy or .pb file, or a .npy file from standard input (-); "
                 "without names, in order; DIMENSION=N says how many rows there are",
         .excludes = BIT(CHECK) | BIT(INFO),
         .set = set_input,
         .repeats = true},
    [DNNLC_OUTPUT] = {.name = "--output",
                      .value = "[OUTPUT=]FILE",
                      .help = "write an output as a .npy file, or to standard output (-); without "
                              "names, in order",
                      .excludes = BIT(OUTPUT_DIR) | BIT(EACH) | BIT(BATCH_FILE) | BIT(CHECK) |
                                  BIT(SELFTEST) | BIT(BENCH) | BIT(PROFILE) | BIT(INFO),
                      .set = set_output,
                      .repeats = true},
    [DNNLC_OUTPUT_DIR] = {.name = "--output-dir",
                          .value = "DIR",
                          .help = "write output_0.npy, ... there (made if missing)",
                          .excludes = BIT(BENCH) | BIT(PROFILE) | BIT(INFO),
                          .set = set_output_dir},
    [DNNLC_RANDOM] = {.name = "--random",
                      .value = "SEED",
                      .help = "fill the inputs that are not given with pseudo-random values",
                      .excludes = BIT(CHECK) | BIT(INFO),
                      .set = set_random},
    [DNNLC_THREADS] = {.name = "--threads",
                       .value = "N",
                       .help = "use N threads, at most as many as compiled for",
                       .excludes = BIT(INFO),
                       .set = set_threads},
    [DNNLC_VARIANT] = {.name = "--variant",
                       .value = "NAME",
                       .help = "of a model for several sizes: which, as --info lists them, instead "
                               "of by the inputs' shapes",
                       .excludes = BIT(INFO),
                       .set = set_variant},
    [DNNLC_EACH] = {.name = "--each",
                    .value = "'DIR/*.npy'",
                    .help = "run on each file, or folder with input_0.npy, ..., in turn, and keep "
                            "states in between; outputs go to DIR/0, DIR/1, ...",
                    .excludes = BIT(RANDOM) | BIT(CHECK) | BIT(SELFTEST) | BIT(BENCH) |
                                BIT(PROFILE) | BIT(INFO),
                    .set = set_each},
    [DNNLC_RESET] = {.name = "--reset",
                     .help = "with --each: each run begins with the states as they were at first",
                     .needs = DNNLC_EACH},
    [DNNLC_BATCH_FILE] = {.name = "--batch-file",
                          .value = "IN OUT",
                          .help = "run on each row of a stacked .npy file, on all threads, and "
                                  "stack the results; - is standard input or output; of several "
                                  "inputs or outputs: INPUT=IN ... OUTPUT=OUT ...",
                          .excludes = BIT(OUTPUT_DIR) | BIT(RANDOM) | BIT(EACH) | BIT(CHECK) |
                                      BIT(SELFTEST) | BIT(DUMP_LAYERS) | BIT(BENCH) | BIT(PROFILE) |
                                      BIT(INFO),
                          .set = set_batch_file,
                          .many = true},
    [DNNLC_SHARD] = {.name = "--shard",
                     .value = "K/N",
                     .help = "with --batch-file: only part K, from 1, of N parts of the rows",
                     .needs = DNNLC_BATCH_FILE,
                     .set = set_shard},
    [DNNLC_CHECK] = {.name = "--check",
                     .value = "DIR",
                     .help = "run on DIR/input_K.pb (or .npy) and compare with DIR/output_K.pb",
                     .excludes = BIT(BENCH) | BIT(PROFILE) | BIT(INFO),
                     .set = set_check},
    [DNNLC_SELFTEST] = {.name = "--selftest",
                        .help = "compare with outputs that the compiler stored (dnnlc --selftest)",
                        .excludes = BIT(INPUT) | BIT(OUTPUT_DIR) | BIT(RANDOM) | BIT(CHECK) |
                                    BIT(BENCH) | BIT(PROFILE) | BIT(INFO)},
    [DNNLC_DUMP_LAYERS] = {.name = "--dump-layers",
                           .value = "DIR",
                           .help = "write what each layer makes into a new folder (dnnlc --debug)",
                           .excludes = BIT(EACH) | BIT(CHECK) | BIT(SELFTEST) | BIT(BENCH) |
                                       BIT(PROFILE) | BIT(INFO),
                           .set = set_dump_layers},
    [DNNLC_RTOL] = {.name = "--rtol",
                    .value = "R",
                    .help = "with --check: tolerance relative to each element (1e-3)",
                    .needs = DNNLC_CHECK,
                    .set = set_rtol},
    [DNNLC_ATOL] = {.name = "--atol",
                    .value = "A",
                    .help = "with --check: tolerance times max(1, largest element) (1e-5)",
                    .needs = DNNLC_CHECK,
                    .set = set_atol},
    [DNNLC_BENCH] = {.name = "--bench",
                     .value = "N",
                     .help = "time N runs after a few to warm up",
                     .excludes = BIT(PROFILE) | BIT(INFO),
                     .set = set_bench},
    [DNNLC_INSTANCES] = {.name = "--instances",
                         .value = "N",
                         .help = "with --bench: N contexts at a time, with one thread each",
                         .needs = DNNLC_BENCH,
                         .set = set_instances},
    [DNNLC_JSON] = {.name = "--json",
                    .help = "with --bench or --profile: print one JSON object",
                    .needs = DNNLC_BENCH,
                    .or_needs = DNNLC_PROFILE},
    [DNNLC_PROFILE] =
        {.name = "--profile",
         .help =
             "print what each layer takes, its GFLOP/s and GB/s, and the share of what this CPU can do",
         .excludes = BIT(INFO)},
    [DNNLC_NO_PEAK] = {.name = "--no-peak",
                       .help =
                           "with --profile: leave out what this CPU can do, which takes a tenth "
                           "of a second to measure",
                       .needs = DNNLC_PROFILE},
    [DNNLC_TRACE] =
        {.name = "--trace",
         .value = "FILE",
         .help =
             "with --profile: write when each layer of one more run began and ended, for Chrome's about:tracing or Perfetto",
         .needs = DNNLC_PROFILE,
         .set = set_trace},
    [DNNLC_INFO] = {.name = "--info", .help = "print inputs, outputs, sizes and layers"},
    [DNNLC_HELP] = {.name = "--help", .help = "print this"},
};

static int find_option(const char *text)
{
    for (int i = 0; i < DNNLC_N_OPTIONS; i++)
        if (!strcmp(rows[i].name, text))
            return i;
    return -1;
}

/* Letters to insert, leave out or change, from the first n of one word to another. */
static size_t distance(const char *typed, size_t n, const char *word)
{
    enum { LONGEST = 24 };
    size_t row[LONGEST + 1];
    const size_t size = strlen(word);
    if (n > LONGEST || size > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= size; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= size; j++) {
            const size_t changed = before + (typed[i - 1] != word[j - 1]);
            const size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            before = row[j];
            row[j] = changed < other ? changed : other;
        }
    }
    return row[size];
}

/* The option that was meant, with two letters off at most, cut short, or with '=' behind it; or NULL. */
static const char *nearest_option(const char *typed)
{
    const size_t n = strcspn(typed, "=");
    const char *nearest = NULL;
    size_t least = 3;
    for (int i = 0; i < DNNLC_N_OPTIONS; i++) {
        const char *name = rows[i].name;
        const size_t off = n > 3 && !strncmp(name, typed, n) ? 0 : distance(typed, n, name);
        if (off < least && off < n - 2) {
            nearest = name;
            least = off;
        }
    }
    return nearest;
}

static bool refuse_word(struct parser *p, const char *text)
{
    if (strncmp(text, "--", 2) != 0)
        return *text == '-'
                   ? REFUSE(p, "unknown option '%s'", text)
                   : REFUSE(p, "unexpected argument '%s'; inputs are given with --input", text);
    const char *meant = nearest_option(text);
    return REFUSE(p, "unknown option '%s'%s%s%s", text, meant ? "; did you mean '" : "",
                  meant ? meant : "", meant ? "'?" : "");
}

/* Takes the option at argv[*at] and its value, and leaves *at on the last one taken. */
static bool parse_option(struct parser *p, int argc, char **argv, int *at)
{
    const char *text = argv[*at];
    int option = find_option(text);
    if (option < 0)
        return refuse_word(p, text);
    const struct option_row *row = &rows[option];
    if (!row->repeats && dnnlc_given(p->options, (enum dnnlc_option)option))
        return REFUSE(p, "%s is given twice", row->name);
    p->options->given |= 1u << option;
    if (!row->set)
        return true;
    if (*at + 1 == argc || !*argv[*at + 1] || !strncmp(argv[*at + 1], "--", 2))
        return REFUSE(p, "%s wants a value: %s %s", row->name, row->name, row->value);
    if (!row->set(p, argv[++*at]))
        return false;
    while (row->many && *at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0)
        if (!row->set(p, argv[++*at]))
            return false;
    return true;
}

static bool check_combination(const struct parser *p)
{
    unsigned given = p->options->given;
    for (int i = 0; i < DNNLC_N_OPTIONS; i++) {
        if (!(given >> i & 1))
            continue;
        const enum dnnlc_option or_needs = rows[i].or_needs ? rows[i].or_needs : rows[i].needs;
        if (rows[i].needs && !((given >> rows[i].needs | given >> or_needs) & 1))
            return REFUSE(p, "%s is for %s%s%s only", rows[i].name, rows[rows[i].needs].name,
                          rows[i].or_needs ? " and " : "",
                          rows[i].or_needs ? rows[or_needs].name : "");
        for (int k = 0; k < DNNLC_N_OPTIONS; k++)
            if (rows[i].excludes & given & 1u << k)
                return REFUSE(p, "%s and %s cannot be combined", rows[i].name, rows[k].name);
    }
    return true;
}

/* Inputs have to be given, except where --bench and --profile, without any, choose --random 1. */
static bool check_missing(const struct parser *p)
{
    const unsigned filled =
        BIT(RANDOM) | BIT(EACH) | BIT(BATCH_FILE) | BIT(CHECK) | BIT(SELFTEST) | BIT(INFO);
    unsigned given = p->options->given;
    if (given & filled || (given & (BIT(BENCH) | BIT(PROFILE)) && !(given & BIT(INPUT))))
        return true;
    char names[512] = "";
    size_t at = 0, missing = 0;
    for (size_t i = 0; i < p->model->n_inputs; i++) {
        const struct dnnlc_tensor *t = &p->model->inputs[i];
        char shape[DNNLC_SHAPE_TEXT];
        if (p->options->input_files[i] || dnnlc_state_of(p->model, i))
            continue;
        dnnlc_shape_text(shape, t->dtype, t->rank, t->dims);
        if (at < sizeof names)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s' %s", missing ? ", " : "",
                                   t->name, shape);
        missing++;
    }
    return missing == 0 ||
           REFUSE(p, "missing input%s %s: give --input FILE for each, or --random SEED",
                  missing > 1 ? "s" : "", names);
}

static bool parse_all(struct parser *p, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!parse_option(p, argc, argv, &i))
            return false;
    if (dnnlc_given(p->options, DNNLC_HELP))
        return true;
    return check_combination(p) &&
           dnnlc_assign_files(p->options, p->model, &p->inputs, &p->outputs, &p->stacked, p->why,
                              p->why_size) &&
           check_missing(p);
}

bool dnnlc_options_parse(struct dnnlc_options *options, int argc, char **argv,
                         const struct dnnlc_model *model, char *why, size_t why_size)
{
    *options = (struct dnnlc_options){.seed = 1, .rtol = 1e-3, .atol = 1e-5};
    struct parser p = {.options = options, .model = model, .why = why, .why_size = why_size};
    const size_t words = (size_t)argc + 1, n_out = model->n_outputs + 1,
                 n_in = model->n_inputs + model->n_dimensions + 1;
    options->input_files = calloc(n_in, sizeof *options->input_files);
    options->batch_inputs = calloc(n_in, sizeof *options->batch_inputs);
    options->output_files = calloc(n_out, sizeof *options->output_files);
    options->batch_outputs = calloc(n_out, sizeof *options->batch_outputs);
    p.inputs.words = calloc(words, sizeof *p.inputs.words);
    p.outputs.words = calloc(words, sizeof *p.outputs.words);
    p.stacked.words = calloc(words, sizeof *p.stacked.words);
    bool done = options->input_files && options->batch_inputs && options->output_files &&
                options->batch_outputs && p.inputs.words && p.outputs.words && p.stacked.words;
    if (!done)
        dnnlc_fail(why, why_size, "no memory for the options");
    done = done && parse_all(&p, argc, argv);
    free(p.inputs.words);
    free(p.outputs.words);
    free(p.stacked.words);
    return done;
}

void dnnlc_options_free(struct dnnlc_options *options)
{
    free(options->input_files);
    free(options->batch_inputs);
    free(options->output_files);
    free(options->batch_outputs);
    options->input_files = NULL;
    options->batch_inputs = NULL;
    options->output_files = NULL;
    options->batch_outputs = NULL;
}

void dnnlc_options_help(const struct dnnlc_model *model, FILE *to)
{
    fprintf(to, "usage: %s [--input FILE | --input INPUT=FILE]... [options]\n\n", model->name);
    for (int i = 0; i < DNNLC_N_OPTIONS; i++) {
        const char *value = rows[i].value ? rows[i].value : "";
        fprintf(to, "  %-13s%-14s%s\n", rows[i].name, value, rows[i].help);
    }
    fputs("\nWithout --output-dir, a summary of each output is printed. Exit status: 0 done,\n"
          "1 failed, refused or --check disagrees, 2 bad usage.\n",
          to);
}
