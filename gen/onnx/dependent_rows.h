/* Rows whose number depends on data, for the files that know of them: see dependent_rows.c. */
#pragma once

#include "node.h"

/* A number that shapes are made of: known, or an i64 scalar that is computed and at most `most`. */
typedef struct Number {
    int64_t most;
    ValueId value; /* NO_VALUE: it is `most` */
} Number;

/* Element i of v. False if no upper bound of it is known. */
bool number_at(OnnxNode *c, ValueId v, int64_t i, Number *n);
/* The most they can be. */
const int64_t *most_of(OnnxNode *c, const Number *numbers, size_t n);
/* Input k, integers, as numbers; NULL after refusing. */
const Number *input_numbers(OnnxNode *c, uint32_t k, const char *what, size_t *n);
/* The number as an i64 scalar. */
ValueId number_value(OnnxNode *c, Number n);

/* The scalar is never more, nor below zero. */
void set_bound(Import *im, ValueId count, int64_t most);
/* On i64 scalars. OP_Cast: a, one integer, as one. */
ValueId count_op(OnnxNode *c, Op op, ValueId a, ValueId b);
/* What was multiplied with `factor` to get the count; NO_VALUE where that is not known. */
ValueId count_factor(OnnxNode *c, ValueId count, ValueId factor);
ValueId count_const(OnnxNode *c, int64_t v);
/* The sum of two counts: as of the model's own sums, it is the same value wherever they are added. */
ValueId count_sum(OnnxNode *c, ValueId a, ValueId b);
/* count + more: asked for twice, also by way of the model's own sums, it is the same value. */
ValueId count_plus(OnnxNode *c, ValueId count, int64_t more);
/* Whether b is a plus a number that is known: *more. */
bool count_difference(OnnxNode *c, Number a, Number b, int64_t *more);
/* 0, 1, …: i64[n] */
ValueId count_up(OnnxNode *c, int64_t n);
/* v with `neutral` in the rows that do not count. */
typedef enum Neutral {
    NEUTRAL_ZERO,
    NEUTRAL_ONE,
    NEUTRAL_LOWEST,
    NEUTRAL_HIGHEST,
    NEUTRAL_NAN
} Neutral;
ValueId mask_rows(OnnxNode *c, ValueId v, Rows rows, Neutral neutral);
/* While `off`, nodes are made as if every row counted. */
void counting_off(OnnxNode *c, bool off);
bool refuse_dependent_rows(OnnxNode *c, const char *why);
/* v as output k, of which as many rows count as are said. */
bool finish_dependent_rows(OnnxNode *c, uint32_t k, ValueId v, RowsList rows);

/* Where the non-zero elements of v are, and how many: asked twice, it is the same count. */
bool non_zero(OnnxNode *c, ValueId v, ValueId *where, ValueId *count);
/* The rows of input 0 along axis `from` are those of output 0 along axis `to`. */
void move_rows(OnnxNode *c, int from, int to);

/* dependent_rows_rules.c: there is a rule for op; and what becomes of the rows in op, of whose operands some have data-dependent rows. */
bool has_rows_rule(Op op);
bool count_by_rule(OnnxNode *c, Op op, ValueId *in, size_t *n_in, const Attr *attrs, RowsList *out);
