/* How long the reference evaluator takes for a node. */
#pragma once

#include "../graph/ir.h"

/* Steps of its innermost loops, estimated from shapes and attributes; at least one for each element read and written. For deciding what is
 * evaluated while compiling: a model is untrusted, and a few bytes of it can ask for years. */
double eval_work(const Graph *g, const Node *n);
