/* simplify: arithmetic and clips. */
#include "simplify.h"

#include "../common/util.h"

#include <math.h>
#include <string.h>

static bool same_type(const Simplify *s, ValueId v, const Node *n)
{
    return type_equal(type_of(s->g, v), type_of(s->g, n->out[0]));
}

static bool is_float(const Simplify *s, const Node *n)
{
    return dtype_is_float(type_of(s->g, n->out[0])->dtype);
}

/* Operand k if the other one is the neutral constant and does not enlarge the shape. */
static ValueId without_neutral(Simplify *s, const Node *n, uint32_t k, double neutral)
{
    double c;
    ValueId x = arg(s, n, k);
    if (splat_value(s->g, arg(s, n, 1 - k), &c) && c == neutral && same_type(s, x, n))
        return x;
    return NO_VALUE;
}

/* A constant that is the same for each image of a batch is there once where the model has variants, so that those of other batches read it, too. */
static ValueId without_repeats(Simplify *s, const Node *n)
{
    for (uint32_t k = 0; k < 2 && s->g->variants.n > 1; k++) {
        const ValueId v = arg(s, n, k), other = arg(s, n, 1 - k);
        const char *data = value_at(s->g, v)->data;
        TensorType t = *type_of(s->g, v);
        const size_t bytes = type_bytes(&t),
                     one = t.rank < 2 || t.dims[0] < 2 ? bytes : bytes / (size_t)t.dims[0];
        if (!is_const(s->g, v) || one == bytes || !same_type(s, other, n) ||
            memcmp(data, data + one, bytes - one))
            continue;
        t.dims[0] = 1;
        const ValueId c = graph_add_const(s->g, value_at(s->g, v)->name, t, data);
        return add_binary(s->g, n->op, n, k ? other : c, k ? c : other);
    }
    return NO_VALUE;
}

/* x + 0, x - 0, x * 1, x / 1; 1 / x is Reciprocal. */
ValueId simplify_arithmetic(Simplify *s, const Node *n)
{
    const double neutral = n->op == OP_Add || n->op == OP_Sub ? 0 : 1;
    ValueId v = without_neutral(s, n, 0, neutral);
    v = has_value(v) ? v : without_repeats(s, n);
    if (has_value(v) || n->op == OP_Sub || (n->op == OP_Div && !is_float(s, n)))
        return v;
    v = without_neutral(s, n, 1, neutral);
    return n->op == OP_Div ? add_unary(s->g, OP_Reciprocal, n, v) : v;
}

ValueId simplify_pow(Simplify *s, const Node *n)
{
    double e;
    ValueId x = arg(s, n, 0);
    if (!splat_value(s->g, arg(s, n, 1), &e) || !same_type(s, x, n) || !is_float(s, n))
        return NO_VALUE;
    if (e == 1)
        return x;
    if (e == 2)
        return add_binary(s->g, OP_Mul, n, x, x);
    if (e == 0.5 || e == -0.5)
        x = add_unary(s->g, OP_Sqrt, n, x);
    if (e == -1 || e == -0.5)
        x = add_unary(s->g, OP_Reciprocal, n, x);
    return e == 0.5 || e == -0.5 || e == -1 ? x : NO_VALUE;
}

/* The root of 1 / x is written as 1 / the root of x, as most do. */
ValueId simplify_sqrt(Simplify *s, const Node *n)
{
    const Node *inverse = arg_node(s, n, 0, OP_Reciprocal);
    if (!inverse || !arg_single(s, n, 0) || !is_float(s, n))
        return NO_VALUE;
    return add_unary(s->g, OP_Reciprocal, n, add_unary(s->g, OP_Sqrt, n, arg(s, inverse, 0)));
}

ValueId simplify_sum(Simplify *s, const Node *n)
{
    if (n->n_in == 1)
        return arg(s, n, 0);
    if (n->n_in == 2)
        return add_binary(s->g, OP_Add, n, arg(s, n, 0), arg(s, n, 1));
    return NO_VALUE;
}

