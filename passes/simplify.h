/* simplify: what its files share. */
#ifndef DNNLC_SIMPLIFY_H
#define DNNLC_SIMPLIFY_H

#include "../gen/ir.h"

typedef struct Simplify {
    Graph *g;
    Rewrite rw;
    Uses uses; /* of the graph as it was when the round began */
} Simplify;

/* A rule gives the value that the (only) output of n can be replaced by, or NO_VALUE. n is a
 * copy: the rule may add nodes. */
typedef ValueId RuleFn(Simplify *s, const Node *n);

/* simplify_move.c: Reshape, Transpose, Slice, … */
RuleFn simplify_reshape, simplify_transpose, simplify_cast, simplify_same_shape, simplify_slice,
    simplify_pad, simplify_first, simplify_concat, simplify_resize, simplify_softmax,
    sink_transpose, sink_reshape;
/* simplify_pad.c: Pad before a window */
RuleFn simplify_padded;
/* simplify_conv.c: convolutions that are cheaper as others */
RuleFn simplify_conv, simplify_conv_transpose;
/* simplify_focus.c: pictures cut into squares */
RuleFn simplify_focus;
/* simplify_scatter.c: assignments to slices */
RuleFn simplify_scatter_nd;
/* simplify_math.c: arithmetic, clips */
RuleFn simplify_add, simplify_sub, simplify_mul, simplify_div, simplify_pow, simplify_clip,
    simplify_relu, simplify_min, simplify_max, simplify_involution, simplify_idempotent,
    simplify_sum, simplify_sqrt, simplify_reduce, simplify_prelu, simplify_gemm;

/* simplify_cse.c: equal constants and equal nodes become one. Returns how many were replaced. */
uint32_t share_constants(Graph *g, Rewrite *rw);
uint32_t share_nodes(Graph *g, Rewrite *rw);

/* Input k of n, with what this round has replaced so far. */
ValueId arg(const Simplify *s, const Node *n, uint32_t k);
/* The node behind it, if it is of this op; NULL otherwise. */
const Node *arg_node(const Simplify *s, const Node *n, uint32_t k, Op op);
/* Is n the only reader of its input k? */
bool arg_single(const Simplify *s, const Node *n, uint32_t k);

#endif
