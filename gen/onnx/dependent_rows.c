/* Rows whose number depends on data. A value that has some has the capacity for all there can be; those that count stand first, and an i64
 * scalar counts them. This table says of which values that is so. What stands behind the rows that count may be anything: it is masked
 * where it would be looked at (mask_rows), and never shows. */
#include "dependent_rows.h"

#include "../eval/eltwise.h"

#include <math.h>

typedef struct Bound {
    ValueId count;
    int64_t most;
} Bound;

/* What was computed from others: asked for again, it is the same value, so that equal counts are seen to be equal. */
typedef struct Computed {
    Op op; /* OP_Cast: operand 0 as an i64 scalar; OP_NonZero: where its elements are */
    ValueId in[2], out;
} Computed;

typedef struct Constant {
    int64_t number;
    ValueId value;
} Constant;

typedef struct DependentRows {
    RowsList *rows; /* by value id */
    size_t n, cap;
    Bound *bounds; /* of the counts in use */
    size_t n_bounds, cap_bounds;
    Computed *computed;
    size_t n_computed, cap_computed;
    Constant *constants;
    size_t n_constants, cap_constants;
    int off; /* > 0: nodes that are made are about all rows */
} DependentRows;

RowsList rows_of(const Import *im, ValueId v)
{
    const DependentRows *t = im->dependent_rows;
    return t && v.i < t->n ? t->rows[v.i] : (RowsList){0};
}

ValueId rows_along(const Import *im, ValueId v, int axis)
{
    const RowsList rows = rows_of(im, v);
    for (uint32_t i = 0; i < rows.n; i++)
        if (rows.at[i].axis == axis)
            return rows.at[i].count;
    return NO_VALUE;
}

static DependentRows *table_of(Import *im)
{
    if (!im->dependent_rows)
        im->dependent_rows = ARENA_NEW(im->g->arena, DependentRows);
    return im->dependent_rows;
}

static const Bound *bound_of(const Import *im, ValueId count)
{
    const DependentRows *t = im->dependent_rows;
    for (size_t i = 0; t && i < t->n_bounds; i++)
        if (same_value(t->bounds[i].count, count))
            return &t->bounds[i];
    return NULL;
}

void set_bound(Import *im, ValueId count, int64_t most)
{
    DependentRows *t = table_of(im);
    ARENA_PUSH(im->g->arena, t->bounds, t->n_bounds, t->cap_bounds, (Bound){count, most});
}

void set_rows(Import *im, ValueId v, Rows rows)
{
    Arena *arena = im->g->arena;
    DependentRows *t = table_of(im);
    while (t->n <= v.i) {
        ARENA_PUSH(arena, t->rows, t->n, t->cap, (RowsList){0});
    }
    RowsList *all = &t->rows[v.i];
    uint32_t k = 0;
    while (k < all->n && all->at[k].axis != rows.axis)
        k++;
    if (k == MAX_ROWS) {
        refuse_graph(im->g, "a value has data-dependent rows along more than %d dimensions",
                     MAX_ROWS);
        return;
    }
    all->at[k] = rows;
    all->n += k == all->n;
    if (!bound_of(im, rows.count))
        set_bound(im, rows.count, type_of(im->g, v)->dims[rows.axis]);
}

/* NULL if op has not been computed of these. */
static const Computed *find_computed(const DependentRows *t, Op op, ValueId a, ValueId b)
{
    for (size_t i = 0; i < t->n_computed; i++)
        if (t->computed[i].op == op && same_value(t->computed[i].in[0], a) &&
            same_value(t->computed[i].in[1], b))
            return &t->computed[i];
    return NULL;
}

static void remember(OnnxNode *c, Op op, ValueId a, ValueId b, ValueId out)
{
    DependentRows *t = table_of(c->im);
    ARENA_PUSH(c->arena, t->computed, t->n_computed, t->cap_computed, (Computed){op, {a, b}, out});
}

void counting_off(OnnxNode *c, bool off)
{
    table_of(c->im)->off += off ? 1 : -1;
}

bool refuse_dependent_rows(OnnxNode *c, const char *why)
{
    return refuse_onnx(c, "an operand has a number of rows that depends on data: %s", why);
}

