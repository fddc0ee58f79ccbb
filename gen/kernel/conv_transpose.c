/* How C computes ConvTranspose: for each channel of the result a product, then sums of what its parts bring to each row. */
#include "layers.h"
#include "plan.h"

Transposed transposed_of(const Graph *g, const Node *n)
{
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    Transposed t = {.w = window_of(n, dst, src, type_of(g, n->in[1])->dims + 2),
                    .type = src->dtype,
                    .n = src->dims[0],
                    .group = attr_int(n, "group", 1)};
    t.c = src->dims[1] / t.group;
    t.m = dst->dims[1] / t.group;
    return t;
}

/* What every tap contributes to one channel of the result, then the sums of one of its rows. Of large planes, whose rows lie in the same
 * few sets of the cache, all of a few taps are computed at once: the source is read once. */
bool fit_conv_transpose(CStep *k)
{
    enum { TAPS = 9, COLUMNS = 32, LARGE = 1024 };
    const Transposed t = transposed_of(k->g, k->n);
    const int last = t.w.n - 1;
    const size_t size = t.type == DT_F64 ? 8 : 4;
    k->plan->second_at = size * (size_t)(t.w.kernel_size * t.w.dst_size);
    k->plan->scratch_bytes =
        k->plan->second_at +
        size * (size_t)(divide_up(t.w.src[last], t.w.stride[last]) * t.w.stride[last]);
    const int64_t taps = t.w.kernel_size, rows = divide_up(taps, divide_up(taps, TAPS));
    return t.w.dst_size < LARGE ? c_free_tile(k->plan)
                                : c_free_number(&k->plan->rows, rows, 2 * TAPS) &&
                                      c_free_number(&k->plan->columns, COLUMNS, 2 * COLUMNS);
}
