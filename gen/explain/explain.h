/* --explain, and the same in the manifest.
 *
 * The folder explain: in come graph and program, out goes text about them. */
#pragma once

#include "../program/program.h"

/* Where each node went and why; which pattern took each anchor, or the nearest one and what it failed at; why each region
 * ends where it does; what the verifier has found. */
void explain_text(const Graph *g, Text *out);
/* Members "anchors", "regions" and "verified" of the manifest, each followed by a comma. */
void explain_json(const Graph *g, Text *out);
/* By node: which of "anchors" it is; NO_ROW: none. */
uint32_t *explain_anchor_numbers(const Graph *g);

/* explain_program.c. What lowering and plan-memory left: the units and why each ends, in them every layer with its implementation
 * and why it is that one, every reorder with its bytes, and the workspace beside the bytes that are alive at once. The same as
 * members "live_bytes", "planned_over_live", "reorders" and "units" of the manifest, and "why" of its layers. */
void explain_program(const Program *p, Text *out);
void explain_variants(const Program *p, Text *out); /* where there are several */
void explain_program_json(const Program *p, Text *out);
void explain_layer_json(const Program *p, const Step *s, Text *out); /* ", "why": …" or nothing */
/* Who computes the step: oneDNN's implementation, or C's kernel and the copies within it. */
const char *explain_implementation(const Program *p, const Step *s);
