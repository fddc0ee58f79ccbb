/* Normalisations. */
#include "table.h"

/* spatial = 0, until opset 8: a scale for every element of [C, spatial…]. */
static bool per_element_norm(OnnxNode *c, double epsilon)
{
    ValueId x = in_at(c, 0), mean = in_at(c, 3), var = in_at(c, 4);
    ValueId deviation =
        emit(c, OP_Sqrt, IN(add(c, var, const_scalar(c, dtype_of(c, var), epsilon))), NULL);
    ValueId v = mul(c, divide(c, sub(c, x, mean), deviation), in_at(c, 1));
    return finish(c, 0, OP_Add, IN(v, in_at(c, 2)), NULL);
}

/* Since opset 14: by mean and variance of the batch itself, which the running ones take in. */
static bool by_the_batch(OnnxNode *c, ValueId *in)
{
    const double momentum = get_float(c, "momentum", 0.9);
    const TensorType t = *type_in(c, 0);
    int64_t axes[MAX_RANK];
    size_t n = 0;
    if (t.rank < 2)
        return refuse_onnx(c, "its input has no channels");
    for (int d = 0; d < t.rank; d++)
        if (d != 1)
            axes[n++] = d;
    ValueId of_batch[2] = {reduce(c, OP_ReduceMean, in[0], axes, n, true)};
    const ValueId centred = sub(c, in[0], of_batch[0]);
    of_batch[1] = reduce(c, OP_ReduceMean, mul(c, centred, centred), axes, n, true);
    for (uint32_t k = 0; k < 2; k++) {
        const ValueId running = in_at(c, 3 + k);
        const DType dtype = dtype_of(c, running);
        in[3 + k] = reshape(c, of_batch[k], 1, &t.dims[1]);
        if (wants(c, 1 + k))
            alias(c, 1 + k,
                  add(c, mul(c, running, const_scalar(c, dtype, momentum)),
                      mul(c, cast(c, in[3 + k], dtype), const_scalar(c, dtype, 1 - momentum))));
    }
    return ok(c);
}

bool norm_batch_norm(OnnxNode *c)
{
    double epsilon = get_float(c, "epsilon", 1e-5);
    const bool trains = c->opset >= 14 && get_int(c, "training_mode", 0);
    for (uint32_t k = 1; k < c->n_out; k++)
        if (wants(c, k) && !trains)
            return refuse_onnx(c, "training mode is not supported");
    if (c->opset < 9 && !get_int(c, "spatial", 1) && type_in(c, 0)->rank > 2)
        return per_element_norm(c, epsilon);
    ValueId in[5];
    for (uint32_t k = 0; k < 5; k++)
        in[k] = k ? cast(c, in_at(c, k), type_in(c, 0)->dtype) : in_at(c, 0);
    if (trains && !by_the_batch(c, in))
        return false;
    return finish(c, 0, OP_BatchNormalization, in, 5, ATTRS(ATTR_F("epsilon", epsilon)));
}

/* In opset 18 scale and bias were one number per group. */
static ValueId group_to_channel(OnnxNode *c, ValueId v, int64_t groups, int64_t channels)
{
    const TensorType *t = type_of(c->g, v);
    if (c->opset >= 21 || t->rank != 1 || t->dims[0] != groups || groups == channels)
        return v;
    v = expand(c, reshape(c, v, 2, (int64_t[]){groups, 1}), 2,
               (int64_t[]){groups, channels / groups});
    return reshape(c, v, 1, &channels);
}

bool norm_group_norm(OnnxNode *c)
{
    TensorType t = *type_in(c, 0);
    int64_t groups = get_int(c, "num_groups", 0);
    if (failed(c) || t.rank < 2 || groups < 1 || t.dims[1] % groups)
        return refuse_onnx(c, "num_groups %lld is invalid", (long long)groups);
    ValueId scale = group_to_channel(c, in_at(c, 1), groups, t.dims[1]);
    ValueId bias = group_to_channel(c, in_at(c, 2), groups, t.dims[1]);
    return finish(c, 0, OP_GroupNormalization, IN(in_at(c, 0), scale, bias),
                  read_attrs(c, OP_GroupNormalization, "num_groups epsilon=1e-5", NULL));
}

/* Scale and bias may broadcast; the op wants them whole. */
static ValueId over_axes(OnnxNode *c, ValueId v, const TensorType *t, int axis)
{
    return has_value(v) ? expand(c, v, t->rank - axis, t->dims + axis) : v;
}

bool norm_layer_norm(OnnxNode *c)
{
    TensorType t = *type_in(c, 0);
    const Op op = c->row->op;
    const uint32_t most = (uint32_t)op_info(op)->max_out;
    int axis = get_axis(c, "axis", -1, t.rank);
    ValueId scale = over_axes(c, in_at(c, 1), &t, axis), bias = over_axes(c, in_at(c, 2), &t, axis);
    return finish_all(c, c->n_out < most ? c->n_out : most, op, IN(in_at(c, 0), scale, bias),
                      read_attrs(c, op, "axis=-1 epsilon=1e-5", NULL));
}

/* (x - mean) / (sqrt(mean((x - mean)²)) + 1e-9) */
bool norm_mvn(OnnxNode *c)
{
    static const int64_t usual[] = {0, 2, 3};
    size_t n;
    int64_t axes[MAX_RANK];
    const int64_t *given = get_ints(c, "axes", &n);
    n = sorted_axes(c, given ? given : usual, given ? n : COUNT_OF(usual), type_in(c, 0)->rank,
                    axes);
    ValueId x = in_at(c, 0);
    ValueId centred = sub(c, x, reduce(c, OP_ReduceMean, x, axes, n, true));
    ValueId var = reduce(c, OP_ReduceMean, mul(c, centred, centred), axes, n, true);
    ValueId deviation =
        add(c, emit(c, OP_Sqrt, IN(var), NULL), const_scalar(c, type_in(c, 0)->dtype, 1e-9));
    return finish(c, 0, OP_Div, IN(centred, deviation), NULL);
}
