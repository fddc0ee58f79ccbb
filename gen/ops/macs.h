/* How much arithmetic a layer is. */
#pragma once

#include "../graph/ir.h"

/* Multiply-accumulates of the node done directly: convolutions, matrix products and recurrent layers.
 * 0 for every other op. Saturates. */
int64_t node_macs(const Graph *g, const Node *n);
