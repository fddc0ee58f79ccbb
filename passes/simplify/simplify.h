/* simplify: what its files share. */
#pragma once

#include "../../gen/graph/ir.h"

typedef struct Simplify {
    Graph *g;
    Rewrite rw;
    Uses uses; /* of the graph as it was when the round began */
} Simplify;

/* A rule gives the value that the (only) output of n can be replaced by, or NO_VALUE. n is a
 * copy: the rule may add nodes. */
typedef ValueId RuleFn(Simplify *s, const Node *n);

/* move.c: Reshape, Transpose, Slice, … */
RuleFn simplify_reshape, simplify_transpose, simplify_cast, simplify_same_shape, simplify_slice,
    simplify_pad, simplify_first, simplify_concat, simplify_resize, simplify_softmax, sink_reshape;
/* sink.c: Transposes below what does not mind the order of dimensions */
RuleFn sink_transpose;
/* The same for a Split, whose outputs it replaces; whether it did. */
bool sink_below_split(Simplify *s, const Node *n);
/* pad.c: Pad before a window, Slice behind one */
RuleFn simplify_padded, simplify_sliced;
/* pool.c: maxima over large windows from smaller ones */
RuleFn simplify_max_pool;
/* conv.c: convolutions that are cheaper as others */
RuleFn simplify_conv, simplify_conv_transpose;
/* taps.c: convolutions over images smaller than what their windows reach */
RuleFn simplify_unused_taps, simplify_single_pixel;
/* whole.c: convolutions whose windows are as long as the image */
RuleFn simplify_whole_window;
/* focus.c: pictures cut into squares */
RuleFn simplify_focus;
/* scatter.c: assignments to slices */
RuleFn simplify_scatter_nd;
/* math.c: arithmetic, clips */
RuleFn simplify_arithmetic, simplify_pow, simplify_clip, simplify_relu, simplify_min_max,
    simplify_involution, simplify_idempotent, simplify_sum, simplify_sqrt, simplify_reduce,
    simplify_prelu, simplify_gemm;

/* steps.c: whole numbers that are scaled and rounded again */
RuleFn simplify_round, simplify_quantize, simplify_limited_steps;

/* lookup.c: products of one-hot rows */
RuleFn simplify_matmul;

/* einsum.c: Einsums that are products */
RuleFn simplify_einsum;

/* rnn.c: a recurrent layer, whose outputs it replaces, reads its product with the input; whether it did. */
bool split_projection(Simplify *s, const Node *n);

/* loop.c: a value that a loop carries and does not change is read from outside; whether there was one. */
bool drop_carried(Simplify *s, NodeId end);

/* cse.c: equal constants and equal nodes become one. Returns how many were replaced. */
uint32_t share_constants(Graph *g, Rewrite *rw);
uint32_t share_nodes(Graph *g, Rewrite *rw);

/* Input k of n, with what this round has replaced so far. */
ValueId arg(const Simplify *s, const Node *n, uint32_t k);
/* The node behind it, if it is of this op; NULL otherwise. */
const Node *arg_node(const Simplify *s, const Node *n, uint32_t k, Op op);
/* Is n the only reader of its input k? */
bool arg_single(const Simplify *s, const Node *n, uint32_t k);

/* move.c, for its neighbours. */
/* n is the only reader of its input k, which it may read twice. */
bool only_reader(const Simplify *s, const Node *n, uint32_t k);
bool is_eltwise(const Node *n, int operands);
/* The dimension of t along which alone a constant varies that is broadcast to `rank` dimensions; -1: it is one number, -2: there
 * are several. */
int varying_axis(const TensorType *c, int rank);
/* A Transpose of t moves no byte: dimensions of size 1 may go anywhere, only the order of the others matters. */
bool keeps_order(const TensorType *t, const int64_t *perm);
