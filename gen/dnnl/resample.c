/* Whether oneDNN's resampling is ONNX's Resize: the two definitions are compared element by element. */
#include "support.h"

#include "../ops/ops.h"
#include "../ops/resize.h"

#include <math.h>
#include <string.h>

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

const char *onednn_resampling_differs(const Graph *g, const Node *n)
{
    const char *mode = attr_string(n, "mode", "");
    if (strcmp(mode, "nearest") != 0 && strcmp(mode, "linear") != 0)
        return "oneDNN does not interpolate this way";
    Arena *scratch = arena_new();
    const char *why = difference(g, n, scratch);
    arena_free(scratch);
    return why;
}
