/* Reference convolutions. The loops add one tap of the kernel at a time to whole rows of the
 * output, so that the bounds are worked out per row and not per element. */
#include "nn.h"

ConvShape conv_shape(const Node *n, const TensorType *src, const TensorType *weights,
                     const TensorType *dst)
{
    ConvShape s = {.w = window_of(n, src, dst, weights->dims + 2),
                   .n = src->dims[0],
                   .group = attr_int(n, "group", 1)};
    s.c = src->dims[1] / s.group;
    s.m = dst->dims[1] / s.group;
    return s;
}

/* For a fixed tap: the index of the first source element of the row of outputs `o` (its last digit
 * is ignored), or -1 when the tap falls outside in some outer dimension. */
static int64_t row_source(const Window *w, const int64_t *tap, const int64_t *o)
{
    int64_t offset = 0;
    for (int d = 0; d < w->n - 1; d++) {
        int64_t at = window_at(w, d, o[d], tap[d]);
        if (at < 0 || at >= w->src[d])
            return -1;
        offset = (offset + at) * w->src[d + 1];
    }
    return offset;
}

/* dst += weight * (src seen through one tap), over one plane. With `back` set the data flow the
 * other way: src += weight * dst, which is what the transposed convolution does. */
static void add_tap(const Window *w, const int64_t *tap, double weight, double *src, double *dst,
                    bool back)
{
    int last = w->n - 1;
    int64_t o[MAX_RANK] = {0}, lo, hi, rows = w->dst_size / w->dst[last];
    window_inside(w, last, tap[last], &lo, &hi);
    for (int64_t row = 0; row < rows; row++, next_index(o, w->dst, last)) {
        int64_t from = row_source(w, tap, o);
        if (from < 0)
            continue;
        double *d = dst + row * w->dst[last], *s = src + from;
        for (int64_t x = lo; x < hi; x++)
            if (back)
                s[window_at(w, last, x, tap[last])] += weight * d[x];
            else
                d[x] += weight * s[window_at(w, last, x, tap[last])];
    }
}

static void add_kernel(const Window *w, const double *weights, double *src, double *dst, bool back)
{
    int64_t tap[MAX_RANK] = {0};
    for (int64_t k = 0; k < w->kernel_size; k++, next_index(tap, w->kernel, w->n))
        add_tap(w, tap, weights[k], src, dst, back);
}

void eval_conv_core(const ConvShape *s, const double *src, const double *weights, double *dst)
{
    const Window *w = &s->w;
    if (w->dst_size == 0 || w->src_size == 0)
        return;
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t m = 0; m < s->group * s->m; m++)
            for (int64_t c = 0; c < s->c; c++) {
                int64_t from = n * s->group * s->c + m / s->m * s->c + c;
                add_kernel(w, weights + (m * s->c + c) * w->kernel_size,
                           (double *)src + from * w->src_size,
                           dst + (n * s->group * s->m + m) * w->dst_size, false);
            }
}

static void add_bias(double *dst, const double *bias, int64_t n, int64_t channels, int64_t size)
{
    for (int64_t i = 0; bias && i < n * channels * size; i++)
        dst[i] += bias[i / size % channels];
}

bool eval_conv(Eval *e)
{
    const TensorType *out = &e->out[0]->type;
    ConvShape s = conv_shape(e->node, &e->in[0]->type, &e->in[1]->type, out);
    double *dst = eval_zeros(e, type_count(out));
    eval_conv_core(&s, eval_wide(e, 0), eval_wide(e, 1), dst);
    add_bias(dst, eval_wide(e, 2), s.n, s.group * s.m, s.w.dst_size);
    eval_store(e, 0, dst);
    return true;
}

/* The transposed convolution scatters: it is the convolution from dst to src run backwards. */
bool eval_conv_transpose(Eval *e)
{
    const TensorType *src_type = &e->in[0]->type, *out = &e->out[0]->type;
    int64_t group = attr_int(e->node, "group", 1);
    int64_t c = src_type->dims[1] / group, m = out->dims[1] / group;
    Window w = window_of(e->node, out, src_type, e->in[1]->type.dims + 2);
    double *src = eval_wide(e, 0), *weights = eval_wide(e, 1);
    double *dst = eval_zeros(e, type_count(out));
    for (int64_t n = 0; n < src_type->dims[0] && w.dst_size && w.src_size; n++)
        for (int64_t i = 0; i < group * c; i++)
            for (int64_t j = 0; j < m; j++)
                add_kernel(&w, weights + (i * m + j) * w.kernel_size,
                           dst + (n * group * m + i / c * m + j) * w.src_size,
                           src + (n * group * c + i) * w.dst_size, true);
    add_bias(dst, eval_wide(e, 2), out->dims[0], out->dims[1], w.src_size);
    eval_store(e, 0, dst);
    return true;
}
