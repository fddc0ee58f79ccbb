/* Compares what dnnlc makes of models with ONNX Runtime: both run in turns, pinned to the same cores. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum {
    MAX_MODELS = 256,
    MAX_ROUNDS = 32,
    MAX_FLAGS = 24,
    MAX_VALUES = 4, /* of an option that is a list */
    MAX_CONFIGS = 12,
    MAX_INSTANCES = 16,
    PATH_SIZE = 1024
};

/* How a model is compiled and run. The first of all is what the others are compared with. */
struct config {
    int threads, batch;
    const char *isa; /* as --isa has it; "native": ours is not limited */
};

/* One process that ran a model. Times in milliseconds, memory in KiB. */
struct sample {
    bool done;
    double init;  /* ours: init; ONNX Runtime: creating the session */
    double first; /* the first run */
    double median, min;
    double rss;
    double
        start; /* a process that makes one output, from its start to its end; NaN: not measured */
};

/* A model in one configuration. */
struct result {
    bool built;
    bool left_out; /* the configuration is none for this model or this CPU, as `why` says */
    char why[512]; /* why not, or why a run failed; "" if all is well */
    double exe_bytes, macs, workspace_bytes;
    double
        over_live; /* bytes planned for activations, divided by the most that are alive at once */
    struct sample ours[MAX_ROUNDS], theirs[MAX_ROUNDS];
};

struct model {
    char name[544];
    char path[PATH_SIZE];
    bool onnx; /* else text IR, which ONNX Runtime reads as exported: path of the executable.onnx */
    char flag_text[512];    /* the file `flags`, cut into words */
    char *flags[MAX_FLAGS]; /* options of dnnlc that ort_run takes as well */
    size_t n_flags;
    int kind; /* see kind.c */
    struct result by_config[MAX_CONFIGS];
    /* Runs per second of as many contexts, or sessions, as --instances says; 0: not measured. */
    double our_throughput[MAX_ROUNDS], their_throughput[MAX_ROUNDS];
};

struct options {
    const char *dnnlc, *ort, *models, *graphs, *out, *batched;
    struct config configs[MAX_CONFIGS];
    size_t n_configs;
    int instances; /* 0: that section is left out */
    int rounds;
    int starts;    /* only starts are measured, so many of each in a round; 0: all is */
    double budget; /* seconds for one process to run in, once it is warm */
    char **names;  /* of the models wanted; none: all */
    int n_names;
};

/* --- process.c: child processes --- */

struct process {
    pid_t pid;
    FILE *out_file, *err_file;
    double begin;             /* ms */
    double ms;                /* from its start until its end was seen */
    int status;               /* exit status; 128 + signal; 127 if it could not be started */
    char out[8192], err[512]; /* what it printed, cut; of stderr the last line */
};
/* Runs argv (ends with NULL) on the first `cores` cores this process may use; 0: on all. */
void run_process(char *const *argv, int cores, struct process *p);
/* The same in two steps, from the core with the number `first` on, for several at a time. */
void start_process(char *const *argv, int first, int cores, struct process *p);
void finish_process(struct process *p);
bool file_exists(const char *path);
bool newer(const char *a, const char *b); /* a exists and is newer than b */

/* --- models.c: finding and compiling --- */

size_t find_models(const struct options *o, struct model *models);
/* Fills in `built`, `why` and sizes; what is there already and newer than model and compiler is kept. */
void build_model(const struct options *o, struct model *m, size_t config);
void executable_path(const struct options *o, const struct model *m, const struct config *c,
                     char *path);
/* What ONNX Runtime reads; text IR is exported for it once. False: it could not be. */
bool onnx_path(const struct options *o, const struct model *m, const struct config *c, char *path);
/* "ONEDNN_MAX_CPU_ISA=…" for env(1), which limits oneDNN in the compiler and in what it emits. */
void isa_setting(const struct config *c, char *text, size_t size);
/* The model as text IR as it is imported, written once. */
bool ir_path(const struct options *o, const struct model *m, char *path);

/* --- kind.c: what kind of network text IR is --- */

enum { N_KINDS = 8 };
extern const char *const kind_names[N_KINDS];
int kind_of(const char *path);

/* --- measure.c --- */

bool is_limited(const struct config *c);
void measure_ours(const struct options *o, struct model *m, size_t config, int round);
void measure_theirs(const struct options *o, struct model *m, size_t config, int round);
/* Only processes that make one output: o->starts of ours and of theirs in turns. */
void measure_starts(const struct options *o, struct model *m, size_t config, int round);
void measure_throughput(const struct options *o, struct model *m, int round);

/* --- peak.c: GFLOP/s of fused multiply-adds on vectors of f32, on so many threads --- */
double measure_peak(int threads);

/* --- statistics.c --- */

double median(double *v, int n); /* NaN if n is 0; sorts them */
/* Of the rounds in which they ran; NaN if in none. */
double median_of(const struct sample *samples, int rounds, size_t field);
#define MEDIAN(samples, rounds, field) median_of(samples, rounds, offsetof(struct sample, field))
/* The median over the rounds of ours / theirs in the same round. */
double median_ratio(const struct result *r, int rounds);
/* The fastest single run of ours / that of theirs: what neighbours disturb least. */
double best_ratio(const struct result *r, int rounds);
/* The shortest process that makes one output, of all rounds, and ours / theirs of that. */
double shortest_start(const struct sample *samples, int rounds);
double start_ratio(const struct result *r, int rounds);
double rss_ratio(const struct result *r, int rounds);
double peak_share(const struct result *r, int rounds, double gflops);
/* Medians over the rounds, and theirs / ours: like the others, below 1 dnnlc is faster. */
double throughput(const double *per_second, int rounds);
double throughput_ratio(const struct model *m, int rounds);

/* --- report.c, json.c, plot.c --- */

/* "2 threads, batch 8", or as a word for a column: "t2-b8" */
void config_text(const struct config *c, char *text, size_t size);
void config_word(const struct config *c, char *text, size_t size);
void print_report(const struct options *o, const struct model *models, size_t n,
                  const double *gflops);
bool write_json(const struct options *o, const struct model *models, size_t n,
                const double *gflops);
bool write_plot(const struct options *o, const struct model *models, size_t n);
