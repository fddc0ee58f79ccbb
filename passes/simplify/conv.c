/* simplify: convolutions that are cheaper as others.
 *
 * A transposed convolution of stride 1 is a convolution: out[o] sums in[i] w[k] over o = i - pad + k * dilation, which is
 * i = o - (reach - pad) + k' * dilation with the taps read backwards, k' = K - 1 - k. oneDNN's forward convolutions are its best
 * kernels; the transposed ones of small or grouped layers run at a tenth of their speed (measured: 16 channels with a 3x3 filter
 * each over 5x33, 18.6 µs; as a convolution 0.6 µs).
 *
 * A convolution over channels some of which are the same everywhere, as pooled ones enlarged to the size of their neighbours
 * are, is one over the others plus one number for each channel: the same everywhere too.
 *
 * A depthwise convolution that makes fewer elements than it reads goes before a shuffle of channels: less is shuffled then. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../common/util.h"

#include <string.h>

/* [C, M/group, kernel…] as [M, C/group, kernel…], the taps read backwards. */
static ValueId transposed_weights(Simplify *s, ValueId w, int64_t group)
{
    Value v = *value_at(s->g, w);
    TensorType t = v.type;
    size_t size = dtype_size(t.dtype);
    int64_t c = v.type.dims[0] / group, m = v.type.dims[1],
            taps = dims_product(&v.type, 2, v.type.rank);
    char *to = arena_alloc(s->g->arena, type_bytes(&v.type));
    const char *from = v.data;
    t.dims[0] = m * group;
    t.dims[1] = c;
    for (int64_t row = 0; row < m * group; row++)
        for (int64_t j = 0; j < c; j++)
            for (int64_t k = 0; k < taps; k++) {
                int64_t at = ((row / m * c + j) * m + row % m) * taps + taps - 1 - k;
                memcpy(to + (size_t)((row * c + j) * taps + k) * size, from + (size_t)at * size,
                       size);
            }
    return graph_add_const(s->g, v.name, t, to);
}

/* Of a dimension of size 1 the stride does not matter. */
static bool steps_by_one(const Node *n, const TensorType *src)
{
    const int64_t *strides = attr_ints(n, "strides", NULL);
    for (int d = 2; d < src->rank; d++)
        if (strides[d - 2] != 1 && src->dims[d] != 1)
            return false;
    return true;
}

ValueId simplify_conv_transpose(Simplify *s, const Node *n)
{
    ValueId x = arg(s, n, 0), w = arg(s, n, 1);
    TensorType src = *type_of(s->g, x), weights = *type_of(s->g, w);
    int64_t pads[2 * MAX_RANK], group = attr_int(n, "group", 1);
    size_t spatial = (size_t)src.rank - 2;
    const int64_t *cut = attr_ints(n, "pads", NULL), *dilations = attr_ints(n, "dilations", NULL);
    const int64_t *more = attr_ints(n, "output_padding", NULL);
    const ValueId product = simplify_single_pixel(s, n);
    if (has_value(product))
        return product;
    if (!is_const(s->g, w) || !steps_by_one(n, &src) || type_count(&weights) == 0)
        return NO_VALUE;
    for (size_t i = 0; i < spatial; i++) {
        int64_t reach = (weights.dims[i + 2] - 1) * dilations[i];
        pads[i] = reach - cut[i];
        pads[spatial + i] = reach - cut[spatial + i] + more[i];
        if (pads[i] < 0 || pads[spatial + i] < 0)
            return NO_VALUE;
    }
    const ConvAttrs attrs = {spatial, group, dilations, pads, dims_of_1};
    const ValueId in[3] = {x, transposed_weights(s, w, group), arg(s, n, 2)};
    return add_conv(s->g, OP_Conv, n, in, 3, &attrs);
}

/* --- channels that are the same everywhere ------------------------------------------------------------------------- */

