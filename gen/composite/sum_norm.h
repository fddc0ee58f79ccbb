/* A sum of rows, normalised: what merge-composite makes of an embedding with its layer norm, and of other Adds in front of a
 * norm. */
#pragma once

#include "../graph/columns.h"

/* factor * (from[index] or from), broadcast to the result. */
typedef struct SumTerm {
    ValueId from;      /* a table [entries, width] where there is an index */
    ValueId index;     /* which row of it for each place; NO_VALUE: none */
    TensorType places; /* the shape of the term without its last dimension */
    int64_t width;     /* its last dimension: that of the result, or 1 */
    double factor;
} SumTerm;

enum { SUM_TERMS = 8 };

typedef struct SumNorm {
    ValueId scale, shift;       /* one number for each column; shift may be NO_VALUE */
    SumTerm term[SUM_TERMS];    /* in an order of their own, not that of the Adds */
    uint32_t n_terms, n_tables; /* n_tables: terms with an index */
    TensorType places;          /* the shape of the result without its last dimension */
    int64_t rows, size;
} SumNorm;

/* Nodes that may stand in front of the norm: an Add, a Gather of rows, a product with a number. */
bool sum_norm_may_cover(const Graph *g, const Node *n);

/* Reads the composite of these nodes, whose root is `norm`, a LayerNormalization or RMSNormalization over the last
 * dimension. False, with the reason, if it is none that can be computed as
 * one. */
bool sum_norm_read(const Graph *g, const NodeId *nodes, uint32_t n, NodeId norm, SumNorm *s,
                   const char **why);
