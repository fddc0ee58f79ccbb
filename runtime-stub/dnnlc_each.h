/* One run after the other through one context: --each. */
#ifndef DNNLC_RUNTIME_EACH_H
#define DNNLC_RUNTIME_EACH_H

#include "dnnlc_options.h"
#include "dnnlc_session.h"

/* Runs the model on each file that fits options.each, in the order of their names, and prints summaries or writes the outputs of
 * run K into options.output_dir/K. A file is the input that was not given otherwise, a folder all of them, as input_0.npy, ...
 * States go on from run to run unless --reset was given. */
bool dnnlc_each(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                size_t why_size);

#endif
