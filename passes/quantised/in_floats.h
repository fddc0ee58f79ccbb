/* A QLinearConv as a convolution of floats, for CPUs without instructions for bytes. */
#pragma once

#include "../../gen/graph/ir.h"

/* The same numbers from other nodes; NO_VALUE where something is no constant, or where no sum of floats would be exact. */
ValueId qlinear_conv_in_floats(Graph *g, const Rewrite *rw, const Node *n);
