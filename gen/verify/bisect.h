/* Which pass changes what the graph computes: it is evaluated behind each of them. */
#pragma once

#include "../../passes/pass.h"

typedef struct Bisect {
    Arena *arena;
    const Tensor *(*inputs)(void *user, const Graph *g); /* NULL after a refusal */
    bool coarse; /* --precision bf16: roundings of the model may change */
    bool
        json; /* an object is begun, a row for each pass and what is to be said of the culprit; who runs this ends it */
    const char *file, *hash, *about; /* the model's; of what inputs */
    int width;                       /* of lines */
    Text *out; /* what is found, a line for each pass; `say` writes it where it is to be read */
    void (*say)(void *user, const char *running);
    void *user;
    const char *culprit; /* the pass; NULL: none yet */
    struct Stage *stage; /* what the graph computed behind the last pass */
    const Tensor *given;
    Tensor *first;
    double *bounds;    /* by output */
    bool coarse_bound; /* the model rounds to steps, or to bf16 */
    uint32_t n_passes;
} Bisect;

/* To be given to the passes. `say` is called with the name of a pass when it begins, and with "" when it has ended and was judged. */
PassWatch bisect_watch(Bisect *b);
