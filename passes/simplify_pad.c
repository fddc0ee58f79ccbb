/* simplify: a Pad with a constant goes into the padding of the convolution or pool that reads it, where that is exactly the
 * same. Exporters write it for paddings that differ at the two ends, and TensorFlow's whenever a stride is not 1. */
#include "simplify.h"

#include "../gen/ops.h"
#include "../gen/window.h"
#include "util.h"

#include <math.h>
#include <string.h>

/* The Pad's pads of the spatial dimensions added to the window's own; false where it pads batch or channels. */
static bool sum_pads(const Node *pad, const Node *n, int rank, int64_t *sum)
{
    const int64_t *outer = attr_ints(pad, "pads", NULL), *inner = attr_ints(n, "pads", NULL);
    int spatial = rank - 2;
    for (int d = 0; d < 2; d++)
        if (outer[d] || outer[rank + d])
            return false;
    for (int i = 0; i < spatial; i++) {
        sum[i] = outer[2 + i] + inner[i];
        sum[spatial + i] = outer[rank + 2 + i] + inner[spatial + i];
    }
    return true;
}

static bool all_zero(const int64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i])
            return false;
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
    switch (n->op) {
    case OP_Relu:
    case OP_Sigmoid:
    case OP_Exp:
    case OP_Abs:
    case OP_HardSigmoid:
    case OP_Softplus:
    case OP_Sqrt:
        return true;
    case OP_Clip:
        return attr_float(n, "min", -INFINITY) >= 0;
    case OP_MaxPool:
    case OP_AveragePool:
    case OP_Reshape:
    case OP_Transpose:
        return never_negative(s, n->in[0], depth - 1);
    default:
        return false;
    }
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
    return all_zero(ceil, n_ceil) &&
           (attr_int(n, "count_include_pad", 0) != 0 || all_zero(pads, n_pads));
}

ValueId simplify_padded(Simplify *s, const Node *n)
{
    const Node *pad = arg_node(s, n, 0, OP_Pad);
    int64_t pads[2 * MAX_RANK];
    if (!pad || strcmp(attr_string(pad, "mode", ""), "constant") != 0)
        return NO_VALUE;
    ValueId x = arg(s, pad, 0);
    TensorType t = *type_of(s->g, x);
    double value = attr_float(pad, "value", 0);
    if (t.rank < 3 || type_count(&t) == 0 || !sum_pads(pad, n, t.rank, pads))
        return NO_VALUE;
    size_t count = 2 * ((size_t)t.rank - 2);
    if (n->op == OP_Conv)
        return value == 0 ? with_pads(s, n, x, pads, count) : NO_VALUE;
    if (n->op == OP_AveragePool ? value != 0 || !counts_all(n) : !max_ignores(s, pad, value))
        return NO_VALUE;
    Window w = window_of(n, &t, type_of(s->g, n->out[0]), NULL);
    for (int d = 0; d < w.n; d++)
        w.pad_begin[d] = pads[d];
    return windows_touch(&w) ? with_pads(s, n, x, pads, count) : NO_VALUE;
}
