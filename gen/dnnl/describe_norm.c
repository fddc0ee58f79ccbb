/* Normalisations and softmax as oneDNN primitives. */
#include "family.h"

static bool add_vector(Describe *d, int arg, const char *name, ValueId v, int64_t n)
{
    const TensorType *t = type_of(d->l->g, v);
    if (t->dtype != DT_F32 || type_count(t) != n)
        return false;
    describe_add_rows(d, arg, name, v, 1, &n);
    return true;
}

/* src with the channels last, and their number; -1: it has none. */
static int64_t add_src(Describe *d, DnnlKind kind)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    const Layout layout = layout_nxc(t->rank);
    d->p->kind = kind;
    d->p->alpha = (float)attr_float(d->n, "epsilon", 1e-5);
    if (t->rank < 2)
        return -1;
    describe_add_src(d, &layout);
    return t->dims[1];
}

static bool finish(Describe *d)
{
    const Layout layout = layout_nxc(type_of(d->l->g, d->n->in[0])->rank);
    return describe_finish(d, &layout, 0, NULL);
}

/* src, mean, variance, scale, shift in ONNX's order: X, scale, B, mean, var. */
bool describe_batch_norm(Describe *d)
{
    const int64_t channels = add_src(d, KIND_BATCH_NORM);
    d->overwrite = d->n->in[0];
    d->p->flags = NORM_GLOBAL_STATS | NORM_SCALE | NORM_SHIFT;
    return add_vector(d, ARG_MEAN, "mean", d->n->in[3], channels) &&
           add_vector(d, ARG_VARIANCE, "variance", d->n->in[4], channels) &&
           add_vector(d, ARG_SCALE, "scale", d->n->in[1], channels) &&
           add_vector(d, ARG_SHIFT, "shift", d->n->in[2], channels) && finish(d);
}

/* An InstanceNormalization has as many groups as channels. */
bool describe_group_norm(Describe *d)
{
    const int64_t channels = add_src(d, KIND_GROUP_NORM);
    d->p->size = attr_int(d->n, "num_groups", channels);
    d->p->flags = NORM_SCALE | NORM_SHIFT;
    return add_vector(d, ARG_SCALE, "scale", d->n->in[1], channels) &&
           add_vector(d, ARG_SHIFT, "shift", d->n->in[2], channels) && finish(d);
}

bool describe_lrn(Describe *d)
{
    const int64_t channels = add_src(d, KIND_LRN);
    d->p->alg = ALG_lrn_across_channels;
    d->p->size = attr_int(d->n, "size", 1);
    d->p->alpha = (float)attr_float(d->n, "alpha", 1e-4);
    d->p->beta = (float)attr_float(d->n, "beta", 0.75);
    d->p->k = (float)attr_float(d->n, "bias", 1);
    return channels >= 0 && finish(d);
}

/* Everything before `axis` is rows, everything from it on is normalised together. */
bool describe_layer_norm(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    int axis = (int)attr_int(d->n, "axis", t->rank - 1);
    int64_t dims[2] = {1, 1};
    Layout plain = layout_plain(t->rank);
    if (wanted(d->n, 1) || wanted(d->n, 2) || axis < 1)
        return false;
    for (int i = 0; i < t->rank; i++)
        dims[i >= axis] *= t->dims[i];
    d->p->kind = KIND_LAYER_NORM;
    d->p->alpha = (float)attr_float(d->n, "epsilon", 1e-5);
    d->p->flags = NORM_SCALE;
    describe_add_rows(d, ARG_SRC, "src", d->n->in[0], 2, dims);
    if (!add_vector(d, ARG_SCALE, "scale", d->n->in[1], dims[1]))
        return false;
    if (has_value(node_in(d->n, 2))) {
        d->p->flags |= NORM_SHIFT;
        if (!add_vector(d, ARG_SHIFT, "shift", d->n->in[2], dims[1]))
            return false;
    }
    return describe_finish(d, &plain, 2, dims);
}

bool describe_softmax(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    int axis = (int)attr_int(d->n, "axis", 0), end = (int)attr_int(d->n, "axis_end", axis + 1);
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    int64_t dims[2] = {1, 1};
    d->p->kind = KIND_SOFTMAX;
    d->p->alg = d->n->op == OP_LogSoftmax ? ALG_softmax_log : ALG_softmax_accurate;
    d->p->axis = axis;
    if (end == axis + 1) {
        describe_add_src(d, &layout);
        return describe_finish(d, &layout, 0, NULL);
    }
    if (end != t->rank)
        return false;
    for (int i = 0; i < t->rank; i++)
        dims[i >= axis] *= t->dims[i];
    d->p->axis = 1;
    layout = layout_plain(t->rank);
    describe_add_rows(d, ARG_SRC, "src", d->n->in[0], 2, dims);
    return describe_finish(d, &layout, 2, dims);
}

/* --- which ones oneDNN takes -------------------------------------------------------------------------------------- */

bool supports_lrn(const Graph *g, const Node *n, const char **why)
{
    (void)g;
    return attr_int(n, "size", 1) % 2 != 0 || no(why, "the window is not symmetric");
}

bool supports_softmax(const Graph *g, const Node *n, const char **why)
{
    (void)g;
    return attr_int(n, "axis_end", 0) == attr_int(n, "axis", 0) + 1 ||
           no(why, "it runs over several axes together");
}

bool supports_layer_norm(const Graph *g, const Node *n, const char **why)
{
    if (wanted(n, 1) || wanted(n, 2))
        return no(why, "the statistics are wanted");
    const TensorType *src = type_of(g, n->in[0]);
    if (attr_int(n, "axis", 0) != src->rank - 1)
        return no(why, "it normalises more than the last axis");
    for (uint32_t k = 1; k < n->n_in; k++)
        if (has_value(n->in[k]) && type_count(type_of(g, n->in[k])) != src->dims[src->rank - 1])
            return no(why, "scale or bias is broadcast");
    return true;
}

/* oneDNN's kernel takes the channels of a group in vectors: 32 groups of 2 channels of 56x56 take it 1,080 us with AVX2, and C 40. */
bool supports_group_norm(const Graph *g, const Node *n, const char **why)
{
    const TensorType *t = type_of(g, n->in[0]);
    enum { FEWEST_CHANNELS = 8 };
    const int64_t groups =
        n->op == OP_GroupNormalization ? attr_int(n, "num_groups", 1) : t->dims[1];
    if (type_count(t) > t->dims[0] * groups * LONGEST_SUM)
        return no(why, "so large a group is added up more exactly in C");
    return t->dims[1] <= groups || t->dims[1] >= FEWEST_CHANNELS * groups ||
           no(why, "groups of so few channels are quicker in C");
}

const char *small_norm(const Machine *m, const Graph *g, const Node *n)
{
    const TensorType *t = type_of(g, n->in[0]);
    return t->dtype == DT_F32 && ((double)t->dims[t->rank - 1] < m->short_norm_row ||
                                  (double)type_count(t) <= m->small_norm)
               ? "rows so short are normalised quicker in C"
               : NULL;
}

/* oneDNN's kernel works along the row, and takes some 22 ns for each however short it is; C's goes across rows. */
const char *small_softmax(const Machine *m, const Graph *g, const Node *n)
{
    const TensorType *t = type_of(g, n->in[0]);
    const int64_t axis = attr_int(n, "axis", 0);
    if ((double)type_count(t) < m->small_softmax)
        return "a softmax so small is quicker in C";
    return axis == t->rank - 1 && (double)t->dims[axis] < m->short_softmax_row
               ? "a softmax of rows so short is quicker in C"
               : NULL;
}
