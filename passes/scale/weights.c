/* Layers with constant weights take factors and summands. The weights are copied, never edited:
 * another layer may use them.
 *
 *     Conv           weights [M, C/group, kernel…]: a factor of output channel m on row m; of source
 *                    channel c on the columns of its group. Row m sees source channels
 *                    m / (M/group) * (C/group) + column
 *     ConvTranspose  weights [C, M/group, kernel…]: a factor of source channel c on row c. Row c
 *                    makes output channels c / (C/group) * (M/group) + column
 *     Gemm           B as [K, N], or [N, K] with transB
 *     MatMul         second operand […, K, N] */
#include "scale.h"

#include "../common/util.h"

static bool float_const(const Folder *f, ValueId v)
{
    return is_const(f->g, v) && dtype_is_float(type_of(f->g, v)->dtype);
}

/* The weights are constant, and so is the bias, if there is one. */
static bool foldable(const Folder *f, const Node *n)
{
    ValueId bias = resolved_in(&f->rw, n, 2);
    return float_const(f, resolved_in(&f->rw, n, 1)) && (!has_value(bias) || float_const(f, bias));
}

/* Weights of a convolution times a factor per channel that row and column are mapped to.
 * `by_row`: the channel is the row; otherwise it is the column of the row's group. */
static ValueId scaled_conv_weights(Folder *f, const Node *n, const Scale *s, bool by_row)
{
    ValueId w = resolved_in(&f->rw, n, 1);
    TensorType t = *type_of(f->g, w);
    int64_t inner = dims_product(&t, 2, t.rank), rows = t.dims[0], columns = t.dims[1];
    if (by_row || s->axis < 0)
        return scaled_const(f, w, inner * columns, s);
    int64_t group_rows = rows / attr_int(n, "group", 1);
    double *v = ARENA_ARRAY(f->scratch, double, (size_t)(rows * columns));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            v[r * columns + c] = scale_at(s, r / group_rows * columns + c);
    Scale per_place = {.axis = 0, .n = rows * columns, .v = v};
    return scaled_const(f, w, inner, &per_place);
}

static int64_t out_channels(const Folder *f, const Node *n)
{
    const TensorType *t = type_of(f->g, n->out[0]);
    return t->dims[n->op == OP_Gemm ? t->rank - 1 : 1];
}

static bool conv_axis(const Scale *s)
{
    return s->axis < 0 || s->axis == 1;
}

static ValueId conv_scale_out(Folder *f, const Node *n, const Scale *s, bool dry)
{
    if (!conv_axis(s) || !foldable(f, n))
        return NO_VALUE;
    if (dry)
        return n->out[0];
    ValueId in[3] = {resolved_in(&f->rw, n, 0), scaled_conv_weights(f, n, s, n->op == OP_Conv),
                     resolved_in(&f->rw, n, 2)};
    if (has_value(in[2]))
        in[2] = scaled_const(f, in[2], 1, s);
    return graph_op_as(f->g, n->op, n, in, 3);
}

/* Gemm and MatMul: the second operand times a factor along its columns (N) or rows (K). */
static ValueId scaled_matrix(Folder *f, const Node *n, const Scale *s, bool columns)
{
    ValueId b = resolved_in(&f->rw, n, 1);
    const TensorType *t = type_of(f->g, b);
    bool last = columns != (n->op == OP_Gemm && attr_int(n, "transB", 0));
    return scaled_const(f, b, last ? 1 : t->dims[t->rank - 1], s);
}

static ValueId matrix_scale_out(Folder *f, const Node *n, const Scale *s, bool dry)
{
    const TensorType *out = type_of(f->g, n->out[0]);
    if ((s->axis >= 0 && s->axis != out->rank - 1) || !foldable(f, n) ||
        type_of(f->g, resolved_in(&f->rw, n, 1))->rank < 2 || type_of(f->g, n->in[0])->rank < 2)
        return NO_VALUE;
    if (dry)
        return n->out[0];
    int rank = out->rank;
    ValueId in[3] = {resolved_in(&f->rw, n, 0), scaled_matrix(f, n, s, true),
                     resolved_in(&f->rw, n, 2)};
    if (has_value(in[2]))
        in[2] = scaled_operand(f, in[2], rank, s);
    return graph_op_as(f->g, n->op, n, in, n->op == OP_Gemm ? 3 : 2);
}

ValueId layer_scale_out(Folder *f, const Node *n, const Scale *s, bool dry)
{
    if (n->op == OP_Conv || n->op == OP_ConvTranspose)
        return conv_scale_out(f, n, s, dry);
    if (n->op == OP_Gemm || n->op == OP_MatMul)
        return matrix_scale_out(f, n, s, dry);
    return NO_VALUE;
}

/* The bias of a convolution or Gemm plus v[i] for output channel i. Gemm's bias counts beta
 * times. */
static bool shifted_bias(Folder *f, const Node *n, const Scale *s, ValueId *bias)
{
    ValueId old = resolved_in(&f->rw, n, 2);
    int64_t m = out_channels(f, n);
    DType dtype = type_of(f->g, n->out[0])->dtype;
    double beta = n->op == OP_Gemm ? attr_float(n, "beta", 1) : 1;
    Scale was = {.axis = -1, .n = 1, .v = (double[]){0}};
    TensorType row = type_make(dtype, 1, &m), out = *type_of(f->g, n->out[0]);
    if (has_value(old) &&
        (beta != 1 || !const_scale(f, old, n->op == OP_Gemm ? &out : &row, &was) ||
         (n->op == OP_Gemm && was.axis == 0)))
        return false;
    if (!bias)
        return true;
    double *v = ARENA_ARRAY(f->scratch, double, (size_t)m);
    for (int64_t i = 0; i < m; i++)
        v[i] = scale_at(&was, i) + scale_at(s, i);
    const char *name = has_value(old) ? value_at(f->g, old)->name : "bias";
    *bias = make_const(f->g, name, dtype, 1, &m, v);
    return true;
}

