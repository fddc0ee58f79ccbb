/* The anchors of the table, with random shapes and attributes. */
#include "table.h"

#include "../../gen/ops/ops.h"

#include <math.h>
#include <string.h>

static bool has_predicate(const Pattern *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_predicates; i++)
        if (strcmp(p->predicate_name[i], name) == 0)
            return true;
    return false;
}

/* The product of what a Reshape has made rows of. */
static bool is_flattened(const Pattern *anchor)
{
    return anchor->arg[0]->inner && anchor->arg[0]->inner->op == OP_Reshape;
}

/* The rank that the pattern asks of its source, otherwise one that the operator may have. */
static int source_rank(Maker *m, const Pattern *anchor)
{
    if (is_flattened(anchor))
        return 3 + (int)below(m, 3);
    static const char *const names[] = {"rank3", "rank4", "rank5"};
    for (int i = 0; i < 3; i++)
        if (has_predicate(anchor->arg[0], names[i]))
            return 3 + i;
    switch (anchor->op) {
    case OP_Gemm:
        return 2;
    case OP_MatMul:
    case OP_LayerNormalization:
        return 2 + (int)below(m, 3);
    case OP_Softmax:
    case OP_LogSoftmax: /* axis 1 is not to be the last unless it is asked for */
        return (anchor->n_attrs ? 2 : 3) + (int)below(m, 2);
    default:
        return 3 + (int)below(m, 3);
    }
}

static bool is_reduction(Op op)
{
    return op == OP_ReduceMax || op == OP_ReduceMean || op == OP_ReduceMin || op == OP_ReduceProd ||
           op == OP_ReduceSum;
}

/* Layer norms of shorter rows, or fewer of them, go to C. */
enum { LONG_ROW = 1025 };

ValueId make_source(Maker *m, const Pattern *anchor, bool by_step)
{
    int rank = source_rank(m, anchor);
    int64_t dims[MAX_RANK], columns;
    for (int d = 0; d < rank; d++)
        dims[d] = d == 0   ? 1 + below(m, 3)
                  : d == 1 ? 4 * (1 + below(m, 9))
                           : (rank == 5 ? 5 : 6) + below(m, 5);
    const bool softmax = anchor->op == OP_Softmax || anchor->op == OP_LogSoftmax;
    if (by_step) { /* smaller ones go to C */
        const int64_t large = is_reduction(anchor->op)                                 ? 1 << 17
                              : softmax || op_info(anchor->op)->class == CLASS_ELTWISE ? 1 << 12
                                                                                       : 0;
        int64_t others = 1;
        for (int d = 0; d < rank - 1; d++)
            others *= dims[d];
        dims[rank - 1] += large / others;
    }
    const bool long_row = by_step && anchor->op == OP_LayerNormalization;
    if (long_row)
        dims[rank - 1] = LONG_ROW + below(m, 9);
    bool flattened = is_flattened(anchor);
    bool is_product = !flattened && (anchor->op == OP_Gemm || anchor->op == OP_MatMul);
    if (flattened) { /* of one and two rows tiles in C would be quicker */
        dims[0] += 2;
        dims[1] += 16;
    }
    if (rank == 2 || is_product)
        dims[rank - 2] = 24 + below(m, 20);
    if (is_product)
        dims[rank - 1] = 16 + below(m, 30);
    ValueId in[2] = {graph_add_input(m->g, "x", type_make(DT_F32, rank, dims)), NO_VALUE};
    if (!by_step || is_product)
        return by_step ? op1(m, OP_Tanh, in[0], NULL) : in[0];
    if (rank > 2) { /* a convolution with a window of one element */
        const int64_t zeros[6] = {0}, ones[3] = {1, 1, 1}, w[5] = {dims[1], dims[1], 1, 1, 1};
        size_t s = (size_t)rank - 2;
        in[1] = constant(m, rank, w, 2 / sqrt((double)dims[1]), 0.001);
        return op(m, OP_Conv, in, 2,
                  (Attr[]){ATTR_IS("strides", ones, s), ATTR_IS("dilations", ones, s),
                           ATTR_IS("pads", zeros, 2 * s), ATTR_I("group", 1), ATTR_END});
    }
    columns = (long_row ? LONG_ROW : softmax ? 256 : 16) + below(m, 30);
    in[1] = constant(m, 2, (const int64_t[]){dims[1], columns}, 2 / sqrt((double)dims[1]), 0.001);
    return op(m, OP_MatMul, in, 2, NULL);
}

