/* How much arithmetic a layer is. */
#pragma once

#include "../graph/ir.h"

/* Multiply-accumulates of the node done directly: convolutions, matrix products and recurrent layers.
 * 0 for every other op. Saturates. */
int64_t node_macs(const Graph *g, const Node *n);

/* Operations on numbers: two for each multiply-accumulate; of other nodes one for each element that is made or read, whichever are more, for each element
 * under a window of pooling, and for each combination of an Einsum's letters two; none where elements are only moved. Saturates. */
int64_t node_operations(const Graph *g, const Node *n);
