/* Who reads what of whom, for the drawing and for what a click shows. */
#pragma once

#include "../program/program.h"

/* What is drawn stands in this order: inputs of the model, its steps, its outputs. An edge goes from one that writes to one that reads later. */
typedef struct Edge {
    uint32_t from, to;
    BufferId buffer; /* as the reader has it */
} Edge;

typedef struct Edges {
    Edge *edge;
    size_t n, cap;
} Edges;

/* Each pair once, in the order of the readers. */
Edges find_edges(const Program *p);
