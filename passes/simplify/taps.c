/* simplify: convolutions over images that are smaller than what their windows reach.
 *
 * Taps of a window that lie in the padding for every element of the result go: a window of 3x3 with a padding of 1 over a single pixel is its middle tap, and
 * so is one that is dilated by 12 with as much padding over 9x9, as pyramids of dilated convolutions have it.
 *
 * A transposed convolution of a single pixel, with which generators begin, is a product: each element of its result is a sum over the channels alone. As a
 * convolution with padding all its taps but one would meet zeros: 100 channels to 256 of 7x7 is 1.3 million multiply-adds instead of 61 million. */
#include "simplify.h"

#include "../../gen/ops/window.h"
#include "../common/fold.h"
#include "../common/util.h"

#include <string.h>

/* Taps of a dimension at the beginning or at the end that no window has within the source, at least one being left, as far as their distance from the next one is
 * padding. */
static int64_t unused_taps(const Window *w, int d, bool at_end)
{
    const int64_t pad = at_end ? w->pad_end[d] : w->pad_begin[d], step = w->dilation[d];
    int64_t n = 0, lo, hi;
    while (n + 1 < w->kernel[d] && (n + 1) * step <= pad) {
        window_inside(w, d, at_end ? w->kernel[d] - 1 - n : n, &lo, &hi);
        if (lo < hi)
            break;
        n++;
    }
    return n;
}

/* Of constant weights [M, C, kernel…] the taps from first to first + taps - 1 in each dimension. */
static ValueId some_taps(Simplify *s, const Node *n, ValueId weights, const int64_t *first,
                         const int64_t *taps)
{
    const TensorType t = *type_of(s->g, weights);
    for (int d = 2; d < t.rank; d++)
        if (taps[d - 2] < t.dims[d])
            weights = folded(s->g, add_slice(s->g, n, weights, d, first[d - 2], taps[d - 2]));
    return weights;
}

ValueId simplify_unused_taps(Simplify *s, const Node *n)
{
    const TensorType src = *type_of(s->g, arg(s, n, 0)), weights = *type_of(s->g, arg(s, n, 1)),
                     dst = *type_of(s->g, n->out[0]);
    if (!is_const(s->g, arg(s, n, 1)) || src.rank < 3 || type_count(&weights) == 0 ||
        type_count(&dst) == 0)
        return NO_VALUE;
    const Window w = window_of(n, &src, &dst, weights.dims + 2);
    int64_t first[MAX_RANK], taps[MAX_RANK], pads[2 * MAX_RANK], dilations[MAX_RANK];
    bool any = false;
    for (int d = 0; d < w.n; d++) {
        /* A window that never meets the source keeps its last tap, once. */
        const int64_t begin = unused_taps(&w, d, false),
                      end = begin + 1 < w.kernel[d] ? unused_taps(&w, d, true) : 0;
        first[d] = begin;
        taps[d] = w.kernel[d] - begin - end;
        pads[d] = w.pad_begin[d] - begin * w.dilation[d];
        pads[w.n + d] = w.pad_end[d] - end * w.dilation[d];
        dilations[d] = taps[d] > 1 ? w.dilation[d] : 1;
        if (taps[d] < 1)
            return NO_VALUE;
        any |= begin + end > 0;
    }
    if (!any)
        return NO_VALUE;
    ConvAttrs attrs = conv_attrs(n);
    attrs.pads = pads;
    attrs.dilations = dilations;
    const ValueId in[3] = {arg(s, n, 0), some_taps(s, n, arg(s, n, 1), first, taps), arg(s, n, 2)};
    return add_conv(s->g, OP_Conv, n, in, 3, &attrs);
}

/* --- transposed convolutions of a single pixel ---------------------------------------------------------------------------- */

/* [M] as [M, taps…] in one row, each element repeated for all taps. */
static ValueId for_all_taps(Simplify *s, ValueId bias, int64_t taps)
{
    const Value v = *value_at(s->g, bias);
    const int64_t m = type_count(&v.type), row = m * taps;
    const size_t size = dtype_size(v.type.dtype);
    char *to = arena_alloc(s->g->arena, (size_t)row * size);
    for (int64_t i = 0; i < row; i++)
        memcpy(to + (size_t)i * size, (const char *)v.data + (size_t)(i / taps) * size, size);
    return graph_add_const(s->g, v.name, type_make(v.type.dtype, 1, &row), to);
}

ValueId simplify_single_pixel(Simplify *s, const Node *n)
{
    const ValueId x = arg(s, n, 0), bias = arg(s, n, 2);
    const TensorType src = *type_of(s->g, x), weights = *type_of(s->g, arg(s, n, 1)),
                     dst = *type_of(s->g, n->out[0]);
    const int64_t *cut = attr_ints(n, "pads", NULL), *dilations = attr_ints(n, "dilations", NULL);
    const size_t spatial = (size_t)src.rank - 2;
    if (!is_const(s->g, arg(s, n, 1)) || attr_int(n, "group", 1) != 1 ||
        dims_product(&src, 2, src.rank) != 1 || type_count(&dst) == 0 ||
        (has_value(bias) && !is_const(s->g, bias)) || !all_equal(dilations, spatial, 1))
        return NO_VALUE;
    for (size_t i = 0; i < spatial; i++) /* taps that are cut off, and none behind the last */
        if (cut[i] < 0 || cut[i] + dst.dims[i + 2] > weights.dims[i + 2])
            return NO_VALUE;
    const int64_t taps = dims_product(&dst, 2, dst.rank);
    const int64_t columns[2] = {src.dims[1], dst.dims[1] * taps};
    const TensorType rows = type_make(src.dtype, 2, src.dims),
                     matrix = type_make(weights.dtype, 2, columns);
    const Value w = *value_at(s->g, some_taps(s, n, arg(s, n, 1), cut, dst.dims + 2));
    const ValueId row = add_reshape(s->g, n, x, &rows);
    const ValueId product = graph_add_const(s->g, w.name, matrix, w.data);
    const ValueId each = has_value(bias) ? for_all_taps(s, bias, taps) : NO_VALUE;
    const ValueId y = add_gemm(s->g, n, row, product, each, false);
    return add_reshape(s->g, n, y, &dst);
}
