/* Reference normalisations: all subtract a mean and divide by a deviation, over different sets of
 * elements. */
#include "nn.h"

#include <math.h>

/* The mean, or 0 where it is not to be centred, and 1 / sqrt(variance + epsilon) of n consecutive elements. */
static void moments(const double *x, int64_t n, bool centred, double epsilon, double *mean,
                    double *inv_dev)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    *mean = centred && n > 0 ? sum / (double)n : 0;
    for (int64_t i = 0; i < n; i++)
        square += (x[i] - *mean) * (x[i] - *mean);
    *inv_dev = 1 / sqrt((n > 0 ? square / (double)n : 0) + epsilon);
}

bool eval_batch_norm(Eval *e)
{
    const TensorType *t = &e->in[0]->type;
    double epsilon = attr_float(e->node, "epsilon", 1e-5);
    double *x = eval_wide(e, 0), *scale = eval_wide(e, 1), *shift = eval_wide(e, 2);
    double *mean = eval_wide(e, 3), *var = eval_wide(e, 4);
    int64_t channels = t->rank > 1 ? t->dims[1] : 1, size = dims_product(t, 2, t->rank);
    for (int64_t i = 0; i < type_count(t); i++) {
        int64_t c = i / size % channels;
        x[i] = (x[i] - mean[c]) / sqrt(var[c] + epsilon) * scale[c] + shift[c];
    }
    eval_store(e, 0, x);
    return true;
}

/* Instance norm is group norm with one channel to a group. */
static bool normalise_groups(Eval *e, int64_t groups)
{
    const TensorType *t = &e->in[0]->type;
    double epsilon = attr_float(e->node, "epsilon", 1e-5), mean, inv_dev;
    double *x = eval_wide(e, 0), *scale = eval_wide(e, 1), *shift = eval_wide(e, 2);
    int64_t channels = t->dims[1], size = dims_product(t, 2, t->rank);
    int64_t group_size = groups > 0 ? channels / groups * size : 0;
    for (int64_t g = 0; g < t->dims[0] * groups && group_size > 0; g++) {
        moments(x + g * group_size, group_size, true, epsilon, &mean, &inv_dev);
        for (int64_t i = g * group_size; i < (g + 1) * group_size; i++) {
            int64_t c = i / size % channels;
            x[i] = (x[i] - mean) * inv_dev * scale[c] + shift[c];
        }
    }
    eval_store(e, 0, x);
    return true;
}

bool eval_instance_norm(Eval *e)
{
    return normalise_groups(e, e->in[0]->type.dims[1]);
}

bool eval_group_norm(Eval *e)
{
    return normalise_groups(e, attr_int(e->node, "num_groups", 1));
}

/* The element of an operand of type `from`, broadcast to type `to`, that meets element i of `to`.
 */
static int64_t broadcast_index(const TensorType *from, const TensorType *to, int64_t i)
{
    int64_t at = 0, step = 1;
    for (int d = to->rank - 1, f = from->rank - 1; f >= 0; d--, f--) {
        if (from->dims[f] != 1)
            at += i % to->dims[d] * step;
        step *= from->dims[f];
        i /= to->dims[d];
    }
    return at;
}

/* Over the dimensions from `axis` on. */
static bool normalise_inner(Eval *e, bool centred)
{
    const TensorType *t = &e->in[0]->type;
    int axis = (int)attr_int(e->node, "axis", t->rank - 1);
    double epsilon = attr_float(e->node, "epsilon", 1e-5);
    int64_t rows = dims_product(t, 0, axis), size = dims_product(t, axis, t->rank);
    double *x = eval_wide(e, 0), *scale = eval_wide(e, 1), *shift = eval_wide(e, 2);
    double *mean = eval_zeros(e, rows), *inv_dev = eval_zeros(e, rows);
    for (int64_t r = 0; r < rows && size > 0; r++) {
        moments(x + r * size, size, centred, epsilon, &mean[r], &inv_dev[r]);
        for (int64_t i = r * size; i < (r + 1) * size; i++) {
            x[i] = (x[i] - mean[r]) * inv_dev[r];
            x[i] *= scale[broadcast_index(&e->in[1]->type, t, i)];
            x[i] += shift ? shift[broadcast_index(&e->in[2]->type, t, i)] : 0;
        }
    }
    eval_store(e, 0, x);
    eval_store(e, 1, mean);
    eval_store(e, 2, inv_dev);
    return true;
}

bool eval_layer_norm(Eval *e)
{
    return normalise_inner(e, true);
}

bool eval_rms_norm(Eval *e)
{
    return normalise_inner(e, false);
}

/* dst = src / (bias + alpha / size * sum of squares over `size` channels around) ^ beta */
bool eval_lrn(Eval *e)
{
    const TensorType *t = &e->in[0]->type;
    int64_t size = attr_int(e->node, "size", 1), channels = t->dims[1];
    double alpha = attr_float(e->node, "alpha", 1e-4), beta = attr_float(e->node, "beta", 0.75);
    double bias = attr_float(e->node, "bias", 1);
    int64_t plane = dims_product(t, 2, t->rank), before = (size - 1) / 2, after = size / 2;
    double *x = eval_wide(e, 0), *dst = eval_zeros(e, type_count(t));
    for (int64_t i = 0; i < type_count(t); i++) {
        int64_t c = i / plane % channels;
        int64_t first = before < c ? c - before : 0;
        int64_t last = after < channels - 1 - c ? c + after : channels - 1;
        double square = 0;
        for (int64_t k = first - c; k <= last - c; k++)
            square += x[i + k * plane] * x[i + k * plane];
        dst[i] = x[i] / pow(bias + alpha / (double)size * square, beta);
    }
    eval_store(e, 0, dst);
    return true;
}
