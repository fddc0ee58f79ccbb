/* Reference pooling: every output looks at its taps one by one. */
#include "nn.h"

#include <math.h>
#include <string.h>

/* What one output sees. */
typedef struct Pool {
    Window w;
    const double *src;
    double *dst;
    int64_t n, i;                       /* outputs of all planes, and the current one */
    int64_t o[MAX_RANK], tap[MAX_RANK]; /* its position, and the current tap */
    bool begun;                         /* a tap has been visited */
} Pool;

static Pool begin_pool(const Eval *e)
{
    const TensorType *src = &e->in[0]->type;
    const TensorType *dst = eval_out(e, 0) ? &e->out[0]->type : &e->out[1]->type;
    return (Pool){.w = window_of(e->node, src, dst, NULL),
                  .src = eval_wide(e, 0),
                  .dst = eval_zeros(e, type_count(dst)),
                  .n = type_count(dst)};
}

static void next_output(Pool *p)
{
    p->i++;
    p->begun = false;
    next_index(p->o, p->w.dst, p->w.n);
}

/* Moves to the next tap inside the source, those outside being skipped, and gives its offset among all elements; false when there is
 * none left. */
static bool next_tap(Pool *p, int64_t *offset)
{
    const Window *w = &p->w;
    for (;;) {
        if (p->begun && !next_index(p->tap, w->kernel, w->n))
            return false;
        if (!p->begun)
            memset(p->tap, 0, sizeof p->tap);
        p->begun = true;
        bool inside = w->kernel_size > 0;
        *offset = p->i / w->dst_size;
        for (int d = 0; d < w->n && inside; d++) {
            int64_t at = window_at(w, d, p->o[d], p->tap[d]);
            inside = at >= 0 && at < w->src[d];
            *offset = *offset * w->src[d] + at;
        }
        if (inside)
            return true;
    }
}

/* The flat index of an element, as MaxPool's second output wants it. */
static int64_t flat_index(const Window *w, int64_t offset, bool column_major)
{
    if (!column_major)
        return offset;
    int64_t index = 0, step = w->src_size, rest = offset % w->src_size;
    for (int d = w->n - 1; d >= 0; d--) {
        step /= w->src[d];
        index += rest % w->src[d] * step;
        rest /= w->src[d];
    }
    return offset - offset % w->src_size + index;
}

bool eval_max_pool(Eval *e)
{
    const DType t = e->in[0]->type.dtype;
    const bool column_major = attr_int(e->node, "storage_order", 0);
    Tensor *index = eval_out(e, 1);
    Pool p = begin_pool(e);
    for (; p.i < p.n; next_output(&p)) {
        int64_t offset, best = -1;
        while (next_tap(&p, &offset))
            if (best < 0 || p.src[offset] > p.dst[p.i]) {
                best = offset;
                p.dst[p.i] = p.src[offset];
            }
        if (best < 0)
            p.dst[p.i] = dtype_is_float(t) ? -INFINITY : (double)dtype_lowest(t);
        if (index)
            elem_set_i64(index->type.dtype, index->data, (size_t)p.i,
                         best < 0 ? 0 : flat_index(&p.w, best, column_major));
    }
    eval_store(e, 0, p.dst);
    return true;
}

/* The positions an average counts besides those in the source: the padding the model asked for. */
static int64_t counted_taps(const Pool *p, const int64_t *ceil_pads)
{
    const Window *w = &p->w;
    int64_t count = 1;
    for (int d = 0; d < w->n; d++) {
        int64_t end = w->src[d] + w->pad_end[d] - (ceil_pads ? ceil_pads[d] : 0), n = 0;
        for (int64_t k = 0; k < w->kernel[d]; k++)
            n += window_at(w, d, p->o[d], k) < end;
        count *= n;
    }
    return count;
}

bool eval_average_pool(Eval *e)
{
    const bool include_pad = attr_int(e->node, "count_include_pad", 0);
    const int64_t *ceil_pads = attr_ints(e->node, "ceil_pads", NULL);
    Pool p = begin_pool(e);
    for (; p.i < p.n; next_output(&p)) {
        int64_t offset, count = 0;
        for (; next_tap(&p, &offset); count++)
            p.dst[p.i] += p.src[offset];
        if (include_pad)
            count = counted_taps(&p, ceil_pads);
        if (count > 1)
            p.dst[p.i] /= (double)count;
    }
    eval_store(e, 0, p.dst);
    return true;
}

bool eval_lp_pool(Eval *e)
{
    const double power = (double)attr_int(e->node, "p", 2);
    Pool p = begin_pool(e);
    for (; p.i < p.n; next_output(&p)) {
        int64_t offset;
        while (next_tap(&p, &offset))
            p.dst[p.i] += pow(fabs(p.src[offset]), power);
        p.dst[p.i] = pow(p.dst[p.i], 1 / power);
    }
    eval_store(e, 0, p.dst);
    return true;
}

bool eval_max_unpool(Eval *e)
{
    const Tensor *src = e->in[0], *index = e->in[1];
    Tensor *dst = e->out[0];
    int64_t n_dst = type_count(&dst->type);
    for (int64_t i = 0; i < n_dst; i++)
        elem_set_i64(dst->type.dtype, dst->data, (size_t)i, 0);
    for (int64_t i = 0; i < type_count(&src->type); i++) {
        int64_t at = elem_i64(index->type.dtype, index->data, (size_t)i);
        if (at < 0 || at >= n_dst)
            return refuse_node(e->g, e->node, "index %lld is outside the output's %lld elements",
                               (long long)at, (long long)n_dst);
        elem_set_f64(dst->type.dtype, dst->data, (size_t)at,
                     elem_f64(src->type.dtype, src->data, (size_t)i));
    }
    return true;
}
