/* match-quantised: what a model spells as dequantise, compute, quantise is computed with bytes where that gives the same.
 *
 * Q(Conv(DQ(x), DQ(w), bias)), with or without a Relu or Clip that saturation does anyway, becomes QLinearConv; a Gemm of the
 * kind is a convolution with a 1x1 kernel. The zero points of a MatMulInteger go behind the product, those of a ConvInteger into it. A pool by maximum and
 * what only moves elements commutes with Q, so that Q(DQ(x)) of equal scales cancels; a Concat has its operands brought to its
 * own scale. What is left beside elementwise nodes becomes one loop with them (fuse-eltwise).
 *
 * A MatMul, Gemm or Conv of dequantised bytes whose result is not quantised at once is a MatMulInteger or ConvInteger times both scales; of a
 * convolution merge-composite takes along what follows, up to the next QuantizeLinear, which for that reason goes in front of a pool by maximum and of moves.
 *
 * Where the CPU has no instructions for bytes all products of bytes are computed in floats (quantised/in_floats.h), and so is a QLinearConv of weights that do not
 * fit. On AVX2 so are the convolutions and products between dequantise and quantise, which C makes of pairs of 16 bits.
 *
 * Sums of products of bytes are exact in s32, where floats round: results may differ from the model's by one step of the
 * quantisation where a value lies halfway between two. Runs before fold-constant, which would turn weights into floats. */
#include "common/fold.h"
#include "common/util.h"
#include "pass.h"
#include "quantised/in_floats.h"
#include "quantised/quantised.h"

#include "../gen/dnnl/support.h"
#include "../gen/machine/machine.h"
#include "../gen/ops/ops.h"

#include <math.h>
#include <string.h>

/* Scale and zero point of a whole tensor of bytes. */
typedef struct Scale {
    DType type;
    double scale;
    int64_t zero;
} Scale;

/* Of a QuantizeLinear or DequantizeLinear; t is the type of its bytes. False if it is not one number for all. */
static bool read_scale(const Quantised *m, const Node *n, DType t, Scale *s)
{
    double zero = 0;
    *s = (Scale){.type = t};
    if ((t != DT_U8 && t != DT_I8) || !scalar_value(m->g, arg(m, n, 1), &s->scale) ||
        !(s->scale > 0) || isinf(s->scale) || type_of(m->g, arg(m, n, 1))->dtype != DT_F32)
        return false;
    if (has_value(node_in(n, 2)) && !scalar_value(m->g, arg(m, n, 2), &zero))
        return false;
    s->zero = (int64_t)zero;
    return true;
}

static bool same_scale(const Scale *a, const Scale *b)
{
    return a->type == b->type && a->scale == b->scale && a->zero == b->zero;
}

/* The node that makes v, if that is a DequantizeLinear with one scale. */
static const Node *dequantised(const Quantised *m, ValueId v, Scale *s)
{
    const Node *n = def_of(m->g, v);
    if (!n || n->op != OP_DequantizeLinear || type_of(m->g, n->out[0])->dtype != DT_F32)
        return NULL;
    return read_scale(m, n, type_of(m->g, n->in[0])->dtype, s) ? n : NULL;
}

/* v, or what was before a Relu or Clip that nobody else reads and that cuts off nothing but what the bytes cannot hold. */
static ValueId unclipped(const Quantised *m, ValueId v, const Scale *s)
{
    double min = s->scale * ((double)dtype_lowest(s->type) - (double)s->zero);
    double max = s->scale * ((double)dtype_highest(s->type) - (double)s->zero);
    const Node *n = def_of(m->g, v);
    if (n && single_use(&m->uses, v) &&
        ((n->op == OP_Relu && min >= 0) ||
         (n->op == OP_Clip && min >= attr_float(n, "min", -INFINITY) &&
          max <= attr_float(n, "max", INFINITY))))
        return n->in[0];
    return v;
}

/* --- products ------------------------------------------------------------------------------------------------------ */

/* Bytes of constant weights with their scales, one for all or one for each filter. */
typedef struct Weights {
    ValueId bytes, scale, zero; /* zero: NO_VALUE if there is none */
} Weights;