typedef struct Window {
    int64_t kernel[3], strides[3], dilations[3], pads[6], none[3];
    size_t n;
} Window;

static Window window(Maker *m, const TensorType *t, bool dilated)
{
    Window w = {.n = (size_t)t->rank - 2};
    for (size_t i = 0; i < w.n; i++) {
        w.kernel[i] = 1 + below(m, 3);
        w.strides[i] = 1 + below(m, 2);
        w.dilations[i] = dilated && chance(m, 3) ? 2 : 1;
        w.pads[i] = below(m, (uint32_t)w.kernel[i]);
        w.pads[w.n + i] = below(m, (uint32_t)w.kernel[i]);
    }
    return w;
}

static ValueId vector(Maker *m, int64_t n, double shift)
{
    return constant(m, 1, &n, 1, shift);
}

static ValueId conv(Maker *m, ValueId x, bool bias)
{
    const TensorType t = *shape_in(m, x);
    Window w = window(m, &t, true);
    /* several filters for each channel are C's, and so is one for each of a signal */
    int64_t c = t.dims[1], group = t.rank > 3 && chance(m, 3) ? c : 1 + below(m, 2);
    int64_t per = group == c ? 1 : 2 + below(m, 9);
    per += group == 1 && c % 16 == 0 ? 4 : 0; /* and so are few in all */
    int64_t dims[5] = {group * per, c / group, w.kernel[0], w.kernel[1], w.kernel[2]};
    ValueId in[3] = {x, constant(m, t.rank, dims, 2 / sqrt((double)dims[1] * 4), 0.001),
                     bias ? vector(m, dims[0], 0.5) : NO_VALUE};
    return op(m, OP_Conv, in, bias ? 3 : 2,
              (Attr[]){ATTR_IS("strides", w.strides, w.n), ATTR_IS("dilations", w.dilations, w.n),
                       ATTR_IS("pads", w.pads, 2 * w.n), ATTR_I("group", group), ATTR_END});
}

/* Sums of bytes, and the floats that they become; `scaled`: times a scale for each channel, with a bias. The bytes are made of an input like x: a last bit of what a layer
 * computes could make another byte. */
static ValueId sums_of_bytes(Maker *m, ValueId x, bool scaled)
{
    const TensorType t = *shape_in(m, x);
    Window w = window(m, &t, true);
    w.strides[w.n - 1] =
        1; /* some single columns and some groups of three dimensions are not oneDNN's */
    const int64_t group = t.rank < 5 && chance(m, 3) ? t.dims[1] : 1,
                  per = group > 1 ? group : 2 + below(m, 9),
                  dims[5] = {per, t.dims[1] / group, w.kernel[0], w.kernel[1], w.kernel[2]};
    const DType type = chance(m, 2) ? DT_U8 : DT_I8;
    const TensorType filters = type_make(DT_I8, t.rank, dims), number = type_make(DT_I32, 0, NULL);
    int8_t *bytes = arena_alloc(m->g->arena, (size_t)type_count(&filters));
    for (int64_t i = 0; i < type_count(&filters); i++)
        bytes[i] = (int8_t)((int)below(m, 7) - 3);
    int32_t *zero = arena_alloc(m->g->arena, sizeof *zero);
    *zero = (int32_t)below(m, 9) + 1;
    const ValueId step[2] = {new_input(m, t), constant(m, 0, NULL, 0.001, 0.06)};
    const ValueId in[3] = {op(m, OP_QuantizeLinear, step, 2,
                              (Attr[]){ATTR_I("axis", 0), ATTR_I("to", type), ATTR_END}),
                           graph_add_const(m->g, NULL, filters, bytes),
                           graph_add_const(m->g, NULL, number, zero)};
    ValueId y =
        op(m, OP_ConvInteger, in, chance(m, 2) ? 3 : 2,
           (Attr[]){ATTR_IS("strides", w.strides, w.n), ATTR_IS("dilations", w.dilations, w.n),
                    ATTR_IS("pads", w.pads, 2 * w.n), ATTR_I("group", group), ATTR_END});
    y = op1(m, OP_Cast, y, (Attr[]){ATTR_I("to", DT_F32), ATTR_END});
    const int64_t channels[4] = {per, 1, 1, 1};
    for (int k = 0; k < 2 && scaled; k++) {
        const ValueId term[2] = {y, constant(m, t.rank - 1, channels, 0.01, 0.001)};
        y = op(m, k ? OP_Add : OP_Mul, term, 2, NULL);
    }
    return y;
}

