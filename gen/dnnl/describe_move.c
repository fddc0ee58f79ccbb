/* Layers that bring operands together, resample them or leave them as they are. */
#include "family.h"

#include "../ops/ops.h"
#include "../ops/resize.h"

#include <math.h>
#include <string.h>

/* Concat and Sum: several sources in one layout. */
bool describe_many(Describe *d)
{
    const TensorType *out = type_of(d->l->g, d->n->out[0]);
    if (d->n->n_in > MAX_SOURCES || out->rank == 0)
        return false;
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    d->p->kind = d->n->op == OP_Concat ? KIND_CONCAT : KIND_SUM;
    d->p->axis = (int)attr_int(d->n, "axis", 0);
    for (uint32_t k = 0; k < d->n->n_in; k++)
        describe_add(d, ARG_MULTIPLE_SRC + (int)k, "src",
                     lower_value_in(d->l, d->n->in[k], &layout));
    return describe_finish(d, &layout, 0, NULL);
}

bool describe_resize(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    Layout layout = layout_nxc(t->rank);
    d->p->kind = KIND_RESAMPLING;
    d->p->alg = strcmp(attr_string(d->n, "mode", "nearest"), "nearest") ? ALG_resampling_linear
                                                                        : ALG_resampling_nearest;
    describe_add_src(d, &layout);
    return describe_finish(d, &layout, 0, NULL);
}

/* --- whether oneDNN's resampling is ONNX's Resize: the two definitions are compared element by element --- */

static float onednn_coordinate(int64_t o, int64_t in, int64_t out)
{
    return ((float)o + 0.5f) * (float)in / (float)out - 0.5f;
}

static int64_t clamp(int64_t v, int64_t size)
{
    return v < 0 ? 0 : v >= size ? size - 1 : v;
}

static bool same_nearest(const ResizeAxis *a, int64_t in)
{
    for (int64_t o = 0; o < a->size; o++)
        if (clamp((int64_t)roundf(onednn_coordinate(o, in, a->size)), in) != a->index[o])
            return false;
    return true;
}

/* The place that the two taps average to, which with neighbours as taps says everything. */
static bool same_linear(const ResizeAxis *a, int64_t in)
{
    for (int64_t o = 0; o < a->size; o++) {
        float x = onednn_coordinate(o, in, a->size);
        double want = x < 0 ? 0 : x > (float)(in - 1) ? (double)(in - 1) : (double)x;
        double got = 0, weight = 0;
        for (int t = 0; t < a->taps; t++) {
            got += a->weight[o * a->taps + t] * (double)a->index[o * a->taps + t];
            weight += a->weight[o * a->taps + t];
            if (fabs((double)a->index[o * a->taps + t] - want) > 1 + 1e-3 &&
                a->weight[o * a->taps + t] != 0)
                return false;
        }
        if (fabs(got - want) > 1e-4 || fabs(weight - 1) > 1e-6)
            return false;
    }
    return true;
}

static const char *difference(const Graph *g, const Node *n, Arena *scratch)
{
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    ResizeAxis axes[MAX_RANK];
    memset(axes, 0, sizeof axes);
    resize_axes(n, src, dst, scratch, axes);
    int taps = strcmp(attr_string(n, "mode", ""), "nearest") == 0 ? 1 : 2;
    for (int d = 0; d < src->rank; d++) {
        if (axes[d].copied)
            continue;
        if (d < 2)
            return "batch or channels are resized";
        if (axes[d].outside || axes[d].taps != taps)
            return "oneDNN does not interpolate this way";
        if (taps == 1 ? !same_nearest(&axes[d], src->dims[d])
                      : !same_linear(&axes[d], src->dims[d]))
            return "oneDNN maps coordinates differently";
    }
    return NULL;
}

static const char *resampling_differs(const Graph *g, const Node *n)
{
    const char *mode = attr_string(n, "mode", "");
    if (strcmp(mode, "nearest") != 0 && strcmp(mode, "linear") != 0)
        return "oneDNN does not interpolate this way";
    Arena *scratch = arena_new();
    const char *why = difference(g, n, scratch);
    arena_free(scratch);
    return why;
}

/* --- which ones oneDNN takes -------------------------------------------------------------------------------------- */

/* A view of the same bytes: it costs nothing and goes where its neighbours are. */
bool supports_reshape(const Graph *g, const Node *n, const char **why)
{
    (void)g;
    (void)n;
    *why = "a view";
    return true;
}

bool supports_resampling(const Graph *g, const Node *n, const char **why)
{
    const char *differs = resampling_differs(g, n);
    return !differs || no(why, differs);
}

const char *small_concat(const Machine *m, const Graph *g, const Node *n)
{
    return (double)type_count(type_of(g, n->out[0])) < m->small_concat
               ? "a Concat so small is quicker in C"
               : NULL;
}
