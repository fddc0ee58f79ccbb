/* Products of bytes in floats: QLinearConv, ConvInteger, QLinearMatMul and MatMulInteger. Bytes less their zero points are whole numbers, and a sum
 * of their products is exact in f32, in whatever order it is added up, as long as no sum of some of them leaves ±2^24. So the numbers are multiplied
 * as they are, scaled once and rounded once, as the operators are defined: had they been scaled before, a sum halfway between two steps would come out
 * on either side.
 *
 * Where the weights of a filter (a column of a matrix) allow more than 2^24, the channels of src are divided among several products, and their sums
 * are added as i32. A Round behind a single one changes nothing, but says that the sums are meant exactly: fold-scale-axis moves no scales past it, nor
 * past the Casts, and neither is put behind sums by Winograd's method (becomes_integers in gen/dnnl/describe_algorithm.c). */
#include "in_floats.h"

#include "../common/util.h"

#include <math.h>

enum { EXACT = 1 << 24, BYTE = UINT8_MAX };

/* Where an operator has its operands; 0: it has none of the kind. */
typedef struct Operands {
    uint32_t src_zero, weights, weights_zero, bias, dst_zero;
    bool conv;
} Operands;

typedef struct Exact {
    Graph *g;
    const Rewrite *rw;
    const Uses *uses;
    const Node *n;
    bool one; /* product, of all channels, in place of one that the model computes in floats */
    Operands in;
    ValueId src; /* f32: less the zero point */
    double low,
        high; /* of its values, or of how far they are apart where the zero point is not known */
    bool any_zero;
    double *w;    /* [filters, channels, taps], less their zero points */
    TensorType t; /* of the weights */
    int64_t filters, channels, taps;
} Exact;

static bool operands_of(Op op, Operands *in)
{
    switch (op) {
    case OP_QLinearConv:
        *in = (Operands){2, 3, 5, 8, 7, true};
        return true;
    case OP_QLinearMatMul:
        *in = (Operands){2, 3, 5, 0, 7, false};
        return true;
    case OP_ConvInteger:
        *in = (Operands){2, 1, 3, 0, 0, true};
        return true;
    case OP_MatMulInteger:
        *in = (Operands){2, 1, 3, 0, 0, false};
        return true;
    default:
        return false;
    }
}

static ValueId operand(const Exact *x, uint32_t k)
{
    return k < x->n->n_in && has_value(x->n->in[k]) ? resolved_in(x->rw, x->n, k) : NO_VALUE;
}

static double number_in(const Exact *x, uint32_t k, int64_t i)
{
    ValueId v = k ? operand(x, k) : NO_VALUE;
    const int64_t count = has_value(v) ? type_count(type_of(x->g, v)) : 0;
    return count ? const_number(x->g, v, count == 1 ? 0 : i) : 0;
}

/* Absent, one number or, where `rows` are, one for each of them. */
static bool is_constant(const Exact *x, uint32_t k, int64_t rows)
{
    const ValueId v = operand(x, k);
    const int64_t count = has_value(v) ? type_count(type_of(x->g, v)) : 1;
    return !has_value(v) || (is_const(x->g, v) && (count == 1 || count == rows));
}

/* All that is not src, and not the zero point of src where that is added to no sum. */
static bool read_operands(Exact *x)
{
    const ValueId weights = operand(x, x->in.weights);
    x->t = *type_of(x->g, weights);
    if (!is_const(x->g, weights) || type_count(&x->t) == 0 || (!x->in.conv && x->t.rank != 2))
        return false;
    x->filters = x->t.dims[!x->in.conv];
    x->channels = x->t.dims[x->in.conv];
    x->taps = dims_product(&x->t, 2, x->t.rank);
    for (uint32_t k = x->in.weights + 1; k < x->n->n_in; k++)
        if (k != x->in.src_zero && !is_constant(x, k, k == x->in.dst_zero ? 1 : x->filters))
            return false;
    return !x->in.dst_zero || (is_constant(x, 1, 1) && is_constant(x, 6, 1));
}

/* What QuantizeLinear makes of floats. */
typedef struct Steps {
    Graph *g;
    const Rewrite *rw;
    const Uses *uses;
    const Node *like;
    ValueId zero;
    DType type;
    double scale, low; /* … less the zero point */
} Steps;

