/* Loops of a program: the steps between that of a LoopBegin and that of its LoopEnd are made again and again. What both ends write is the
 * same memory, so that without an iteration there is what the first has left. */
#pragma once

#include "../graph/loops.h"
#include "program.h"

typedef struct StepLoop {
    uint32_t begin, end; /* the steps of its ends */
} StepLoop;

typedef struct StepLoops {
    StepLoop *loop; /* inner ones first */
    uint32_t n;
} StepLoops;

/* Whether it is one end of a loop. */
bool step_is_loop_end(const Program *p, uint32_t step, Op op);
StepLoops program_loops(const Program *p, Arena *arena);
/* The last step until which what is used from step `first` to `last` has to stay: what comes from outside of a loop is read in each
 * iteration. */
uint32_t loops_last_use(const StepLoops *l, uint32_t first, uint32_t last);
