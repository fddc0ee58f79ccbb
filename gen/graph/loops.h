/* Loops of a graph. A body is no graph of its own: a node belongs to a loop if it needs what its LoopBegin makes, by whatever way but its
 * LoopEnd. So data flow alone says what runs again and again, what does not depend on the iteration stands outside, and no pass can move a
 * node out of a loop, or into one, without changing what is computed. What leaves a loop does so through its LoopEnd. */
#pragma once

#include "ir.h"

enum { MAX_LOOPS = 256, MAX_LOOP_DEPTH = 4 }; /* of one graph; in each other */

typedef struct GraphLoop {
    NodeId begin, end;
    uint32_t outer, depth; /* the loop around it, NO_ROW: none; 1 for those without */
} GraphLoop;

typedef struct Loops {
    GraphLoop *loop; /* in the order of their ends: inner ones come first */
    uint32_t n;
    uint32_t *
        of; /* by node: the innermost loop around it, which its own ends belong to; NO_ROW: none. NULL where there are no loops */
} Loops;

/* Finds them. NULL; or what is wrong with them, and *at the node where it shows. */
const char *graph_find_loops(const Graph *g, Arena *arena, Loops *loops, NodeId *at);
/* Those of a graph that is verified. */
Loops graph_loops(const Graph *g, Arena *arena);
static inline uint32_t loop_of_node(const Loops *l, NodeId id)
{
    return l->n ? l->of[id.i] : UINT32_MAX;
}
/* The loop in each of whose iterations v is made anew. */
uint32_t loop_of_value(const Graph *g, const Loops *l, ValueId v);

/* Inputs and outputs of a LoopBegin and of a LoopEnd. */
enum {
    LOOP_GOING_ON,
    LOOP_ITERATION,
    LOOP_CARRIED, /* behind the two, of outputs and of a LoopBegin's inputs */
    LOOP_TRIPS = 2,
    LOOP_CONDITION,
    LOOP_NEXT, /* of a LoopEnd's inputs */
};
/* What a LoopBegin says in LOOP_GOING_ON. */
enum { LOOP_STOPS, LOOP_GOES_ON, LOOP_IS_FULL }; /* full: more iterations than rows of results */
uint32_t loop_carried(const Node *end);
/* The rows of its results are all there, whatever the data. */
bool loop_fills_rows(const Graph *g, const GraphLoop *loop);
