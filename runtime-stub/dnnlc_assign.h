/* Which file goes to which input or output: those of --input, --output and --batch-file. */
#ifndef DNNLC_RUNTIME_ASSIGN_H
#define DNNLC_RUNTIME_ASSIGN_H

#include "dnnlc_options.h"

/* The values of an option, in order. Those that have been given to an input or output become NULL. */
struct dnnlc_words {
    const char **words;
    size_t count;
};

/* "NAME=FILE" goes to the input or output of that name, the longest that fits; the others go, in order, to those that have none, and of
 * --batch-file to the one input and the one output that are left. */
bool dnnlc_assign_files(struct dnnlc_options *options, const struct dnnlc_model *model,
                        struct dnnlc_words *inputs, struct dnnlc_words *outputs,
                        struct dnnlc_words *stacked, char *why, size_t why_size);

#endif
