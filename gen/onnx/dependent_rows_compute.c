/* Data-dependent rows of operators that compute across them or within each: what has to be masked before, and what cannot be computed. */
#include "dependent_rows_rule.h"

static bool is_reduced(const Rule *r, int axis)
{
    const Attr *axes = attr_of(r, "axes");
    for (size_t i = 0; i < axes->n; i++)
        if (axes->ints[i] == axis)
            return true;
    return false;
}

/* The sum of what counts over how many there are: what is added up is the larger for it. */
static bool mean_of_rows(Rule *r)
{
    OnnxNode *c = r->c;
    const Rows rows = rows_in(r, 0);
    const TensorType t = *type_at(r, 0);
    if (!dtype_is_float(t.dtype))
        return refuse_dependent_rows(c, "a mean of integers");
    mask(r, 0, NEUTRAL_ZERO);
    counting_off(c, true);
    const ValueId capacity = const_scalar(c, t.dtype, (double)t.dims[rows.axis]);
    r->in[0] = mul(c, r->in[0], divide(c, capacity, cast(c, rows.count, t.dtype)));
    counting_off(c, false);
    return ok(c);
}

bool rule_reduce(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    const bool keeps = int_of(r, "keepdims", 1) != 0;
    if (!is_reduced(r, rows.axis)) {
        int axis = rows.axis;
        for (int d = 0; d < rows.axis && !keeps; d++)
            axis -= is_reduced(r, d);
        return keep(r, axis, rows.count);
    }
    if (r->op == OP_ReduceMean)
        return mean_of_rows(r);
    mask(r, 0,
         r->op == OP_ReduceMax || r->op == OP_ReduceLogSumExp ? NEUTRAL_LOWEST
         : r->op == OP_ReduceMin                              ? NEUTRAL_HIGHEST
         : r->op == OP_ReduceProd                             ? NEUTRAL_ONE
                                                              : NEUTRAL_ZERO);
    return true;
}

bool rule_arg(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    const int axis = (int)int_of(r, "axis", 0);
    if (rows.axis == axis) {
        if (int_of(r, "select_last_index", 0))
            return refuse_dependent_rows(r->c, "the last of equal ones cannot be told");
        mask(r, 0, r->op == OP_ArgMax ? NEUTRAL_LOWEST : NEUTRAL_HIGHEST);
        return true;
    }
    return keep(r, rows.axis - (rows.axis > axis && !int_of(r, "keepdims", 1)), rows.count);
}

/* As many as are asked for, or as there are. */
bool rule_top_k(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    if (rows.axis != int_of(r, "axis", 0))
        return keep(r, rows.axis, rows.count);
    mask(r, 0, int_of(r, "largest", 1) ? NEUTRAL_LOWEST : NEUTRAL_HIGHEST);
    return keep(r, rows.axis,
                count_op(r->c, OP_Min, rows.count, count_const(r->c, int_of(r, "k", 0))));
}

bool rule_softmax(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    if (rows.axis >= int_of(r, "axis", 0) && rows.axis < int_of(r, "axis_end", 0))
        mask(r, 0, NEUTRAL_LOWEST);
    return keep(r, rows.axis, rows.count);
}

bool rule_cum_sum(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    if (rows.axis == int_of(r, "axis", 0) && int_of(r, "reverse", 0))
        mask(r, 0, NEUTRAL_ZERO);
    return keep(r, rows.axis, rows.count);
}

/* --- layers ----------------------------------------------------------------------------------------------------------- */

/* Whether what does not count is zero already, as these operators leave it. */
static bool zero_behind(const Graph *g, ValueId v, int axis)
{
    for (const Node *n = def_of(g, v); n; n = def_of(g, v)) {
        if (n->op == OP_Softmax) /* rule_softmax has masked it before */
            return axis >= attr_int(n, "axis", 0) && axis < attr_int(n, "axis_end", 0);
        if (n->op == OP_TakeRows)
            return attr_int(n, "axis", 0) == axis;
        if (n->op == OP_Transpose)
            axis = (int)attr_ints(n, "perm", NULL)[axis];
        else
            return false;
        v = n->in[0];
    }
    return false;
}

