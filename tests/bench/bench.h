/* Compares what dnnlc makes of models with ONNX Runtime: both run in turns, pinned to the same cores. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MAX_MODELS = 256, MAX_ROUNDS = 64, MAX_FLAGS = 24, MAX_THREAD_COUNTS = 4, PATH_SIZE = 1024 };

/* One process that ran a model. Times in milliseconds, memory in KiB. */
struct sample {
    bool done;
    double init;  /* ours: init; ONNX Runtime: creating the session */
    double first; /* the first run */
    double median, min;
    double rss;
};

/* A model on one number of threads. */
struct result {
    bool built;
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
    struct result by_threads[MAX_THREAD_COUNTS];
};

struct options {
    const char *dnnlc, *ort, *models, *graphs, *out;
    int threads[MAX_THREAD_COUNTS];
    size_t n_threads;
    int rounds;
    double budget; /* seconds for one process to run in, once it is warm */
    char **names;  /* of the models wanted; none: all */
    int n_names;
};

/* --- process.c: child processes --- */

struct process {
    int status;               /* exit status; 128 + signal; 127 if it could not be started */
    char out[8192], err[512]; /* what it printed, cut; of stderr the last line */
};
/* Runs argv (ends with NULL) on the first `cores` cores this process may use; 0: on all. */
void run_process(char *const *argv, int cores, struct process *p);
bool file_exists(const char *path);
bool newer(const char *a, const char *b); /* a exists and is newer than b */

/* --- models.c: finding and compiling --- */

size_t find_models(const struct options *o, struct model *models);
/* Fills in `built`, `why` and sizes; what is there already and newer than model and compiler is kept. */
void build_model(const struct options *o, const struct model *m, int threads, struct result *r);
void executable_path(const struct options *o, const struct model *m, int threads, char *path);
/* What ONNX Runtime reads; text IR is exported for it once. False: it could not be. */
bool onnx_path(const struct options *o, const struct model *m, char *path);

/* --- measure.c --- */

void measure_ours(const struct options *o, const struct model *m, int threads, struct result *r,
                  int round);
void measure_theirs(const struct options *o, const struct model *m, int threads, struct result *r,
                    int round);

/* --- peak.c: GFLOP/s of fused multiply-adds on vectors of f32, on so many threads --- */
double measure_peak(int threads);

/* --- report.c, plot.c --- */

/* Of the rounds in which they ran; NaN if in none. */
double median_of(const struct sample *samples, int rounds, size_t field);
#define MEDIAN(samples, rounds, field) median_of(samples, rounds, offsetof(struct sample, field))
/* The median over the rounds of ours / theirs in the same round. */
double median_ratio(const struct result *r, int rounds);
/* The fastest single run of ours / that of theirs: what neighbours disturb least. */
double best_ratio(const struct result *r, int rounds);
double peak_share(const struct result *r, int rounds, double gflops);

void print_report(const struct options *o, const struct model *models, size_t n,
                  const double *gflops);
bool write_json(const struct options *o, const struct model *models, size_t n,
                const double *gflops);
bool write_plot(const struct options *o, const struct model *models, size_t n);
