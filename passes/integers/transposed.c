/* Layers that others can stand for, before the rest of in-integers: a transposed convolution of bytes as a convolution, a BatchNormalization as a
 * product and a sum; the factors and addends of other norms as layers behind them.
 *
 * Along a dimension with stride s, output o of a transposed convolution is the sum of x[i] w[k] with i s + k = o + pad. Let o + pad = q s + r:
 * then k = r + j s and i = q - j. So each remainder r has a filter of its own, of every s-th weight in reverse order, and all of them are one
 * convolution with s times as many channels, whose results stand between each other: channels [M, s…] go behind the places [q…], and a
 * Slice takes what the pads leave. */
#include "integers.h"

#include <math.h>

enum { MOST_SPATIAL = (MAX_RANK - 2) / 2 };

typedef struct Transposed {
    int64_t images, channels, filters, group; /* filters: of each group */
    size_t spatial;
    int64_t stride[MOST_SPATIAL],
        size[MOST_SPATIAL] /* of the filter, with the holes of dilations */,
        taps[MOST_SPATIAL] /* of each remainder */, first[MOST_SPATIAL] /* the least q */,
        places[MOST_SPATIAL] /* how many of them */;
    int64_t phases; /* remainders of all dimensions */
} Transposed;

static bool read_transposed(const Integers *m, const Node *n, const TensorType *w, Transposed *t)
{
    const TensorType *src = type_of(m->g, n->in[0]), *dst = type_of(m->g, n->out[0]);
    const ConvAttrs a = conv_attrs(n);
    *t = (Transposed){.images = src->dims[0],
                      .channels = src->dims[1],
                      .filters = w->dims[1],
                      .group = a.group,
                      .spatial = a.spatial,
                      .phases = 1};
    if (t->spatial > MOST_SPATIAL || type_count(w) == 0 || type_count(src) == 0)
        return false;
    for (size_t d = 0; d < t->spatial; d++) {
        const int64_t s = a.strides[d];
        t->stride[d] = s;
        t->size[d] = (w->dims[d + 2] - 1) * a.dilations[d] + 1;
        t->taps[d] = (t->size[d] + s - 1) / s;
        t->first[d] = a.pads[d] / s < t->taps[d] - 1 ? a.pads[d] / s : t->taps[d] - 1;
        t->places[d] = (a.pads[d] + dst->dims[d + 2] - 1) / s + 1 - t->first[d];
        t->phases *= s;
    }
    return true;
}

/* The weights [C, M/group, k…] as filters [M phases, C/group, j…], and where there is none, `none`. */
static ValueId filters(const Integers *m, const Node *n, const Transposed *t, ValueId weights,
                       double none)
{
    const TensorType *w = type_of(m->g, weights);
    const int64_t *dilations = attr_ints(n, "dilations", NULL), depth = t->channels / t->group;
    TensorType type = type_make(w->dtype, w->rank, w->dims);
    type.dims[0] = t->group * t->filters * t->phases;
    type.dims[1] = depth;
    for (size_t d = 0; d < t->spatial; d++)
        type.dims[d + 2] = t->taps[d];
    const int64_t count = type_count(&type);
    double *x = ARENA_ARRAY(m->g->arena, double, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, tap[MOST_SPATIAL], at = 0;
        bool any = true;
        for (size_t d = t->spatial; d-- > 0; rest /= t->taps[d])
            tap[d] = t->taps[d] - 1 - rest % t->taps[d];
        const int64_t c = rest % depth, row = rest / depth;
        int64_t phase = row % t->phases, remainder[MOST_SPATIAL];
        const int64_t filter = row / t->phases % t->filters, group = row / t->phases / t->filters;
        for (size_t d = t->spatial; d-- > 0; phase /= t->stride[d])
            remainder[d] = phase % t->stride[d];
        at = (group * depth + c) * t->filters + filter;
        for (size_t d = 0; d < t->spatial; d++) {
            const int64_t k = remainder[d] + tap[d] * t->stride[d];
            any = any && k < t->size[d] && k % dilations[d] == 0;
            at = at * w->dims[d + 2] + k / dilations[d];
        }
        x[i] = any ? const_number(m->g, weights, at) : none;
    }
    return make_const(m->g, "", w->dtype, type.rank, type.dims, x);
}

/* One number for each filter of the convolution: those of [M/group] for each group, or of [M], for each remainder. */
static ValueId for_filters(const Integers *m, const Transposed *t, DType type, const double *x,
                           int64_t n)
{
    const int64_t rows = t->group * t->filters * t->phases;
    double *all = ARENA_ARRAY(m->g->arena, double, (size_t)rows);
    for (int64_t i = 0; i < rows; i++)
        all[i] = x[i / t->phases % n];
    return make_const(m->g, "", type, 1, &rows, all);
}

