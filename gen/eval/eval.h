/* The reference evaluator: obviously right rather than fast. Floats are computed in double and rounded once
 * per node, which makes it the yardstick for every kernel.
 *
 * The folder eval: in come a node and tensors, out go tensors. */
#pragma once

#include "../ops/ops.h"

typedef struct Eval {
    const Graph *g; /* for types and messages */
    const Node *node;
    const Tensor *const *in; /* NULL where absent */
    Tensor *const *out;      /* allocated, types set; NULL where not wanted */
    Arena *scratch;
} Eval;

/* An EvalFn (ops.h) computes all wanted outputs, and refuses (with refuse_node) what the inputs' contents make invalid, such as an
 * index out of range. */

/* One node, by the op's row. */
bool eval_node(const Graph *g, const Node *n, const Tensor *const *in, Tensor *const *out,
               Arena *scratch);
/* The whole graph: inputs in port order; outputs are allocated in `arena`. */
bool eval_graph(const Graph *g, const Tensor *inputs, Tensor *outputs, Arena *arena);
