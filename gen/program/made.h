/* What the steps of a program make: the values that --dump-layers writes, and what its index says of each. */
#pragma once

#include "program.h"

typedef struct Made {
    uint32_t step;
    BufferId buffer;  /* its value, in this layout and type, is there when the step has run */
    const char *file; /* "0003_conv_3.npy", a name that is safe and no other one's */
} Made;

/* In the order of the steps; n of them. Scratch memory and tensors without elements are left out. */
Made *program_made(const Program *p, Arena *arena, uint32_t *n);
/* A JSON object on one line: layer, label, op, nodes, value, type, layout and file. */
const char *made_json(Arena *arena, const Program *p, const Made *m);
/* How many outputs are the model's own: the counts of their rows stand behind them. */
uint32_t made_outputs(const Graph *g);
/* What the index begins with: what it is of, inputs and outputs; without the brace at the end. `name` is that of the program. */
const char *made_head(Arena *arena, const Program *p, const char *name);
