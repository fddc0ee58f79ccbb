/* sum_norm.c: sums of rows with a norm behind, for merge-composite. */
#pragma once

#include "../../gen/composite/sum_norm.h"
#include "../pattern/match.h"

enum { SUM_NORM_NODES = 32 };

/* The nodes of a match and, around them, what else makes the summands. */
typedef struct SumNormNodes {
    NodeId node[SUM_NORM_NODES]; /* in order */
    uint32_t n, n_own;           /* n_own: those of the pattern */
    SumNorm sum;
} SumNormNodes;

/* `taken`: by node, the composite it is in or NO_ROW. False, with the reason, if the match cannot be computed row by row. */
bool merge_sum_norm(const Match *m, NodeId norm, const uint32_t *taken, SumNormNodes *a,
                    const char **why);