/* The results of the remainders between each other, and of these what the pads leave. */
static ValueId together(const Integers *m, const Node *n, const Transposed *t, ValueId v)
{
    const size_t s = t->spatial;
    const int64_t *pads = attr_ints(n, "pads", NULL);
    const TensorType *dst = type_of(m->g, n->out[0]), *src = type_of(m->g, v);
    TensorType apart = type_make(DT_NONE, (int)(2 + 2 * s), dims_of_1), whole = *dst;
    int64_t perm[MAX_RANK] = {0, 1};
    apart.dims[0] = whole.dims[0];
    apart.dims[1] = whole.dims[1];
    for (size_t d = 0; d < s; d++) {
        apart.dims[2 + d] = t->stride[d];
        apart.dims[2 + s + d] = src->dims[2 + d];
        perm[2 + 2 * d] = (int64_t)(2 + s + d);
        perm[3 + 2 * d] = (int64_t)(2 + d);
        whole.dims[2 + d] = src->dims[2 + d] * t->stride[d];
    }
    if (t->phases > 1) {
        v = add_transpose(m->g, n, add_reshape(m->g, n, v, &apart), perm);
        v = add_reshape(m->g, n, v, &whole);
    }
    for (size_t d = 0; d < s; d++)
        if (whole.dims[2 + d] != dst->dims[2 + d])
            v = add_slice(m->g, n, v, (int)(2 + d), pads[d] - t->first[d] * t->stride[d],
                          dst->dims[2 + d]);
    return v;
}

static ValueId as_convolution(Integers *m, const Node *n)
{
    Weights w;
    Step8 src;
    ValueId x;
    Transposed t;
    double *scale, *bias, *zeros, zero = 0;
    int64_t n_scales, n_bias, n_zeros = 0, pads[2 * MOST_SPATIAL];
    if (!bytes_of(m, n->in[0], &x, &src) || !read_weights(m, n->in[1], &w) ||
        !read_transposed(m, n, type_of(m->g, w.bytes), &t) ||
        !numbers_of(m, w.scale, &scale, &n_scales) || (n_scales != 1 && w.axis != 1) ||
        (has_value(w.zero) && !numbers_of(m, w.zero, &zeros, &n_zeros)) ||
        (has_value(node_in(n, 2)) && !numbers_of(m, n->in[2], &bias, &n_bias)))
        return NO_VALUE;
    for (int64_t i = 0; i < n_zeros; i++) {
        zero = zeros[0];
        if (zeros[i] != zero)
            return NO_VALUE;
    }
    const DType type = type_of(m->g, w.bytes)->dtype;
    ValueId in[3] = {filters(m, n, &t, w.bytes, zero), for_filters(m, &t, DT_F32, scale, n_scales),
                     for_filters(m, &t, type, &zero, 1)};
    in[1] = graph_op(m->g, OP_DequantizeLinear, n, in, 3, (Attr[]){ATTR_I("axis", 0), ATTR_END});
    in[0] = n->in[0];
    in[2] = has_value(node_in(n, 2)) ? for_filters(m, &t, DT_F32, bias, n_bias) : NO_VALUE;
    for (size_t d = 0; d < t.spatial; d++) {
        const int64_t last = t.first[d] + t.places[d] - type_of(m->g, n->in[0])->dims[d + 2];
        pads[d] = t.taps[d] - 1 - t.first[d];
        pads[t.spatial + d] = last > 0 ? last : 0;
    }
    const ConvAttrs attrs = {t.spatial, t.group, dims_of_1, pads, dims_of_1};
    return together(m, n, &t, add_conv(m->g, OP_Conv, n, in, 3, &attrs));
}

/* (x - mean) * scale / sqrt(variance + epsilon) + bias */
static ValueId as_product_and_sum(Integers *m, const Node *n)
{
    double *x[4];
    int64_t count;
    const TensorType *t = type_of(m->g, n->in[0]);
    for (uint32_t k = 0; k < 4; k++)
        if (!numbers_of(m, n->in[k + 1], &x[k], &count) || t->rank < 2 || count != t->dims[1])
            return NO_VALUE;
    for (int64_t i = 0; i < count; i++) {
        x[0][i] /= sqrt(x[3][i] + attr_float(n, "epsilon", 1e-5));
        x[1][i] -= x[2][i] * x[0][i];
    }
    const ValueId product =
        add_binary(m->g, OP_Mul, n, arg(m, n, 0), by_channel(m, DT_F32, x[0], count, t->rank, 1));
    return add_binary(m->g, OP_Add, n, product, by_channel(m, DT_F32, x[1], count, t->rank, 1));
}

void as_other_layers(Graph *g)
{
    Integers m = {.g = g};
    const uint32_t n = g->n_nodes;
    m.rw = rewrite_begin(g);
    for (uint32_t i = 0; i < n; i++) {
        const Node node = g->nodes[i]; /* rules add nodes */
        const ValueId v = node.op == OP_ConvTranspose        ? as_convolution(&m, &node)
                          : node.op == OP_BatchNormalization ? as_product_and_sum(&m, &node)
                                                             : with_factors_behind(&m, &node);
        if (has_value(v))
            rewrite_replace(&m.rw, node.out[0], v);
    }
    graph_apply(&m.rw);
}
