/* Which pass changes what the graph computes: it is evaluated behind each of them. */
#pragma once

#include "../../passes/pass.h"

typedef struct Bisect {
    Arena *arena;
    uint64_t seed; /* of the inputs */
    bool coarse;   /* --precision bf16: roundings of the model may change */
    int width;     /* of lines */
    Text *out;     /* what is found, a line for each pass; `say` writes it where it is to be read */
    void (*say)(void *user, const char *running);
    void *user;
    const char *culprit; /* the pass; NULL: none yet */
    struct Stage *stage; /* what the graph computed behind the last pass */
    Tensor *inputs, *first;
    double bound;
} Bisect;

/* To be given to the passes. `say` is called with the name of a pass when it begins, and with "" when it has ended and was judged. */
PassWatch bisect_watch(Bisect *b);