void move_rows(OnnxNode *c, int from, int to)
{
    const ValueId count = rows_along(c->im, in_at(c, 0), from);
    if (ok(c) && has_value(count))
        set_rows(c->im, c->out[0].value, (Rows){to, count});
}

bool non_zero(OnnxNode *c, ValueId v, ValueId *where, ValueId *count)
{
    ValueId out[2];
    const Computed *known = find_computed(table_of(c->im), OP_NonZero, v, NO_VALUE);
    if (!known) {
        if (!emit_all(c, 2, OP_NonZero, IN(v), NULL, out))
            return false;
        remember(c, OP_NonZero, v, NO_VALUE, out[0]);
        set_rows(c->im, out[0], (Rows){1, out[1]});
    }
    *where = known ? known->out : out[0];
    *count = rows_along(c->im, *where, 1);
    return true;
}

bool finish_dependent_rows(OnnxNode *c, uint32_t k, ValueId v, RowsList rows)
{
    for (uint32_t i = 0; ok(c) && i < rows.n; i++)
        set_rows(c->im, v, rows.at[i]);
    return alias(c, k, v);
}

/* --- what takes operands with data-dependent rows -------------------------------------------------------------------------------- */

bool check_dependent_rows(OnnxNode *c)
{
    const bool takes_it =
        c->row->rows == ROWS_TAKEN || (c->row->rows == ROWS_BY_RULE && has_rows_rule(c->row->op));
    for (uint32_t k = 0; k < c->n_in && !takes_it; k++) {
        const Item *item = &c->in[k];
        if (item->kind == ITEM_VALUE && has_dependent_rows(c->im, item->value))
            return refuse_dependent_rows(c, "this operator is not supported on such");
        for (size_t i = 0; item->kind == ITEM_LIST && i < item->list->n; i++)
            if (has_dependent_rows(c->im, item->list->values[i]))
                return refuse_dependent_rows(c, "this operator is not supported on such");
    }
    return true;
}

bool count_results(OnnxNode *c, Op op, ValueId *in, size_t *n_in, const Attr *attrs, RowsList *out)
{
    *out = (RowsList){0};
    if (c->im->dependent_rows->off)
        return true;
    for (size_t k = 0; k < *n_in; k++)
        if (has_dependent_rows(c->im, in[k]))
            return count_by_rule(c, op, in, n_in, attrs, out) && ok(c);
    return true;
}

/* --- numbers ---------------------------------------------------------------------------------------------------------- */

static const int64_t far = (int64_t)1 << 40; /* more than any dimension */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

enum { MAX_STEPS = 64 }; /* nodes between a number and what it is made of */

static int64_t upper(OnnxNode *c, ValueId v, int64_t i, int steps);
/* What a sum is made of: a count, NO_VALUE if there is none, and a number that is known. */
typedef struct Sum {
    ValueId count;
    int64_t more;
} Sum;

static bool sum_of(OnnxNode *c, ValueId v, int64_t i, Sum *s, int steps);

/* Where element i of a node's result comes from; false if it is computed. */
static bool moved_from(const Graph *g, const Node *n, int64_t i, ValueId *from, int64_t *at)
{
    *from = n->n_in ? n->in[0] : NO_VALUE;
    *at = i;
    if (n->op == OP_Reshape || n->op == OP_Cast)
        return true;
    if (n->op == OP_Expand && type_count(type_of(g, *from)) == 1) {
        *at = 0;
        return true;
    }
    if (type_of(g, n->out[0])->rank > 1 || !has_value(*from) || type_of(g, *from)->rank != 1)
        return false;
    if (n->op == OP_Slice) {
        *at = attr_ints(n, "starts", NULL)[0] + i * attr_ints(n, "steps", NULL)[0];
        return true;
    }
    if (n->op == OP_Gather && value_at(g, n->in[1])->data) {
        const int64_t size = type_of(g, *from)->dims[0];
        *at = elem_i64(type_of(g, n->in[1])->dtype, value_at(g, n->in[1])->data, (size_t)i);
        *at += *at < 0 ? size : 0;
        return *at >= 0 && *at < size;
    }
    for (uint32_t k = 0; n->op == OP_Concat && k < n->n_in; k++) {
        const int64_t size = type_of(g, n->in[k])->dims[0];
        *from = n->in[k];
        if (*at < size)
            return true;
        *at -= size;
    }
    return false;
}

