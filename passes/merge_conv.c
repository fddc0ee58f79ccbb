/* merge-conv: a convolution with nothing but a 1x1 one behind it becomes one with it where that is less work.
 *
 * Needs nothing, kills all columns. Run it after fold-scale-axis, which leaves biases where batch norms were.
 *
 *     y[m] = b2[m] + sum over a of w2[m,a] * (b1[a] + sum over c, k of w1[a,c,k] * x[c, at k])
 *          = (b2[m] + sum over a of w2[m,a] b1[a]) + sum over c, k of (sum over a of w2[m,a] w1[a,c,k]) * x[c, at k]
 *
 * The first may have any padding, strides, dilations and groups, the second groups; what comes out has one group. A depthwise convolution and a
 * 1x1 one behind it are separate because that is less work, but not so where few filters follow: 64 to 256 channels, 3x3, then 2
 * filters on 56x56 take 0.36 + 0.16 ms, together 0.08 (one thread, AVX-512). Weights are multiplied in double and rounded once. */
#include "pass.h"

#include "../gen/machine/machine.h"
#include "common/util.h"
#include "merge_siblings.h"

typedef struct Pair {
    const Node *first, *second;
    TensorType w1, w2;
    int64_t group, group2, taps;
} Pair;

static bool constant_or_absent(const Graph *g, ValueId v)
{
    return !has_value(v) || is_const(g, v);
}

static bool is_pointwise(const Graph *g, const Node *n)
{
    size_t spatial, n_pads;
    const int64_t *strides = attr_ints(n, "strides", &spatial);
    const int64_t *pads = attr_ints(n, "pads", &n_pads);
    return all_equal(strides, spatial, 1) && all_equal(pads, n_pads, 0) &&
           all_equal(type_of(g, n->in[1])->dims + 2, spatial, 1);
}

static bool find_pair(const Rewrite *rw, const Uses *uses, const Node *n, Pair *p)
{
    const Graph *g = rw->g;
    if (n->op != OP_Conv || !single_use(uses, n->in[0]))
        return false;
    const Node *first = def_of(g, n->in[0]);
    if (!first || first->op != OP_Conv || !same_value(resolved(rw, n->in[0]), n->in[0]))
        return false; /* nothing is merged twice */
    *p = (Pair){.first = first, .second = n};
    if (!is_const(g, first->in[1]) || !is_const(g, n->in[1]) ||
        !constant_or_absent(g, node_in(first, 2)) || !constant_or_absent(g, node_in(n, 2)) ||
        !is_pointwise(g, n))
        return false;
    p->w1 = *type_of(g, first->in[1]);
    p->w2 = *type_of(g, n->in[1]);
    p->group = attr_int(first, "group", 1);
    p->group2 = attr_int(n, "group", 1);
    p->taps = dims_product(&p->w1, 2, p->w1.rank);
    return type_count(&p->w1) > 0 && type_count(&p->w2) > 0;
}

/* Nanoseconds for one position of the result: oneDNN's kernels take the time of sixteen filters for each group at least (dnnl/describe_algorithm.c), its depthwise
 * ones and C's for few filters (emit/c/conv_last.c) only those that there are, but slower. */
static double work(const Machine *m, int rank, int64_t filters, int64_t channels, int64_t taps,
                   int64_t group)
{
    enum { FILTERS = 16, FEW = 4 };
    int64_t each = filters / group;
    double macs = m->conv_macs;
    if (group > 1 && channels == 1)
        macs = m->depthwise_macs;
    else if (rank == 4 && group == 1 && filters <= FEW && taps > 1 && channels % FILTERS == 0)
        macs = m->few_macs;
    else
        each = round_up(each, FILTERS);
    return (double)(each * group) * (double)channels * (double)taps / macs;
}

static bool is_less_work(const Machine *m, const Pair *p)
{
    int64_t channels = p->w1.dims[1] * p->group;
    return work(m, p->w1.rank, p->w2.dims[0], channels, p->taps, 1) <=
           work(m, p->w1.rank, p->w1.dims[0], p->w1.dims[1], p->taps, p->group) +
               work(m, p->w1.rank, p->w2.dims[0], p->w2.dims[1], 1, p->group2);
}

/* The weight of intermediate channel a in filter m of the second. */
static double second_weight(const Graph *g, const Pair *p, int64_t m, int64_t a)
{
    int64_t columns = p->w2.dims[1], group = m / (p->w2.dims[0] / p->group2);
    return a / columns == group ? const_number(g, p->second->in[1], m * columns + a % columns) : 0;
}

static ValueId merged_weights(Graph *g, const Pair *p)
{
    int64_t rows = p->w2.dims[0], inner = p->w1.dims[0], per_group = inner / p->group;
    int64_t columns = p->w1.dims[1] * p->taps;
    TensorType t = p->w1;
    t.dims[0] = rows;
    t.dims[1] = p->w1.dims[1] * p->group;
    double *w = ARENA_ARRAY(g->arena, double, (size_t)type_count(&t));
    for (int64_t m = 0; m < rows; m++)
        for (int64_t a = 0; a < inner; a++) {
            double factor = second_weight(g, p, m, a);
            double *to = w + (m * p->group + a / per_group) * columns;
            for (int64_t i = 0; i < columns; i++)
                to[i] += factor * const_number(g, p->first->in[1], a * columns + i);
        }
    return make_const(g, value_at(g, p->second->in[1])->name, t.dtype, t.rank, t.dims, w);
}

static ValueId merged_bias(Graph *g, const Pair *p)
{
    int64_t rows = p->w2.dims[0], inner = p->w1.dims[0];
    ValueId b1 = node_in(p->first, 2), b2 = node_in(p->second, 2);
    if (!has_value(b1))
        return b2;
    double *b = ARENA_ARRAY(g->arena, double, (size_t)rows);
    for (int64_t m = 0; m < rows; m++) {
        b[m] = has_value(b2) ? const_number(g, b2, m) : 0;
        for (int64_t a = 0; a < inner; a++)
            b[m] += second_weight(g, p, m, a) * const_number(g, b1, a);
    }
    return make_const(g, "bias", p->w2.dtype, 1, &rows, b);
}

static ValueId merged(Graph *g, const Pair *p)
{
    ConvAttrs attrs = conv_attrs(p->first);
    attrs.group = 1;
    ValueId in[3] = {p->first->in[0], merged_weights(g, p), merged_bias(g, p)};
    const Node like = *p->second;
    return add_conv(g, OP_Conv, &like, in, 3, &attrs);
}

bool pass_merge_conv(Graph *g, const PassOptions *options, const char **report)
{
    const Machine m = options->machine ? *options->machine : machine_of_isa(NULL);
    Rewrite rw = rewrite_begin(g);
    Uses uses = graph_uses(g, g->arena);
    uint32_t n_nodes = g->n_nodes, count = 0;
    for (uint32_t i = 0; i < n_nodes; i++) {
        Node n = g->nodes[i];
        Pair p;
        if (!find_pair(&rw, &uses, &n, &p) || !is_less_work(&m, &p))
            continue;
        rewrite_replace(&rw, n.out[0], merged(g, &p));
        count++;
    }
    graph_apply(&rw);
    if (!options->target_c && !g->diag->message)
        count += merge_siblings(g, &m);
    *report = arena_printf(g->arena, "%u merged", count);
    return !g->diag->message;
}
