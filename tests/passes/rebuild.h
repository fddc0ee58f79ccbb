/* What the composite column says, as a graph again. */
#pragma once

#include "../../gen/graph/columns.h"

/* A graph in which each composite of the pattern table is made anew from its row alone: the anchor,
 * the bias, the post-ops in their order with the value so far as first operand. If the rows say what
 * the nodes do, it computes the same as g. NULL with a message in diag if that cannot be. */
Graph *rebuild_from_composites(Arena *arena, Diag *diag, const Graph *g);
