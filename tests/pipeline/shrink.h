/* A graph that fails, made smaller. */
#pragma once

#include "../../gen/graph/ir.h"

/* NULL, or how the graph fails, in one line. */
typedef const char *TryFn(Arena *arena, const Graph *g, const void *how);

/* A smaller graph that fails in the same way as `message` says; prints what it does. */
Graph *shrink(Arena *arena, Graph *g, TryFn *try, const void *how, const char *message);

/* The graph, printed and parsed: another one that shares nothing. NULL with a message in diag. */
Graph *copy_graph(Arena *arena, Diag *diag, const Graph *g);
