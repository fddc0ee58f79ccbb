/* simplify: convolutions whose windows are as long as the image in a dimension, which they have one place in.
 *
 * What such a window covers are channels: a convolution over [N, C, H, W] by [M, C, H, kernel] is one over [N, C H, 1, W] by [M, C H, 1, kernel], as those over
 * the electrodes of an EEG are; one by [M, C, kernel, W], as those over the words of a sentence are, is one over lines, of W C channels, where the channels are
 * innermost. If it covers all of the image, it is a product. oneDNN multiplies a few channels at a time, tap by tap: 100 filters of 3 x 128 taps
 * over 50 words of 128 take 221 us as they stand and 28 over a line of 128 channels, 16 of 22 x 1 in 8 groups of 2 over 22 x 256 90 and
 * 8 (Zen 3, AVX2, one thread).
 *
 * An image of one column is a line: kernels go along lines, and take 1.7 times as long for a column. */
#include "simplify.h"

#include "../common/fold.h"
#include "../common/util.h"

#include <string.h>

typedef struct Whole {
    const Node *n;
    ValueId x, weights, bias;
    TensorType src, of_weights, dst;
    ConvAttrs attrs;
} Whole;

/* The window is as long as the image in spatial dimension d. */
static bool covers(const Whole *c, size_t d)
{
    return c->of_weights.dims[d + 2] == c->src.dims[d + 2] && c->attrs.pads[d] == 0 &&
           c->attrs.pads[c->attrs.spatial + d] == 0;
}

/* Constant weights with other dimensions, their elements in the same order. */
static ValueId reshaped_weights(Simplify *s, const Whole *c, int rank, const int64_t *dims)
{
    const TensorType t = type_make(c->of_weights.dtype, rank, dims);
    return folded(s->g, add_reshape(s->g, c->n, c->weights, &t));
}

/* --- the whole image ------------------------------------------------------------------------------------------------- */

static ValueId as_product(Simplify *s, const Whole *c)
{
    const int64_t depth = dims_product(&c->of_weights, 1, c->of_weights.rank);
    const int64_t rows[2] = {c->src.dims[0], depth}, columns[2] = {c->dst.dims[1], depth};
    const TensorType row = type_make(c->src.dtype, 2, rows);
    const ValueId x = add_reshape(s->g, c->n, c->x, &row);
    const ValueId weights = reshaped_weights(s, c, 2, columns);
    const ValueId y = add_gemm(s->g, c->n, x, weights, c->bias, true);
    return add_reshape(s->g, c->n, y, &c->dst);
}

/* --- lines ----------------------------------------------------------------------------------------------------------- */

enum { IMAGE = 2, HEIGHT = 2, WIDTH = 3 }; /* spatial dimensions; where they stand */

/* Over x [N, channels, 1, length], by the taps of dimension d. */
static ValueId along_line(Simplify *s, const Whole *c, ValueId x, ValueId weights, int d)
{
    const ConvAttrs *a = &c->attrs;
    const int64_t pads[2 * IMAGE] = {0, a->pads[d], 0, a->pads[IMAGE + d]};
    const int64_t strides[IMAGE] = {1, a->strides[d]}, dilations[IMAGE] = {1, a->dilations[d]};
    const ConvAttrs attrs = {IMAGE, a->group, dilations, pads, strides};
    const ValueId in[3] = {x, weights, c->bias};
    const ValueId y = add_conv(s->g, OP_Conv, c->n, in, 3, &attrs);
    return add_reshape(s->g, c->n, y, &c->dst);
}

/* Groups of rows, each by a matrix: [N, groups, channels, W] from the left by [groups, filters, channels]. */
static ValueId as_products(Simplify *s, const Whole *c)
{
    const int64_t groups = c->attrs.group, filters = c->dst.dims[1] / groups;
    const int64_t depth = c->src.dims[1] / groups * c->src.dims[HEIGHT];
    const int64_t columns[4] = {c->src.dims[0], groups, depth, c->src.dims[WIDTH]},
                  rows[3] = {groups, filters, depth}, each[3] = {c->dst.dims[1], 1, 1};
    const TensorType x = type_make(c->src.dtype, 4, columns),
                     bias = type_make(c->src.dtype, 3, each);
    const ValueId w = reshaped_weights(s, c, 3, rows);
    ValueId y = add_binary(s->g, OP_MatMul, c->n, w, add_reshape(s->g, c->n, c->x, &x));
    y = add_reshape(s->g, c->n, y, &c->dst);
    return has_value(c->bias)
               ? add_binary(s->g, OP_Add, c->n, y, add_reshape(s->g, c->n, c->bias, &bias))
               : y;
}

