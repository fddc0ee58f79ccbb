/* How far a layer may be from the reference evaluator, by what it computes. */
#pragma once

#include "../program/program.h"

typedef struct LayerBound {
    double relative; /* to the largest element of the reference */
    double absolute; /* and this besides: roundings that may go either way */
    double
        step; /* what is rounded to, where the layer rounds its result to the steps of a scale; 0: it does not */
} LayerBound;

/* Of a value that the step makes. */
LayerBound layer_bound(const Program *p, const Step *s, ValueId v);
/* Of an output of the model as a whole. */
LayerBound output_bound(const Program *p, DType type);
