/* Making random graphs of every kind of thing that lowering treats specially. */
#pragma once

#include "../../gen/graph/ir.h"

enum { VALUES_MAX = 96 };

typedef struct Maker {
    Graph *g;
    uint64_t state;
    ValueId value[VALUES_MAX]; /* f32, of rank 1 to 5 */
    bool exact
        [VALUES_MAX]; /* inputs, and what only moves them: comparing it is not a matter of rounding */
    uint32_t n;
} Maker;

/* The same seed gives the same graph. NULL with a message in diag if the maker made a mistake. */
Graph *pipeline_graph(Arena *arena, Diag *diag, uint64_t seed);

/* maker.c */
uint32_t below(Maker *m, uint32_t n);
bool chance(Maker *m, uint32_t one_in);
ValueId constant(Maker *m, int rank, const int64_t *dims, double scale, double shift);
ValueId op(Maker *m, Op o, const ValueId *in, uint32_t n_in, const Attr *attrs);
ValueId op1(Maker *m, Op o, ValueId x, const Attr *attrs);
void keep(Maker *m, ValueId v);
/* A recent value whose rank is in [low, high]; NO_VALUE if there is none. */
ValueId pick(Maker *m, int low, int high);
/* Another value of x's shape, or NO_VALUE. */
ValueId pick_like(Maker *m, ValueId x);
bool is_exact(const Maker *m, ValueId v);
const TensorType *shape_in(const Maker *m, ValueId v);
ValueId transposed(Maker *m, ValueId x, const int64_t *perm);
ValueId random_transpose(Maker *m, ValueId x);
ValueId reshaped(Maker *m, ValueId x, int rank, const int64_t *dims);
ValueId relu(Maker *m, ValueId x);

/* Each makes one node or a few from x and returns the result, NO_VALUE if x will not do. */
typedef ValueId MakeFn(Maker *m, ValueId x);
/* make_layers.c */
MakeFn make_conv, make_conv_transpose, make_pool, make_global_pool, make_batch_norm, make_norm,
    make_softmax, make_reduce, make_resize, make_residual, make_island, make_pad,
    make_dense_block;
/* make_moves.c */
MakeFn make_transpose, make_reshape, make_concat, make_split, make_slice, make_gather, make_expand,
    make_split_and_join, make_move_chain, make_shuffle;
/* make_products.c */
MakeFn make_matmul, make_gemm, make_self_product, make_attention;
/* make_embedding.c */
MakeFn make_embedding;
/* make_spelled.c */
MakeFn make_spelled, make_linear, make_again, make_quantised;
/* make_eltwise.c */
MakeFn make_unary, make_broadcast, make_binary, make_swish, make_where, make_integers, make_sum;