/* [N, C, 1…] if v is that, repeated along the spatial dimensions; otherwise NO_VALUE. */
static ValueId repeated(const Simplify *s, ValueId v)
{
    const Node *n = def_of(s->g, v);
    if (!n || (n->op != OP_Resize && n->op != OP_Expand))
        return NO_VALUE;
    ValueId x = resolved(&s->rw, n->in[0]);
    const TensorType *from = type_of(s->g, x), *to = type_of(s->g, v);
    if (n->op == OP_Resize &&
        !strcmp(attr_string(n, "coordinate_transformation_mode", "half_pixel"),
                "tf_crop_and_resize"))
        return NO_VALUE; /* it may write another value outside */
    if (from->rank != to->rank || from->dims[0] != to->dims[0] || from->dims[1] != to->dims[1] ||
        !all_equal(from->dims + 2, (size_t)from->rank - 2, 1))
        return NO_VALUE;
    return x;
}

/* The columns of the weights that belong to the operands of the Concat that are repeated, the taps summed, or to the others. */
static ValueId part_of_weights(Simplify *s, const Node *n, const Node *concat, bool flat)
{
    Value v = *value_at(s->g, arg(s, n, 1));
    TensorType t = v.type;
    int64_t taps = dims_product(&v.type, 2, v.type.rank), rows = t.dims[0], columns = t.dims[1],
            kept = 0, first = 0;
    double *data = ARENA_ARRAY(s->g->arena, double, (size_t)(rows * columns * taps));
    for (int d = 2; flat && d < t.rank; d++)
        t.dims[d] = 1;
    int64_t taps_kept = flat ? 1 : taps;
    for (uint32_t k = 0; k < concat->n_in; k++)
        if (has_value(repeated(s, arg(s, concat, k))) == flat)
            kept += type_of(s->g, concat->in[k])->dims[1];
    for (uint32_t k = 0, at = 0; k < concat->n_in; k++) {
        int64_t width = type_of(s->g, concat->in[k])->dims[1];
        if (has_value(repeated(s, arg(s, concat, k))) == flat) {
            for (int64_t i = 0; i < rows * width * taps; i++) {
                int64_t row = i / (width * taps), c = i / taps % width, tap = i % taps;
                int64_t to = (row * kept + at + c) * taps_kept + (flat ? 0 : tap);
                data[to] +=
                    elem_f64(t.dtype, v.data, (size_t)((row * columns + first + c) * taps + tap));
            }
            at += (uint32_t)width;
        }
        first += width;
    }
    t.dims[1] = kept;
    return make_const(s->g, v.name, t.dtype, t.rank, t.dims, data);
}

/* The operands that are repeated, as they are before that, or the others, side by side. */
static ValueId part_of_concat(Simplify *s, const Node *concat, bool flat)
{
    ValueId *in = ARENA_ARRAY(s->g->arena, ValueId, concat->n_in);
    uint32_t n_in = 0;
    for (uint32_t k = 0; k < concat->n_in; k++) {
        ValueId x = repeated(s, arg(s, concat, k));
        if (has_value(x) == flat)
            in[n_in++] = flat ? x : arg(s, concat, k);
    }
    return n_in > 1 ? add_concat(s->g, concat, in, n_in, 1) : in[0];
}

static ValueId part_of_conv(Simplify *s, const Node *n, const Node *concat, ValueId bias, bool flat)
{
    ConvAttrs attrs = conv_attrs(n);
    if (flat)
        attrs.dilations = attrs.strides = dims_of_1;
    const ValueId w = part_of_weights(s, n, concat, flat);
    const ValueId in[3] = {part_of_concat(s, concat, flat), w, bias};
    return add_conv(s->g, OP_Conv, n, in, 3, &attrs);
}

/* Only without padding: that is not the same as what is inside. */
static ValueId without_repeated(Simplify *s, const Node *n)
{
    const Node *found = arg_node(s, n, 0, OP_Concat);
    size_t count;
    const int64_t *pads = attr_ints(n, "pads", &count);
    if (!found || attr_int(found, "axis", 0) != 1 || !arg_single(s, n, 0) ||
        attr_int(n, "group", 1) != 1 || !is_const(s->g, arg(s, n, 1)) || !all_equal(pads, count, 0))
        return NO_VALUE;
    const Node concat = *found; /* nodes are about to be added */
    uint32_t flat = 0;
    for (uint32_t k = 0; k < concat.n_in; k++)
        flat += has_value(repeated(s, arg(s, &concat, k)));
    if (flat == 0 || flat == concat.n_in)
        return NO_VALUE;
    const ValueId varying = part_of_conv(s, n, &concat, NO_VALUE, false);
    return add_binary(s->g, OP_Add, n, varying, part_of_conv(s, n, &concat, arg(s, n, 2), true));
}

