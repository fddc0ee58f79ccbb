/* Timing of whole runs: --bench. */
#ifndef DNNLC_RUNTIME_BENCH_H
#define DNNLC_RUNTIME_BENCH_H

#include "dnnlc_options.h"
#include "dnnlc_session.h"

/* Starts the session, whose inputs are loaded, runs it and prints the times. init_ms is all of
 * start: allocating, mapping the weights, and the model's init. With --instances N it is the first of N contexts that share
 * inputs and weights and run at the same time, in a thread each, as often as --bench says. */
bool dnnlc_bench(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                 size_t why_size);
/* A few runs of a started session, which fill the caches; a run, with what it takes. States that runs make longer begin anew. */
bool dnnlc_warm_up(struct dnnlc_session *session, char *why, size_t why_size);
bool dnnlc_timed_run(struct dnnlc_session *session, double *ms, char *why, size_t why_size);

#endif
