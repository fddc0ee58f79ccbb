/* How C computes pools. */
#include "kernel.h"
#include "layers.h"
#include "plan.h"

Window pool_window(const Graph *g, const Node *n)
{
    const TensorType *dst = type_of(g, has_value(n->out[0]) ? n->out[0] : n->out[1]);
    return window_of(n, type_of(g, n->in[0]), dst, NULL);
}

int64_t pool_counted_end(const Node *n, const Window *w, int d)
{
    const int64_t *ceil_pads = attr_ints(n, "ceil_pads", NULL);
    if (!attr_int(n, "count_include_pad", 0))
        return w->src[d];
    return w->src[d] + w->pad_end[d] - (ceil_pads ? ceil_pads[d] : 0);
}

bool pool_counts(const Node *n, const Window *w)
{
    if (n->op != OP_AveragePool)
        return false;
    if (!attr_int(n, "count_include_pad", 0))
        return window_padded(w);
    for (int d = 0; d < w->n; d++)
        if (window_at(w, d, w->dst[d] - 1, w->kernel[d] - 1) >= pool_counted_end(n, w, d))
            return true;
    return false;
}

/* One window that is the whole plane. */
static bool is_global(const Window *w)
{
    for (int d = 0; d < w->n; d++)
        if (w->dst[d] != 1 || w->kernel[d] != w->src[d] || w->dilation[d] != 1 ||
            w->pad_begin[d] != 0)
            return false;
    return true;
}

static bool wants_places(const Node *n)
{
    return n->n_out > 1 && has_value(n->out[1]);
}

bool fit_pool_places(CStep *k)
{
    return wants_places(k->n);
}

bool fit_pool_global(CStep *k)
{
    const Window w = pool_window(k->g, k->n);
    if (wants_places(k->n) || !is_global(&w) || !c_free_lanes(k->plan, C_LANES))
        return false;
    k->iterations = type_count(type_of(k->g, k->n->out[0]));
    k->operations = (double)type_count(type_of(k->g, k->n->in[0]));
    k->plan->summed = k->n->op == OP_AveragePool ? c_summed(k->plan, w.src_size) : 0;
    return true;
}

bool c_pools_last(const Graph *g, const Node *n)
{
    enum { MOST_TAPS = 16 }; /* their loop is unrolled */
    const TensorType *src = type_of(g, n->in[0]);
    const Window w = pool_window(g, n);
    const bool bytes = src->dtype == DT_U8 || src->dtype == DT_I8;
    if (w.n > 2 || w.kernel_size > MOST_TAPS || src->dims[1] < 2 || wants_places(n) ||
        !window_touches(&w))
        return false;
    return n->op == OP_MaxPool
               ? bytes || src->dtype == DT_F32
               : n->op == OP_AveragePool && src->dtype == DT_F32 && !window_padded(&w);
}

bool c_pool_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    const Layout last = layout_nxc(type_of(g, n->in[0])->rank), src = layout_dense(in),
                 dst = layout_dense(out);
    return c_pools_last(g, n) && layout_equal(&src, &last) && layout_equal(&dst, &last);
}

static bool lies_last(const CStep *k)
{
    const BufferId src = k->s->in[0], dst = k->s->out[0];
    return src != NO_BUFFER && dst != NO_BUFFER &&
           c_pool_layouts(k->g, k->n, &k->p->buffers[src].layout, &k->p->buffers[dst].layout);
}

/* Whole vectors of channels, or as much of one as there are channels. */
bool fit_pool_last(CStep *k)
{
    if (!lies_last(k))
        return false;
    const Window w = pool_window(k->g, k->n);
    const TensorType *dst = type_of(k->g, k->n->out[0]);
    const int64_t channels = dst->dims[1], pixels = type_count(dst) / channels,
                  floats = k->p->lanes > 4 ? k->p->lanes : 4,
                  vector = floats * 4 / (int64_t)dtype_size(dst->dtype);
    int64_t lanes = 1;
    while (2 * lanes <= channels && 2 * lanes <= vector)
        lanes *= 2;
    if (!c_free_lanes(k->plan, lanes) || k->plan->lanes > channels)
        return false;
    k->iterations = pixels / w.dst[w.n - 1];
    k->operations = (double)(pixels * (w.kernel_size + 1) * divide_up(channels, k->plan->lanes));
    return true;
}