/* Of two operands; INT64_MAX: not known. Lower bounds are 0, since it is about counts. */
static int64_t upper_of_pair(Op op, int64_t a, int64_t b)
{
    const double x = a == INT64_MAX ? INFINITY : (double)a,
                 y = b == INT64_MAX ? INFINITY : (double)b;
    double most;
    if (!op_has(op, TRAIT_MONOTONE))
        return INT64_MAX;
    compute_f64(op, &(ParamsF64){0}, &x, &y, &most, 1);
    return most <= (double)far ? (int64_t)most
                               : INT64_MAX; /* nor is 0 times an unknown number known */
}

static int64_t upper(OnnxNode *c, ValueId v, int64_t i, int steps)
{
    const Graph *g = c->g;
    const Value *row = value_at(g, v);
    const Bound *bound = bound_of(c->im, v);
    if (row->data)
        return elem_i64(row->type.dtype, row->data, (size_t)i);
    if (bound)
        return bound->most;
    const Node *n = def_of(g, v);
    ValueId from;
    int64_t at;
    if (!n || steps == 0 || dtype_is_float(row->type.dtype) || row->type.dtype == DT_BOOL)
        return INT64_MAX;
    if (moved_from(g, n, i, &from, &at))
        return upper(c, from, at, steps - 1);
    if (n->op == OP_ReduceMin && type_of(g, n->in[0])->rank == 1 && type_count(&row->type) == 1) {
        int64_t most = INT64_MAX;
        for (int64_t k = 0; k < type_of(g, n->in[0])->dims[0] && k < MAX_RANK; k++)
            most = least(most, upper(c, n->in[0], k, steps / 2));
        return most;
    }
    if (n->n_in != 2 || type_count(type_of(g, n->in[0])) != 1 ||
        type_count(type_of(g, n->in[1])) != 1)
        return INT64_MAX;
    return upper_of_pair(n->op, upper(c, n->in[0], 0, steps / 2), upper(c, n->in[1], 0, steps / 2));
}

static ValueId sum_value(OnnxNode *c, Sum s)
{
    return !has_value(s.count) ? count_const(c, s.more)
           : s.more == 0       ? s.count
                               : count_op(c, OP_Add, s.count, count_const(c, s.more));
}

/* The lesser or larger of two, which may be known to be one of them. */
static bool sum_of_extreme(OnnxNode *c, Op op, Sum a, Sum b, Sum *s)
{
    if (!has_value(a.count)) {
        const Sum swapped = a;
        a = b;
        b = swapped;
    }
    const int64_t most = has_value(a.count) ? upper(c, a.count, 0, MAX_STEPS) : 0;
    const bool a_less = !has_value(b.count) && most != INT64_MAX && most + a.more <= b.more;
    if (a_less)
        *s = op == OP_Min ? a : b;
    else
        *s = (Sum){count_op(c, op, sum_value(c, a), sum_value(c, b)), 0};
    return a_less || has_value(a.count);
}

/* A count times a number that is known. */
static bool sum_of_product(OnnxNode *c, Sum a, Sum b, Sum *s)
{
    const bool swapped = !has_value(a.count);
    const Sum count = swapped ? b : a, number = swapped ? a : b;
    if (has_value(number.count) || (has_value(count.count) && count.more != 0))
        return false;
    *s = has_value(count.count)
             ? (Sum){count_op(c, OP_Mul, count.count, count_const(c, number.more)), 0}
             : (Sum){NO_VALUE, count.more * number.more};
    return true;
}

