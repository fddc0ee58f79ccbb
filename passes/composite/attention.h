/* attention.c: attention composites, for merge-composite. */
#pragma once

#include "../../gen/composite/attention.h"
#include "../pattern/match.h"

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