/* Of `filters` filters, which stand side by side along an axis. */
static bool read_weights(const Quantised *m, ValueId v, int axis, int64_t filters, Weights *w)
{
    const Node *n = def_of(m->g, v);
    if (!n || n->op != OP_DequantizeLinear)
        return false;
    *w = (Weights){arg(m, n, 0), arg(m, n, 1), arg(m, n, 2)};
    const TensorType *t = type_of(m->g, w->bytes), *s = type_of(m->g, w->scale);
    bool single = type_count(s) == 1, by_filter = s->rank == 1 && s->dims[0] == filters &&
                                                  t->rank > axis && t->dims[axis] == filters &&
                                                  attr_int(n, "axis", 0) == axis;
    return is_const(m->g, w->bytes) && is_const(m->g, w->scale) &&
           (!has_value(w->zero) || is_const(m->g, w->zero)) &&
           (t->dtype == DT_I8 || t->dtype == DT_U8) && s->dtype == DT_F32 && (single || by_filter);
}

/* A bias that is a constant, or dequantised from one, in units of the product's scale. False if it is something else. */
static bool read_bias(const Quantised *m, ValueId v, const Scale *src, const Weights *w,
                      int64_t rows, ValueId *bias)
{
    const Node *n = has_value(v) ? def_of(m->g, v) : NULL;
    bool dq = n && n->op == OP_DequantizeLinear;
    *bias = NO_VALUE;
    if (!has_value(v))
        return true;
    ValueId data = dq ? arg(m, n, 0) : v, scale = dq ? arg(m, n, 1) : NO_VALUE,
            zero = dq ? arg(m, n, 2) : NO_VALUE;
    if (!is_const(m->g, data) || type_count(type_of(m->g, data)) != rows ||
        (dq && !is_const(m->g, scale)) || (has_value(zero) && !is_const(m->g, zero)))
        return false;
    double *values = ARENA_ARRAY(m->g->arena, double, (size_t)rows);
    for (int64_t i = 0; i < rows; i++) {
        double x = const_number(m->g, data, i);
        if (dq)
            x = (x - (has_value(zero) ? const_number(m->g, zero, i) : 0)) *
                const_number(m->g, scale, i);
        values[i] = nearbyint(x / (src->scale * const_number(m->g, w->scale, i)));
        if (!(fabs(values[i]) <= INT32_MAX))
            return false;
    }
    *bias = make_const(m->g, "", DT_I32, 1, &rows, values);
    return true;
}

static ValueId product(Quantised *m, const Node *like, ValueId x, const Scale *src,
                       const Weights *w, ValueId bias, const Scale *dst, const ConvAttrs *attrs)
{
    DType wt = type_of(m->g, w->bytes)->dtype;
    ValueId in[9] = {x,
                     scalar_const(m->g, DT_F32, src->scale),
                     scalar_const(m->g, src->type, (double)src->zero),
                     w->bytes,
                     w->scale,
                     has_value(w->zero) ? w->zero : scalar_const(m->g, wt, 0),
                     scalar_const(m->g, DT_F32, dst->scale),
                     scalar_const(m->g, dst->type, (double)dst->zero),
                     bias};
    if (type_count(type_of(m->g, w->scale)) == 1)
        in[4] = scalar_const(m->g, DT_F32, const_number(m->g, w->scale, 0));
    if (type_count(type_of(m->g, in[5])) == 1)
        in[5] = scalar_const(m->g, wt, const_number(m->g, in[5], 0));
    const char *why;
    ValueId v = add_conv(m->g, OP_QLinearConv, like, in, 9, attrs);
    if (!m->int8) {
        const Node n = *def_of(m->g, v);
        v = product_in_floats(m->g, &m->rw, &m->uses, &n, true);
    } else if (!onednn_supports(m->g, def_of(m->g, v), &why))
        return NO_VALUE; /* C's kernels for bytes are slower than floats */
    m->n_products += has_value(v);
    return v;
}

/* Without instructions for bytes: of floats oneDNN makes it in less time where each channel is by itself. */
static bool better_in_floats(const Node *conv)
{
    return attr_int(conv, "group", 1) != 1;
}