static ValueId conv_transpose(Maker *m, ValueId x, bool bias)
{
    const TensorType t = *shape_in(m, x);
    Window w = window(m, &t, false);
    int64_t c = t.dims[1], group = chance(m, 4) ? 2 : 1, per = 2 + below(m, 9), outs = group * per;
    int64_t dims[5] = {c, per, w.kernel[0], w.kernel[1], w.kernel[2]};
    ValueId in[3] = {x, constant(m, t.rank, dims, 2 / sqrt((double)c * 4), 0.001),
                     bias ? vector(m, outs, 0.5) : NO_VALUE};
    return op(m, OP_ConvTranspose, in, bias ? 3 : 2,
              (Attr[]){ATTR_IS("strides", w.strides, w.n), ATTR_IS("dilations", w.dilations, w.n),
                       ATTR_IS("pads", w.pads, 2 * w.n), ATTR_I("group", group),
                       ATTR_IS("output_padding", w.none, w.n), ATTR_END});
}

static ValueId rows_of(Maker *m, ValueId x)
{
    const TensorType *t = shape_in(m, x);
    return reshaped(m, x, 2, (const int64_t[]){t->dims[0], type_count(t) / t->dims[0]});
}

static ValueId product(Maker *m, ValueId x, bool gemm, bool bias)
{
    const TensorType t = *shape_in(m, x);
    int64_t k = t.dims[t.rank - 1], n = 40 + below(m, 60), trans = gemm ? below(m, 2) : 0;
    const int64_t dims[2] = {trans ? n : k, trans ? k : n};
    ValueId in[3] = {x, constant(m, 2, dims, 2 / sqrt((double)k), 0.001),
                     bias ? vector(m, n, 0.5) : NO_VALUE};
    if (!gemm)
        return op(m, OP_MatMul, in, 2, NULL);
    return op(m, OP_Gemm, in, bias ? 3 : 2,
              (Attr[]){ATTR_F("alpha", 1), ATTR_F("beta", 1), ATTR_I("transA", 0),
                       ATTR_I("transB", trans), ATTR_END});
}

static ValueId pool(Maker *m, ValueId x, Op o)
{
    Window w = window(m, shape_in(m, x), false);
    Attr attrs[] = {ATTR_IS("kernel_shape", w.kernel, w.n),
                    ATTR_IS("strides", w.strides, w.n),
                    ATTR_IS("dilations", w.dilations, w.n),
                    ATTR_IS("pads", w.pads, 2 * w.n),
                    ATTR_IS("ceil_pads", w.none, w.n),
                    ATTR_I("count_include_pad", below(m, 2)),
                    ATTR_END};
    if (o == OP_MaxPool)
        attrs[4] = ATTR_END;
    return op1(m, o, x, attrs);
}

static ValueId norm(Maker *m, ValueId x, Op o)
{
    const TensorType *t = shape_in(m, x);
    bool layer = o == OP_LayerNormalization;
    int64_t c = t->dims[layer ? t->rank - 1 : 1], axis = t->rank - 1;
    ValueId in[5] = {x, vector(m, c, 1.5), vector(m, c, 0.5), vector(m, c, 0.25),
                     vector(m, c, 1.5)};
    Attr attrs[3] = {ATTR_F("epsilon", 0.1), ATTR_I("num_groups", 2), ATTR_END};
    if (layer)
        attrs[1] = ATTR_I("axis", axis);
    else if (o != OP_GroupNormalization)
        attrs[1] = ATTR_END;
    return op(m, o, in, o == OP_BatchNormalization ? 5 : 3, attrs);
}