/* What is left of a reduction over no axes: what it does with each element before and behind the sum. */
static ValueId reduce_nothing(Simplify *s, const Node *n, ValueId x)
{
    switch (n->op) {
    case OP_ReduceL1:
    case OP_ReduceL2:
        return add_unary(s->g, OP_Abs, n, x);
    case OP_ReduceLogSum:
        return add_unary(s->g, OP_Log, n, x);
    case OP_ReduceSumSquare:
        return add_binary(s->g, OP_Mul, n, x, x);
    default:
        return x;
    }
}

/* Reduction over no axes. Dimensions that are dropped are kept, and dropped by a Reshape, which may
 * meet its inverse further down. */
ValueId simplify_reduce(Simplify *s, const Node *n)
{
    size_t n_axes;
    const int64_t *axes = attr_ints(n, "axes", &n_axes);
    ValueId x = arg(s, n, 0);
    if (n_axes == 0)
        return reduce_nothing(s, n, x);
    if (attr_int(n, "keepdims", 1))
        return NO_VALUE;
    const Attr attrs[] = {ATTR_IS("axes", axes, n_axes), ATTR_I("keepdims", 1), ATTR_END};
    TensorType t = *type_of(s->g, n->out[0]);
    return add_reshape(s->g, n, graph_op(s->g, n->op, n, &x, 1, attrs), &t);
}

ValueId simplify_involution(Simplify *s, const Node *n)
{
    const Node *inner = arg_node(s, n, 0, n->op);
    return inner ? arg(s, inner, 0) : NO_VALUE;
}

ValueId simplify_idempotent(Simplify *s, const Node *n)
{
    return arg_node(s, n, 0, n->op) ? arg(s, n, 0) : NO_VALUE;
}

/* One slope for all. */
ValueId simplify_prelu(Simplify *s, const Node *n)
{
    double slope;
    ValueId x = arg(s, n, 0);
    if (!splat_value(s->g, arg(s, n, 1), &slope) || !is_float(s, n) || !same_type(s, x, n))
        return NO_VALUE;
    return graph_op(s->g, OP_LeakyRelu, n, &x, 1, (Attr[]){ATTR_F("alpha", slope), ATTR_END});
}

/* Constant weights of a product of few rows, stored column by column (as PyTorch's Linear does), are transposed now: the C
 * target then streams them row by row, and oneDNN packs them as it likes in any case. */
static ValueId transpose_weights(Simplify *s, const Node *n)
{
    enum { FEW_ROWS = 4 };
    ValueId w = arg(s, n, 1);
    const Value *v = value_at(s->g, w);
    if (!attr_int(n, "transB", 0) || v->kind != VALUE_CONST || v->type.dtype != DT_F32 ||
        !arg_single(s, n, 1) || type_of(s->g, n->out[0])->dims[0] > FEW_ROWS)
        return NO_VALUE;
    int64_t columns = v->type.dims[0], depth = v->type.dims[1];
    const float *from = v->data;
    float *to = ARENA_ARRAY(s->g->arena, float, (size_t)(columns * depth));
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < depth; i++)
            to[i * columns + j] = from[j * depth + i];
    const Attr attrs[] = {
        ATTR_F("alpha", attr_float(n, "alpha", 1)), ATTR_F("beta", attr_float(n, "beta", 1)),
        ATTR_I("transA", attr_int(n, "transA", 0)), ATTR_I("transB", 0), ATTR_END};
    ValueId transposed =
        graph_add_const(s->g, v->name, type_make(DT_F32, 2, (const int64_t[]){depth, columns}), to);
    return graph_op(s->g, OP_Gemm, n, (ValueId[]){arg(s, n, 0), transposed, arg(s, n, 2)}, 3,
                    attrs);
}

/* What a Gemm adds is split off unless it is one number per column: oneDNN knows only such a
 * bias, and a full matrix is a residual. */