static ValueId match_conv(Quantised *m, const Node *conv, const Scale *dst)
{
    Scale src;
    Weights w;
    ValueId bias;
    const Node *x = dequantised(m, conv->in[0], &src);
    int64_t rows = type_of(m->g, conv->out[0])->dims[1];
    if (!x || (!m->int8 && better_in_floats(conv)) || !read_weights(m, conv->in[1], 0, rows, &w) ||
        !read_bias(m, node_in(conv, 2), &src, &w, rows, &bias))
        return NO_VALUE;
    const ConvAttrs attrs = conv_attrs(conv);
    return product(m, conv, arg(m, x, 0), &src, &w, bias, dst, &attrs);
}

static bool is_plain_gemm(const Node *n)
{
    return !attr_int(n, "transA", 0) && attr_float(n, "alpha", 1) == 1 &&
           attr_float(n, "beta", 1) == 1;
}

/* [rows, depth] by weights [columns, depth]: pixels of pictures of one pixel each. */
static ValueId match_gemm(Quantised *m, const Node *gemm, const Scale *dst)
{
    Scale src;
    Weights w;
    ValueId bias;
    const TensorType *t = type_of(m->g, gemm->out[0]);
    const Node *x = dequantised(m, gemm->in[0], &src);
    if (!x || !is_plain_gemm(gemm) || !attr_int(gemm, "transB", 0) ||
        !read_weights(m, gemm->in[1], 0, t->dims[1], &w) ||
        !read_bias(m, node_in(gemm, 2), &src, &w, t->dims[1], &bias))
        return NO_VALUE;
    const int64_t rows = t->dims[0], columns = t->dims[1],
                  depth = type_of(m->g, gemm->in[0])->dims[1], ones[2] = {1, 1}, none[4] = {0};
    const ConvAttrs attrs = {2, 1, ones, none, ones};
    const Value *bytes = value_at(m->g, w.bytes);
    w.bytes = graph_add_const(
        m->g, bytes->name, type_make(bytes->type.dtype, 4, (const int64_t[]){columns, depth, 1, 1}),
        bytes->data);
    ValueId v = reshaped(m, gemm, arg(m, x, 0), 4, (const int64_t[]){rows, depth, 1, 1});
    return reshaped(m, gemm, product(m, gemm, v, &src, &w, bias, dst, &attrs), 2, t->dims);
}

/* --- what commutes with quantisation -------------------------------------------------------------------------------- */

/* What a convolution of bytes makes, with functions of one value behind it at most, all for this reader alone. */
static bool is_sum_of_bytes(const Quantised *m, ValueId v)
{
    Scale src;
    const Node *n = def_of(m->g, v);
    while (n && n->n_in > 0 && n->op != OP_Conv && op_info(n->op)->class == CLASS_ELTWISE &&
           single_use(&m->uses, v)) {
        v = n->in[0];
        n = def_of(m->g, v);
    }
    return n && n->op == OP_Conv && single_use(&m->uses, v) && dequantised(m, n->in[0], &src);
}

/* v by the scale and zero point of q. */
static ValueId quantised_as(Quantised *m, const Node *q, ValueId v, const Scale *dst)
{
    const ValueId in[3] = {v, arg(m, q, 1), arg(m, q, 2)};
    const Attr attrs[] = {ATTR_I("axis", 0), ATTR_I("to", dst->type), ATTR_END};
    return graph_op(m->g, OP_QuantizeLinear, q, in, has_value(in[2]) ? 3 : 2, attrs);
}

/* Quantising keeps the order of values, so that it commutes with a pool by maximum as it does with what only moves. */
static ValueId match_move(Quantised *m, const Node *q, const Node *move, const Scale *dst)
{
    Scale src;
    const Node *x = dequantised(m, move->in[0], &src);
    ValueId v;
    if (x && same_scale(&src, dst))
        v = arg(m, x, 0);
    else if (!x && is_sum_of_bytes(m, move->in[0]))
        v = quantised_as(m, q, move->in[0], dst);
    else
        return NO_VALUE;
    m->n_others++;
    NodeId id = graph_add_node(m->g, move->op, "", move->model_index, &v, 1, 1, NULL, move->attr,
                               move->n_attr);
    return node_at(m->g, id)->out[0];
}

