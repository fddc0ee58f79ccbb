/* What the parts of match-quantised share. */
#pragma once

#include "../common/util.h"

#include "../../gen/machine/machine.h"

/* The pass at work. */
typedef struct Quantised {
    Graph *g;
    Rewrite rw;
    Uses uses;
    bool int8;
    const Machine *machine; /* or NULL */
    bool pairs; /* of 16 bits are multiplied quicker than floats: gen/dnnl/describe_indirect.c */
    uint32_t n_products, n_others;
    uint32_t n_nodes; /* before the pass; those behind are its own */
} Quantised;

static inline ValueId arg(const Quantised *m, const Node *n, uint32_t k)
{
    return resolved_in(&m->rw, n, k);
}

static inline ValueId reshaped(Quantised *m, const Node *like, ValueId v, int rank,
                               const int64_t *dims)
{
    const TensorType to = type_make(DT_NONE, rank, dims);
    return add_reshape(m->g, like, v, &to);
}

/* quantised/weights.c: constant bytes where bytes are made of constants, right before DequantizeLinear. False: the graph's message says why. */
bool weights_as_bytes(Graph *g);
/* quantised/integer.c: the node in oneDNN's form; NO_VALUE where that is not to be had. */
ValueId match_matmul_integer(Quantised *m, const Node *n);
ValueId match_conv_integer(Quantised *m, const Node *n);
