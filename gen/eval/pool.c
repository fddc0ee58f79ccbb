/* Reference pooling: every output looks at its taps one by one. */
#include "nn.h"

#include <math.h>

/* What one output sees. Taps are visited by next_tap; those outside the source are skipped. */
typedef struct Pool {
    Window w;
    int64_t o[MAX_RANK], tap[MAX_RANK]; /* current output position and tap */
    int64_t tap_index;
} Pool;

/* Moves to the next tap inside the source and gives its offset in the plane; false when there is
 * none left. The caller sets tap_index to -1 before the first call. */
static bool next_tap(Pool *p, int64_t *offset)
{
    const Window *w = &p->w;
    for (;;) {
        if (p->tap_index < 0) {
            for (int d = 0; d < w->n; d++)
                p->tap[d] = 0;
            p->tap_index = 0;
            if (w->kernel_size == 0)
                return false;
        } else if (!next_index(p->tap, w->kernel, w->n)) {
            return false;
        }
        bool inside = true;
        *offset = 0;
        for (int d = 0; d < w->n && inside; d++) {
            int64_t at = window_at(w, d, p->o[d], p->tap[d]);
            inside = at >= 0 && at < w->src[d];
            *offset = *offset * w->src[d] + at;
        }
        if (inside)
            return true;
    }
}

/* The flat index of an element of plane `plane`, as MaxPool's second output wants it. */
static int64_t flat_index(const Window *w, int64_t plane, int64_t offset, bool column_major)
{
    if (!column_major)
        return plane * w->src_size + offset;
    int64_t index = 0, step = w->src_size;
    for (int d = w->n - 1; d >= 0; d--) {
        step /= w->src[d];
        index += offset % w->src[d] * step;
        offset /= w->src[d];
    }
    return plane * w->src_size + index;
}

static double lowest(DType t)
{
    return t == DT_I8 ? INT8_MIN : dtype_is_float(t) ? -INFINITY : 0;
}

bool eval_max_pool(Eval *e)
{
    const TensorType *src_type = &e->in[0]->type;
    const TensorType *out = eval_out(e, 0) ? &e->out[0]->type : &e->out[1]->type;
    Pool p = {.w = window_of(e->node, src_type, out, NULL)};
    bool column_major = attr_int(e->node, "storage_order", 0);
    double *src = eval_wide(e, 0), *dst = eval_zeros(e, type_count(out));
    Tensor *index = eval_out(e, 1);
    int64_t planes = src_type->dims[0] * src_type->dims[1];
    for (int64_t i = 0; i < planes * p.w.dst_size; i++, next_index(p.o, p.w.dst, p.w.n)) {
        int64_t plane = i / p.w.dst_size, offset, best = -1;
        p.tap_index = -1;
        while (next_tap(&p, &offset))
            if (best < 0 || src[plane * p.w.src_size + offset] > dst[i]) {
                best = offset;
                dst[i] = src[plane * p.w.src_size + offset];
            }
        if (best < 0)
            dst[i] = lowest(src_type->dtype);
        if (index)
            elem_set_i64(index->type.dtype, index->data, (size_t)i,
                         best < 0 ? 0 : flat_index(&p.w, plane, best, column_major));
    }
    eval_store(e, 0, dst);
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
    const TensorType *src_type = &e->in[0]->type, *out = &e->out[0]->type;
    Pool p = {.w = window_of(e->node, src_type, out, NULL)};
    bool include_pad = attr_int(e->node, "count_include_pad", 0);
    const int64_t *ceil_pads = attr_ints(e->node, "ceil_pads", NULL);
    double *src = eval_wide(e, 0), *dst = eval_zeros(e, type_count(out));
    int64_t planes = src_type->dims[0] * src_type->dims[1];
    for (int64_t i = 0; i < planes * p.w.dst_size; i++, next_index(p.o, p.w.dst, p.w.n)) {
        int64_t plane = i / p.w.dst_size, offset, count = 0;
        p.tap_index = -1;
        for (; next_tap(&p, &offset); count++)
            dst[i] += src[plane * p.w.src_size + offset];
        if (include_pad)
            count = counted_taps(&p, ceil_pads);
        if (count > 1)
            dst[i] /= (double)count;
    }
    eval_store(e, 0, dst);
    return true;
}

bool eval_lp_pool(Eval *e)
{
    const TensorType *src_type = &e->in[0]->type, *out = &e->out[0]->type;
    Pool p = {.w = window_of(e->node, src_type, out, NULL)};
    double power = (double)attr_int(e->node, "p", 2);
    double *src = eval_wide(e, 0), *dst = eval_zeros(e, type_count(out));
    int64_t planes = src_type->dims[0] * src_type->dims[1];
    for (int64_t i = 0; i < planes * p.w.dst_size; i++, next_index(p.o, p.w.dst, p.w.n)) {
        int64_t plane = i / p.w.dst_size, offset;
        p.tap_index = -1;
        while (next_tap(&p, &offset))
            dst[i] += pow(fabs(src[plane * p.w.src_size + offset]), power);
        dst[i] = pow(dst[i], 1 / power);
    }
    eval_store(e, 0, dst);
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
