/* The executable's command line. */
#ifndef DNNLC_RUNTIME_OPTIONS_H
#define DNNLC_RUNTIME_OPTIONS_H

#include "dnnlc_rows.h"

#include <stdbool.h>
#include <stdio.h>

enum dnnlc_option {
    DNNLC_INPUT,
    DNNLC_OUTPUT,
    DNNLC_OUTPUT_DIR,
    DNNLC_RANDOM,
    DNNLC_THREADS,
    DNNLC_VARIANT,
    DNNLC_EACH,
    DNNLC_RESET,
    DNNLC_BATCH_FILE,
    DNNLC_SHARD,
    DNNLC_CHECK,
    DNNLC_SELFTEST,
    DNNLC_DUMP_LAYERS,
    DNNLC_RTOL,
    DNNLC_ATOL,
    DNNLC_BENCH,
    DNNLC_INSTANCES,
    DNNLC_JSON,
    DNNLC_PROFILE,
    DNNLC_NO_PEAK,
    DNNLC_TRACE,
    DNNLC_INFO,
    DNNLC_HELP,
    DNNLC_N_OPTIONS
};

struct dnnlc_options {
    unsigned given; /* bit 1u << enum dnnlc_option */
    const char **
        input_files; /* one per input of the model, then of its bounded dimensions; NULL where none was given; owned */
    const char *
        *output_files; /* one per output of the model; NULL where none was given; owned, as are … */
    const char **batch_inputs;  /* … the stacked file of each input, or NULL, … */
    const char **batch_outputs; /* … and of each output */
    struct dnnlc_shard shard;   /* of --batch-file */
    const char *output_dir, *check_dir;
    const char *dump_dir; /* of --dump-layers; NULL */
    const char *variant; /* --variant: which one; NULL: by the inputs */
    const char *each;    /* the files of --each, as a pattern; NULL */
    const char *trace;   /* the file of --trace; NULL */
    uint64_t seed;       /* 1 unless --random was given */
    int threads;         /* 0: as many as the model was compiled for */
    int runs;            /* of --bench */
    int instances; /* contexts of --bench, each in a thread of its own; 0: none was asked for, one in this thread */
    double rtol, atol;
};

static inline bool dnnlc_given(const struct dnnlc_options *options, enum dnnlc_option option)
{
    return (options->given >> option & 1) != 0;
}

/* Reads the command line; strings point into argv. On failure `why` says what is wrong with the
 * usage. Free *options in either case. */
bool dnnlc_options_parse(struct dnnlc_options *options, int argc, char **argv,
                         const struct dnnlc_model *model, char *why, size_t why_size);
void dnnlc_options_free(struct dnnlc_options *options);

void dnnlc_options_help(const struct dnnlc_model *model, FILE *to);

#endif
