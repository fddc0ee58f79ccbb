/* Products of bytes as products of floats, for CPUs without instructions for bytes. */
#pragma once

#include "../../gen/graph/ir.h"

/* The same numbers as QLinearConv, ConvInteger, QLinearMatMul or MatMulInteger n gives, from other nodes; NO_VALUE where something is no
 * constant that has to be, or where no sum of floats would be exact. With `one`, n stands for a product of floats: sums are exact up to 2^31 where C makes
 * them of pairs of 16 bits, otherwise up to 2^24; NO_VALUE where more are possible. */
ValueId product_in_floats(Graph *g, const Rewrite *rw, const Uses *uses, const Node *n, bool one);

/* What bytes less their zero point are, without the bytes: where QuantizeLinear makes them of floats, these are divided, rounded and limited, which
 * oneDNN's post-ops do. NO_VALUE where they are made otherwise. */
ValueId whole_floats(Graph *g, const Rewrite *rw, const Uses *uses, const Node *like, ValueId bytes,
                     ValueId zero);
