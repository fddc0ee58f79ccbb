/* simplify: maxima over large windows from those over smaller ones that are there anyway. Detectors pool one value by windows of 5, 9 and 13
 * (spatial pyramids): each is a window of 5 over the one before. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../../gen/ops/window.h"
#include "../common/util.h"

/* Its output is maxima alone, over neighbours. */
static bool is_plain(const Node *n)
{
    size_t count;
    const int64_t *dilations = attr_ints(n, "dilations", &count);
    return n->op == OP_MaxPool && (n->n_out == 1 || !has_value(n->out[1])) &&
           all_equal(dilations, count, 1);
}

static Window pool_window(const Graph *g, const Node *n)
{
    return window_of(n, type_of(g, n->in[0]), type_of(g, n->out[0]), NULL);
}

/* A window of `large` is made of windows of `small`, which go on by one: the window over these, false if it is none. What small ones beyond the ends would
 * have, the last ones within have as well. */
static bool over(const Window *large, const Window *small, Window *w)
{
    bool less = false;
    *w = *large;
    for (int d = 0; d < large->n; d++) {
        w->kernel[d] = large->kernel[d] - small->kernel[d] + 1;
        w->pad_begin[d] = large->pad_begin[d] - small->pad_begin[d];
        w->pad_end[d] = large->pad_end[d] - small->pad_end[d];
        if (small->stride[d] != 1 || w->pad_begin[d] < 0 || w->pad_end[d] < 0 ||
            w->pad_begin[d] >= w->kernel[d] || w->pad_end[d] >= w->kernel[d])
            return false;
        less = less || small->kernel[d] > 1;
    }
    return less;
}

static ValueId pool_over(Simplify *s, const Node *n, ValueId small, const Window *w)
{
    const size_t count = (size_t)w->n;
    int64_t ones[MAX_RANK], pads[2 * MAX_RANK];
    for (int d = 0; d < w->n; d++) {
        ones[d] = 1;
        pads[d] = w->pad_begin[d];
        pads[w->n + d] = w->pad_end[d];
    }
    const Attr attrs[] = {
        ATTR_IS("dilations", ones, count), ATTR_IS("kernel_shape", w->kernel, count),
        ATTR_IS("pads", pads, 2 * count), ATTR_IS("strides", w->stride, count), ATTR_END};
    return graph_op(s->g, OP_MaxPool, n, &small, 1, attrs);
}

/* The largest window that is smaller. What DequantizeLinear has made stays as quantised models say it. */
ValueId simplify_max_pool(Simplify *s, const Node *n)
{
    const ValueId to = simplify_padded(s, n), x = n->in[0];
    const Node *best = NULL, *from = def_of(s->g, x);
    Window over_best = {0};
    if (has_value(to) || !is_plain(n) || (from && from->op == OP_DequantizeLinear))
        return to;
    const Window large = pool_window(s->g, n);
    for (uint32_t u = s->uses.start[x.i]; u < s->uses.start[x.i + 1]; u++) {
        const Node *other = node_at(s->g, s->uses.node[u]);
        Window w;
        if (!is_plain(other) || !same_value(other->in[0], x))
            continue;
        const Window small = pool_window(s->g, other);
        if (over(&large, &small, &w) && small.kernel_size < large.kernel_size &&
            (!best || pool_window(s->g, best).kernel_size < small.kernel_size)) {
            best = other;
            over_best = w;
        }
    }
    return best ? pool_over(s, n, best->out[0], &over_best) : NO_VALUE;
}