static ValueId softmax(Maker *m, ValueId x, const Pattern *anchor)
{
    int64_t axis = anchor->n_attrs ? (int64_t)anchor->attr[0].number[0] : shape_in(m, x)->rank - 1;
    return op1(m, anchor->op, x,
               (Attr[]){ATTR_I("axis", axis), ATTR_I("axis_end", axis + 1), ATTR_END});
}

static ValueId resize(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t sizes[MAX_RANK];
    double scales[MAX_RANK];
    size_t r = (size_t)t.rank;
    bool nearest = chance(m, 2);
    for (int d = 0; d < t.rank; d++) {
        scales[d] = d < 2 ? 1 : 2;
        sizes[d] = t.dims[d] * (int64_t)scales[d];
    }
    return op1(
        m, OP_Resize, x,
        (Attr[]){ATTR_IS("sizes", sizes, r), ATTR_FS("scales", scales, r),
                 ATTR_S("mode", nearest ? "nearest" : "linear"),
                 ATTR_S("coordinate_transformation_mode", nearest ? "asymmetric" : "half_pixel"),
                 ATTR_S("nearest_mode", "floor"), ATTR_END});
}

static ValueId reduce(Maker *m, ValueId x, Op o)
{
    int rank = shape_in(m, x)->rank;
    const int64_t axes[2] = {rank - 2, rank - 1};
    size_t n = rank > 3 ? 1 + below(m, 2) : 1;
    return op1(
        m, o, x,
        (Attr[]){ATTR_IS("axes", axes + 2 - n, n), ATTR_I("keepdims", below(m, 2)), ATTR_END});
}

ValueId make_pointwise(Maker *m, size_t cache)
{
    enum { IN = 8, OUT = 16, SIZE_MIN = 92 };
    static const int64_t ones[2] = {1, 1}, zeros[4] = {0}, w[4] = {OUT, IN, 1, 1};
    int64_t size = (int64_t)sqrt((double)cache * 2.1 / (OUT * sizeof(float))) + below(m, 5);
    size = size < SIZE_MIN ? SIZE_MIN : size;
    ValueId in[2] = {new_input(m, type_make(DT_F32, 4, (const int64_t[]){1, IN, size, size + 1})),
                     constant(m, 4, w, 0.7, 0.001)};
    return op(m, OP_Conv, in, 2,
              (Attr[]){ATTR_IS("strides", ones, 2), ATTR_IS("dilations", ones, 2),
                       ATTR_IS("pads", zeros, 4), ATTR_I("group", 1), ATTR_END});
}

ValueId make_anchor(Maker *m, const AnchorRow *row, const Pattern *anchor, ValueId x, bool bias)
{
    Algorithm alg;
    switch (anchor->op) {
    case OP_Conv:
        return conv(m, x, bias);
    case OP_ConvInteger:
        return sums_of_bytes(m, x, bias);
    case OP_ConvTranspose:
        return conv_transpose(m, x, bias);
    case OP_Gemm:
    case OP_MatMul:
        if (is_flattened(anchor))
            x = rows_of(m, x);
        return product(m, x, anchor->op == OP_Gemm, bias);
    case OP_MaxPool:
    case OP_AveragePool:
        return pool(m, x, anchor->op);
    case OP_BatchNormalization:
    case OP_GroupNormalization:
    case OP_InstanceNormalization:
    case OP_LayerNormalization:
        return norm(m, x, anchor->op);
    case OP_Softmax:
    case OP_LogSoftmax:
        return softmax(m, x, anchor);
    case OP_Resize:
        return resize(m, x);
    case OP_ReduceMax:
    case OP_ReduceMean:
    case OP_ReduceMin:
    case OP_ReduceProd:
    case OP_ReduceSum:
        return reduce(m, x, anchor->op);
    default:
        break;
    }
    if (onednn_binary_of(anchor->op, &alg)) {
        ValueId in[2] = {x, new_input(m, *shape_in(m, x))};
        return op(m, anchor->op, in, 2, NULL);
    }
    refuse(m->g->diag, "no test makes an anchor %s of '%s'", op_info(anchor->op)->name, row->name);
    return NO_VALUE;
}
