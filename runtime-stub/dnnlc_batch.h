/* Many runs, from stacked files into stacked files, on all threads: --batch-file. */
#ifndef DNNLC_RUNTIME_BATCH_H
#define DNNLC_RUNTIME_BATCH_H

#include "dnnlc_options.h"

/* Runs the model, the first of its variants that the files fit or the one asked for, on each row of options.batch_inputs, or those of
 * options.shard, and writes rows of options.batch_outputs. One context a thread, one thread a context; files are read and written in
 * pieces. Each run begins with the states as they were at first. */
bool dnnlc_batch(const struct dnnlc_model *model, const struct dnnlc_options *options, char *why,
                 size_t why_size);

#endif
