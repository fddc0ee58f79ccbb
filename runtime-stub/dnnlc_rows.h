/* What the rows of stacked files are to a model, and which of them a shard has.
 *
 * A file whose shape is that of the input with a dimension in front is N whole inputs, one a row: right for any model. A file of the
 * input's own number of dimensions has its rows along the first: with a dimension of 1 there, each row is an input, too. A model
 * for more rows at a time takes as many, where they are known not to depend on each other.
 */
#ifndef DNNLC_RUNTIME_ROWS_H
#define DNNLC_RUNTIME_ROWS_H

#include "dnnlc_main.h"
#include "dnnlc_tensor.h"

struct dnnlc_stack {
    bool whole;      /* rows are whole inputs, stacked along a new leading dimension */
    int64_t rows;    /* in the files */
    int64_t per_run; /* what one run takes: 1 where they are whole inputs */
    size_t first;    /* the input that came first, for messages; n_inputs: none has */
};

/* Before the first input. */
struct dnnlc_stack dnnlc_stack_begin(const struct dnnlc_model *model);
/* Input i comes from a stacked file that is what `file` says; u16 is taken as bf16 where the model wants that. Inputs that came before
 * say what its rows have to be. */
bool dnnlc_stack_input(struct dnnlc_stack *stack, const struct dnnlc_model *model, size_t i,
                       const char *name, struct dnnlc_array *file, char *why, size_t why_size);
/* Input i is the same for each run: not where a run takes several rows, each with its own of that input. */
bool dnnlc_stack_fixed(const struct dnnlc_stack *stack, const struct dnnlc_model *model, size_t i,
                       char *why, size_t why_size);
/* Behind the inputs: what the file of output k is, for so many rows. */
bool dnnlc_stack_output(const struct dnnlc_stack *stack, const struct dnnlc_model *model, size_t k,
                        int64_t rows, struct dnnlc_array *file, char *why, size_t why_size);

struct dnnlc_shard {
    int64_t number, of; /* 1 is the first; of 0: there are no shards */
};

/* Rows first to end - 1: shards are contiguous, and differ in size by one at most. */
void dnnlc_shard_rows(struct dnnlc_shard shard, int64_t rows, int64_t *first, int64_t *end);

#endif
