/* How C computes Resize, and in which layouts. */
#include "../ops/resize.h"
#include "kernel.h"
#include "layers.h"
#include "plan.h"

#include <string.h>

ResizeAxes resize_axes_of(const Graph *g, const Node *n, const Layout *layout, Arena *arena)
{
    const TensorType *src_type = type_of(g, n->in[0]), *dst_type = type_of(g, n->out[0]);
    ResizeAxes a = {
        .first = src_type->rank, .last = src_type->rank - 1, .src = *src_type, .dst = *dst_type};
    ResizeAxis axis[MAX_RANK];
    resize_axes(n, src_type, dst_type, arena, axis);
    for (int d = 0; d < src_type->rank; d++) {
        a.axis[d] = axis[layout->order[d]];
        a.src.dims[d] = src_type->dims[layout->order[d]];
        a.dst.dims[d] = dst_type->dims[layout->order[d]];
    }
    const TensorType *src = &a.src;
    for (int d = src->rank - 1; d >= 0; d--)
        if (!a.axis[d].copied)
            a.first = d;
    while (a.last > a.first && a.axis[a.last].copied)
        a.last--;
    if (a.first > a.last)
        a.first = a.last; /* nothing changes; still a loop */
    a.inner = dims_product(src, a.last + 1, src->rank);
    return a;
}

static bool is_weighted(const Node *n)
{
    return strcmp(attr_string(n, "mode", "nearest"), "nearest") != 0;
}

/* The rows of the result share the work: *row_bytes of the source are blended to one. */
static void count_rows(CStep *k, size_t *row_bytes)
{
    const Layout *layout = &k->p->buffers[k->s->in[0]].layout;
    Arena *scratch = arena_new();
    const ResizeAxes a = resize_axes_of(k->g, k->n, layout, scratch);
    arena_free(scratch);
    k->iterations = dims_product(&a.dst, 0, a.last);
    k->operations = 5 * (double)type_count(&a.dst);
    *row_bytes = (size_t)(a.src.dims[a.last] * a.inner) * (a.src.dtype == DT_F64 ? 8 : 4);
}

bool fit_resize_nearest(CStep *k)
{
    size_t row_bytes;
    count_rows(k, &row_bytes);
    return !is_weighted(k->n);
}

bool fit_resize_weighted(CStep *k)
{
    size_t row_bytes;
    count_rows(k, &row_bytes);
    k->plan->scratch_bytes = row_bytes > C_STACK_BYTES ? row_bytes : 0;
    return is_weighted(k->n);
}

/* In any order of the dimensions, the same on both sides. There may be a row pitch between pixels where the innermost dimension is one
 * that is copied, and the next one is not; for src only where elements are copied, not weighed. */
bool c_resize_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    const Layout dense_in = layout_dense(in), dense = layout_dense(out);
    if (in->block || (in->pitch && is_weighted(n)) || !layout_equal(&dense_in, &dense))
        return false;
    if (!out->pitch && !in->pitch)
        return true;
    Arena *scratch = arena_new();
    const ResizeAxes a = resize_axes_of(g, n, in, scratch);
    bool fits = a.last == src->rank - 2 && !a.axis[a.last].copied &&
                a.inner == dst->dims[out->order[dst->rank - 1]];
    arena_free(scratch);
    return fits;
}
