/* The graph as text, and back. One node a line; print -> parse -> print is the identity.
 *
 *     graph "net" {
 *       columns composite, target, region, layout // which columns exist; absent: none
 *       variant "batch" 4, "seq" 64              // several sizes: one row for each; inputs and outputs of the first, then of the next
 *       input %data_0: f32[1,3,224,224]          // name="x" if the port is called otherwise
 *       const %w: f32[64,3,3,3] = random(seed=3, scale=0.05)
 *       %y: f32[1,64,222,222] = Conv(%data_0, %w, _) {group=1, …} name="c" #12 @target=dnnl
 *       %a: f32[2], _ = TopK(%"b/c:0") {…}       // an output that is not wanted is _
 *       output "prob" = %y
 *       output "prob_count" = %n counts "prob" along 0   // how many rows of an earlier output count
 *       input %rows: i64[] counts "past" along 2 most 512  // how many rows of an earlier input; of a state: at most so many before a run
 *       input %b: u8[4] scale 0.5 zero_point 3             // bytes that stand for floats, as outputs do
 *       output "hn" = %y2 next "h"               // a state: what the input called "h" is in the next run
 *       composite 0 "dnnl.conv2d" anchor=%y root=%z nodes(%y, %z) post(eltwise %z) args(%w)
 *       region 0 dnnl "why it ended" in(%data_0) out(%z) constants(%w)
 *     }
 *
 * Layouts that were chosen stand at nodes where they are not row-major: `@reads=acdb` is how operand 0 is taken, `@layout=acdb, abc` what
 * the outputs are left in, `@as_it_is` that operands are taken as they are.
 *
 * Nodes are named by their first wanted output. Types of node outputs may be left out: they are
 * inferred. `#12` is the node's index in the model. Contents of constants:
 *
 *     [0.5, -2.0, inf]             every element, row-major
 *     splat(0.5)                   all alike
 *     hex"0000803f"                the bytes, little-endian
 *     random(seed=3, scale=0.05)   element i is uniform in [-scale, scale): with output i + 1 of
 *                                  splitmix64 started at `seed`, its upper 53 bits taken as a
 *                                  fraction f, it is scale * (2 f - 1). Integers are truncated,
 *                                  bool is f < 1/2
 *
 * Attributes tell their kind by their looks: 1 int, 1.0 float, "s" string, [1,2] ints, [1.0]
 * floats, floats[] no floats; an element type may be spelled (to=f32). Comments run from // to the
 * end of the line.
 *
 * The folder text: in comes a graph and out goes its text, or the other way round. */
#pragma once

#include "../graph/columns.h"

void print_text_ir(const Graph *g, Text *out);
/* Large constants are shown as elided(BYTES, HASH): for reading only, the parser refuses it. */
void print_text_ir_elided(const Graph *g, Text *out);
/* With what else is known of the passes that ran: verified "a, b", and of nodes @explain="…". */
void print_text_ir_explained(const Graph *g, Text *out);
/* NULL after a refusal "FILE:LINE:COLUMN: …". The text need not end in a NUL. What is returned is
 * verified. */
Graph *parse_text_ir(Arena *arena, Diag *diag, const char *file, const char *text, size_t size);

/* Graphviz: clusters by region, composites and targets by colour. */
void print_dot(const Graph *g, Text *out);
