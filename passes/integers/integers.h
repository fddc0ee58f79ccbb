/* What the parts of in-integers share. */
#pragma once

#include "../common/util.h"

#include "../../gen/ops/ops.h"

/* The pass at work. */
typedef struct Integers {
    Graph *g;
    Rewrite rw;
    Uses uses;
    const char *why; /* the first reason why something stays in floats; NULL: not known */
    uint32_t n_sums, n_tables, n_others;
} Integers;

/* One scale and zero point of a tensor of bytes. */
typedef struct Step8 {
    DType type;
    double scale;
    int64_t zero;
} Step8;

static inline ValueId arg(const Integers *m, const Node *n, uint32_t k)
{
    return resolved_in(&m->rw, n, k);
}

static inline bool same_step(const Step8 *a, const Step8 *b)
{
    return a->type == b->type && a->scale == b->scale && a->zero == b->zero;
}

/* Of a QuantizeLinear or DequantizeLinear whose bytes have type t. */
bool read_step(const Integers *m, const Node *n, DType t, Step8 *s);
/* The bytes of v, if it is a DequantizeLinear with one scale. */
bool bytes_of(const Integers *m, ValueId v, ValueId *bytes, Step8 *s);
/* Leaves v as it is in floats; says why. */
ValueId stays(Integers *m, const char *why);
/* n with another operand. */
ValueId add_moved(const Integers *m, const Node *n, ValueId x);

/* integers/sums.c: v, a layer on bytes, is these sums of integers times a scale, or one for each index along dimension `channel`. */
typedef struct Sums {
    ValueId v; /* i32 */
    double *scale;
    int64_t n_scales;
    int channel;
    double most; /* no sum is larger */
} Sums;
bool sums_of(Integers *m, ValueId v, Sums *sums);
/* Of the operators that have bytes as operands; the scales are in steps of the result, rounded as the operator rounds them. */
bool sums_of_quantised(Integers *m, const Node *n, Sums *sums);
/* The sums in units of `unit`, rounded to integers: i32. */
ValueId in_units(Integers *m, const Node *like, const Sums *sums, double unit);
/* i32 in steps of dst, as bytes. */
ValueId as_bytes(Integers *m, const Node *like, ValueId v, const Step8 *dst);

/* integers/mix.c: a sum, difference, maximum or so of what has different scales, in steps of dst. */
ValueId mixed(Integers *m, const Node *like, ValueId v, const Step8 *dst);

/* integers/functions.c: any function of one tensor of bytes, element by element: a table of 256. */
ValueId looked_up(Integers *m, const Node *q, ValueId v);
ValueId softmax_of_bytes(Integers *m, const Node *q, const Node *softmax, const Step8 *dst);
