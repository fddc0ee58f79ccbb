/* The checker of graphs. */
#pragma once

#include "../graph/ir.h"

/* verify.c: bug()s are for our own mistakes; this one returns false with a refusal naming what
 * is violated, because text IR comes from users too. */
bool verify_graph(const Graph *g);

/* ports.c: names, order and types of inputs and outputs, and whether a graph still has them; false after a
 * refusal. */
typedef struct Ports Ports;
Ports *ports_of(const Graph *g);
bool ports_kept(const Graph *g, const Ports *p);
