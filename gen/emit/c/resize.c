/* Portable C for Resize. Axes that are copied are joined to the rows outside or the elements inside; of the others
 * the last is x, and all before it are "rows", each output row being a blend of source rows. The coordinate formulas
 * are evaluated here, so the emitted code holds tables of places and weights. */
#include "../../kernel/layers.h"
#include "algorithms.h"
#include "nn.h"

#include <string.h>

/* A size of axis d, or of those around it. */
static const char *axis_size(CKernel *k, const char *what, int d, int64_t size)
{
    return c_size(k->arena, arena_printf(k->arena, "%s%d", what, d), size);
}

/* The coordinate of axis d of output row r; x of the last axis. */
static const char *output_index(CKernel *k, const ResizeAxes *a, int d)
{
    const int64_t *dims = a->dst.dims;
    int64_t inner = 1;
    if (d == a->last)
        return "x";
    for (int i = d + 1; i < a->last; i++)
        inner *= dims[i];
    const char *r =
        inner == 1 ? "r" : arena_printf(k->arena, "r / %s", axis_size(k, "rows", d, inner));
    return d == 0 ? r : arena_printf(k->arena, "%s %% %s", r, axis_size(k, "out", d, dims[d]));
}

/* The nearest element as a division, "x / 2", where one gives the same places; NULL otherwise. */
static const char *as_division(CKernel *k, const ResizeAxis *axis, const char *index)
{
    int64_t step = 1;
    while (step < axis->size && axis->index[step] == axis->index[0])
        step++;
    for (int64_t i = 0; i < axis->size; i++)
        if (axis->index[i] != i / step)
            return NULL;
    if (step == 1)
        return index;
    return arena_printf(k->arena, strpbrk(index, "/%") ? "(%s) / %lld" : "%s / %lld", index,
                        (long long)step);
}

static const char *table_name(CKernel *k, const ResizeAxes *a, int d, const char *prefix)
{
    return d == a->last ? arena_printf(k->arena, "%s_%s_x", k->fn, prefix)
                        : arena_printf(k->arena, "%s_%s_%d", k->fn, prefix, d);
}

static bool same_table(const ResizeAxis *x, const ResizeAxis *y)
{
    const size_t n = (size_t)(x->size * x->taps);
    return x->size == y->size && x->taps == y->taps &&
           !memcmp(x->index, y->index, n * sizeof *x->index) &&
           !memcmp(x->weight, y->weight, n * sizeof *x->weight);
}

/* Writes a table in front of the kernel; returns its name. An axis with the weights of the last one has its table. */
static const char *write_table(CKernel *k, const ResizeAxes *a, int d, bool weights)
{
    const ResizeAxis *axis = &a->axis[d];
    if (weights && d != a->last && same_table(axis, &a->axis[a->last]))
        return table_name(k, a, a->last, "axis");
    const char *name = table_name(k, a, d, weights ? "axis" : "index");
    Bindings *table = nn_bindings(k);
    nn_type(k, table, "x", nn_in(k, 0)->dtype);
    bind(table, "axis", "%s", name);
    bind_int(table, "taps", axis->taps);
    bind_int(table, "size", axis->size);
    for (int64_t i = 0; i < axis->size; i++) {
        const char *places = "", *factors = "";
        for (int t = 0; t < axis->taps; t++) {
            int64_t at = i * axis->taps + t;
            const char *comma = t ? ", " : "";
            places = arena_printf(k->arena, "%s%s%lld", places, comma, (long long)axis->index[at]);
            factors = arena_printf(k->arena, "%s%s%s", factors, comma,
                                   nn_const(k, nn_in(k, 0)->dtype, axis->weight[at]));
        }
        const char *entry =
            weights ? arena_printf(k->arena, "{{%s}, {%s}}", places, factors) : places;
        bind(bind_row(table, "entries"), "entry", "%s, /* %lld */", entry, (long long)i);
    }
    nn_render(k, weights ? "c/resize_axis.c" : "c/resize_index.c", table);
    return name;
}

static Bindings *resize_bindings(CKernel *k, const ResizeAxes *a)
{
    const TensorType *src = &a->src, *dst = &a->dst;
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", src->dtype);
    bind_int(b, "rows", dims_product(dst, 0, a->last));
    bind_int(b, "W", src->dims[a->last]);
    bind_int(b, "OW", dst->dims[a->last]);
    bind_int(b, "inner", a->inner);
    const int64_t pitch = k->program->buffers[k->step->out[0]].layout.pitch;
    bind_int(b, "pitch", pitch ? pitch : a->inner); /* between pixels of dst */
    nn_share(k, b, true, "ROWS");
    return b;
}

/* tf_crop_and_resize: the outputs whose coordinates lie outside the source, which are those before and after a range
 * along each axis. Empty if there are none. */
static const char *outside_range(CKernel *k, const ResizeAxes *a)
{
    const char *test = "";
    for (int d = a->first; d <= a->last; d++) {
        const ResizeAxis *axis = &a->axis[d];
        int64_t lo = 0, hi = axis->size;
        while (axis->outside && lo < hi && axis->outside[lo])
            lo++;
        while (axis->outside && hi > lo && axis->outside[hi - 1])
            hi--;
        const char *index = output_index(k, a, d);
        if (lo > 0)
            test = arena_printf(k->arena, "%s%s%s < %lld", test, *test ? " || " : "", index,
                                (long long)lo);
        if (hi < axis->size)
            test = arena_printf(k->arena, "%s%s%s >= %lld", test, *test ? " || " : "", index,
                                (long long)hi);
    }
    return test;
}

