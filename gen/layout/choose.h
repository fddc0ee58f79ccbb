/* The order of dimensions of every activation, chosen for the whole graph at once before it is lowered.
 *
 * The folder layout: in comes a partitioned graph, out goes a layout for each value and layer. */
#pragma once

#include "../lower/lower.h"

/* Makes the column of layouts; none without an engine, where all values are row-major. Values of which there is no choice (fewer than
 * three dimensions, constants) count as row-major. */
void choose_layouts(Graph *g, DnnlEngine *engine, const LowerOptions *options);
/* choose-layouts and lower. Returns NULL after a refusal. */
Program *choose_and_lower(Graph *g, DnnlEngine *engine, const LowerOptions *options);

/* layout/cost.c: nanoseconds, by models or (--tune) measured here. */
/* A copy of v in another layout. Infinite if it is not to be had. */
double reorder_ns(Lowering *l, ValueId v, const Layout *from, const Layout *to);
/* A C kernel that moves what becomes v; `crosses`: it may read in another order than it writes. */
double kernel_ns(Lowering *l, ValueId v, bool crosses);
/* A convolution by oneDNN with source and result row-major, ns[0], and channels last, ns[1]: more than what the
 * better one takes, with so many post-ops. Infinite if it is not to be had, or only by oneDNN's reference code. */
void conv_extra_ns(Lowering *l, const Node *n, uint32_t n_post, double *ns);
/* layout/windows.c: a pool or Resize that C computes where source and result are row-major: ns[0]; and with the channels last, ns[1].
 * False if C does not, or a composite has more than the layer. */
bool c_beside_onednn(const Lowering *l, const Node *n, const Composite *c, double *ns);
