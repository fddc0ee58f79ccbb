/* What is placed as one: a composite, or a node that is in none. */
#pragma once

#include "../../gen/graph/columns.h"

typedef struct Atoms {
    uint32_t n;
    uint32_t *of_node; /* atoms are numbered in the order of their roots, which is topological */
    NodeId *root;      /* by atom */
    NodeId *anchor;
    uint32_t *start;  /* by atom, n + 1: slices of `before` */
    uint32_t *before; /* the atoms it reads from, possibly repeated */
} Atoms;

Atoms find_atoms(const Graph *g, Arena *arena);
