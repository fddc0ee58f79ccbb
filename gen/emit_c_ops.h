/* Between the files of the portable C target: what each family takes, and what it needs. */
#ifndef DNNLC_EMIT_C_OPS_H
#define DNNLC_EMIT_C_OPS_H

#include "emit_c.h"

EmitCFn emit_c_eltwise; /* also a fused group, with all nodes in step->nodes */

bool c_eltwise_supports(const Graph *g, const Node *n, const char **why);
bool c_move_supports(const Graph *g, const Node *n, const char **why);
/* Scratch memory for the reduce family, cum_sum, top_k, einsum and det; 0 for other ops. */
size_t c_reduce_scratch_bytes(const Graph *g, const Node *n);

/* The same for the neural-network kernels. */
bool c_nn_supports(const Graph *g, const Node *n, const char **why) __attribute__((weak));
size_t c_nn_scratch_bytes(const Graph *g, const Node *n) __attribute__((weak));

#endif