static bool sum_of_pair(OnnxNode *c, const Node *n, int64_t i, Sum *s, int steps)
{
    Sum x[2];
    const Op op = n->op;
    const ValueId in[2] = {n->in[0], n->in[1]}; /* nodes may move */
    for (int k = 0; k < 2; k++) {
        const TensorType *t = type_of(c->g, in[k]);
        if (t->rank > 1 || !sum_of(c, in[k], type_count(t) == 1 ? 0 : i, &x[k], steps / 2))
            return false;
    }
    if (op == OP_Min || op == OP_Max)
        return sum_of_extreme(c, op, x[0], x[1], s);
    if (op == OP_Mul)
        return sum_of_product(c, x[0], x[1], s);
    *s = (Sum){x[0].count, op == OP_Add ? x[0].more + x[1].more : x[0].more - x[1].more};
    if (!has_value(x[1].count))
        return true;
    if (op == OP_Sub && same_value(x[0].count, x[1].count))
        s->count = NO_VALUE;
    else if (op == OP_Sub && has_value(x[0].count))
        s->count = count_op(c, OP_Sub, x[0].count, x[1].count);
    else if (op == OP_Sub)
        return false;
    else if (!has_value(x[0].count))
        s->count = x[1].count;
    else
        s->count = x[0].count.i < x[1].count.i ? count_op(c, OP_Add, x[0].count, x[1].count)
                                               : count_op(c, OP_Add, x[1].count, x[0].count);
    return true;
}

/* Element i of v as a sum, whose count is the same i64 scalar wherever sums are of the same counts. False: v is computed otherwise. */
static bool sum_of(OnnxNode *c, ValueId v, int64_t i, Sum *s, int steps)
{
    ValueId from;
    int64_t at;
    for (; steps > 0; steps--) {
        const Value *row = value_at(c->g, v);
        const Node *n = def_of(c->g, v);
        if (row->data) {
            const double number = elem_f64(row->type.dtype, row->data, (size_t)i);
            *s = (Sum){NO_VALUE, elem_i64(row->type.dtype, row->data, (size_t)i)};
            return !dtype_is_float(row->type.dtype) || number == (double)s->more;
        }
        if (n && n->n_in == 2 &&
            (n->op == OP_Add || n->op == OP_Sub || n->op == OP_Mul || n->op == OP_Min ||
             n->op == OP_Max) &&
            sum_of_pair(c, n, i, s, steps))
            return true;
        n = def_of(c->g, v);
        if (!n || !moved_from(c->g, n, i, &from, &at))
            break;
        v = from;
        i = at;
    }
    const TensorType *t = type_of(c->g, v);
    *s = (Sum){t->dtype == DT_I64 && t->rank == 0 ? v : NO_VALUE, 0};
    if (!has_value(s->count) && (t->dtype == DT_I64 || t->dtype == DT_I32) && type_count(t) == 1)
        s->count = count_op(c, OP_Cast, v, NO_VALUE);
    return has_value(s->count);
}

ValueId count_sum(OnnxNode *c, ValueId a, ValueId b)
{
    return count_plus(c, count_op(c, OP_Add, a, b), 0);
}

ValueId count_plus(OnnxNode *c, ValueId count, int64_t more)
{
    Sum s;
    if (!sum_of(c, count, 0, &s, MAX_STEPS))
        return NO_VALUE;
    s.more += more;
    return sum_value(c, s);
}

bool number_at(OnnxNode *c, ValueId v, int64_t i, Number *n)
{
    Sum s;
    if (!sum_of(c, v, i, &s, MAX_STEPS))
        return false;
    const int64_t most = has_value(s.count) ? upper(c, s.count, 0, MAX_STEPS) : 0;
    if (has_value(s.count) && (most == INT64_MAX || s.more < 0))
        return false;
    *n = (Number){most + s.more, has_value(s.count) ? sum_value(c, s) : NO_VALUE};
    return ok(c);
}

bool count_difference(OnnxNode *c, Number a, Number b, int64_t *more)
{
    Sum from, to;
    if (!sum_of(c, number_value(c, a), 0, &from, MAX_STEPS) ||
        !sum_of(c, number_value(c, b), 0, &to, MAX_STEPS))
        return false;
    *more = to.more - from.more;
    return ok(c) && same_value(from.count, to.count);
}

