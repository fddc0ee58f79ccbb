/* What the operators that are attention as a whole share: they become the products, masks and softmax that it consists of, in the
 * form that merge-composite makes one layer of again. */
#pragma once

#include "node.h"

enum { ATTEND_ADDS = 3 };

typedef enum AttendStage {
    STAGE_SCORES, /* scale * q k */
    STAGE_CAPPED,
    STAGE_MASKED,
    STAGE_PROBABILITIES,
    STAGES
} AttendStage;

typedef struct Attend {
    ValueId q;    /* [batch, heads, rows, size] */
    ValueId k, v; /* [batch, heads, keys, size], with the heads of q or a divisor of their number */
    double scale, softcap; /* softcap * tanh(score / softcap); 0: as they are */
    ValueId keep;          /* bool: what may be attended to; NO_VALUE: everything */
    double far;            /* the score of what is not kept */
    ValueId add
        [ATTEND_ADDS]; /* to the scores; these and `keep` broadcast to [batch, heads, rows, keys] */
    uint32_t n_adds;
    ValueId
        sink; /* another score of each head that takes its part of the softmax and has no value: [1, heads, 1, 1]; NO_VALUE: none */
    bool none_is_zero; /* a row that nothing is kept for gives 0, not NaN */
    DType softmax;     /* the type the softmax is computed in */
    const Onnx__GraphProto *of_scores,
        *of_probabilities; /* graphs that change them, in that type; NULL: none */
    ValueId stage[STAGES]; /* made by attend() */
} Attend;

/* [batch, heads, rows, size] of v. */
ValueId attend(OnnxNode *c, Attend *a);

/* [batch, rows, heads * size] as [batch, heads, rows, size], and back. */
ValueId split_heads(OnnxNode *c, ValueId v, int64_t heads);
ValueId join_heads(OnnxNode *c, ValueId v);

/* Key j is kept for row i where j <= i + before: [rows, keys]; NO_VALUE where that is every key. */
ValueId keep_causal(OnnxNode *c, int64_t rows, int64_t keys, int64_t before);
/* Keys in front of `lengths` ([batch], integers): [batch, 1, 1, keys]. With `rows`, only those that are no more than rows - 1 - i
 * from the end for row i: [batch, 1, rows, keys]. */
ValueId keep_lengths(OnnxNode *c, ValueId lengths, int64_t rows, int64_t keys);
/* What both keep; either may be NO_VALUE. */
ValueId keep_both(OnnxNode *c, ValueId a, ValueId b);
/* `past` in front of v, along axis 2; NO_VALUE: v alone. */
ValueId after_past(OnnxNode *c, ValueId past, ValueId v);
ValueId swap_last(OnnxNode *c, ValueId v);

/* Turns the first `rotated` numbers of x, [batch, heads, rows, size], in pairs. The caches have the cosines and sines of half as many,
 * [positions, half] with `positions` or without [batch, rows, half]. */
ValueId rotate_heads(OnnxNode *c, ValueId x, ValueId cos, ValueId sin, ValueId positions,
                     int64_t rotated, bool interleaved);
/* first, first + 1, …: [n, rows], of n integers. */
ValueId positions_from(OnnxNode *c, ValueId first, int64_t rows);
