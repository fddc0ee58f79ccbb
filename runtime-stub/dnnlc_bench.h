/* Timing: whole runs (--bench) and layers (--profile). */
#ifndef DNNLC_RUNTIME_BENCH_H
#define DNNLC_RUNTIME_BENCH_H

#include "dnnlc_options.h"
#include "dnnlc_session.h"

/* Starts the session, whose inputs are loaded, runs it and prints the times. init_ms is all of
 * start: allocating, mapping the weights, and the model's init. With --instances N it is the first of N contexts that share
 * inputs and weights and run at the same time, in a thread each, as often as --bench says. */
bool dnnlc_bench(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                 size_t why_size);
bool dnnlc_profile(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                   size_t why_size);

#endif