static ValueId match_concat(Quantised *m, const Node *q, const Node *concat, const Scale *dst)
{
    ValueId *in = ARENA_ARRAY(m->g->arena, ValueId, concat->n_in);
    for (uint32_t k = 0; k < concat->n_in; k++) {
        Scale src;
        if (!dequantised(m, concat->in[k], &src))
            return NO_VALUE;
    }
    for (uint32_t k = 0; k < concat->n_in; k++) {
        Scale src;
        const Node *x = dequantised(m, concat->in[k], &src);
        in[k] = same_scale(&src, dst) ? arg(m, x, 0) : quantised_as(m, q, concat->in[k], dst);
    }
    m->n_others++;
    NodeId id = graph_add_node(m->g, OP_Concat, "", concat->model_index, in, concat->n_in, 1, NULL,
                               concat->attr, concat->n_attr);
    return node_at(m->g, id)->out[0];
}

/* The other way round: what oneDNN does not take is quicker in floats than in C's bytes. */
static ValueId in_floats(Quantised *m, const Node *n)
{
    ValueId v = product_in_floats(m->g, &m->rw, &m->uses, n, false);
    m->n_others += has_value(v);
    return v;
}

/* DequantizeLinear of what QuantizeLinear made of floats. */
static ValueId without_bytes(Quantised *m, const Node *n)
{
    Scale s;
    if (type_of(m->g, n->out[0])->dtype != DT_F32 ||
        !read_scale(m, n, type_of(m->g, n->in[0])->dtype, &s))
        return NO_VALUE;
    const ValueId v = whole_floats(m->g, &m->rw, &m->uses, n, arg(m, n, 0),
                                   has_value(node_in(n, 2)) ? arg(m, n, 2) : NO_VALUE);
    m->n_others += has_value(v);
    return has_value(v) ? add_binary(m->g, OP_Mul, n, v, scalar_const(m->g, DT_F32, s.scale))
                        : NO_VALUE;
}

/* [columns] of numbers that go with the channels of n's result: one for each or one for all. */
static ValueId by_channel(Quantised *m, const Node *n, ValueId v)
{
    const int rank = type_of(m->g, n->out[0])->rank;
    const int64_t count = type_count(type_of(m->g, v));
    int64_t dims[MAX_RANK];
    for (int d = 0; d < rank; d++)
        dims[d] = 1;
    dims[n->op == OP_Conv ? 1 : rank - 1] = count;
    return reshaped(m, n, v, count == 1 ? 0 : rank, dims);
}

/* Whether match_gemm is to have it. */
static bool is_quantised_at_once(const Quantised *m, ValueId v)
{
    for (int i = 0; i < 2 && single_use(&m->uses, v); i++) {
        const Node *n = node_at(m->g, m->uses.node[m->uses.start[v.i]]);
        if (n->op == OP_QuantizeLinear)
            return true;
        if (n->op != OP_Relu && n->op != OP_Clip)
            return false;
        v = n->out[0];
    }
    return false;
}

/* The sums themselves, as floats that are whole numbers. */
static ValueId sums_as_floats(Quantised *m, const Node *n, ValueId sums)
{
    const Node product = *def_of(m->g, sums);
    if (m->int8) {
        const ValueId v = product.op == OP_ConvInteger ? match_conv_integer(m, &product)
                                                       : match_matmul_integer(m, &product);
        return has_value(v) ? add_cast(m->g, n, v, DT_F32) : NO_VALUE;
    }
    const ValueId v = product_in_floats(m->g, &m->rw, &m->uses, &product, true);
    m->n_products += has_value(v);
    return has_value(v) ? def_of(m->g, v)->in[0] : NO_VALUE; /* not as i32 */
}

