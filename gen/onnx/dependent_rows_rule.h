/* What the rules of data-dependent rows share. A rule says what becomes of the rows of one kind of operator: dependent_rows_move.c of those that move
 * elements, dependent_rows_compute.c of those that compute, dependent_rows_rules.c of elementwise ones. */
#pragma once

#include "dependent_rows.h"

#include <string.h>

typedef struct Rule {
    OnnxNode *c;
    Op op;
    ValueId *in; /* a rule may replace operands, or leave fewer */
    uint32_t n_in;
    const Attr *attrs;
    const RowsList *all; /* of each operand */
    const Rows *rows;    /* those along one axis of each, which go together */
    Rows out;
} Rule;

typedef bool RuleFn(Rule *r);

static inline const Attr *attr_of(const Rule *r, const char *name)
{
    for (const Attr *a = r->attrs; a && a->name; a++)
        if (!strcmp(a->name, name))
            return a;
    return NULL;
}

static inline int64_t int_of(const Rule *r, const char *name, int64_t missing)
{
    const Attr *a = attr_of(r, name);
    return a ? a->i : missing;
}

static inline const int64_t *list_of(const Rule *r, const char *name)
{
    return attr_of(r, name)->ints;
}

static inline bool dependent(const Rule *r, uint32_t k)
{
    return k < r->n_in && has_value(r->rows[k].count);
}

static inline Rows rows_in(const Rule *r, uint32_t k)
{
    return r->rows[k];
}

static inline void mask(Rule *r, uint32_t k, Neutral neutral)
{
    r->in[k] = mask_rows(r->c, r->in[k], r->rows[k], neutral);
}

static inline const TensorType *type_at(const Rule *r, uint32_t k)
{
    return type_of(r->c->g, r->in[k]);
}

static inline bool keep(Rule *r, int axis, ValueId count)
{
    r->out = (Rows){axis, count};
    return true;
}

/* Operand 0's stay as they are, where that can be. */
static inline bool keep_if(Rule *r, bool can, const char *why)
{
    return can ? keep(r, rows_in(r, 0).axis, rows_in(r, 0).count)
               : refuse_dependent_rows(r->c, why);
}

static inline bool only_first(const Rule *r)
{
    for (uint32_t k = 1; k < r->n_in; k++)
        if (dependent(r, k))
            return refuse_dependent_rows(r->c, "only its first operand may have one");
    return dependent(r, 0);
}

static inline bool refuse_mixed(const Rule *r)
{
    return refuse_dependent_rows(r->c, "its operands do not have as many, as far as is known");
}

/* Operands that broadcast to `rank` dimensions, `skip` of which, at the end, are none of theirs to share (matrices). */
bool broadcast_rows(Rule *r, int rank, int skip);

/* By the column `dependent_rows` of ops.def. */
RuleFn rule_eltwise, rule_reshape, rule_transpose, rule_expand, rule_slice, rule_pad, rule_tile,
    rule_split, rule_concat, rule_gather, rule_gather_elements, rule_gather_nd, rule_scatter,
    rule_one_hot, rule_reduce, rule_arg, rule_top_k, rule_softmax, rule_cum_sum, rule_matmul,
    rule_gemm, rule_images, rule_inner_norm, rule_lp_norm, rule_quantise, rule_regions,
    rule_non_max_suppression, rule_non_zero, rule_unique;