/* --- shuffled channels --------------------------------------------------------------------------------------------- */

/* x as [N, a, b, …], a and b swapped, as [N, a b, …] again. */
typedef struct Shuffle {
    ValueId x;
    TensorType split; /* [N, a, b, …] */
} Shuffle;

static bool find_shuffle(const Simplify *s, const Node *n, Shuffle *found)
{
    const Node *join = arg_node(s, n, 0, OP_Reshape);
    const Node *transpose = join ? arg_node(s, join, 0, OP_Transpose) : NULL;
    const Node *split = transpose ? arg_node(s, transpose, 0, OP_Reshape) : NULL;
    if (!split || !arg_single(s, n, 0) || !arg_single(s, join, 0) || !arg_single(s, transpose, 0))
        return false;
    size_t rank;
    const int64_t *perm = attr_ints(transpose, "perm", &rank);
    found->x = arg(s, split, 0);
    found->split = *type_of(s->g, split->out[0]);
    const TensorType *x = type_of(s->g, found->x), *y = type_of(s->g, join->out[0]);
    if (rank != (size_t)x->rank + 1 || !same_shape(x, y))
        return false;
    for (size_t d = 0; d < rank; d++)
        if (perm[d] != (int64_t)(d == 1   ? 2
                                 : d == 2 ? 1
                                          : d) ||
            (d != 1 && d != 2 && found->split.dims[d] != x->dims[d < 1 ? d : d - 1]))
            return false;
    return true;
}

/* Rows of a constant as they are wanted before the shuffle. */
static ValueId rows_before(Simplify *s, ValueId v, int64_t a, int64_t b)
{
    Value c = *value_at(s->g, v);
    size_t row = type_bytes(&c.type) / (size_t)(a * b);
    char *to = arena_alloc(s->g->arena, type_bytes(&c.type));
    for (int64_t i = 0; i < a * b; i++)
        memcpy(to + (size_t)(i % a * b + i / a) * row, (const char *)c.data + (size_t)i * row, row);
    return graph_add_const(s->g, c.name, c.type, to);
}

static ValueId before_shuffle(Simplify *s, const Node *n)
{
    Shuffle f;
    ValueId w = arg(s, n, 1), bias = arg(s, n, 2);
    TensorType out = *type_of(s->g, n->out[0]), split = out;
    int64_t channels = type_of(s->g, n->in[0])->dims[1], perm[MAX_RANK];
    if (attr_int(n, "group", 1) != channels || out.dims[1] != channels || channels == 0 ||
        type_count(&out) >= type_count(type_of(s->g, n->in[0])) || !is_const(s->g, w) ||
        (has_value(bias) && !is_const(s->g, bias)) || out.rank == MAX_RANK ||
        !find_shuffle(s, n, &f))
        return NO_VALUE;
    split.rank++;
    memcpy(split.dims + 3, out.dims + 2, ((size_t)out.rank - 2) * sizeof *out.dims);
    split.dims[1] = f.split.dims[1];
    split.dims[2] = f.split.dims[2];
    for (int d = 0; d < split.rank; d++)
        perm[d] = d == 1 ? 2 : d == 2 ? 1 : d;
    ValueId in[3] = {f.x, rows_before(s, w, split.dims[1], split.dims[2]),
                     has_value(bias) ? rows_before(s, bias, split.dims[1], split.dims[2]) : bias};
    ValueId y = graph_op_as(s->g, OP_Conv, n, in, 3);
    y = add_transpose(s->g, n, add_reshape(s->g, n, y, &split), perm);
    return add_reshape(s->g, n, y, &out);
}

ValueId simplify_conv(Simplify *s, const Node *n)
{
    ValueId v = simplify_padded(s, n);
    v = has_value(v) ? v : without_repeated(s, n);
    v = has_value(v) ? v : simplify_unused_taps(s, n);
    v = has_value(v) ? v : simplify_whole_window(s, n);
    v = has_value(v) ? v : simplify_focus(s, n);
    return has_value(v) ? v : before_shuffle(s, n);
}
