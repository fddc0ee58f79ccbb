/* What reading a composite from its nodes needs, whatever it computes.
 *
 * The folder composite: in come the nodes of a composite, out goes what it computes, as a struct for each kind (attention.h, sum_norm.h). */
#pragma once

#include "../graph/ir.h"

/* Whether v is made by one of n nodes. */
bool covers_value(const Graph *g, const NodeId *nodes, uint32_t n, ValueId v);
/* A constant of f32 with one element: its value. */
bool number_of(const Graph *g, ValueId v, double *x);
/* A product or quotient with a number, of f32, that leaves the type as it is: which operand the other one is, and the factor. */
bool is_scaling(const Graph *g, const Node *n, uint32_t *operand, double *factor);
/* What composites that were read from text compute. False after a refusal: one is not what it says. */
bool composites_read(Graph *g);
/* Puts a few nodes in the order of the graph. */
void sort_nodes(NodeId *node, uint32_t n);