/* With tiles in C, floats, rows that have several under one; loops over taps are unrolled. */
static bool goes_by_blocks(const Graph *g, const Node *n, const Window *w, int lanes)
{
    enum { MOST_TAPS = 16 };
    const int64_t width = w->kernel[w->n - 1], rows = w->kernel_size / width;
    return lanes > 1 && type_of(g, n->in[0])->dtype == DT_F32 && !wants_places(n) &&
           width <= MOST_TAPS && rows > 1 && rows <= MOST_TAPS;
}

bool c_pools_quickly(const Graph *g, const Node *n, int lanes, bool *global)
{
    const Window w = pool_window(g, n);
    *global = is_global(&w);
    return goes_by_blocks(g, n, &w, lanes) ||
           (type_of(g, n->in[0])->dtype == DT_F32 && !wants_places(n) && *global);
}

/* So many elements a row of results costs, those that lie side by side costing one each: tap by tap, and columns after rows. Where
 * taps go beyond the border loops are of other lengths each, and the second pass waits for what the first has stored. */
CVariant choose_pool(const CStep *k)
{
    enum { PADDED = 6, WAITS = 300 };
    const Window w = pool_window(k->g, k->n);
    const int last = w.n - 1;
    const int64_t stride = w.stride[last], width = w.kernel[last], taps = w.kernel_size / width,
                  column = w.dst[last] * (window_padded(&w) ? PADDED
                                          : stride > 1      ? 1 + stride
                                                            : 1),
                  by_columns = WAITS + taps * w.src[last] + width * column;
    return lies_last(k)                                  ? C_pool_last
           : wants_places(k->n)                          ? C_pool_places
           : is_global(&w)                               ? C_pool_global
           : goes_by_blocks(k->g, k->n, &w, k->p->lanes) ? C_pool_blocks
           : by_columns < taps * width * column          ? C_pool_columns
                                                         : C_pool_rows;
}

/* Sums of a row, how many elements are in them where that is not always the same, and `more` elements besides. */
static bool fit_rows(CStep *k, int64_t more)
{
    if (wants_places(k->n))
        return false;
    const Window w = pool_window(k->g, k->n);
    const DType t = type_of(k->g, k->n->in[0])->dtype;
    const size_t element = t == DT_F64 ? 8 : dtype_is_float(t) ? 4 : dtype_size(t);
    const int64_t outputs = type_count(type_of(k->g, k->n->out[0])), row = w.dst[w.n - 1];
    const size_t bytes = (size_t)(row * (pool_counts(k->n, &w) ? 2 : 1) + more) * element;
    k->plan->scratch_bytes = bytes > C_STACK_BYTES ? bytes : 0;
    k->iterations = outputs / row;
    k->operations = 1.5 * (double)(outputs * w.kernel_size);
    return true;
}

bool fit_pool_rows(CStep *k)
{
    return fit_rows(k, 0);
}

bool fit_pool_columns(CStep *k)
{
    const Window w = pool_window(k->g, k->n);
    return fit_rows(k, w.src[w.n - 1]);
}

int64_t pool_row_pitch(const Window *w)
{
    const int last = w->n - 1;
    const int64_t read = window_at(w, last, w->dst[last] - 1, w->kernel[last] - 1) + 1;
    return w->pad_begin[last] + (read > w->src[last] ? read : w->src[last]);
}

/* So many rows that what the second loop reads is no longer on its way to the cache, and still in the first one. */
bool fit_pool_blocks(CStep *k)
{
    enum { LEAST_ROWS = 4 };
    const Window w = pool_window(k->g, k->n);
    if (!goes_by_blocks(k->g, k->n, &w, k->p->lanes))
        return false;
    const int64_t pitch = pool_row_pitch(&w), width = w.dst[w.n - 1], rows = w.dst_size / width,
                  beside = (window_padded(&w) ? w.src[w.n - 1] : 0) +
                           (pool_counts(k->n, &w) ? width : 0),
                  fit = (C_STACK_BYTES / (int64_t)sizeof(float) - beside) / pitch,
                  most = fit > LEAST_ROWS ? fit : LEAST_ROWS;
    if (!c_free_number(&k->plan->at_once, divide_up(rows, divide_up(rows, most)), rows))
        return false;
    const size_t bytes = (size_t)(k->plan->at_once * pitch + beside) * sizeof(float);
    const int64_t outputs = type_count(type_of(k->g, k->n->out[0]));
    k->plan->scratch_bytes = bytes > C_STACK_BYTES ? bytes : 0;
    k->iterations = outputs / w.dst_size * divide_up(rows, k->plan->at_once);
    k->operations =
        1.5 * (double)(outputs * (w.kernel[w.n - 1] + w.kernel_size / w.kernel[w.n - 1]));
    return true;
}
