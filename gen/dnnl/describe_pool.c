/* Pools, and reductions, which may become pools. */
#include "family.h"

#include "../ops/ops.h"
#include "../ops/window.h"

#include <string.h>

bool describe_pool(Describe *d)
{
    Layout layout = layout_nxc(type_of(d->l->g, d->n->in[0])->rank);
    size_t n = 0;
    const int64_t *ceil_pads = attr_ints(d->n, "ceil_pads", &n);
    bool include = attr_int(d->n, "count_include_pad", 0) != 0;
    if (d->n->n_out > 1 && has_value(d->n->out[1]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (include && ceil_pads[i])
            return false;
    d->p->kind = KIND_POOLING;
    d->p->alg = d->n->op == OP_MaxPool ? ALG_pooling_max
                : include              ? ALG_pooling_avg_include_padding
                                       : ALG_pooling_avg_exclude_padding;
    if (!describe_window(d))
        return false;
    describe_add_src(d, &layout);
    return describe_finish(d, &layout, 0, NULL);
}

/* Channels last, over all that follows the channels: a pool of one window. oneDNN reduces that layout by its reference code only. */
static bool describe_reduce_planes(Describe *d, const Layout *nxc, const int64_t *kept)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    Layout plain = layout_plain(type_of(d->l->g, d->result)->rank);
    d->p->kind = KIND_POOLING;
    d->p->alg = d->n->op == OP_ReduceMax ? ALG_pooling_max : ALG_pooling_avg_exclude_padding;
    d->p->spatial = t->rank - 2;
    float count = 1;
    for (int i = 0; i < d->p->spatial; i++) {
        d->p->kernel[i] = t->dims[i + 2];
        d->p->strides[i] = 1;
        count *= (float)t->dims[i + 2];
    }
    if (d->n->op == OP_ReduceSum)
        d->p->post[d->p->n_post++] =
            (DnnlPostOp){.kind = DNNL_POST_ELTWISE, .alg = ALG_eltwise_linear, .alpha = count};
    describe_add_src(d, nxc);
    if (!describe_finish(d, &plain, t->rank, kept))
        return false;
    onednn_memory_of(d->p, ARG_DST)->tag = layout_tag(d->l->arena, nxc); /* the same bytes */
    return true;
}

bool onednn_reduces_planes(const Graph *g, const Node *n, const Composite *c)
{
    const int rank = type_of(g, n->in[0])->rank;
    size_t n_axes;
    const int64_t *axes = attr_ints(n, "axes", &n_axes);
    for (uint32_t i = 0; c && i < c->n_post; i++)
        if (c->post[i].kind == POST_SUM) /* pools do not take it */
            return false;
    return rank >= 3 && rank <= 5 && (int)n_axes == rank - 2 && axes[0] == 2 &&
           (n->op == OP_ReduceMax || n->op == OP_ReduceMean || n->op == OP_ReduceSum);
}

bool describe_reduce(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]), *out = type_of(d->l->g, d->result);
    size_t n_axes;
    const int64_t *axes = attr_ints(d->n, "axes", &n_axes);
    int64_t dims[MAX_RANK];
    Layout layout = lower_reads(d->l, d->n->out[0]), nxc = layout_nxc(t->rank),
           plain = layout_plain(out->rank);
    if (n_axes == 0 || t->rank == 0)
        return false;
    d->p->alg = onednn_ops[d->n->op].alg;
    memcpy(dims, t->dims, sizeof dims);
    for (size_t i = 0; i < n_axes; i++)
        dims[axes[i]] = 1;
    if (layout_equal(&layout, &nxc) && onednn_reduces_planes(d->l->g, d->n, d->c))
        return describe_reduce_planes(d, &layout, dims);
    d->p->kind = KIND_REDUCTION;
    Layout rows = layout_plain(t->rank);
    describe_add_src(d, &rows);
    return describe_finish(d, &plain, t->rank, dims);
}

/* --- which ones oneDNN takes -------------------------------------------------------------------------------------- */

static bool check_windows(const Graph *g, const Node *n, const char **why)
{
    const Window w = window_of(n, type_of(g, n->in[0]), type_of(g, n->out[0]), NULL);
    return window_touches(&w) || no(why, "a window lies wholly in the padding");
}

bool supports_max_pool(const Graph *g, const Node *n, const char **why)
{
    if (wanted(n, 1))
        return no(why, "the indices are wanted");
    return check_windows(g, n, why);
}

bool supports_average_pool(const Graph *g, const Node *n, const char **why)
{
    size_t count;
    if (!check_windows(g, n, why))
        return false;
    const int64_t *dilations = attr_ints(n, "dilations", &count);
    if (any_above(dilations, count, 1))
        return no(why, "an average over a dilated window");
    const Window w = window_of(n, type_of(g, n->in[0]), type_of(g, n->out[0]), NULL);
    if (w.kernel_size > LONGEST_SUM)
        return no(why, "so large a window is added up more exactly in C");
    const int64_t *ceil_pads = attr_ints(n, "ceil_pads", &count);
    if (attr_int(n, "count_include_pad", 0) && any_above(ceil_pads, count, 0))
        return no(why, "padding counts in the average, but that of ceil_mode does not");
    return true;
}

bool supports_reduction(const Graph *g, const Node *n, const char **why)
{
    size_t count;
    const int64_t *axes = attr_ints(n, "axes", &count);
    int rank = type_of(g, n->in[0])->rank;
    for (size_t i = 0; i < count; i++)
        if (axes[i] != rank - (int64_t)count + (int64_t)i)
            return no(why, "oneDNN reduces other than the last axes by its slow reference code");
    if (n->op != OP_ReduceMax && n->op != OP_ReduceMin &&
        type_count(type_of(g, n->in[0])) > type_count(type_of(g, n->out[0])) * LONGEST_SUM)
        return no(why, "so long a sum is more exact in C");
    return count > 0 || no(why, "nothing is reduced");
}

/* A reduction over all that follows the channels may become a pool, which is twice as fast as C where the channels are last. */
const char *small_reduction(const Machine *m, const Graph *g, const Node *n)
{
    size_t n_axes;
    const int64_t *axes = attr_ints(n, "axes", &n_axes);
    const TensorType *t = type_of(g, n->in[0]);
    bool pool = t->rank >= 3 && axes[0] == 2 && (int)n_axes == t->rank - 2;
    const double results = (double)type_count(type_of(g, n->out[0])), all = (double)type_count(t);
    return all < (pool ? m->small_pool : m->small_reduction) ||
                   all < results * (pool ? 1 : m->short_reduction)
               ? "a reduction so small is quicker in C"
               : NULL;
}
