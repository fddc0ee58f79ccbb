/* Products of bytes as products of floats, for CPUs without instructions for bytes. */
#pragma once

#include "../../gen/graph/ir.h"

/* The same numbers as QLinearConv, ConvInteger, QLinearMatMul or MatMulInteger n gives, from other nodes; NO_VALUE where something is no
 * constant that has to be, or where no sum of floats would be exact. */
ValueId product_in_floats(Graph *g, const Rewrite *rw, const Node *n);
