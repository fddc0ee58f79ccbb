/* Random small quantised graphs: bytes, what dequantises them, computes and quantises again, in every spelling. */
#pragma once

#include "../../gen/graph/ir.h"

/* The same seed gives the same graph. NULL with a message in diag if the maker made a mistake.
 *
 * Of most graphs all scales are powers of two: all that stands between two roundings to bytes is exact then, in floats and in integers,
 * halfway values among it, and no element may differ. Of the others products stand behind the first rounding only; how
 * far an output may be off, a step of each rounding it is made of, is a part of its name: see allowed_by_name. */
Graph *quantised_graph(Arena *arena, Diag *diag, uint64_t seed);
/* "out3 within 0.25": 0.25; 0 for other names. */
double allowed_by_name(const char *output);