static void bind_outside(CKernel *k, const ResizeAxes *a, Bindings *b)
{
    DType t = nn_in(k, 0)->dtype;
    double value = attr_float(k->node, "extrapolation_value", 0);
    bind(b, "cropped", "%s", outside_range(k, a));
    bind(b, "outside", "%s",
         dtype_is_float(t) ? nn_store(k, t, nn_const(k, t, value))
                           : c_int_literal(k->arena, t, (int64_t)value));
}

/* The source row for output row r: the copied axes in front are one index, then axis by axis. */
static const char *source_row(CKernel *k, const ResizeAxes *a, const char *const *place)
{
    const int64_t *src = a->src.dims, *dst = a->dst.dims;
    Arena *m = k->arena;
    int64_t inner = 1;
    for (int d = a->first; d < a->last; d++)
        inner *= dst[d];
    const char *row =
        inner == 1 ? "r" : arena_printf(m, "r / %s", axis_size(k, "rows", a->first - 1, inner));
    if (a->first == a->last)
        return row;
    if (a->first == 0)
        row = NULL;
    for (int d = a->first; d < a->last; d++)
        row = row ? arena_printf(m, strchr(row, '+') ? "(%s) * %s + %s" : "%s * %s + %s", row,
                                 axis_size(k, "in", d, src[d]), place[d])
                  : place[d];
    return row;
}

/* How often each element of a row is there in a row of the result, if that is all there is to it; else 0. */
static int64_t column_step(CKernel *k, const ResizeAxes *a)
{
    const ResizeAxis *axis = &a->axis[a->last];
    const int64_t size = a->src.dims[a->last], step = axis->size / (size ? size : 1);
    const Layout *in = &k->program->buffers[k->step->in[0]].layout,
                 *out = &k->program->buffers[k->step->out[0]].layout;
    return a->inner == 1 && !in->pitch && !out->pitch && step > 1 && step * size == axis->size &&
                   as_division(k, axis, "x")
               ? step
               : 0;
}

static void emit_nearest(CKernel *k, const ResizeAxes *a)
{
    Bindings *b = resize_bindings(k, a);
    const char *place[MAX_RANK] = {NULL};
    const int64_t pitch = k->program->buffers[k->step->in[0]].layout.pitch;
    for (int d = a->first; d <= a->last; d++) {
        const char *index = output_index(k, a, d);
        place[d] = as_division(k, &a->axis[d], index);
        if (!place[d])
            place[d] = arena_printf(k->arena, "%s[%s]", write_table(k, a, d, false), index);
    }
    const char *column = place[a->last];
    bind(b, "place", a->inner > 1 || pitch ? "%s * SRC_PITCH" : "%s", column);
    bind_int(b, "step", column_step(k, a));
    bind_int(b, "src_pitch", pitch ? pitch : a->inner);
    bind_outside(k, a, b);
    bind(b, "source", "%s", source_row(k, a, place));
    nn_render(k, "c/resize_nearest.c", b);
}

static void emit_weighted(CKernel *k, const ResizeAxes *a)
{
    Bindings *b = resize_bindings(k, a);
    Arena *m = k->arena;
    const TensorType *src = nn_in(k, 0);
    const char *place[MAX_RANK] = {NULL}, *factor = NULL;
    int64_t blended = 1;
    for (int d = a->last - 1; d >= a->first; d--) {
        const char *index = output_index(k, a, d);
        if (a->axis[d].copied) {
            place[d] = index;
            continue;
        }
        const char *name = write_table(k, a, d, true);
        const char *t = blended == 1 ? "t" : arena_printf(m, "t / %lld", (long long)blended);
        t = arena_printf(m, "%s %% %d", t, a->axis[d].taps);
        place[d] = arena_printf(m, "%s[%s].index[%s]", name, index, t);
        const char *weight = arena_printf(m, "%s[%s].weight[%s]", name, index, t);
        factor = factor ? arena_printf(m, "%s * %s", factor, weight) : weight;
        blended *= a->axis[d].taps;
    }
    bind(b, "axis_x", "%s", write_table(k, a, a->last, true));
    const bool on_stack = !k->plan->scratch_bytes;
    bind(b, "row_buffer", on_stack ? "row[W * INNER]" : "*restrict row = scratch");
    bind_int(b, "blended", blended);
    bind_int(b, "taps_x", a->axis[a->last].taps);
    bind(b, "factor", "%s", factor ? factor : "1");
    bind(b, "source", "%s", source_row(k, a, place));
    bind(b, "load", "%s", nn_load(k, src->dtype, "line[x]"));
    bind_outside(k, a, b);
    nn_render(k, "c/resize.c", b);
}

void emit_c_resize(CKernel *k)
{
    const Layout *layout = &k->program->buffers[k->step->in[0]].layout;
    ResizeAxes a = resize_axes_of(k->g, k->node, layout, k->arena);
    if (k->plan->variant == C_resize_weighted)
        emit_weighted(k, &a);
    else
        emit_nearest(k, &a);
}
