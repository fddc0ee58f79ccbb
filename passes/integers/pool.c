/* Means of windows, as sums by a filter of ones: a scale for all, or, where windows reach beyond the source and the border does not count,
 * one for each place. */
#include "integers.h"

/* How many elements of each window count along a dimension. */
static bool count_taps(const Node *pool, size_t d, int64_t size, int64_t n, int64_t *count)
{
    size_t spatial;
    const int64_t kernel = attr_ints(pool, "kernel_shape", &spatial)[d],
                  dilation = attr_ints(pool, "dilations", NULL)[d],
                  stride = attr_ints(pool, "strides", NULL)[d],
                  *pads = attr_ints(pool, "pads", NULL),
                  *ceil_pads = attr_ints(pool, "ceil_pads", NULL);
    const bool border = attr_int(pool, "count_include_pad", 0);
    const int64_t from = border ? -pads[d] : 0,
                  to = size + (border ? pads[d + spatial] - (ceil_pads ? ceil_pads[d] : 0) : 0);
    for (int64_t i = 0; i < n; i++) {
        count[i] = 0;
        for (int64_t k = 0; k < kernel; k++) {
            const int64_t at = i * stride - pads[d] + k * dilation;
            count[i] += at >= from && at < to;
        }
        if (!count[i])
            return false;
    }
    return true;
}

/* One over the elements of each window, in the order of the places. */
static bool mean_scales(const Integers *m, const Node *pool, const TensorType *src,
                        const TensorType *dst, double src_scale, Sums *s)
{
    const size_t spatial = (size_t)dst->rank - 2;
    int64_t places = 1, *count[MAX_RANK];
    bool alike = true;
    for (size_t d = 0; d < spatial; d++) {
        const int64_t n = dst->dims[d + 2];
        count[d] = ARENA_ARRAY(m->g->arena, int64_t, (size_t)n + 1);
        if (!count_taps(pool, d, src->dims[d + 2], n, count[d]))
            return false;
        for (int64_t i = 1; i < n; i++)
            alike = alike && count[d][i] == count[d][0];
        places *= n;
    }
    s->by_place = !alike;
    s->n_scales = alike ? 1 : places;
    s->scale = ARENA_ARRAY(m->g->arena, double, (size_t)places + 1);
    for (int64_t i = 0; i < s->n_scales; i++) {
        double taps = 1;
        int64_t at = i;
        for (size_t d = spatial; d-- > 0; at /= dst->dims[d + 2])
            taps *= (double)count[d][at % dst->dims[d + 2]];
        s->scale[i] = src_scale / taps;
    }
    return places > 0;
}

bool mean_of_windows(Integers *m, const Node *n, Sums *s)
{
    Step8 src;
    const ValueId x = moved_bytes(m, n->in[0], &src);
    if (!has_value(x))
        return false;
    const TensorType *t = type_of(m->g, x);
    const int64_t *kernel = attr_ints(n, "kernel_shape", NULL);
    TensorType filter = type_make(DT_I8, t->rank, t->dims);
    filter.dims[0] = t->dims[1];
    filter.dims[1] = 1;
    int64_t taps = 1;
    for (int d = 2; d < t->rank; d++)
        taps *= filter.dims[d] = kernel[d - 2];
    *s = (Sums){.channel = 1, .most = 255.0 * (double)taps};
    if (s->most > INT32_MAX || !mean_scales(m, n, t, type_of(m->g, n->out[0]), src.scale, s))
        return false;
    double *ones = ARENA_ARRAY(m->g->arena, double, (size_t)(t->dims[1] * taps));
    for (int64_t i = 0; i < t->dims[1] * taps; i++)
        ones[i] = 1;
    ConvAttrs attrs = conv_attrs(n);
    attrs.group = t->dims[1];
    s->v = convolved(m, n, x, &src, &filter, ones, &attrs);
    return has_value(s->v);
}
