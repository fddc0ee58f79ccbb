/* Contents of constants in text IR, and the names of a text being parsed. */
#pragma once

#include "../graph/ir.h"
#include "lex.h"

/* Parses what stands behind `=` of a constant. *budget: bytes that splat and random may still make.
 */
bool parse_data(Lex *l, const TensorType *t, size_t *budget, const void **data);

/* Fills a tensor as `random(seed, scale)` does. */
void fill_random(const TensorType *t, void *data, uint64_t seed, double scale);
