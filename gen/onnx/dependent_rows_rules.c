/* What becomes of data-dependent rows in each operator: which rows of its results count, what has to be masked before, and what cannot be
 * computed. One rule for each kind of operator; the column `dependent_rows` of ops.def says which is whose. */
#include "dependent_rows.h"

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

static const Attr *attr_of(const Rule *r, const char *name)
{
    for (const Attr *a = r->attrs; a && a->name; a++)
        if (!strcmp(a->name, name))
            return a;
    return NULL;
}

static int64_t int_of(const Rule *r, const char *name, int64_t missing)
{
    const Attr *a = attr_of(r, name);
    return a ? a->i : missing;
}

static const int64_t *list_of(const Rule *r, const char *name)
{
    return attr_of(r, name)->ints;
}

static bool dependent(const Rule *r, uint32_t k)
{
    return k < r->n_in && has_value(r->rows[k].count);
}

static Rows rows_in(const Rule *r, uint32_t k)
{
    return r->rows[k];
}

static void mask(Rule *r, uint32_t k, Neutral neutral)
{
    r->in[k] = mask_rows(r->c, r->in[k], r->rows[k], neutral);
}

static const TensorType *type_at(const Rule *r, uint32_t k)
{
    return type_of(r->c->g, r->in[k]);
}

static bool keep(Rule *r, int axis, ValueId count)
{
    r->out = (Rows){axis, count};
    return true;
}

/* Operand 0's stay as they are, where that can be. */
static bool keep_if(Rule *r, bool can, const char *why)
{
    return can ? keep(r, rows_in(r, 0).axis, rows_in(r, 0).count)
               : refuse_dependent_rows(r->c, why);
}

static bool only_first(const Rule *r)
{
    for (uint32_t k = 1; k < r->n_in; k++)
        if (dependent(r, k))
            return refuse_dependent_rows(r->c, "only its first operand may have one");
    return dependent(r, 0);
}

static bool refuse_mixed(const Rule *r)
{
    return refuse_dependent_rows(r->c, "its operands do not have as many, as far as is known");
}

/* --- elementwise -------------------------------------------------------------------------------------------------- */

/* Operands that broadcast to `rank` dimensions, `skip` of which, at the end, are none of theirs to share (matrices). */
static bool broadcast_rows(Rule *r, int rank, int skip)
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

static bool rule_eltwise(Rule *r)
{
    int rank = 0;
    for (uint32_t k = 0; k < r->n_in; k++)
        if (has_value(r->in[k]) && type_at(r, k)->rank > rank)
            rank = type_at(r, k)->rank;
    return broadcast_rows(r, rank, 0);
}

/* --- moving elements ------------------------------------------------------------------------------------------------ */

static int64_t product(const int64_t *dims, int from, int to)
{
    int64_t p = 1;
    for (int d = from; d < to; d++)
        p *= dims[d];
    return p;
}

/* Whether another axis before this one has rows that do not all count. */
static bool counts_before(const Rule *r, int axis)
{
    uint32_t i = 0;
    while (i < r->all[0].n && r->all[0].at[i].axis >= axis)
        i++;
    return i < r->all[0].n;
}

/* The rows of operand 0 along axis, of which blocks of `size` stand behind one another, are moved: those that count of all `blocks` behind those of the block
 * before, or back again. The operand keeps its shape. */
static bool move_blocks(Rule *r, int axis, int64_t blocks, int64_t size, ValueId count, bool apart)
{
    OnnxNode *c = r->c;
    const TensorType t = *type_at(r, 0);
    const int64_t inner = product(t.dims, axis + 1, t.rank), all = blocks * size;
    counting_off(c, true);
    const ValueId at = count_up(c, all);
    ValueId from;
    if (apart) {
        const ValueId of_size = count_const(c, size), block = divide(c, at, of_size);
        from = add(c, mul(c, block, count), sub(c, at, mul(c, block, of_size)));
    } else {
        const ValueId some = emit(c, OP_Max, IN(count, count_const(c, 1)), NULL),
                      block = emit(c, OP_Min, IN(divide(c, at, some), count_const(c, blocks - 1)),
                                   NULL);
        from = add(c, sub(c, at, mul(c, block, some)), mul(c, block, count_const(c, size)));
        from = emit(c, OP_Min, IN(from, count_const(c, all - 1)), NULL);
    }
    const ValueId rows =
        reshape(c, r->in[0], 3, (int64_t[]){type_count(&t) / inner / all, all, inner});
    r->in[0] =
        reshape(c, emit(c, OP_Gather, IN(rows, from), ATTRS(ATTR_I("axis", 1))), t.rank, t.dims);
    counting_off(c, false);
    return ok(c);
}