static ValueId divided_by_scale(const Steps *s, ValueId v)
{
    const Attr limits[] = {ATTR_F("min", s->low), ATTR_F("max", s->low + BYTE), ATTR_END};
    const Node *before = def_of(s->g, v);
    v = resolved(s->rw, before && before->op == OP_Relu && s->low >= 0 && single_use(s->uses, v)
                            ? before->in[0]
                            : v);
    if (s->scale != 1)
        v = add_binary(s->g, OP_Div, s->like, v, scalar_const(s->g, DT_F32, s->scale));
    v = add_unary(s->g, OP_Round, s->like, v);
    return graph_op(s->g, OP_Clip, s->like, &v, 1, limits);
}

/* Floats that are steps of the same scale already, or become so where each part of a Concat is made: they are not rounded again. NO_VALUE: others. */
static ValueId same_steps(const Steps *s, ValueId v)
{
    const Node *def = def_of(s->g, v);
    double scale, zero = 0, own = 0;
    if (!def || !def->n_in)
        return NO_VALUE;
    const Node n = *def; /* what follows adds nodes */
    if (n.op == OP_DequantizeLinear)
        return type_of(s->g, n.in[0])->dtype == s->type &&
                       scalar_value(s->g, resolved_in(s->rw, &n, 1), &scale) && scale == s->scale &&
                       (!has_value(s->zero) || scalar_value(s->g, s->zero, &zero)) &&
                       (!has_value(node_in(&n, 2)) ||
                        scalar_value(s->g, resolved_in(s->rw, &n, 2), &own)) &&
                       own == zero
                   ? whole_floats(s->g, s->rw, s->uses, s->like, resolved_in(s->rw, &n, 0), s->zero)
                   : NO_VALUE;
    if (!single_use(s->uses, v))
        return NO_VALUE;
    if (only_moves(&n)) {
        const ValueId moved = same_steps(s, n.in[0]);
        return has_value(moved) ? graph_op_as(s->g, n.op, &n, &moved, 1) : NO_VALUE;
    }
    if (n.op != OP_Concat)
        return NO_VALUE;
    ValueId *parts = ARENA_ARRAY(s->g->arena, ValueId, n.n_in);
    for (uint32_t k = 0; k < n.n_in; k++)
        if (value_at(s->g, n.in[k])->kind != VALUE_NODE)
            return NO_VALUE;
    for (uint32_t k = 0; k < n.n_in; k++) {
        parts[k] = same_steps(s, n.in[k]);
        if (!has_value(parts[k]))
            parts[k] = divided_by_scale(s, n.in[k]);
    }
    return graph_op_as(s->g, OP_Concat, &n, parts, n.n_in);
}

ValueId whole_floats(Graph *g, const Rewrite *rw, const Uses *uses, const Node *like, ValueId bytes,
                     ValueId zero)
{
    const Node *def = def_of(g, bytes);
    const DType t = type_of(g, bytes)->dtype;
    double scale, own = 0, z = 0;
    if (!def || (t != DT_U8 && t != DT_I8) || (has_value(zero) && !scalar_value(g, zero, &z)))
        return NO_VALUE;
    const Node q = *def; /* rules add nodes */
    if (q.op == OP_MaxPool && q.n_out == 1) {
        const ValueId v = whole_floats(g, rw, uses, like, resolved_in(rw, &q, 0), zero);
        return has_value(v) ? graph_op_as(g, OP_MaxPool, &q, &v, 1) : NO_VALUE;
    }
    if (q.op != OP_QuantizeLinear || type_of(g, q.in[0])->dtype != DT_F32 ||
        !scalar_value(g, resolved_in(rw, &q, 1), &scale) || !isnormal(scale) || scale < 0 ||
        (has_value(node_in(&q, 2)) && !scalar_value(g, resolved_in(rw, &q, 2), &own)) || own != z)
        return NO_VALUE;
    const Steps steps = {g, rw, uses, like, zero, t, scale, (double)dtype_lowest(t) - z};
    const ValueId same = same_steps(&steps, q.in[0]);
    return has_value(same) ? same : divided_by_scale(&steps, q.in[0]);
}

/* Bytes less their zero point as floats. */
static ValueId as_floats(const Exact *x, uint32_t k, uint32_t zero)
{
    const ValueId in[3] = {operand(x, k), scalar_const(x->g, DT_F32, 1), operand(x, zero)};
    const Attr axis[] = {ATTR_I("axis", 0), ATTR_END};
    const ValueId v = whole_floats(x->g, x->rw, x->uses, x->n, in[0], in[2]);
    return has_value(v)
               ? v
               : graph_op(x->g, OP_DequantizeLinear, x->n, in, has_value(in[2]) ? 3 : 2, axis);
}

