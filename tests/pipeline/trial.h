/* One graph through the whole compiler and on to numbers. */
#pragma once

#include "../../gen/layout/choose.h"
#include "../../gen/program/program.h"
#include "shrink.h"

typedef struct Trial {
    const char *dir;           /* scratch folder for emitted code */
    bool target_c, check_only; /* check_only: stop before the emitted code is built */
    bool bf16; /* --precision bf16: compared with the reference evaluator on the converted graph */
    bool
        dnnl_conv; /* convolutions that C would compute quicker along the width are left to oneDNN */
    int threads;
    bool share_all;     /* LowerOptions.share_all */
    int conv;           /* LowerOptions.conv */
    const char *passes; /* NULL: all */
    /* If not NULL: what else is asked of the program; false after a refusal. */
    bool (*check)(const Program *p, Diag *diag);
    uint64_t seed; /* of the inputs */
    /* Not NULL: a real model. Its inputs are those of this folder where their types are still the graph's; and since its depth makes differences of rounding
     * grow, an output may be as far off as the evaluator's own when the inputs change in their last bits, or by 5 % where it quantises. */
    const char *inputs;
} Trial;

/* Compiles the graph, builds what was emitted and runs it, all in a child process. NULL if everything agrees with the
 * reference evaluator; otherwise what went wrong, in one line. `trial` is a Trial: a TryFn. */
const char *try_graph(Arena *arena, const Graph *g, const void *trial);

/* execute.c, in the child: runs the model built into the shared object,
 * compares. NULL, or what is wrong. */
const char *execute(Arena *arena, const char *object, const Graph *reference, const Trial *trial);
