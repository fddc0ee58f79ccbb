/* Several values of --dim and --shape: a variant of the model for each combination. */
#pragma once

#include "options.h"

typedef struct Combinations {
    uint32_t n; /* 1: every option has one value */
    uint32_t n_dims;
    const char **dims; /* names of what they differ in: symbols, or "INPUT_AXIS" */
    int64_t *sizes;    /* n times n_dims */
    Options *options;  /* n: with one value in each --dim and --shape */
} Combinations;

/* False after a refusal. */
bool combine_options(Arena *arena, Diag *diag, const Options *o, Combinations *c);