/* Rows of an image that are covered follow each other within a channel. */
static ValueId over_width(Simplify *s, const Whole *c)
{
    const int64_t h = c->src.dims[HEIGHT];
    const int64_t line[] = {c->src.dims[0], c->src.dims[1] * h, 1, c->src.dims[WIDTH]};
    const int64_t taps[] = {c->of_weights.dims[0], c->of_weights.dims[1] * h, 1,
                            c->of_weights.dims[WIDTH]};
    const TensorType t = type_make(c->src.dtype, 4, line);
    if (c->attrs.group == 1)
        return along_line(s, c, add_reshape(s->g, c->n, c->x, &t), reshaped_weights(s, c, 4, taps),
                          1);
    const bool one_tap =
        taps[3] == 1 && c->attrs.strides[1] == 1 && all_equal(c->attrs.pads, 2 * IMAGE, 0);
    return one_tap && c->dst.dims[1] > c->attrs.group ? as_products(s, c) : NO_VALUE;
}

/* Columns that are covered are channels beside the others: [N, W, C, H]. Where there is but one, the image is a line already. */
static ValueId over_height(Simplify *s, const Whole *c)
{
    static const int64_t to_front[] = {0, 3, 1, 2};
    const int64_t w = c->src.dims[WIDTH];
    const int64_t line[] = {c->src.dims[0], w * c->src.dims[1], 1, c->src.dims[HEIGHT]};
    const int64_t taps[] = {c->of_weights.dims[0], w * c->of_weights.dims[1], 1,
                            c->of_weights.dims[HEIGHT]};
    const TensorType t = type_make(c->src.dtype, 4, line);
    if (w == 1)
        return along_line(s, c, add_reshape(s->g, c->n, c->x, &t), reshaped_weights(s, c, 4, taps),
                          0);
    if (c->attrs.group != 1)
        return NO_VALUE;
    Whole turned = *c;
    turned.weights = folded(s->g, add_transpose(s->g, c->n, c->weights, to_front));
    const ValueId x = add_transpose(s->g, c->n, c->x, to_front);
    return along_line(s, c, add_reshape(s->g, c->n, x, &t), reshaped_weights(s, &turned, 4, taps),
                      0);
}

ValueId simplify_whole_window(Simplify *s, const Node *n)
{
    const Whole c = {.n = n,
                     .x = arg(s, n, 0),
                     .weights = arg(s, n, 1),
                     .bias = arg(s, n, 2),
                     .src = *type_of(s->g, arg(s, n, 0)),
                     .of_weights = *type_of(s->g, arg(s, n, 1)),
                     .dst = *type_of(s->g, n->out[0]),
                     .attrs = conv_attrs(n)};
    if (!is_const(s->g, c.weights) || type_count(&c.src) == 0 || type_count(&c.dst) == 0)
        return NO_VALUE;
    size_t covered = 0;
    for (size_t d = 0; d < c.attrs.spatial; d++)
        covered += covers(&c, d);
    if (covered == c.attrs.spatial)
        return c.attrs.group == 1 && (c.src.dims[0] > 1 || dims_product(&c.src, 2, c.src.rank) > 1)
                   ? as_product(s, &c)
                   : NO_VALUE;
    if (!covered || c.attrs.spatial != IMAGE)
        return NO_VALUE;
    const size_t along = covers(&c, 0) ? 1 : 0;
    if (c.dst.dims[along + 2] == 1 && c.attrs.strides[along] > 1)
        return NO_VALUE; /* oneDNN has that wrong where it lies: describe_lay_down */
    return along == 0 ? over_height(s, &c) : c.src.dims[HEIGHT] > 1 ? over_width(s, &c) : NO_VALUE;
}
