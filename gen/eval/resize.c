/* Reference resize: one axis after the other in double. */
#include "../ops/resize.h"
#include "nn.h"

/* The elements of one axis of x, whose type is t, replaced by their weighted sums. Updates t. */
static double *resize_axis(const Eval *e, const double *x, TensorType *t, int d,
                           const ResizeAxis *axis)
{
    int64_t inner = 1, outer = 1, from = t->dims[d];
    for (int i = 0; i < d; i++)
        outer *= t->dims[i];
    for (int i = d + 1; i < t->rank; i++)
        inner *= t->dims[i];
    t->dims[d] = axis->size;
    double *y = eval_zeros(e, outer * axis->size * inner);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < axis->size; i++)
            for (int k = 0; k < axis->taps; k++) {
                const double *row = x + (o * from + axis->index[i * axis->taps + k]) * inner;
                double weight = axis->weight[i * axis->taps + k];
                for (int64_t j = 0; j < inner; j++)
                    y[(o * axis->size + i) * inner + j] += weight == 0 ? 0 : weight * row[j];
            }
    return y;
}

static void extrapolate(double *y, const TensorType *t, const ResizeAxis *axes, double value)
{
    int64_t index[MAX_RANK] = {0};
    for (int64_t i = 0; i < type_count(t); i++, next_index(index, t->dims, t->rank))
        for (int d = 0; d < t->rank; d++)
            if (axes[d].outside && axes[d].outside[index[d]])
                y[i] = value;
}

bool eval_resize(Eval *e)
{
    const TensorType *dst = &e->out[0]->type;
    TensorType t = e->in[0]->type;
    if (type_count(dst) == 0)
        return true;
    ResizeAxis axes[MAX_RANK];
    resize_axes(e->node, &t, dst, e->scratch, axes);
    double *x = eval_wide(e, 0);
    /* Shrinking axes first: no intermediate result is larger than both ends. */
    for (int growing = 0; growing < 2; growing++)
        for (int d = 0; d < dst->rank; d++)
            if (!axes[d].copied && growing == (dst->dims[d] > e->in[0]->type.dims[d]))
                x = resize_axis(e, x, &t, d, &axes[d]);
    extrapolate(x, dst, axes, attr_float(e->node, "extrapolation_value", 0));
    eval_store(e, 0, x);
    return true;
}