static void mask_unless_zero(Rule *r, uint32_t k)
{
    if (!zero_behind(r->c->g, r->in[k], r->rows[k].axis))
        mask(r, k, NEUTRAL_ZERO);
}

bool rule_matmul(Rule *r)
{
    const TensorType *a = type_at(r, 0), *b = type_at(r, 1);
    const bool by_a = dependent(r, 0) && rows_in(r, 0).axis == a->rank - 1,
               by_b = dependent(r, 1) && rows_in(r, 1).axis == b->rank - 2;
    if (a->rank < 2 || b->rank < 2)
        return refuse_dependent_rows(r->c, "a product with a vector");
    if (by_a || by_b) {
        if (!by_a || !by_b || !same_value(rows_in(r, 0).count, rows_in(r, 1).count))
            return refuse_mixed(r);
        mask_unless_zero(r, 0);
        mask_unless_zero(r, 1);
        return true;
    }
    const int rank = a->rank > b->rank ? a->rank : b->rank;
    if (dependent(r, 0) && rows_in(r, 0).axis == a->rank - 2 && !dependent(r, 1))
        return keep(r, rank - 2, rows_in(r, 0).count);
    if (dependent(r, 1) && rows_in(r, 1).axis == b->rank - 1 && !dependent(r, 0))
        return keep(r, rank - 1, rows_in(r, 1).count);
    if (!broadcast_rows(r, rank, 2))
        return false;
    return has_value(r->out.count) || refuse_mixed(r);
}

/* Rows times a matrix. */
bool rule_gemm(Rule *r)
{
    if (!only_first(r))
        return false;
    const bool has_c = r->n_in > 2 && has_value(r->in[2]);
    const bool by_row = has_c && type_at(r, 2)->rank == 2 && type_at(r, 2)->dims[0] != 1;
    if (rows_in(r, 0).axis != (int_of(r, "transA", 0) ? 1 : 0) || by_row)
        return refuse_mixed(r);
    return keep(r, 0, rows_in(r, 0).count);
}

/* Each image by itself. */
bool rule_images(Rule *r)
{
    return only_first(r) && keep_if(r, rows_in(r, 0).axis == 0, "only the number of images may");
}

/* Over the dimensions from an axis on. */
bool rule_inner_norm(Rule *r)
{
    return only_first(r) &&
           keep_if(r, rows_in(r, 0).axis < int_of(r, "axis", 0), "a norm over them");
}

bool rule_lp_norm(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    if (rows.axis == int_of(r, "axis", 0))
        mask(r, 0, NEUTRAL_ZERO);
    return keep(r, rows.axis, rows.count);
}

bool rule_quantise(Rule *r)
{
    return only_first(r) && keep_if(r, type_count(type_at(r, 1)) == 1, "scales along an axis");
}

/* src is the same for all regions. */
bool rule_regions(Rule *r)
{
    if (dependent(r, 0) || !dependent(r, 1) || rows_in(r, 1).axis != 0)
        return refuse_dependent_rows(r->c, "only the number of regions may");
    if (r->n_in > 2 && (!dependent(r, 2) || !same_value(rows_in(r, 1).count, rows_in(r, 2).count)))
        return refuse_mixed(r);
    return keep(r, 0, rows_in(r, 1).count);
}

/* Boxes that do not count have no score. */
bool rule_non_max_suppression(Rule *r)
{
    for (uint32_t k = 0; k < r->n_in; k++)
        if (dependent(r, k) && (k > 1 || rows_in(r, k).axis != (k ? 2 : 1)))
            return refuse_dependent_rows(r->c, "only the number of boxes may");
    if (!dependent(r, 0) || !dependent(r, 1) ||
        !same_value(rows_in(r, 0).count, rows_in(r, 1).count))
        return refuse_mixed(r);
    mask(r, 1, NEUTRAL_NAN);
    return true;
}

/* What does not count is zero. */
bool rule_non_zero(Rule *r)
{
    mask(r, 0, NEUTRAL_ZERO);
    return true;
}

bool rule_unique(Rule *r)
{
    return refuse_dependent_rows(r->c, "what is the same as the others cannot be told");
}
