/* merge-conv, second half: convolutions of few filters over one value become one whose result is split.
 *
 * Heads of detectors make a class, a box and a few points of the same features by a 1x1 convolution each, often with a depthwise one behind. Kernels with vectors
 * of filters compute sixteen at least, and each of them reads all features: 64 channels of 80x80 to 1, 4, 1 and 10 filters take 0.11, 0.10, 0.11 and 0.19 ms, in one 0.15 (Zen 3, AVX2,
 * one thread). Depthwise convolutions behind all of them, of the same window, become one as well. */
#include "merge_siblings.h"

#include "common/util.h"

#include <string.h>

enum { FILTERS = 16, MOST = 16, LEAST_DEPTH = 32, AXIS = 1 };

/* Of the time of all by themselves, which it has to take at most. */
static const double worth = 0.7;

typedef struct Siblings {
    Node node[MOST]; /* copies: rows move when nodes are added */
    uint32_t n;
} Siblings;

static bool has_constants(const Graph *g, const Node *n)
{
    const ValueId bias = node_in(n, 2);
    return is_const(g, n->in[1]) && type_of(g, n->in[1])->dtype == DT_F32 &&
           (!has_value(bias) || is_const(g, bias));
}

static int64_t filters_of(const Graph *g, const Node *n)
{
    return type_of(g, n->in[1])->dims[0];
}

static int64_t depth_of(const Graph *g, const Node *n)
{
    return dims_product(type_of(g, n->in[1]), 1, 4);
}

static bool is_narrow(const Graph *g, const Node *n)
{
    return n->op == OP_Conv && type_of(g, n->in[0])->rank == 4 && has_constants(g, n) &&
           attr_int(n, "group", 1) == 1 && filters_of(g, n) < FILTERS && filters_of(g, n) > 0 &&
           depth_of(g, n) >= LEAST_DEPTH;
}

static bool is_own_depthwise(const Graph *g, const Node *n, int64_t channels)
{
    return n->op == OP_Conv && has_constants(g, n) && attr_int(n, "group", 1) == channels &&
           filters_of(g, n) == channels && type_of(g, n->in[1])->dims[1] == 1;
}

static bool same_window(const Graph *g, const Node *a, const Node *b)
{
    const ConvAttrs x = conv_attrs(a), y = conv_attrs(b);
    const TensorType *v = type_of(g, a->in[1]), *w = type_of(g, b->in[1]);
    return x.spatial == y.spatial && v->rank == w->rank &&
           !memcmp(v->dims + 2, w->dims + 2, x.spatial * sizeof *v->dims) &&
           !memcmp(x.strides, y.strides, x.spatial * sizeof *x.strides) &&
           !memcmp(x.dilations, y.dilations, x.spatial * sizeof *x.dilations) &&
           !memcmp(x.pads, y.pads, 2 * x.spatial * sizeof *x.pads);
}

static Siblings find_siblings(const Graph *g, const Uses *uses, const bool *merged, uint32_t first)
{
    const Node *n = &g->nodes[first];
    const ValueId x = n->in[0];
    Siblings s = {.n = 0};
    for (uint32_t u = uses->start[x.i]; u < uses->start[x.i + 1] && s.n < MOST; u++) {
        const uint32_t i = uses->node[u].i;
        const Node *other = &g->nodes[i];
        if (i >= first && !merged[i] && is_narrow(g, other) && same_value(other->in[0], x) &&
            same_window(g, n, other))
            s.node[s.n++] = *other;
    }
    return s;
}

static int64_t all_filters(const Graph *g, const Siblings *s)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < s->n; k++)
        sum += filters_of(g, &s->node[k]);
    return sum;
}

/* For one position, nanoseconds; parts of the whole may have to be copied. */
static bool is_less_work(const Graph *g, const Machine *m, const Siblings *s)
{
    const int64_t sum = all_filters(g, s);
    const double depth = (double)depth_of(g, &s->node[0]);
    const double one = (double)round_up(sum, FILTERS) * depth / m->conv_macs +
                       4 * (double)sum / m->kernel_copy_rate;
    return s->n > 1 && one <= worth * (double)(s->n * FILTERS) * depth / m->conv_macs;
}

