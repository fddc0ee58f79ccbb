/* Which runs of a built program show all that it has: each size, and of bounded dimensions as many rows as there can be and fewer. */
#pragma once

#include "options.h"

typedef struct Run {
    const char *const *words; /* of the executable's line, n of them */
    size_t n;
} Run;

/* Runs that are looked at together, by variant: no two of them compute the same layers. */
typedef struct Round {
    const Run *runs;
} Round;

/* n rounds. Where the user gives files there is one with one run, of a variant that these choose: runs[0]. */
const Round *runs_of_program(const Graph *g, const Options *o, Arena *arena, size_t *n);
