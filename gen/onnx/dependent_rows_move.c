/* Data-dependent rows of operators that move elements: which of the results they become. */
#include "dependent_rows_rule.h"

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
bool rule_reshape(Rule *r)
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

bool rule_transpose(Rule *r)
{
    const int64_t *perm = list_of(r, "perm");
    for (int d = 0; d < type_at(r, 0)->rank; d++)
        if (perm[d] == rows_in(r, 0).axis)
            return keep(r, d, rows_in(r, 0).count);
    return false;
}

bool rule_expand(Rule *r)
{
    const Attr *shape = attr_of(r, "shape");
    const int axis = rows_in(r, 0).axis + (int)shape->n - type_at(r, 0)->rank;
    if (shape->ints[axis] != type_at(r, 0)->dims[rows_in(r, 0).axis])
        return refuse_dependent_rows(r->c, "one of them cannot be repeated");
    return keep(r, axis, rows_in(r, 0).count);
}

/* Along every axis but that of the rows the result is as before. */
bool rule_slice(Rule *r)
{
    const int axis = rows_in(r, 0).axis;
    return keep_if(r,
                   list_of(r, "starts")[axis] == 0 && list_of(r, "steps")[axis] == 1 &&
                       list_of(r, "sizes")[axis] == type_at(r, 0)->dims[axis],
                   "a part of them cannot be taken like this");
}

bool rule_pad(Rule *r)
{
    const int axis = rows_in(r, 0).axis, rank = type_at(r, 0)->rank;
    const int64_t *pads = list_of(r, "pads");
    return keep_if(r, !pads[axis] && !pads[rank + axis], "nothing can be padded to them");
}

bool rule_tile(Rule *r)
{
    return keep_if(r, list_of(r, "repeats")[rows_in(r, 0).axis] == 1, "they cannot be repeated");
}

bool rule_split(Rule *r)
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

bool rule_concat(Rule *r)
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

bool rule_gather(Rule *r)
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

bool rule_gather_elements(Rule *r)
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

bool rule_gather_nd(Rule *r)
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
bool rule_scatter(Rule *r)
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

bool rule_one_hot(Rule *r)
{
    if (!only_first(r))
        return false;
    const int axis = rows_in(r, 0).axis;
    return keep(r, axis < int_of(r, "axis", 0) ? axis : axis + 1, rows_in(r, 0).count);
}