/* The depthwise convolutions behind all of them; false if there is not one each. */
static bool find_depthwise(const Graph *g, const Uses *uses, const Siblings *s, Siblings *behind)
{
    behind->n = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const ValueId v = s->node[k].out[0];
        if (!single_use(uses, v))
            return false;
        const Node *n = node_at(g, uses->node[uses->start[v.i]]);
        if (!is_own_depthwise(g, n, filters_of(g, &s->node[k])) || !same_value(n->in[0], v) ||
            (k && !same_window(g, &behind->node[0], n)))
            return false;
        behind->node[behind->n++] = *n;
    }
    return true;
}

static ValueId joined_weights(Graph *g, const Siblings *s)
{
    TensorType t = *type_of(g, s->node[0].in[1]);
    const int64_t row = dims_product(&t, 1, t.rank);
    int64_t at = 0;
    t.dims[0] = all_filters(g, s);
    double *w = ARENA_ARRAY(g->arena, double, (size_t)(t.dims[0] * row));
    for (uint32_t k = 0; k < s->n; k++) {
        const int64_t count = filters_of(g, &s->node[k]) * row;
        for (int64_t i = 0; i < count; i++)
            w[at++] = const_number(g, s->node[k].in[1], i);
    }
    return make_const(g, value_at(g, s->node[0].in[1])->name, t.dtype, t.rank, t.dims, w);
}

static ValueId joined_bias(Graph *g, const Siblings *s)
{
    const int64_t sum = all_filters(g, s);
    double *b = ARENA_ARRAY(g->arena, double, (size_t)sum);
    bool any = false;
    int64_t at = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const ValueId bias = node_in(&s->node[k], 2);
        const int64_t count = filters_of(g, &s->node[k]);
        any = any || has_value(bias);
        for (int64_t i = 0; i < count; i++)
            b[at++] = has_value(bias) ? const_number(g, bias, i) : 0;
    }
    return any ? make_const(g, "bias", DT_F32, 1, &sum, b) : NO_VALUE;
}

static ValueId joined(Graph *g, const Siblings *s, ValueId x, int64_t group)
{
    ConvAttrs attrs = conv_attrs(&s->node[0]);
    attrs.group = group;
    const ValueId in[3] = {x, joined_weights(g, s), joined_bias(g, s)};
    return add_conv(g, OP_Conv, &s->node[0], in, 3, &attrs);
}

static void split(Graph *g, Rewrite *rw, const Siblings *s, ValueId whole)
{
    int64_t sizes[MOST];
    for (uint32_t k = 0; k < s->n; k++)
        sizes[k] = filters_of(g, &s->node[k]);
    const Attr attrs[] = {ATTR_I("axis", AXIS), ATTR_IS("split", sizes, s->n)};
    const NodeId id = graph_add_node(g, OP_Split, "", s->node[0].model_index, &whole, 1, s->n, NULL,
                                     attrs, COUNT_OF(attrs));
    if (id.i == NO_NODE.i)
        return;
    for (uint32_t k = 0; k < s->n; k++)
        rewrite_replace(rw, s->node[k].out[0], node_at(g, id)->out[k]);
}

static void mark(const Graph *g, const Siblings *s, bool *merged)
{
    for (uint32_t k = 0; k < s->n; k++)
        merged[value_at(g, s->node[k].out[0])->def.i] = true;
}

uint32_t merge_siblings(Graph *g, const Machine *m)
{
    const uint32_t n_nodes = g->n_nodes;
    bool *merged = ARENA_ARRAY(g->arena, bool, (size_t)n_nodes + 1);
    Rewrite rw = rewrite_begin(g);
    const Uses uses = graph_uses(g, g->arena);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n_nodes && machine_lanes(m); i++) {
        Siblings behind;
        if (merged[i] || !is_narrow(g, &g->nodes[i]))
            continue;
        const Siblings s = find_siblings(g, &uses, merged, i);
        if (!is_less_work(g, m, &s))
            continue;
        const bool depthwise = find_depthwise(g, &uses, &s, &behind);
        const ValueId whole = joined(g, &s, s.node[0].in[0], 1);
        mark(g, &s, merged);
        count += s.n;
        if (!depthwise) {
            split(g, &rw, &s, whole);
            continue;
        }
        mark(g, &behind, merged);
        count += behind.n;
        split(g, &rw, &behind, joined(g, &behind, whole, all_filters(g, &s)));
    }
    graph_apply(&rw);
    return count;
}
