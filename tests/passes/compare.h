/* Do two graphs with the same inputs and outputs compute the same? */
#pragma once

#include "../../gen/graph/ir.h"

/* Evaluates both on random inputs. NULL if all outputs agree: |a - b| <= tolerance * max(1,
 * largest |a|); otherwise what differs. */
const char *compare_graphs(Arena *arena, const Graph *a, const Graph *b, uint64_t seed,
                           double tolerance);