ValueId simplify_gemm(Simplify *s, const Node *n)
{
    ValueId c = arg(s, n, 2), transposed = transpose_weights(s, n);
    if (has_value(transposed) || !has_value(c) || !is_float(s, n))
        return transposed;
    TensorType t = *type_of(s->g, c), out = *type_of(s->g, n->out[0]);
    bool per_column =
        t.rank >= 1 && type_count(&t) == out.dims[1] && t.dims[t.rank - 1] == out.dims[1];
    if (per_column || type_count(&out) == 0)
        return NO_VALUE;
    double beta = attr_float(n, "beta", 1);
    const Attr attrs[] = {ATTR_F("alpha", attr_float(n, "alpha", 1)), ATTR_F("beta", 1),
                          ATTR_I("transA", attr_int(n, "transA", 0)),
                          ATTR_I("transB", attr_int(n, "transB", 0)), ATTR_END};
    ValueId ab = graph_op(s->g, OP_Gemm, n, (ValueId[]){arg(s, n, 0), arg(s, n, 1)}, 2, attrs);
    if (has_value(ab) && beta != 1 && is_const(s->g, c)) {
        const Value *v = value_at(s->g, c);
        int64_t count = type_count(&t);
        double *scaled = ARENA_ARRAY(s->g->arena, double, (size_t)count);
        for (int64_t i = 0; i < count; i++)
            scaled[i] = beta * elem_f64(t.dtype, v->data, (size_t)i);
        c = make_const(s->g, v->name, t.dtype, t.rank, t.dims, scaled);
    } else if (has_value(ab) && beta != 1) {
        ValueId factor = make_const(s->g, "beta", t.dtype, 0, NULL, &beta);
        c = add_binary(s->g, OP_Mul, n, c, factor);
    }
    return add_binary(s->g, OP_Add, n, ab, c);
}

/* --- clips: Clip, Relu, Max and Min with a constant are one family ---------------------------- */

typedef struct Range {
    double min, max;
} Range;

static Range clip_range(const Node *n)
{
    return (Range){attr_float(n, "min", -INFINITY), attr_float(n, "max", INFINITY)};
}

static ValueId make_clip(Simplify *s, const Node *like, ValueId x, Range r)
{
    if (r.min == 0 && isinf(r.max))
        return graph_op(s->g, OP_Relu, like, &x, 1, NULL);
    const Attr attrs[] = {ATTR_F("max", r.max), ATTR_F("min", r.min), ATTR_END};
    return graph_op(s->g, OP_Clip, like, &x, 1, attrs);
}

static double clamp(double v, Range r)
{
    return v < r.min ? r.min : v > r.max ? r.max : v;
}

/* n clips to `outer`; if its operand is clipped already, one clip does both. */
static ValueId merge_clip(Simplify *s, const Node *n, Range outer)
{
    const Node *clip = arg_node(s, n, 0, OP_Clip), *relu = arg_node(s, n, 0, OP_Relu);
    if (!is_float(s, n) || (!clip && !relu))
        return NO_VALUE;
    Range inner = clip ? clip_range(clip) : (Range){0, INFINITY};
    if (inner.min >= outer.min && inner.max <= outer.max)
        return arg(s, n, 0);
    ValueId x = arg(s, clip ? clip : relu, 0);
    return make_clip(s, n, x, (Range){clamp(inner.min, outer), clamp(inner.max, outer)});
}

ValueId simplify_clip(Simplify *s, const Node *n)
{
    Range r = clip_range(n);
    if (r.min == -INFINITY && r.max == INFINITY)
        return arg(s, n, 0);
    ValueId merged = merge_clip(s, n, r);
    if (has_value(merged) || !is_float(s, n))
        return merged;
    if (r.min != 0 || r.max != INFINITY)
        return simplify_limited_steps(s, n);
    return make_clip(s, n, arg(s, n, 0), r);
}

ValueId simplify_relu(Simplify *s, const Node *n)
{
    return merge_clip(s, n, (Range){0, INFINITY});
}

ValueId simplify_min_max(Simplify *s, const Node *n)
{
    for (uint32_t k = 0; k < 2; k++) {
        double c;
        ValueId x = arg(s, n, k);
        if (!splat_value(s->g, arg(s, n, 1 - k), &c) || isnan(c) || !same_type(s, x, n) ||
            !is_float(s, n) || is_const(s->g, x))
            continue;
        return make_clip(s, n, x, n->op == OP_Max ? (Range){c, INFINITY} : (Range){-INFINITY, c});
    }
    return NO_VALUE;
}
