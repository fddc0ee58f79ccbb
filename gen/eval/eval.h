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

/* Who looks on. `made` is called for each value that a node outside of loops has made, and for what a loop has made when it has ended; it may change
 * the tensor's contents, which is what later nodes read. `ended` gets the tensors of all values when everything is computed. Either may be NULL. */
typedef struct EvalWatch {
    void (*made)(void *user, ValueId v, Tensor *t);
    void (*ended)(void *user, const Tensor *values);
    void *user;
} EvalWatch;
bool eval_graph_watched(const Graph *g, const Tensor *inputs, const EvalWatch *watch);