ValueId layer_shift_out(Folder *f, const Node *n, const Scale *s, bool dry)
{
    const TensorType *out = type_of(f->g, n->out[0]);
    bool conv = n->op == OP_Conv || n->op == OP_ConvTranspose;
    int channel = conv ? 1 : out->rank - 1;
    if ((!conv && n->op != OP_Gemm) || (s->axis >= 0 && s->axis != channel) || !foldable(f, n) ||
        !shifted_bias(f, n, s, NULL))
        return NO_VALUE;
    if (n->op == OP_Gemm && !has_value(node_in(n, 2)) && attr_float(n, "beta", 1) != 1)
        return NO_VALUE;
    if (dry)
        return n->out[0];
    ValueId in[3] = {resolved_in(&f->rw, n, 0), resolved_in(&f->rw, n, 1), NO_VALUE};
    shifted_bias(f, n, s, &in[2]);
    return graph_op_as(f->g, n->op, n, in, 3);
}

/* The axis of the first operand over which Gemm and MatMul sum. */
static int inner_axis(const Folder *f, const Node *n)
{
    const TensorType *a = type_of(f->g, n->in[0]);
    return n->op == OP_Gemm && attr_int(n, "transA", 0) ? 0 : a->rank - 1;
}

ValueId layer_scale_in(Folder *f, const Node *n, ValueId src, const Scale *s, bool dry)
{
    bool conv = n->op == OP_Conv || n->op == OP_ConvTranspose;
    bool matrix = n->op == OP_Gemm || n->op == OP_MatMul;
    ValueId w = resolved_in(&f->rw, n, 1);
    if (!(conv || matrix) || !float_const(f, w) || type_of(f->g, w)->rank < 2)
        return NO_VALUE;
    if (conv ? !conv_axis(s) : s->axis >= 0 && s->axis != inner_axis(f, n))
        return NO_VALUE;
    if (dry)
        return n->out[0];
    ValueId in[3] = {src, NO_VALUE, resolved_in(&f->rw, n, 2)};
    in[1] = conv ? scaled_conv_weights(f, n, s, n->op == OP_ConvTranspose)
                 : scaled_matrix(f, n, s, false);
    return graph_op_as(f->g, n->op, n, in, n->op == OP_MatMul ? 2 : 3);
}

/* --- a summand of the source: what the weights make of a constant source ---------------------- */

static bool has_padding(const Node *n)
{
    size_t count;
    const int64_t *pads = attr_ints(n, "pads", &count);
    return !all_equal(pads, count, 0);
}

static Scale conv_of_constant(Folder *f, const Node *n, const Scale *s)
{
    const Value *w = value_at(f->g, resolved_in(&f->rw, n, 1));
    const TensorType *t = &w->type;
    int64_t rows = t->dims[0], columns = t->dims[1], inner = dims_product(t, 2, t->rank);
    int64_t group_rows = rows / attr_int(n, "group", 1);
    double *v = ARENA_ARRAY(f->scratch, double, (size_t)rows);
    for (int64_t i = 0; i < rows * columns * inner; i++) {
        int64_t r = i / (columns * inner), c = i / inner % columns;
        v[r] += elem_f64(t->dtype, w->data, (size_t)i) * scale_at(s, r / group_rows * columns + c);
    }
    return (Scale){.axis = 1, .n = rows, .v = v};
}

static Scale gemm_of_constant(Folder *f, const Node *n, const Scale *s)
{
    const Value *b = value_at(f->g, resolved_in(&f->rw, n, 1));
    bool trans = attr_int(n, "transB", 0);
    int64_t rows = b->type.dims[0], columns = b->type.dims[1], size = trans ? rows : columns;
    double alpha = attr_float(n, "alpha", 1);
    double *v = ARENA_ARRAY(f->scratch, double, (size_t)size);
    for (int64_t i = 0; i < rows * columns; i++) {
        int64_t r = i / columns, c = i % columns;
        v[trans ? r : c] +=
            alpha * elem_f64(b->type.dtype, b->data, (size_t)i) * scale_at(s, trans ? c : r);
    }
    return (Scale){.axis = 1, .n = size, .v = v};
}

ValueId layer_shift_in(Folder *f, const Node *n, ValueId src, const Scale *s, bool dry)
{
    if ((n->op != OP_Conv && n->op != OP_Gemm) || !foldable(f, n))
        return NO_VALUE;
    if (n->op == OP_Conv ? has_padding(n) || !conv_axis(s)
                         : s->axis >= 0 && s->axis != inner_axis(f, n))
        return NO_VALUE;
    Scale zero = {.axis = -1, .n = 1, .v = (double[]){0}};
    if (!has_value(layer_shift_out(f, n, &zero, true)))
        return NO_VALUE;
    if (dry)
        return n->out[0];
    Scale out = n->op == OP_Conv ? conv_of_constant(f, n, s) : gemm_of_constant(f, n, s);
    ValueId in[3] = {src, resolved_in(&f->rw, n, 1), NO_VALUE};
    shifted_bias(f, n, &out, &in[2]);
    return graph_op_as(f->g, n->op, n, in, 3);
}