static void read_src(Exact *x)
{
    const ValueId zero = operand(x, x->in.src_zero);
    const double low = (double)dtype_lowest(type_of(x->g, operand(x, 0))->dtype);
    double z = 0;
    x->any_zero = has_value(zero) && !scalar_value(x->g, zero, &z);
    x->low = z - low;
    x->high = low + BYTE - z;
    x->src = as_floats(x, 0, x->in.src_zero);
}

static void read_weights(Exact *x)
{
    const int64_t count = type_count(&x->t), per = count / x->filters;
    const ValueId v = operand(x, x->in.weights);
    x->w = ARENA_ARRAY(x->g->arena, double, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        x->w[i] = const_number(x->g, v, x->in.conv ? i : i % per * x->filters + i / per) -
                  number_in(x, x->in.weights_zero, i / per);
}

/* The largest absolute value that any sum of products of channels first … end - 1 can get for any filter: positive weights meet the highest
 * values of src and negative ones the lowest, or the other way round. */
static double bound(const Exact *x, int64_t first, int64_t end)
{
    double most = 0;
    for (int64_t m = 0; m < x->filters; m++) {
        const double *w = x->w + m * x->channels * x->taps;
        double up = 0, down = 0;
        for (int64_t i = first * x->taps; i < end * x->taps; i++)
            *(w[i] > 0 ? &up : &down) += fabs(w[i]);
        const double largest = fmax(up, down), other = fmin(up, down);
        most = fmax(most, x->any_zero ? BYTE * largest
                                      : fmax(x->high * largest + x->low * other,
                                             x->low * largest + x->high * other));
    }
    return most;
}

/* As many channels from `first` on as one sum of floats takes; 0: not even one. */
static int64_t channels_at_once(const Exact *x, int64_t first)
{
    int64_t least = 0, most = x->channels - first;
    while (least < most) {
        const int64_t middle = least + (most - least + 1) / 2;
        if (bound(x, first, first + middle) <= EXACT)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

static ValueId some_channels(const Exact *x, int64_t first, int64_t count)
{
    const int rank = type_of(x->g, x->src)->rank;
    return count == x->channels
               ? x->src
               : add_slice(x->g, x->n, x->src, x->in.conv ? 1 : rank - 1, first, count);
}

/* The weights of these channels, from those of all. */
static ValueId some_weights(const Exact *x, int64_t first, int64_t count)
{
    TensorType t = x->t;
    t.dims[x->in.conv] = count;
    double *w = ARENA_ARRAY(x->g->arena, double, (size_t)type_count(&t));
    const int64_t per = count * x->taps;
    for (int64_t m = 0; m < x->filters; m++)
        for (int64_t i = 0; i < per; i++)
            w[x->in.conv ? m * per + i : i * x->filters + m] =
                x->w[(m * x->channels + first) * x->taps + i];
    return make_const(x->g, value_at(x->g, operand(x, x->in.weights))->name, DT_F32, t.rank, t.dims,
                      w);
}

static ValueId sum_of(const Exact *x, int64_t first, int64_t count, ValueId bias)
{
    const ValueId in[3] = {some_channels(x, first, count), some_weights(x, first, count), bias};
    return x->in.conv ? graph_op_as(x->g, OP_Conv, x->n, in, has_value(bias) ? 3 : 2)
                      : graph_op(x->g, OP_MatMul, x->n, in, 2, NULL);
}

/* One number for each filter, which broadcasts to dst. */
static ValueId by_filter(const Exact *x, DType t, const double *v)
{
    int64_t dims[MAX_RANK];
    for (int d = 0; d < x->t.rank; d++)
        dims[d] = 1;
    dims[1] = x->filters;
    return make_const(x->g, "", t, x->t.rank, dims, v);
}

static ValueId add(const Exact *x, ValueId a, ValueId b)
{
    return has_value(a) ? add_binary(x->g, OP_Add, x->n, a, b) : b;
}

/* Of several products, in i32; NO_VALUE if a channel alone may be too large. */
static ValueId divided(const Exact *x, const double *bias)
{
    ValueId all = NO_VALUE;
    for (int64_t first = 0, count; first < x->channels; first += count) {
        count = channels_at_once(x, first);
        if (count == 0 || (count < x->channels && x->in.conv && attr_int(x->n, "group", 1) != 1))
            return NO_VALUE;
        all = add(x, all, add_cast(x->g, x->n, sum_of(x, first, count, NO_VALUE), DT_I32));
    }
    return bias ? add(x, all, by_filter(x, DT_I32, bias)) : all;
}

/* Sums, the bias included: in f32, or in i32 where they could not be exact; NO_VALUE if neither. A single product whose sums leave ±2^24 is
 * added up as i32 where C makes it of pairs, and rounded once; as floats it is no further off than the model's own arithmetic. */
static ValueId sums(const Exact *x)
{
    double *bias = ARENA_ARRAY(x->g->arena, double, (size_t)x->filters), most = 0;
    for (int64_t i = 0; i < x->filters; i++) {
        bias[i] = number_in(x, x->in.bias, i);
        most = fmax(most, fabs(bias[i]));
    }
    const double limit = x->one ? INT32_MAX : EXACT;
    if (bound(x, 0, x->channels) + most > limit)
        return x->one ? NO_VALUE : divided(x, most > 0 ? bias : NULL);
    ValueId all = sum_of(x, 0, x->channels,
                         most > 0 ? make_const(x->g, "", DT_F32, 1, &x->filters, bias) : NO_VALUE);
    return add_unary(x->g, OP_Round, x->n, all);
}

static ValueId converted(const Exact *x, ValueId v, DType to)
{
    return type_of(x->g, v)->dtype == to ? v : add_cast(x->g, x->n, v, to);
}

/* Sums scaled and rounded as QLinearConv and QLinearMatMul are defined. */
static ValueId quantised(const Exact *x, ValueId v)
{
    const Attr attrs[] = {ATTR_I("axis", 0), ATTR_I("to", type_of(x->g, x->n->out[0])->dtype),
                          ATTR_END};
    double *scale = ARENA_ARRAY(x->g->arena, double, (size_t)x->filters);
    for (int64_t i = 0; i < x->filters; i++)
        scale[i] = (double)((float)number_in(x, 1, 0) * (float)number_in(x, 4, i) /
                            (float)number_in(x, 6, 0));
    v = add_binary(x->g, OP_Mul, x->n, converted(x, v, DT_F32), by_filter(x, DT_F32, scale));
    const ValueId in[3] = {v, scalar_const(x->g, DT_F32, 1), operand(x, x->in.dst_zero)};
    return graph_op(x->g, OP_QuantizeLinear, x->n, in, 3, attrs);
}

/* A MatMulInteger of two activations: exact whatever they are, if the matrices are not too deep. */
static ValueId of_activations(const Exact *x)
{
    const TensorType *a = type_of(x->g, operand(x, 0)), *b = type_of(x->g, operand(x, 1));
    for (uint32_t k = 2; k < x->n->n_in; k++)
        if (has_value(operand(x, k)) && type_count(type_of(x->g, operand(x, k))) != 1)
            return NO_VALUE;
    if (a->rank < 2 || b->rank < 2 || type_count(a) == 0 || type_count(b) == 0 ||
        a->dims[a->rank - 1] > EXACT / (BYTE * BYTE))
        return NO_VALUE;
    const ValueId in[2] = {as_floats(x, 0, 2), as_floats(x, 1, 3)};
    ValueId v = graph_op(x->g, OP_MatMul, x->n, in, 2, NULL);
    return add_cast(x->g, x->n, add_unary(x->g, OP_Round, x->n, v), DT_I32);
}

ValueId product_in_floats(Graph *g, const Rewrite *rw, const Uses *uses, const Node *n, bool one)
{
    Exact x = {.g = g, .rw = rw, .uses = uses, .n = n, .one = one};
    if (!operands_of(n->op, &x.in))
        return NO_VALUE;
    if (n->op == OP_MatMulInteger && !is_const(g, operand(&x, 1)))
        return of_activations(&x);
    const ValueId zero = operand(&x, x.in.src_zero);
    if (type_count(type_of(g, operand(&x, 0))) == 0 || type_of(g, operand(&x, 0))->rank < 2 ||
        !read_operands(&x) || (has_value(zero) && type_count(type_of(g, zero)) != 1))
        return NO_VALUE;
    read_src(&x);
    read_weights(&x);
    ValueId v = sums(&x);
    if (!has_value(v))
        return NO_VALUE;
    return x.in.dst_zero ? quantised(&x, v) : converted(&x, v, DT_I32);
}
