/* Timing of layers: --profile. */
#ifndef DNNLC_RUNTIME_PROFILE_H
#define DNNLC_RUNTIME_PROFILE_H

#include "dnnlc_options.h"
#include "dnnlc_session.h"

/* Starts the session, whose inputs are loaded, runs it with a trace of its layers, measures what the CPU can do, and prints each layer's
 * time beside that; with --json as one object. */
bool dnnlc_profile(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                   size_t why_size);

#endif