/* [4, n, 8] as [4 n, 8] and back: the rows that count come to stand together, or apart. */
static bool rule_reshape_blocks(Rule *r, int64_t outer, int64_t inner)
{
    const Rows rows = rows_in(r, 0);
    const int64_t size = type_at(r, 0)->dims[rows.axis];
    const Attr *shape = attr_of(r, "shape");
    for (int d = 0; d < (int)shape->n && inner && size; d++) {
        const int64_t before = product(shape->ints, 0, d), is = shape->ints[d];
        if (product(shape->ints, d + 1, (int)shape->n) != inner || !before || !is)
            continue;
        const bool together = is > size && is % size == 0 && before * (is / size) == outer,
                   apart = is < size && size % is == 0 && outer * (size / is) == before;
        const ValueId factor = count_const(r->c, together ? is / size
                                                 : apart  ? size / is
                                                          : 1),
                      part = apart ? count_factor(r->c, rows.count, factor) : rows.count;
        if ((together && !counts_before(r, rows.axis) &&
             move_blocks(r, rows.axis, is / size, size, rows.count, false)))
            return keep(r, d, count_op(r->c, OP_Mul, rows.count, factor));
        if (apart && has_value(part) && move_blocks(r, rows.axis, size / is, is, part, true))
            return keep(r, d, part);
    }
    return false;
}

/* The rows stay as they are, or, where nothing stands before them, become several or parts: [n, 4] as [4 n]. */
static bool rule_reshape(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    const TensorType *t = type_at(r, 0);
    const Attr *shape = attr_of(r, "shape");
    const int rank = (int)shape->n;
    const int64_t outer = product(t->dims, 0, rows.axis), size = t->dims[rows.axis],
                  inner = product(t->dims, rows.axis + 1, t->rank);
    for (int d = 0; d < rank; d++)
        if (shape->ints[d] == size && product(shape->ints, 0, d) == outer &&
            product(shape->ints, d + 1, rank) == inner)
            return keep(r, d, rows.count);
    if (rule_reshape_blocks(r, outer, inner))
        return true;
    int axis = 0;
    while (axis < rank && shape->ints[axis] == 1)
        axis++;
    const int64_t part = axis < rank ? product(shape->ints, axis + 1, rank) : 0;
    if (outer != 1 || part == 0 || inner == 0 || r->all[0].n > 1)
        return refuse_dependent_rows(r->c, "they would not stand together");
    ValueId count = rows.count;
    if (inner != 1)
        count = count_op(r->c, OP_Mul, count, count_const(r->c, inner));
    if (part != 1)
        count = count_op(r->c, OP_Div, count, count_const(r->c, part));
    return keep(r, axis, count);
}

static bool rule_transpose(Rule *r)
{
    const int64_t *perm = list_of(r, "perm");
    for (int d = 0; d < type_at(r, 0)->rank; d++)
        if (perm[d] == rows_in(r, 0).axis)
            return keep(r, d, rows_in(r, 0).count);
    return false;
}

static bool rule_expand(Rule *r)
{
    const Attr *shape = attr_of(r, "shape");
    const int axis = rows_in(r, 0).axis + (int)shape->n - type_at(r, 0)->rank;
    if (shape->ints[axis] != type_at(r, 0)->dims[rows_in(r, 0).axis])
        return refuse_dependent_rows(r->c, "one of them cannot be repeated");
    return keep(r, axis, rows_in(r, 0).count);
}

/* Along every axis but that of the rows the result is as before. */
static bool rule_slice(Rule *r)
{
    const int axis = rows_in(r, 0).axis;
    return keep_if(r,
                   list_of(r, "starts")[axis] == 0 && list_of(r, "steps")[axis] == 1 &&
                       list_of(r, "sizes")[axis] == type_at(r, 0)->dims[axis],
                   "a part of them cannot be taken like this");
}

static bool rule_pad(Rule *r)
{
    const int axis = rows_in(r, 0).axis, rank = type_at(r, 0)->rank;
    const int64_t *pads = list_of(r, "pads");
    return keep_if(r, !pads[axis] && !pads[rank + axis], "nothing can be padded to them");
}

static bool rule_tile(Rule *r)
{
    return keep_if(r, list_of(r, "repeats")[rows_in(r, 0).axis] == 1, "they cannot be repeated");
}

static bool rule_split(Rule *r)
{
    return keep_if(r, int_of(r, "axis", 0) != rows_in(r, 0).axis, "they cannot be split");
}

