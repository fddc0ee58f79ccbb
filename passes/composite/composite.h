/* merge-composite: what it shares with the predicates, and what later stages may ask of a
 * composite. */
#pragma once

#include "../../gen/graph/columns.h"
#include "../pattern/match.h"

/* What predicates know beside the match. */
typedef struct PatternContext {
    const Graph *g;
    int channel; /* dimension of the root that is the channel */
    NodeId anchor;
    uint32_t *seen; /* by node: stamp of the last search that visited it */
    uint32_t stamp;
} PatternContext;

/* "dnnl.conv2d(src, weights, bias) sum(arg) relu": equal for composites that compute the same
 * from arguments of the same kinds, whatever the order of operands in the graph. */
const char *composite_signature(Arena *arena, const Graph *g, const Composite *c);
