/* A QLinearConv as a convolution of floats, for CPUs without instructions for bytes. */
#ifndef DNNLC_PASS_IN_FLOATS_H
#define DNNLC_PASS_IN_FLOATS_H

#include "../../gen/graph/ir.h"

/* The same numbers from other nodes; NO_VALUE where something is no constant, or where no sum of floats would be exact. */
ValueId qlinear_conv_in_floats(Graph *g, const Rewrite *rw, const Node *n);

#endif
