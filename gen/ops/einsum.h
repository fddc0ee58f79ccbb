/* Einsum's equation, parsed: which letter stands for which dimension of which operand. */
#pragma once

#include "../shape/shape.h"

enum { EINSUM_LETTERS = 26 };

typedef struct Einsum {
    int64_t size[EINSUM_LETTERS]; /* of each letter's dimension; -1: not used */
    const char *dst;              /* the letters of the output, dst_rank of them */
    int dst_rank;
    int summed[EINSUM_LETTERS]; /* letters (0 = 'a') that are not in the output, in alphabetical
                                   order */
    int n_summed;
} Einsum;

/* Refuses an equation that does not go with the operands. The form is explicit, without blanks and
 * ellipses, in lower-case letters: "bij,bjk->bik". Dimensions with the same letter must be equal.
 */
bool einsum_parse(const Graph *g, const Node *n, Einsum *e);
/* The letters of operand k: as many as it has dimensions. */
const char *einsum_term(const Node *n, uint32_t k);
