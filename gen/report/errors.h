/* What dnnlc verify --json has found. */
#pragma once

#include "../program/program.h"

/* Of the tensor of a layer that is the furthest off; differences are parts of the largest element, or steps where `step` is not 0. */
typedef struct LayerError {
    const char *state; /* "compared", "in a loop", …; NULL: nothing is said of the layer */
    bool beyond;
    double step, error, bound, in_all; /* in_all: -1 where it is not known */
} LayerError;

typedef struct LayerErrors {
    const char *inputs; /* of what: "random inputs of seed 1" */
    bool agrees;
    LayerError *layers; /* by step */
} LayerErrors;

/* Of just this program. False after a refusal that names the file. */
bool errors_read(const Program *p, const char *path, Diag *diag, LayerErrors *errors);
