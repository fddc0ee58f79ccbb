/* What becomes of data-dependent rows in each operator: which rows of its results count, what has to be masked before, and what cannot be
 * computed. One rule for each kind of operator; the column `dependent_rows` of ops.def says which is whose. */
#include "dependent_rows_rule.h"

bool broadcast_rows(Rule *r, int rank, int skip)
{
    Rows all = {.count = NO_VALUE};
    for (uint32_t k = 0; k < r->n_in; k++) {
        if (!dependent(r, k))
            continue;
        const Rows rows = rows_in(r, k);
        const int axis = rows.axis + rank - type_at(r, k)->rank;
        if (axis >= rank - skip)
            continue;
        if (has_value(all.count) && (axis != all.axis || !same_value(rows.count, all.count)))
            return refuse_mixed(r);
        all = (Rows){axis, rows.count};
    }
    for (uint32_t k = 0; k < r->n_in && has_value(all.count); k++) {
        if (!has_value(r->in[k]) ||
            (dependent(r, k) && rows_in(r, k).axis + rank - type_at(r, k)->rank == all.axis))
            continue;
        const int axis = all.axis - (rank - type_at(r, k)->rank);
        if (axis >= 0 && (type_at(r, k)->dims[axis] != 1))
            return refuse_mixed(r);
    }
    r->out = all;
    return true;
}

bool rule_eltwise(Rule *r)
{
    int rank = 0;
    for (uint32_t k = 0; k < r->n_in; k++)
        if (has_value(r->in[k]) && type_at(r, k)->rank > rank)
            rank = type_at(r, k)->rank;
    return broadcast_rows(r, rank, 0);
}

#define rule_none NULL

static RuleFn *const rules[OP_COUNT] = {
#define OP_DEPENDENT_ROWS(nm, dependent_rows) [OP_##nm] = rule_##dependent_rows,
#include "../ops/ops.def"
};

bool has_rows_rule(Op op)
{
    return rules[op] != NULL;
}

/* Axes of operands that go together have the same number: what is computed elementwise counts them from the last one, the inner one of a
 * product's matrices is 0. */
static int number_of_axis(const Rule *r, uint32_t k, int axis)
{
    RuleFn *rule = rules[r->op];
    const int back = type_at(r, k)->rank - axis;
    if (rule == rule_matmul)
        return back == (k ? 2 : 1) ? 0 : back == 1 ? 1 : MAX_RANK - back;
    if (rule == rule_eltwise)
        return MAX_RANK - back;
    if (rule == rule_concat || rule == rule_gather_elements)
        return axis;
    if (rule == rule_non_max_suppression)
        return k < 2 ? axis - (int)k : MAX_RANK;
    return axis + (k ? MAX_RANK : 0);
}

/* The rows of each operand along the axis of this number. False if there are none. */
static bool select_rows(const Rule *r, const RowsList *all, int number, Rows *rows)
{
    bool any = false;
    for (uint32_t k = 0; k < r->n_in; k++) {
        rows[k] = (Rows){.count = NO_VALUE};
        for (uint32_t i = 0; i < all[k].n; i++)
            if (number_of_axis(r, k, all[k].at[i].axis) == number) {
                rows[k] = all[k].at[i];
                any = true;
            }
    }
    return any;
}

bool count_by_rule(OnnxNode *c, Op op, ValueId *in, size_t *n_in, const Attr *attrs, RowsList *out)
{
    enum { NUMBERS = 2 * MAX_RANK + 1 };
    Rows *rows = ARENA_ARRAY(c->arena, Rows, *n_in + 1);
    RowsList *all = ARENA_ARRAY(c->arena, RowsList, *n_in + 1);
    Rule r = {.c = c,
              .op = op,
              .in = in,
              .n_in = (uint32_t)*n_in,
              .attrs = attrs,
              .all = all,
              .rows = rows};
    if (!has_rows_rule(op))
        return refuse_dependent_rows(c, "this operator is not supported on such");
    for (uint32_t k = 0; k < r.n_in; k++)
        all[k] = has_value(in[k]) ? rows_of(c->im, in[k]) : (RowsList){0};
    /* What a Concat joins comes last: it leaves one operand. */
    const int last = op == OP_Concat ? (int)int_of(&r, "axis", 0) : NUMBERS;
    for (int i = 0; i <= NUMBERS; i++) {
        const int number = i == NUMBERS ? last : i;
        if ((i < NUMBERS && number == last) || !select_rows(&r, all, number, rows))
            continue;
        r.out = (Rows){.count = NO_VALUE};
        if (!rules[op](&r))
            return false;
        if (!has_value(r.out.count))
            continue;
        if (out->n == MAX_ROWS)
            return refuse_dependent_rows(c, "the result would have too many");
        out->at[out->n++] = r.out;
    }
    *n_in = r.n_in;
    return true;
}
