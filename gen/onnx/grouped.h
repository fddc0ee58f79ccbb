/* What GroupQueryAttention keeps of earlier runs. */
#pragma once

#include "node.h"

/* Inputs: query, key, value, past key, past value, seqlens_k, total length, cosines, sines, position ids, attention bias. */
enum {
    GQA_PAST = 3,
    GQA_LENGTHS = 5,
    GQA_TOTAL,
    GQA_COS,
    GQA_SIN,
    GQA_POSITIONS,
    GQA_BIAS,
    GQA_SINK
};

/* Where the rows of query, key and value belong: behind those of the caches that are filled. */
typedef struct GroupedPast {
    int64_t rows;  /* of the caches that come in */
    int64_t keys;  /* of those that go out */
    int64_t total; /* how many of these are attended to at most */
    ValueId first; /* i64 [batch] or [1]: the place of the first new row; NO_VALUE: behind all */
} GroupedPast;

/* Of so many new rows. A prompt, which has as many as are attended to, begins anew whatever the caches hold. */
bool grouped_past(OnnxNode *c, int64_t rows, GroupedPast *p);
/* The cache that comes in as input k, with the new rows v. */
ValueId grouped_cache(OnnxNode *c, const GroupedPast *p, uint32_t k, ValueId v);
/* Its rows that are attended to. */
ValueId grouped_seen(OnnxNode *c, const GroupedPast *p, ValueId cache);