/* One part after the other, each where the rows that count end before it. */
static bool join_rows(Rule *r, int axis)
{
    OnnxNode *c = r->c;
    ValueId joined = r->in[0], count = rows_in(r, 0).count;
    int64_t known = type_at(r, 0)->dims[axis]; /* as long as no part has a count */
    counting_off(c, true);
    for (uint32_t k = 1; k < r->n_in && ok(c); k++) {
        const int64_t size = type_at(r, k)->dims[axis];
        const Attr *attrs = ATTRS(ATTR_I("axis", axis));
        joined = has_value(count) ? emit(c, OP_AppendRows, IN(joined, r->in[k], count), attrs)
                                  : emit(c, OP_Concat, IN(joined, r->in[k]), attrs);
        if (has_value(count))
            count = dependent(r, k) ? count_sum(c, count, rows_in(r, k).count)
                                    : count_plus(c, count, size);
        else if (dependent(r, k))
            count = count_plus(c, rows_in(r, k).count, known);
        known += size;
    }
    counting_off(c, false);
    if (failed(c))
        return false;
    /* What is left for the Concat is one operand. */
    r->in[0] = joined;
    r->n_in = 1;
    return keep(r, axis, count);
}

static bool rule_concat(Rule *r)
{
    const int axis = (int)int_of(r, "axis", 0);
    Rows all = {.count = NO_VALUE};
    bool joins = false;
    for (uint32_t k = 0; k < r->n_in; k++) {
        if (!dependent(r, k))
            continue;
        const Rows rows = rows_in(r, k);
        joins = joins || rows.axis == axis;
        if (has_value(all.count) &&
            (rows.axis != all.axis || (rows.axis != axis && !same_value(rows.count, all.count))))
            return refuse_mixed(r);
        all = rows;
    }
    if (joins)
        return join_rows(r, axis);
    for (uint32_t k = 0; k < r->n_in; k++)
        if (!dependent(r, k))
            return refuse_mixed(r);
    return keep(r, all.axis, all.count);
}

/* Whether no index is negative: those count from the last row, which is not where it seems to be. */
static bool not_negative(const Graph *g, ValueId v, int steps)
{
    const Value *row = value_at(g, v);
    const Node *n = def_of(g, v);
    if (row->data) {
        for (int64_t i = 0; i < type_count(&row->type); i++)
            if (elem_i64(row->type.dtype, row->data, (size_t)i) < 0)
                return false;
        return true;
    }
    if (!n || steps == 0)
        return false;
    if (op_has(n->op, TRAIT_NOT_NEGATIVE) || (n->op == OP_TopK && row->def_out == 1))
        return true;
    if (!op_has(n->op, TRAIT_KEEPS_SIGN))
        return false;
    const bool many = op_info(n->op)->max_in < 0;
    for (uint32_t k = 0; k < (many ? n->n_in : 1); k++)
        if (!not_negative(g, n->in[k], many ? steps / 2 : steps - 1))
            return false;
    return true;
}

/* Operand 1 points at rows of operand 0: indices that count from the end become what they mean. */
static bool point_at_rows(Rule *r)
{
    enum { STEPS = 32 };
    OnnxNode *c = r->c;
    if (not_negative(c->g, r->in[1], STEPS))
        return true;
    counting_off(c, true);
    const ValueId i = cast(c, r->in[1], DT_I64);
    r->in[1] = emit(
        c, OP_Where,
        IN(emit(c, OP_Less, IN(i, count_const(c, 0)), NULL), add(c, i, rows_in(r, 0).count), i),
        NULL);
    counting_off(c, false);
    return ok(c);
}

static bool rule_gather(Rule *r)
{
    const int axis = (int)int_of(r, "axis", 0);
    const Rows data = rows_in(r, 0);
    const int indices = type_at(r, 1)->rank;
    if (dependent(r, 0) && data.axis == axis && !point_at_rows(r))
        return false;
    if (dependent(r, 1))
        return keep(r, axis + rows_in(r, 1).axis, rows_in(r, 1).count);
    if (data.axis == axis)
        return true;
    return keep(r, data.axis < axis ? data.axis : data.axis - 1 + indices, data.count);
}

static bool rule_gather_elements(Rule *r)
{
    const int axis = (int)int_of(r, "axis", 0);
    if (dependent(r, 0)) {
        const Rows data = rows_in(r, 0), index = rows_in(r, 1);
        if (data.axis == axis) {
            if (!point_at_rows(r))
                return false;
        } else if (!dependent(r, 1) || index.axis != data.axis ||
                   !same_value(index.count, data.count))
            return refuse_mixed(r);
    }
    r->out = rows_in(r, 1);
    return true;
}

