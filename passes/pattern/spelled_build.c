/* The replacements of spelled functions that need more than an operator's name. */
#include "table.h"

#include "../../gen/ops/ops.h"
#include "../common/util.h"

#include <math.h>
#include <string.h>

typedef ValueId BuildFn(Graph *g, const Match *m, const Node *root, Op op);

static ValueId build_leaky_relu(Graph *g, const Match *m, const Node *root, Op op)
{
    double alpha = matched_number(m, "alpha");
    ValueId x = matched_value(m, "x");
    if (!(alpha >= 0 && alpha <= 1))
        return NO_VALUE;
    return graph_op(g, op, root, &x, 1, (Attr[]){ATTR_F("alpha", alpha), ATTR_END});
}

/* A reduction keeps its dimensions and takes neighbouring ones: the first of them and the one behind
 * the last. */
static bool reduced_range(const Graph *g, NodeId id, int *first, int *end)
{
    if (id.i == NO_NODE.i)
        return false;
    const Node *n = node_at(g, id);
    size_t count;
    const int64_t *axes = attr_ints(n, "axes", &count);
    if (count == 0 || !attr_int(n, "keepdims", 1))
        return false;
    for (size_t i = 1; i < count; i++)
        if (axes[i] != axes[0] + (int64_t)i)
            return false;
    *first = (int)axes[0];
    *end = *first + (int)count;
    return true;
}

/* Both reductions, over the same range. */
static bool common_range(const Graph *g, NodeId a, NodeId b, int *first, int *end)
{
    int other_first, other_end;
    return reduced_range(g, a, first, end) && reduced_range(g, b, &other_first, &other_end) &&
           *first == other_first && *end == other_end;
}

/* A sum times 1/n, as in the spelling of a mean. */
static ValueId build_mean(Graph *g, const Match *m, const Node *root, Op op)
{
    const Node sum = *node_at(g, matched_node(m, "sum"));
    ValueId x = matched_value(m, "x");
    int64_t out = type_count(type_of(g, sum.out[0]));
    double part = matched_number(m, "part");
    if (out == 0 || !(fabs(part * (double)type_count(type_of(g, x)) / (double)out - 1) < 1e-5) ||
        !same_shape(type_of(g, sum.out[0]), type_of(g, root->out[0])))
        return NO_VALUE;
    size_t count;
    const int64_t *axes = attr_ints(&sum, "axes", &count);
    const Attr attrs[] = {ATTR_IS("axes", axes, count),
                          ATTR_I("keepdims", attr_int(&sum, "keepdims", 1)), ATTR_END};
    return graph_op(g, op, root, &x, 1, attrs);
}

static ValueId build_softmax(Graph *g, const Match *m, const Node *root, Op op)
{
    NodeId sum = matched_node(m, "sum"), max = matched_node(m, "max");
    ValueId x = matched_value(m, "x");
    int axis, end;
    if (!common_range(g, sum, max.i == NO_NODE.i ? sum : max, &axis, &end) ||
        !type_equal(type_of(g, x), type_of(g, root->out[0])))
        return NO_VALUE;
    const Attr attrs[] = {ATTR_I("axis", axis), ATTR_I("axis_end", end), ATTR_END};
    return graph_op(g, op, root, &x, 1, attrs);
}

static ValueId splat_const(Graph *g, const char *name, const TensorType *t, double v)
{
    size_t n = (size_t)type_count(t);
    double *data = ARENA_ARRAY(g->arena, double, n);
    for (size_t i = 0; i < n; i++)
        data[i] = v;
    return make_const(g, name, t->dtype, t->rank, t->dims, data);
}

/* A scale or bias as a normalisation wants it: dimensions first … end - 1 of x, from a constant that broadcasts so, or `absent` everywhere. If it is the same
 * number everywhere any shape will do, but not over the last dimensions: one for each channel makes an InstanceNormalization of that. */
static ValueId norm_operand(Graph *g, ValueId v, const TensorType *x, int first, int end,
                            double absent)
{
    TensorType want = type_make(x->dtype, end - first, x->dims + first);
    double splat = absent;
    if (!has_value(v))
        return splat_const(g, absent == 1 ? "scale" : "bias", &want, absent);
    Value c = *value_at(g, v);
    if ((type_count(&c.type) == 1 || end < x->rank) && splat_value(g, v, &splat))
        return splat_const(g, c.name, &want, splat);
    for (int i = 0; i < c.type.rank; i++) {
        int d = x->rank - c.type.rank + i;
        if (d < 0 || c.type.dims[i] != (d >= first && d < end ? x->dims[d] : 1))
            return NO_VALUE;
    }
    return c.type.dtype == x->dtype && type_count(&c.type) == type_count(&want)
               ? graph_add_const(g, c.name, want, c.data)
               : NO_VALUE;
}