const Number *input_numbers(OnnxNode *c, uint32_t k, const char *what, size_t *n)
{
    *n = 0;
    if (!has_in(c, k) || known(c, k) || !c->im->dependent_rows) {
        const int64_t *ints = known_ints(c, k, what, n);
        Number *numbers = ARENA_ARRAY(c->arena, Number, *n + 1);
        for (size_t i = 0; ints && i < *n; i++)
            numbers[i] = (Number){ints[i], NO_VALUE};
        return ints ? numbers : NULL;
    }
    const ValueId v = in_at(c, k);
    const int64_t count = has_value(v) ? type_count(type_of(c->g, v)) : 0;
    if (count > MAX_RANK) {
        refuse_onnx(c, "input %u (%s) is too long", k, what);
        return NULL;
    }
    Number *numbers = ARENA_ARRAY(c->arena, Number, (size_t)count + 1);
    for (int64_t i = 0; i < count && ok(c); i++)
        if (!number_at(c, v, i, &numbers[i])) {
            size_t length;
            known_ints(c, k, what, &length); /* refuses */
            return NULL;
        }
    *n = (size_t)count;
    return ok(c) ? numbers : NULL;
}

const int64_t *most_of(OnnxNode *c, const Number *numbers, size_t n)
{
    int64_t *most = ARENA_ARRAY(c->arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        most[i] = numbers[i].most;
    return most;
}

/* --- nodes about rows --------------------------------------------------------------------------------------------------- */

ValueId count_const(OnnxNode *c, int64_t v)
{
    DependentRows *t = table_of(c->im);
    for (size_t i = 0; i < t->n_constants; i++)
        if (t->constants[i].number == v)
            return t->constants[i].value;
    const ValueId value = const_integer(c, DT_I64, v);
    ARENA_PUSH(c->arena, t->constants, t->n_constants, t->cap_constants, (Constant){v, value});
    return value;
}

ValueId number_value(OnnxNode *c, Number n)
{
    return has_value(n.value) ? n.value : count_const(c, n.most);
}

ValueId count_op(OnnxNode *c, Op op, ValueId a, ValueId b)
{
    const Computed *known = find_computed(table_of(c->im), op, a, b);
    if (known)
        return known->out;
    counting_off(c, true);
    const ValueId v =
        op == OP_Cast ? cast(c, reshape(c, a, 0, NULL), DT_I64) : emit(c, op, IN(a, b), NULL);
    counting_off(c, false);
    remember(c, op, a, b, v);
    return v;
}

ValueId count_factor(OnnxNode *c, ValueId count, ValueId factor)
{
    const DependentRows *t = table_of(c->im);
    for (size_t i = 0; i < t->n_computed; i++)
        if (t->computed[i].op == OP_Mul && same_value(t->computed[i].out, count) &&
            same_value(t->computed[i].in[1], factor))
            return t->computed[i].in[0];
    return NO_VALUE;
}

ValueId count_up(OnnxNode *c, int64_t n)
{
    if (failed(c) || !onnx_claim(c->im, (size_t)n * sizeof(int64_t)))
        return NO_VALUE;
    int64_t *v = ARENA_ARRAY(c->arena, int64_t, (size_t)n + 1);
    for (int64_t i = 0; i < n; i++)
        v[i] = i;
    return emit_const(c, type_make(DT_I64, 1, &n), v);
}

static ValueId neutral_element(OnnxNode *c, DType t, Neutral neutral)
{
    const bool high = neutral == NEUTRAL_HIGHEST;
    if (neutral == NEUTRAL_ZERO || neutral == NEUTRAL_ONE)
        return const_scalar(c, t, neutral == NEUTRAL_ONE);
    if (!dtype_is_float(t))
        return const_integer(c, t, high ? dtype_highest(t) : dtype_lowest(t));
    return const_scalar(c, t, neutral == NEUTRAL_NAN ? (double)NAN : high ? INFINITY : -INFINITY);
}

ValueId mask_rows(OnnxNode *c, ValueId v, Rows rows, Neutral neutral)
{
    if (failed(c) || !has_value(rows.count))
        return v;
    const TensorType t = *type_of(c->g, v);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < t.rank; d++)
        dims[d] = d == rows.axis ? t.dims[d] : 1;
    counting_off(c, true);
    ValueId counts = emit(c, OP_Less, IN(count_up(c, t.dims[rows.axis]), rows.count), NULL);
    v = emit(c, OP_Where,
             IN(reshape(c, counts, t.rank, dims), v, neutral_element(c, t.dtype, neutral)), NULL);
    counting_off(c, false);
    return v;
}
