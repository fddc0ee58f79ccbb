/* simplify: a Pad with a constant goes into the padding of the convolution or pool that reads it, where that is exactly the
 * same. Exporters write it for paddings that differ at the two ends, and TensorFlow's whenever a stride is not 1.
 *
 * A Slice behind a convolution goes into its padding as well: causal convolutions are written as padded at both ends, with the last results
 * cut away, and transposed ones are cut to the size of what they are added to. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../../gen/ops/window.h"
#include "../common/util.h"

#include <math.h>
#include <string.h>

/* The Pad before a window, which may stand behind a Transpose: dimension d of what the window reads is perm[d] of what is padded. */
typedef struct Padding {
    const Node *pad;
    const int64_t *perm; /* NULL: no Transpose */
} Padding;

static Padding padding_before(const Simplify *s, const Node *n)
{
    const Node *transpose = arg_node(s, n, 0, OP_Transpose);
    if (!transpose)
        return (Padding){arg_node(s, n, 0, OP_Pad), NULL};
    return (Padding){arg_node(s, transpose, 0, OP_Pad), attr_ints(transpose, "perm", NULL)};
}

/* What is read without the Pad. */
static ValueId unpadded(Simplify *s, const Padding *p)
{
    const Node pad = *p->pad; /* rows may move */
    const ValueId x = arg(s, &pad, 0);
    return p->perm ? add_transpose(s->g, &pad, x, p->perm) : x;
}

/* The Pad's pads of the spatial dimensions added to the window's own; false where it pads batch or channels. */
static bool sum_pads(const Padding *p, const Node *n, int rank, int64_t *sum)
{
    const int64_t *outer = attr_ints(p->pad, "pads", NULL), *inner = attr_ints(n, "pads", NULL);
    const int spatial = rank - 2;
    for (int d = 0; d < rank; d++) {
        const int64_t at = p->perm ? p->perm[d] : d, begin = outer[at], end = outer[rank + at];
        if (d < 2 && (begin || end))
            return false;
        if (d >= 2) {
            sum[d - 2] = begin + inner[d - 2];
            sum[spatial + d - 2] = end + inner[spatial + d - 2];
        }
    }
    return true;
}

/* Every window of a pool reaches some element of x itself. */
static bool windows_touch(const Window *w)
{
    for (int d = 0; d < w->n; d++)
        for (int64_t o = 0; o < w->dst[d]; o++) {
            bool touches = false;
            for (int64_t k = 0; k < w->kernel[d] && !touches; k++) {
                int64_t at = window_at(w, d, o, k);
                touches = at >= 0 && at < w->src[d];
            }
            if (!touches)
                return false;
        }
    return true;
}

enum { SEARCH_DEPTH = 6 };

/* No element is below zero. */
static bool never_negative(const Simplify *s, ValueId v, int depth)
{
    const Node *n = def_of(s->g, v);
    if (!n || depth == 0)
        return false;
    if (n->op == OP_Clip)
        return attr_float(n, "min", -INFINITY) >= 0;
    if (!op_has(n->op, TRAIT_KEEPS_SIGN))
        return op_has(n->op, TRAIT_NOT_NEGATIVE);
    const bool many = op_info(n->op)->max_in < 0;
    for (uint32_t k = 0; k < (many ? n->n_in : 1); k++)
        if (!never_negative(s, n->in[k], depth - 1))
            return false;
    return true;
}

/* What a MaxPool ignores: -inf, and what is below all elements anyway. */
static bool max_ignores(const Simplify *s, const Node *pad, double value)
{
    return value == -INFINITY || (value <= 0 && never_negative(s, arg(s, pad, 0), SEARCH_DEPTH));
}

/* n over x with other pads and, of an AveragePool, all of them counted. */
static ValueId with_pads(Simplify *s, const Node *n, ValueId x, const int64_t *pads, size_t count)
{
    Attr *attrs = ARENA_ARRAY(s->g->arena, Attr, n->n_attr + 1);
    ValueId *in = arena_copy(s->g->arena, n->in, n->n_in * sizeof *n->in);
    in[0] = x;
    for (uint32_t k = 1; k < n->n_in; k++)
        in[k] = arg(s, n, k);
    for (uint32_t k = 0; k < n->n_attr; k++) {
        attrs[k] = n->attr[k];
        if (strcmp(attrs[k].name, "pads") == 0)
            attrs[k] = ATTR_IS("pads", pads, count);
        if (strcmp(attrs[k].name, "count_include_pad") == 0)
            attrs[k] = ATTR_I("count_include_pad", 1);
    }
    attrs[n->n_attr] = ATTR_END;
    return graph_op(s->g, n->op, n, in, n->n_in, attrs);
}

/* The divisor of an AveragePool that has no padding of its own, or counts it, is the whole window: as if all padding
 * counted. */