/* Scale and bias as constants of the normalised shape, in[1] and in[2]; false: they are something else. */
static bool norm_operands(Graph *g, ValueId scale, ValueId bias, const TensorType *x, int axis,
                          ValueId in[3])
{
    in[1] = norm_operand(g, scale, x, axis, x->rank, 1);
    in[2] = has_value(bias) ? norm_operand(g, bias, x, axis, x->rank, 0) : NO_VALUE;
    return has_value(in[1]) && has_value(in[2]) == has_value(bias);
}

/* A normalisation of each plane, scaled by channel. */
static ValueId build_instance_norm(Graph *g, const Match *m, const Node *root, const TensorType *x)
{
    ValueId in[3] = {matched_value(m, "x"), norm_operand(g, matched_value(m, "scale"), x, 1, 2, 1),
                     norm_operand(g, matched_value(m, "bias"), x, 1, 2, 0)};
    if (!has_value(in[1]) || !has_value(in[2]))
        return NO_VALUE;
    const Attr attrs[] = {ATTR_F("epsilon", matched_number(m, "eps")), ATTR_END};
    return graph_op(g, OP_InstanceNormalization, root, in, 3, attrs);
}

/* A constant that broadcasts to x, with its dimensions in the order of perm. */
static ValueId transposed_const(Graph *g, ValueId v, int rank, const int64_t *perm)
{
    if (!has_value(v) || type_of(g, v)->rank == 0)
        return v;
    TensorType t = *type_of(g, v);
    int64_t dims[MAX_RANK];
    for (int i = 0; i < rank; i++) {
        int from = (int)perm[i] - (rank - t.rank);
        dims[i] = from < 0 ? 1 : t.dims[from];
    }
    int large = 0;
    for (int i = 0; i < t.rank; i++)
        large += t.dims[i] != 1;
    if (large > 1 || t.rank > rank)
        return NO_VALUE; /* the elements would change places */
    return graph_add_const(g, value_at(g, v)->name, type_make(t.dtype, rank, dims),
                           value_at(g, v)->data);
}

/* Over dimensions in the middle: these are brought to the end and back. */
static ValueId build_inner_norm(Graph *g, const Match *m, const Node *root, Op op, int first,
                                int end)
{
    TensorType x = *type_of(g, matched_value(m, "x"));
    int64_t perm[MAX_RANK], back[MAX_RANK];
    int n = 0;
    for (int i = 0; i < x.rank; i++)
        if (i < first || i >= end)
            perm[n++] = i;
    for (int i = first; i < end; i++)
        perm[n++] = i;
    for (int i = 0; i < x.rank; i++)
        back[perm[i]] = i;
    const ValueId scale = matched_value(m, "scale"), bias = matched_value(m, "bias");
    const ValueId scale_moved = transposed_const(g, scale, x.rank, perm),
                  bias_moved = transposed_const(g, bias, x.rank, perm);
    ValueId in[3] = {add_transpose(g, root, matched_value(m, "x"), perm)};
    if (!has_value(in[0]) || has_value(scale) != has_value(scale_moved) ||
        has_value(bias) != has_value(bias_moved))
        return NO_VALUE;
    TensorType t = *type_of(g, in[0]);
    int axis = x.rank - (end - first);
    if (!norm_operands(g, scale_moved, bias_moved, &t, axis, in))
        return NO_VALUE;
    const Attr attrs[] = {ATTR_I("axis", axis), ATTR_F("epsilon", matched_number(m, "eps")),
                          ATTR_END};
    return add_transpose(g, root, graph_op(g, op, root, in, 3, attrs), back);
}

static ValueId build_norm(Graph *g, const Match *m, const Node *root, Op op)
{
    ValueId in[3] = {matched_value(m, "x"), NO_VALUE, NO_VALUE};
    TensorType x = *type_of(g, in[0]);
    int first, end;
    const NodeId square = matched_node(m, "square");
    if (!common_range(g, op == OP_LayerNormalization ? matched_node(m, "mean") : square, square,
                      &first, &end) ||
        !type_equal(&x, type_of(g, root->out[0])) || type_count(&x) == 0)
        return NO_VALUE;
    if (end < x.rank)
        return build_inner_norm(g, m, root, op, first, end);
    if (!norm_operands(g, matched_value(m, "scale"), matched_value(m, "bias"), &x, first, in))
        return op == OP_LayerNormalization && first == 2 ? build_instance_norm(g, m, root, &x)
                                                         : NO_VALUE;
    const Attr attrs[] = {ATTR_I("axis", first), ATTR_F("epsilon", matched_number(m, "eps")),
                          ATTR_END};
    return graph_op(g, op, root, in, 3, attrs);
}

