/* Random small graphs: what passes are tried on by the hundred. */
#ifndef DNNLC_TEST_RANDOM_GRAPH_H
#define DNNLC_TEST_RANDOM_GRAPH_H

#include "../../gen/graph/ir.h"

/* The same seed gives the same graph. NULL with a message in diag if the maker made a mistake. */
Graph *random_graph(Arena *arena, Diag *diag, uint64_t seed);

#endif
