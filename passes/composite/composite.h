/* merge-composite: what it shares with the predicates, and what later stages may ask of a
 * composite. */
#pragma once

#include "../../gen/composite/attention.h"
#include "../../gen/composite/sum_norm.h"
#include "../../gen/graph/columns.h"
#include "../pattern/match.h"

/* What predicates know beside the match. */
typedef struct PatternContext {
    const Graph *g;
    int channel; /* dimension of the root that is the channel */
    NodeId anchor;
    uint32_t *seen; /* by node: stamp of the last search that visited it */
    uint32_t stamp;
} PatternContext;

/* "dnnl.conv2d(src, weights, bias) sum(arg) relu": equal for composites that compute the same
 * from arguments of the same kinds, whatever the order of operands in the graph. */
const char *composite_signature(Arena *arena, const Graph *g, const Composite *c);

/* --- attention.c ----------------------------------------------------------------------------------------------------- */

enum { ATTENTION_NODES = 48 };

/* The nodes of a match and, around them, what makes heads of its operands and rows of its result. */
typedef struct AttentionNodes {
    NodeId node[ATTENTION_NODES]; /* in order */
    uint32_t n, n_own;            /* n_own: those of the pattern */
    NodeId root;
    ValueId source[3]; /* of q, k, v */
    Attention parts;
} AttentionNodes;

/* `taken`: by node, the composite it is in or NO_ROW. False, with the reason, if the match is no attention that can be computed
 * as one. */
bool merge_attention(const Match *m, NodeId mix, const uint32_t *taken, AttentionNodes *a,
                     const char **why);

/* --- sum_norm.c ------------------------------------------------------------------------------------------------------ */

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