/* Each group of channels, laid out as [N, groups, …], is normalised: by an InstanceNormalization, or by a
 * LayerNormalization of all but the first two dimensions. */
static ValueId build_group_norm(Graph *g, const Match *m, const Node *root, Op op)
{
    const Node norm = *node_at(g, matched_node(m, "norm"));
    ValueId x = matched_value(m, "x"), one = matched_value(m, "one"),
            zero = matched_value(m, "zero");
    TensorType t = *type_of(g, x), grouped = *type_of(g, norm.out[0]);
    double scale, bias = 0;
    if (t.rank < 3 || grouped.rank < 3 || grouped.dims[0] != t.dims[0] || grouped.dims[1] == 0 ||
        t.dims[1] % grouped.dims[1] || !type_equal(&t, type_of(g, root->out[0])) ||
        (norm.op == OP_LayerNormalization && attr_int(&norm, "axis", 0) != 2) ||
        !splat_value(g, one, &scale) || scale != 1 ||
        (has_value(zero) && (!splat_value(g, zero, &bias) || bias != 0)))
        return NO_VALUE;
    ValueId in[3] = {x, norm_operand(g, matched_value(m, "scale"), &t, 1, 2, 1),
                     norm_operand(g, matched_value(m, "bias"), &t, 1, 2, 0)};
    if (!has_value(in[1]) || !has_value(in[2]))
        return NO_VALUE;
    const Attr attrs[] = {ATTR_F("epsilon", attr_float(&norm, "epsilon", 1e-5)),
                          ATTR_I("num_groups", grouped.dims[1]), ATTR_END};
    return graph_op(g, op, root, in, 3, attrs);
}

/* The mean over all spatial dimensions of an image is what oneDNN's pooling is fast at. */
static ValueId build_global_average(Graph *g, const Match *m, const Node *root, Op op)
{
    static const int64_t zeros[2 * MAX_RANK];
    ValueId x = matched_value(m, "x");
    TensorType t = *type_of(g, x), out = *type_of(g, root->out[0]);
    size_t count, spatial = (size_t)t.rank - 2;
    const int64_t *axes = attr_ints(root, "axes", &count);
    if (root->op != OP_ReduceMean || t.dtype != DT_F32 || t.rank < 3 || t.rank > 5 ||
        count != spatial || axes[0] != 2 || type_count(&t) == 0)
        return NO_VALUE;
    const Attr attrs[] = {ATTR_IS("kernel_shape", t.dims + 2, spatial),
                          ATTR_IS("strides", dims_of_1, spatial),
                          ATTR_IS("dilations", dims_of_1, spatial),
                          ATTR_IS("pads", zeros, 2 * spatial),
                          ATTR_IS("ceil_pads", zeros, spatial),
                          ATTR_I("count_include_pad", 0),
                          ATTR_END};
    return add_reshape(g, root, graph_op(g, op, root, &x, 1, attrs), &out);
}

static const struct Builder {
    const char *name;
    Op op;
    const char *needs;
    BuildFn *build;
} builders[] = {
    {"leaky_relu", OP_LeakyRelu, "alpha", build_leaky_relu},
    {"mean", OP_ReduceMean, "part sum", build_mean},
    {"softmax", OP_Softmax, "sum", build_softmax},
    {"log_softmax", OP_LogSoftmax, "sum", build_softmax},
    {"group_norm", OP_GroupNormalization, "norm one", build_group_norm},
    {"layer_norm", OP_LayerNormalization, "mean square eps", build_norm},
    {"rms_norm", OP_RMSNormalization, "square eps", build_norm},
    {"global_average", OP_AveragePool, "mean", build_global_average},
};

const char *spelled_builder(size_t k, Op *op, const char **needs)
{
    if (k >= COUNT_OF(builders))
        return NULL;
    *op = builders[k].op;
    *needs = builders[k].needs;
    return builders[k].name;
}

ValueId spelled_build(Graph *g, const char *builder, const Match *m, const Node *root)
{
    for (size_t k = 0; k < COUNT_OF(builders); k++)
        if (strcmp(builders[k].name, builder) == 0)
            return builders[k].build(g, m, root, builders[k].op);
    bug("there is no builder '%s'", builder);
}
