/* What a model is given: files, as the emitted executable takes them, and random numbers. */
#pragma once

#include "options.h"

/* The seed of --random; refused where it is no number. */
bool seed_of(Diag *diag, const Options *o, uint64_t *seed);
/* "random inputs of seed 1", "inputs of 2 files". */
const char *inputs_text(Arena *arena, const Options *o);
/* By port: what --input names, random numbers for the others. The files choose a variant; the other ones get random numbers. NULL after a refusal. */
Tensor *inputs_given(const Graph *g, const Options *o, uint64_t seed);