/* A convolution or product of dequantised bytes by such weights whose result is not quantised at once: sums of whole numbers times both scales. */
static ValueId sums_of_bytes(Quantised *m, const Node *n)
{
    Scale src;
    Weights w;
    const bool conv = n->op == OP_Conv, gemm = n->op == OP_Gemm,
               filters_first = conv || (gemm && attr_int(n, "transB", 0));
    const TensorType *t = type_of(m->g, n->out[0]);
    const Node *x = dequantised(m, n->in[0], &src);
    if (!x || t->rank == 0 || (conv && !m->int8 && better_in_floats(n)) ||
        (gemm && (!is_plain_gemm(n) || (filters_first && is_quantised_at_once(m, n->out[0])))) ||
        !read_weights(m, n->in[1], !filters_first, t->dims[conv ? 1 : t->rank - 1], &w))
        return NO_VALUE;
    const int64_t scales = type_count(type_of(m->g, w.scale)), swap[2] = {1, 0};
    double *scale = ARENA_ARRAY(m->g->arena, double, (size_t)scales);
    for (int64_t i = 0; i < scales; i++)
        scale[i] = (double)((float)src.scale * (float)const_number(m->g, w.scale, i));
    const ValueId in[4] = {
        arg(m, x, 0),
        gemm && filters_first ? folded(m->g, add_transpose(m->g, n, w.bytes, swap)) : w.bytes,
        scalar_const(m->g, src.type, (double)src.zero), w.zero};
    const uint32_t n_in = has_value(w.zero) ? 4 : 3;
    ValueId v = conv ? graph_op_as(m->g, OP_ConvInteger, n, in, n_in)
                     : graph_op(m->g, OP_MatMulInteger, n, in, n_in, NULL);
    v = sums_as_floats(m, n, v);
    if (!has_value(v))
        return NO_VALUE;
    v = add_binary(m->g, OP_Mul, n, v,
                   by_channel(m, n, make_const(m->g, "", DT_F32, 1, &scales, scale)));
    const ValueId bias = arg(m, n, 2);
    return has_value(bias) ? add_binary(m->g, OP_Add, n, v, conv ? by_channel(m, n, bias) : bias)
                           : v;
}

/* Does what follows elementwise on v call a function? */
static bool function_follows(const Quantised *m, ValueId v, int most)
{
    for (uint32_t i = m->uses.start[v.i]; most && i < m->uses.start[v.i + 1]; i++) {
        const Node *n = node_at(m->g, m->uses.node[i]);
        if (op_has(n->op, TRAIT_FUNCTION) ||
            (op_info(n->op)->class == CLASS_ELTWISE && function_follows(m, n->out[0], most - 1)))
            return true;
    }
    return false;
}

/* Sums that in_floats has made i32 are wanted as the floats that they were, so that what follows may be post-ops. Not where a function follows,
 * which C computes more precisely: the least difference becomes a step of what is quantised next. */
static ValueId as_floats(Quantised *m, const Node *cast)
{
    enum { NODES_MAX = 8 };
    const Node *n = def_of(m->g, arg(m, cast, 0));
    const Node *round = n && n->op == OP_Cast ? def_of(m->g, n->in[0]) : NULL;
    return type_of(m->g, cast->out[0])->dtype == DT_F32 && round && round->op == OP_Round &&
                   (uint32_t)(round - m->g->nodes) >= m->n_nodes &&
                   !function_follows(m, cast->out[0], NODES_MAX)
               ? n->in[0]
               : NO_VALUE;
}

