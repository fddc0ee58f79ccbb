/* Normalisations as oneDNN primitives. */
#include "describe.h"

static bool add_vector(Describe *d, int arg, const char *name, ValueId v, int64_t n)
{
    const TensorType *t = type_of(d->l->g, v);
    Layout plain = layout_plain(t->rank);
    if (t->dtype != DT_F32 || type_count(t) != n)
        return false;
    describe_add_view(d, arg, name, lower_value_in(d->l, v, &plain), 1, &n);
    return true;
}

/* src, mean, variance, scale, shift in ONNX's order: X, scale, B, mean, var. */
static bool describe_batch_norm(Describe *d, int64_t channels)
{
    d->p->kind = KIND_BATCH_NORM;
    d->overwrite = d->n->in[0];
    d->p->flags = NORM_GLOBAL_STATS | NORM_SCALE | NORM_SHIFT;
    return add_vector(d, ARG_MEAN, "mean", d->n->in[3], channels) &&
           add_vector(d, ARG_VARIANCE, "variance", d->n->in[4], channels) &&
           add_vector(d, ARG_SCALE, "scale", d->n->in[1], channels) &&
           add_vector(d, ARG_SHIFT, "shift", d->n->in[2], channels);
}

static bool describe_group_norm(Describe *d, int64_t channels)
{
    d->p->kind = KIND_GROUP_NORM;
    d->p->size = d->n->op == OP_InstanceNormalization ? channels : attr_int(d->n, "num_groups", 1);
    d->p->flags = NORM_SCALE | NORM_SHIFT;
    return add_vector(d, ARG_SCALE, "scale", d->n->in[1], channels) &&
           add_vector(d, ARG_SHIFT, "shift", d->n->in[2], channels);
}

/* Everything before `axis` is rows, everything from it on is normalised together. */
static bool describe_layer_norm(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    int axis = (int)attr_int(d->n, "axis", t->rank - 1);
    int64_t dims[2] = {1, 1};
    Layout plain = layout_plain(t->rank);
    bool stats = (d->n->n_out > 1 && has_value(d->n->out[1])) ||
                 (d->n->n_out > 2 && has_value(d->n->out[2]));
    if (stats || axis < 1)
        return false;
    for (int i = 0; i < t->rank; i++)
        dims[i >= axis] *= t->dims[i];
    d->p->kind = KIND_LAYER_NORM;
    d->p->flags = NORM_SCALE;
    describe_add_view(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &plain), 2, dims);
    if (!add_vector(d, ARG_SCALE, "scale", d->n->in[1], dims[1]))
        return false;
    if (has_value(node_in(d->n, 2))) {
        d->p->flags |= NORM_SHIFT;
        if (!add_vector(d, ARG_SHIFT, "shift", d->n->in[2], dims[1]))
            return false;
    }
    return describe_finish(d, &plain, 2, dims);
}

bool describe_norm(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    Layout layout = layout_nxc(t->rank);
    d->p->alpha = (float)attr_float(d->n, "epsilon", 1e-5);
    if (d->n->op == OP_LayerNormalization)
        return describe_layer_norm(d);
    if (t->rank < 2)
        return false;
    describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    if (d->n->op == OP_LRN) {
        d->p->kind = KIND_LRN;
        d->p->alg = ALG_LRN_ACROSS_CHANNELS;
        d->p->size = attr_int(d->n, "size", 1);
        d->p->alpha = (float)attr_float(d->n, "alpha", 1e-4);
        d->p->beta = (float)attr_float(d->n, "beta", 0.75);
        d->p->k = (float)attr_float(d->n, "bias", 1);
    } else if (d->n->op == OP_BatchNormalization) {
        if (!describe_batch_norm(d, t->dims[1]))
            return false;
    } else if (!describe_group_norm(d, t->dims[1]))
        return false;
    return describe_finish(d, &layout, 0, NULL);
}
