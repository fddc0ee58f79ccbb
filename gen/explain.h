/* --explain, and the same in the manifest. */
#ifndef DNNLC_EXPLAIN_H
#define DNNLC_EXPLAIN_H

#include "program.h"

/* Where each node went and why; which pattern took each anchor, or the nearest one and what it failed at; why each region
 * ends where it does; what the verifier has found. */
void explain_text(const Graph *g, Text *out);
/* Members "anchors", "regions" and "verified" of the manifest, each followed by a comma. */
void explain_json(const Graph *g, Text *out);

/* What lowering and plan-memory left: every reorder with its bytes, and the workspace beside the bytes that are alive at once. The
 * same as members "live_bytes", "planned_over_live" and "reorders" of the manifest. */
void explain_program(const Program *p, Text *out);
void explain_program_json(const Program *p, Text *out);

#endif