static bool counts_all(const Node *n)
{
    size_t n_pads, n_ceil;
    const int64_t *pads = attr_ints(n, "pads", &n_pads), *ceil = attr_ints(n, "ceil_pads", &n_ceil);
    return all_equal(ceil, n_ceil, 0) &&
           (attr_int(n, "count_include_pad", 0) != 0 || all_equal(pads, n_pads, 0));
}

/* A pool whose windows are the elements. */
static bool pools_nothing(const Simplify *s, const Node *n)
{
    size_t n_kernel, n_pads;
    const int64_t *kernel = attr_ints(n, "kernel_shape", &n_kernel),
                  *pads = attr_ints(n, "pads", &n_pads);
    return n->op != OP_Conv && n->n_out == 1 && all_equal(kernel, n_kernel, 1) &&
           all_equal(pads, n_pads, 0) &&
           same_shape(type_of(s->g, n->in[0]), type_of(s->g, n->out[0]));
}

ValueId simplify_padded(Simplify *s, const Node *n)
{
    if (pools_nothing(s, n))
        return arg(s, n, 0);
    const Padding p = padding_before(s, n);
    int64_t pads[2 * MAX_RANK];
    if (!p.pad || strcmp(attr_string(p.pad, "mode", ""), "constant") != 0)
        return NO_VALUE;
    const double value = attr_float(p.pad, "value", 0);
    const int rank = type_of(s->g, n->in[0])->rank;
    if (rank < 3 || type_count(type_of(s->g, arg(s, p.pad, 0))) == 0 ||
        !sum_pads(&p, n, rank, pads))
        return NO_VALUE;
    const size_t count = 2 * ((size_t)rank - 2);
    if (n->op == OP_Conv          ? value != 0
        : n->op == OP_AveragePool ? value != 0 || !counts_all(n)
                                  : !max_ignores(s, p.pad, value))
        return NO_VALUE;
    const ValueId x = unpadded(s, &p);
    if (!has_value(x) || n->op == OP_Conv)
        return has_value(x) ? with_pads(s, n, x, pads, count) : x;
    Window w = window_of(n, type_of(s->g, x), type_of(s->g, n->out[0]), NULL);
    for (int d = 0; d < w.n; d++)
        w.pad_begin[d] = pads[d];
    return windows_touch(&w) ? with_pads(s, n, x, pads, count) : NO_VALUE;
}

/* Padding of dimension d with which a convolution gives `size` results from position `start` on; false if there is none. */
static bool convolution_pads(const Window *w, int d, int64_t start, int64_t size, int64_t *begin,
                             int64_t *end)
{
    const int64_t reach = (w->kernel[d] - 1) * w->dilation[d];
    *begin = w->pad_begin[d] - start * w->stride[d];
    const int64_t missing = (size - 1) * w->stride[d] + reach + 1 - w->src[d] - *begin;
    *end = missing > 0 ? missing : 0;
    return *begin >= 0 && -missing < w->stride[d];
}

/* The same of a transposed one, whose pads say what is cut away. */
static bool transposed_pads(const Window *w, int d, int64_t start, int64_t size, int64_t *begin,
                            int64_t *end)
{
    const int64_t reach = (w->kernel[d] - 1) * w->dilation[d];
    *begin = w->pad_begin[d] + start;
    *end = w->pad_end[d] + w->dst[d] - start - size;
    return *begin <= reach && *end <= reach;
}

ValueId simplify_sliced(Simplify *s, const Node *n)
{
    const Node *before = def_of(s->g, arg(s, n, 0));
    if (!before || (before->op != OP_Conv && before->op != OP_ConvTranspose) ||
        !arg_single(s, n, 0))
        return NO_VALUE;
    const Node conv = *before; /* rows may move */
    const TensorType *dst = type_of(s->g, conv.out[0]), *out = type_of(s->g, n->out[0]);
    const int64_t *starts = attr_ints(n, "starts", NULL), *steps = attr_ints(n, "steps", NULL);
    const ValueId x = arg(s, &conv, 0);
    const Window w = window_of(&conv, type_of(s->g, x), dst, type_of(s->g, conv.in[1])->dims + 2);
    int64_t pads[2 * MAX_RANK];
    const int spatial = dst->rank - 2;
    for (int i = 0; i < dst->rank; i++) {
        const int d = i - 2;
        if (out->dims[i] < 1 || (steps[i] != 1 && out->dims[i] > 1) ||
            (d < 0 && out->dims[i] != dst->dims[i]))
            return NO_VALUE;
        if (d >= 0 && !(conv.op == OP_Conv ? convolution_pads : transposed_pads)(
                          &w, d, starts[i], out->dims[i], &pads[d], &pads[spatial + d]))
            return NO_VALUE;
    }
    return spatial > 0 ? with_pads(s, &conv, x, pads, 2 * (size_t)spatial) : NO_VALUE;
}
