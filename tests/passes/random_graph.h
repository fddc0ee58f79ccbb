/* Random small graphs: what passes are tried on by the hundred. */
#pragma once

#include "../../gen/graph/ir.h"

/* The same seed gives the same graph. NULL with a message in diag if the maker made a mistake. */
Graph *random_graph(Arena *arena, Diag *diag, uint64_t seed);