static bool rule_gather_nd(Rule *r)
{
    const int batch = (int)int_of(r, "batch_dims", 0);
    const TensorType *indices = type_at(r, 1);
    const int length = (int)indices->dims[indices->rank - 1];
    if (dependent(r, 1) && (rows_in(r, 1).axis < batch || rows_in(r, 1).axis == indices->rank - 1))
        return refuse_dependent_rows(r->c, "indices may not have one along this axis");
    if (!dependent(r, 0)) {
        r->out = rows_in(r, 1);
        return true;
    }
    const Rows data = rows_in(r, 0);
    if (data.axis < batch)
        return refuse_dependent_rows(r->c, "they cannot be a batch");
    if (data.axis >= batch + length)
        return keep(r, indices->rank - 1 + data.axis - batch - length, data.count);
    if (!not_negative(r->c->g, r->in[1], 32))
        return refuse_dependent_rows(r->c, "its indices may be negative");
    r->out = rows_in(r, 1);
    return true;
}

/* Updates that change nothing where rows do not count. */
static bool rule_scatter(Rule *r)
{
    const Attr *reduction = attr_of(r, "reduction");
    const char *how = reduction ? reduction->s : "none";
    if (dependent(r, 0) || !dependent(r, 1) || !dependent(r, 2) ||
        rows_in(r, 1).axis != rows_in(r, 2).axis ||
        !same_value(rows_in(r, 1).count, rows_in(r, 2).count))
        return refuse_mixed(r);
    if (!strcmp(how, "none"))
        return refuse_dependent_rows(r->c, "it would write more than those that count");
    mask(r, 2,
         !strcmp(how, "mul")   ? NEUTRAL_ONE
         : !strcmp(how, "max") ? NEUTRAL_LOWEST
         : !strcmp(how, "min") ? NEUTRAL_HIGHEST
                               : NEUTRAL_ZERO);
    return true;
}

static bool rule_one_hot(Rule *r)
{
    if (!only_first(r))
        return false;
    const int axis = rows_in(r, 0).axis;
    return keep(r, axis < int_of(r, "axis", 0) ? axis : axis + 1, rows_in(r, 0).count);
}

/* --- along axes ------------------------------------------------------------------------------------------------------- */

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

static bool rule_reduce(Rule *r)
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

static bool rule_arg(Rule *r)
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
static bool rule_top_k(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    if (rows.axis != int_of(r, "axis", 0))
        return keep(r, rows.axis, rows.count);
    mask(r, 0, int_of(r, "largest", 1) ? NEUTRAL_LOWEST : NEUTRAL_HIGHEST);
    return keep(r, rows.axis,
                count_op(r->c, OP_Min, rows.count, count_const(r->c, int_of(r, "k", 0))));
}

static bool rule_softmax(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    if (rows.axis >= int_of(r, "axis", 0) && rows.axis < int_of(r, "axis_end", 0))
        mask(r, 0, NEUTRAL_LOWEST);
    return keep(r, rows.axis, rows.count);
}

static bool rule_cum_sum(Rule *r)
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

static bool rule_matmul(Rule *r)
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
static bool rule_gemm(Rule *r)
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
static bool rule_images(Rule *r)
{
    return only_first(r) && keep_if(r, rows_in(r, 0).axis == 0, "only the number of images may");
}

/* Over the dimensions from an axis on. */
static bool rule_inner_norm(Rule *r)
{
    return only_first(r) &&
           keep_if(r, rows_in(r, 0).axis < int_of(r, "axis", 0), "a norm over them");
}

static bool rule_lp_norm(Rule *r)
{
    const Rows rows = rows_in(r, 0);
    if (rows.axis == int_of(r, "axis", 0))
        mask(r, 0, NEUTRAL_ZERO);
    return keep(r, rows.axis, rows.count);
}

static bool rule_quantise(Rule *r)
{
    return only_first(r) && keep_if(r, type_count(type_at(r, 1)) == 1, "scales along an axis");
}

/* src is the same for all regions. */
static bool rule_regions(Rule *r)
{
    if (dependent(r, 0) || !dependent(r, 1) || rows_in(r, 1).axis != 0)
        return refuse_dependent_rows(r->c, "only the number of regions may");
    if (r->n_in > 2 && (!dependent(r, 2) || !same_value(rows_in(r, 1).count, rows_in(r, 2).count)))
        return refuse_mixed(r);
    return keep(r, 0, rows_in(r, 1).count);
}

/* Boxes that do not count have no score. */
static bool rule_non_max_suppression(Rule *r)
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
static bool rule_non_zero(Rule *r)
{
    mask(r, 0, NEUTRAL_ZERO);
    return true;
}

static bool rule_unique(Rule *r)
{
    return refuse_dependent_rows(r->c, "what is the same as the others cannot be told");
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
            return ok(c) ? refuse_dependent_rows(c, "it cannot be computed") : false;
        if (!has_value(r.out.count))
            continue;
        if (out->n == MAX_ROWS)
            return refuse_dependent_rows(c, "the result would have too many");
        out->at[out->n++] = r.out;
    }
    *n_in = r.n_in;
    return true;
}