static ValueId match(Quantised *m, const Node *q)
{
    Scale dst;
    const char *why;
    if (q->op == OP_QLinearConv)
        return m->int8 && onednn_supports(m->g, q, &why) ? NO_VALUE : in_floats(m, q);
    if ((m->pairs && q->op == OP_Conv) ||
        ((m->pairs || m->int8) && (q->op == OP_MatMul || q->op == OP_Gemm)))
        return sums_of_bytes(m, q);
    if (!m->int8 && !(m->pairs && q->op == OP_QuantizeLinear))
        return q->op == OP_Cast               ? as_floats(m, q)
               : q->op == OP_DequantizeLinear ? without_bytes(m, q)
                                              : in_floats(m, q);
    if (q->op == OP_ConvInteger) {
        if (has_value(node_in(q, 2)) && type_of(m->g, q->in[2])->dtype == DT_I32)
            return NO_VALUE; /* as oneDNN has it already */
        const ValueId v = match_conv_integer(m, q);
        return has_value(v) ? v : in_floats(m, q);
    }
    if (q->op == OP_Cast)
        return as_floats(m, q);
    if (q->op == OP_MatMulInteger)
        return match_matmul_integer(m, q);
    if (q->op != OP_QuantizeLinear || !read_scale(m, q, type_of(m->g, q->out[0])->dtype, &dst) ||
        type_of(m->g, q->in[0])->dtype != DT_F32)
        return NO_VALUE;
    ValueId v = unclipped(m, q->in[0], &dst);
    const Node *n = def_of(m->g, v);
    if (!n || !single_use(&m->uses, v))
        return NO_VALUE;
    const Node copy = *n; /* rules add nodes */
    if (n->op == OP_Conv)
        return match_conv(m, &copy, &dst);
    if (n->op == OP_Gemm)
        return match_gemm(m, &copy, &dst);
    if (!m->int8)
        return NO_VALUE;
    if (n->op == OP_Concat)
        return match_concat(m, q, &copy, &dst);
    return only_moves(n) ? match_move(m, q, &copy, &dst) : NO_VALUE;
}

static bool is_eltwise(const Node *n)
{
    return n && (op_info(n->op)->class == CLASS_ELTWISE || n->op == OP_QuantizeLinear);
}

/* Bytes that one loop makes of floats and makes floats again: elementwise nodes on both sides, of which none ends a convolution of bytes. There each element
 * would be packed and unpacked for nothing. */
static bool is_within_loop(const Quantised *m, const Node *dequantise)
{
    const Node *q = def_of(m->g, dequantise->in[0]),
               *before = q && q->op == OP_QuantizeLinear ? def_of(m->g, q->in[0]) : NULL;
    const ValueId v = dequantise->out[0];
    if (!is_eltwise(before) || !single_use(&m->uses, dequantise->in[0]))
        return false;
    for (uint32_t k = 0; k < before->n_in; k++)
        if (has_value(before->in[k]) && is_sum_of_bytes(m, before->in[k]))
            return false;
    for (uint32_t u = m->uses.start[v.i]; u < m->uses.start[v.i + 1]; u++)
        if (!is_eltwise(node_at(m->g, m->uses.node[u])))
            return false;
    return true;
}

/* What is left when all that is quantised at once has been matched. */
static ValueId match_rest(Quantised *m, const Node *n)
{
    if (n->op == OP_DequantizeLinear && is_within_loop(m, n))
        return without_bytes(m, n);
    return n->op == OP_Conv ? sums_of_bytes(m, n) : NO_VALUE;
}

/* --- the pass -------------------------------------------------------------------------------------------------------- */

static void match_all(Quantised *m, ValueId (*matched)(Quantised *m, const Node *n))
{
    Arena *scratch = arena_new();
    const uint32_t n = m->n_nodes = m->g->n_nodes;
    m->rw = rewrite_begin(m->g);
    m->uses = graph_uses(m->g, scratch);
    for (uint32_t i = 0; i < n; i++) {
        const Node node = m->g->nodes[i]; /* rules add nodes */
        ValueId v = matched(m, &node);
        if (has_value(v))
            rewrite_replace(&m->rw, node.out[0], v);
    }
    graph_apply(&m->rw);
    arena_free(scratch);
}

bool pass_match_quantised(Graph *g, const PassOptions *options, const char **report)
{
    Quantised m = {.g = g, .int8 = options->int8};
    m.pairs = !m.int8 && options->machine && machine_lanes(options->machine) == AVX2_LANES;
    *report = "left to C as it is";
    if (!weights_as_bytes(g))
        return false;
    if (options->target_c)
        return true;
    match_all(&m, match);
    if (m.int8)
        match_all(&m, match_rest);
    *report = arena_printf(g->arena, "%u products of bytes, %u other operators", m.n_products,
                           m.n_others);
    return true;
}
