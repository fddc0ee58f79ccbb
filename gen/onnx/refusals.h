/* All refusals of an import, for who wants to know more than the first. */
#pragma once

#include "../base/base.h"

/* A node of the model's own graph that is refused; what is in its bodies and in functions that it calls counts as it, and there the first. */
typedef struct Refusal {
    uint32_t index;    /* of the node; UINT32_MAX: it is the model, not one node */
    const char *op;    /* "" where it is the model */
    const char *place; /* "node 7 'conv_3' (Conv)"; "" */
    const char *why;
} Refusal;

typedef struct Refusals {
    Arena *arena;
    Refusal *rows;
    uint32_t n;
    size_t cap;
    /* Nodes, in ascending order, that read what a refused one would make: nobody knows its type, and whether they could be compiled. */
    uint32_t *unjudged;
    uint32_t n_unjudged;
    size_t cap_unjudged;
    const char *hint; /* what may help, or NULL */
} Refusals;

/* Takes the message out of diag, which may go on then. `place` begins it, behind `file`, or is "". */
void refusals_take(Refusals *r, Diag *diag, const char *file, Refusal where);
