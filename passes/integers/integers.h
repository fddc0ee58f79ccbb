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
    const char
        *of; /* the operator that the reason is of, what it reads being no bytes; NULL: any */
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
/* The same, where it is what n reads that is in floats. */
ValueId stays_behind(Integers *m, const Node *n, const char *why);

/* integers/moves.c: n's results hold steps that its first operand has; a border of a constant is Pad's own. */
bool keeps_steps(const Node *n);
/* Result `out` of n with another first operand. */
ValueId add_moved(const Integers *m, const Node *n, ValueId x, uint32_t out);
/* The bytes of v, if it is a DequantizeLinear with one scale, or one that such nodes have moved. NO_VALUE: it is not. */
ValueId moved_bytes(const Integers *m, ValueId v, Step8 *s);
/* Pad of bytes x whose border is a number. */
ValueId padded(const Integers *m, const Node *pad, ValueId x, const Step8 *dst);

/* integers/transposed.c: other layers in place of those that no integers compute as they are. */
void as_other_layers(Graph *g);

/* integers/sums.c: v, a layer on bytes, is these sums of integers times a scale, or one for each index along dimension `channel`, or one for each
 * place in the dimensions behind it. */
typedef struct Sums {
    ValueId v; /* i32 */
    double *scale;
    int64_t n_scales;
    int channel;
    bool by_place;
    double most; /* no sum is larger */
} Sums;
bool sums_of(Integers *m, ValueId v, Sums *sums);
/* Constant bytes with a scale for all or for each index along `axis`. */
typedef struct Weights {
    ValueId bytes, scale, zero;
    int axis;
} Weights;
bool read_weights(const Integers *m, ValueId v, Weights *w);
/* The elements of a constant, or of constant bytes that are dequantised with one scale or one for each. */
bool numbers_of(const Integers *m, ValueId v, double **x, int64_t *n);
/* ConvInteger of x and filters w, whose zero point is 0; they keep their shape t. */
ValueId convolved(Integers *m, const Node *like, ValueId x, const Step8 *src, const TensorType *t,
                  const double *w, const ConvAttrs *attrs);
/* Bytes less their zero point: i32. */
ValueId centred(Integers *m, const Node *like, ValueId x, const Step8 *s);
/* [1, …, n, …, 1]: goes with dimension `channel` of a result of this rank; one number: no dimensions. */
ValueId by_channel(const Integers *m, DType t, const double *v, int64_t n, int rank, int channel);
/* Of the operators that have bytes as operands; the scales are in steps of the result, rounded as the operator rounds them. */
bool sums_of_quantised(Integers *m, const Node *n, Sums *sums);
/* The sums in units of `unit`, rounded to integers: i32. */
ValueId in_units(Integers *m, const Node *like, const Sums *sums, double unit);
/* i32 in steps of dst, as bytes. */
ValueId as_bytes(Integers *m, const Node *like, ValueId v, const Step8 *dst);

/* integers/mix.c: a sum, difference, maximum or so of what has different scales, in steps of dst. */
ValueId mixed(Integers *m, const Node *like, ValueId v, const Step8 *dst);

/* integers/functions.c: any function of one tensor of bytes, element by element: a table of 256. Softmax and LogSoftmax of bytes. */
ValueId looked_up(Integers *m, const Node *q, ValueId v);
ValueId softmax_of_bytes(Integers *m, const Node *q, const Node *softmax, const Step8 *dst);
ValueId log_softmax_of_bytes(Integers *m, const Node *q, const Node *softmax, const Step8 *dst);

/* integers/pool.c: the sums of an AveragePool. */
bool mean_of_windows(Integers *m, const Node *n, Sums *s);

/* integers/norms.c: the sums of a norm of bytes whose scale depends on data, without factors and addends of channels, which follow as
 * layers of their own once with_factors_behind() has put them there. */
bool normalised(Integers *m, const Node *n, Sums *s);
ValueId with_factors_behind(Integers *m, const Node *n);

/* integers/scaled.c: the sums of a Mul by a constant, and LeakyRelu or PRelu of what has sums. */
bool times_constant(Integers *m, const Node *n, Sums *s);
ValueId sloped(Integers *m, const Node *q, const Node *n, const Step8 *dst);
