/* How much a step computes and moves: what its time is compared with. */
#pragma once

#include "program.h"

typedef struct StepAmount {
    int64_t macs;       /* multiply-accumulates (ops/macs.h); saturates */
    int64_t operations; /* of all its nodes, done directly: Winograd's method does fewer */
    int64_t
        read; /* bytes of its operands and weights, each once; of what only moves elements as many as are taken */
    int64_t written; /* bytes of its results */
} StepAmount;

StepAmount step_amount(const Program *p, const Step *s);
