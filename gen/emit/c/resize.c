/* Portable C for Resize. Axes that are copied are joined to the rows outside or the elements inside; of the others
 * the last is x, and all before it are "rows", each output row being a blend of source rows. The coordinate formulas
 * are evaluated here, so the emitted code holds tables of places and weights. */
#include "../../ops/resize.h"
#include "nn.h"

#include <string.h>

typedef struct Axes {
    int first, last; /* the resized axes and those between them: first … last */
    ResizeAxis axis[MAX_RANK];
    int64_t inner;
    TensorType src, dst; /* dimensions as they stand in memory, outermost first */
} Axes;

/* Source and destination have one order of dimensions in memory; the kernel sees them in that order. */
static Axes axes_of(const Graph *g, const Node *n, const Layout *layout, Arena *arena)
{
    const TensorType *src_type = type_of(g, n->in[0]), *dst_type = type_of(g, n->out[0]);
    Axes a = {
        .first = src_type->rank, .last = src_type->rank - 1, .src = *src_type, .dst = *dst_type};
    ResizeAxis axis[MAX_RANK];
    resize_axes(n, src_type, dst_type, arena, axis);
    for (int d = 0; d < src_type->rank; d++) {
        a.axis[d] = axis[layout->order[d]];
        a.src.dims[d] = src_type->dims[layout->order[d]];
        a.dst.dims[d] = dst_type->dims[layout->order[d]];
    }
    const TensorType *src = &a.src;
    for (int d = src->rank - 1; d >= 0; d--)
        if (!a.axis[d].copied)
            a.first = d;
    while (a.last > a.first && a.axis[a.last].copied)
        a.last--;
    if (a.first > a.last)
        a.first = a.last; /* nothing changes; still a loop */
    a.inner = nn_product(src, a.last + 1, src->rank);
    return a;
}

static bool by_weights(const Node *n)
{
    return strcmp(attr_string(n, "mode", "nearest"), "nearest") != 0;
}

static size_t row_bytes(const Axes *a)
{
    const TensorType *src = &a->src;
    return (size_t)(src->dims[a->last] * a->inner) * (src->dtype == DT_F64 ? 8 : 4);
}

size_t c_scratch_resize(const Graph *g, const Node *n, const Layout *in)
{
    if (!by_weights(n) || type_count(type_of(g, n->out[0])) == 0)
        return 0;
    const Axes a = axes_of(g, n, in, g->arena);
    const size_t bytes = row_bytes(&a);
    return bytes > C_STACK_BYTES ? bytes : 0;
}

/* The coordinate of axis d of output row r; x of the last axis. */
static const char *output_index(CKernel *k, const Axes *a, int d)
{
    const int64_t *dims = a->dst.dims;
    int64_t inner = 1;
    if (d == a->last)
        return "x";
    for (int i = d + 1; i < a->last; i++)
        inner *= dims[i];
    const char *r = inner == 1 ? "r" : arena_printf(k->arena, "r / %lld", (long long)inner);
    return d == 0 ? r : arena_printf(k->arena, "%s %% %lld", r, (long long)dims[d]);
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

static const char *table_name(CKernel *k, const Axes *a, int d, const char *prefix)
{
    return d == a->last ? arena_printf(k->arena, "%s_x", prefix)
                        : arena_printf(k->arena, "%s_%d", prefix, d);
}

/* Adds a table row by row; returns its name. */
static const char *add_table(CKernel *k, Bindings *b, const Axes *a, int d, bool weights)
{
    const ResizeAxis *axis = &a->axis[d];
    const char *name = table_name(k, a, d, weights ? "axis" : "index");
    Bindings *table = bind_row(b, "tables");
    bind(table, "name", "%s", name);
    bind_int(table, "taps", axis->taps);
    bind_int(table, "length", axis->size);
    for (int64_t i = 0; i < axis->size; i++) {
        const char *places = "", *factors = "";
        for (int t = 0; t < axis->taps; t++) {
            int64_t at = i * axis->taps + t;
            const char *comma = t ? ", " : "";
            places = arena_printf(k->arena, "%s%s%lld", places, comma, (long long)axis->index[at]);
            factors = arena_printf(k->arena, "%s%s%s", factors, comma,
                                   nn_const(k, nn_in(k, 0)->dtype, axis->weight[at]));
        }
        bind(bind_row(table, "entries"), "entry", weights ? "{{%s}, {%s}}," : "%s, /* %s */",
             places, weights ? factors : arena_printf(k->arena, "%lld", (long long)i));
    }
    return name;
}

static Bindings *resize_bindings(CKernel *k, const Axes *a)
{
    const TensorType *src = &a->src, *dst = &a->dst;
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", src->dtype);
    bind_int(b, "rows", nn_product(dst, 0, a->last));
    bind_int(b, "W", src->dims[a->last]);
    bind_int(b, "OW", dst->dims[a->last]);
    bind_int(b, "inner", a->inner);
    const int64_t pitch = k->program->buffers[k->step->out[0]].layout.pitch;
    bind_int(b, "pitch", pitch ? pitch : a->inner); /* between pixels of dst */
    nn_share(k, b, true, "ROWS", nn_product(dst, 0, a->last), 5 * (double)type_count(dst));
    return b;
}

/* tf_crop_and_resize: the outputs whose coordinates lie outside the source, which are those before and after a range
 * along each axis. Empty if there are none. */
static const char *outside_range(CKernel *k, const Axes *a)
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

static void bind_outside(CKernel *k, const Axes *a, Bindings *b)
{
    DType t = nn_in(k, 0)->dtype;
    double value = attr_float(k->node, "extrapolation_value", 0);
    bind(b, "cropped", "%s", outside_range(k, a));
    bind(b, "outside", "%s",
         dtype_is_float(t) ? nn_store(k, t, nn_const(k, t, value))
                           : c_int_literal(k->arena, t, (int64_t)value));
}

/* The source row for output row r: the copied axes in front are one index, then axis by axis. */
static const char *source_row(CKernel *k, const Axes *a, const char *const *place)
{
    const int64_t *src = a->src.dims, *dst = a->dst.dims;
    Arena *m = k->arena;
    int64_t inner = 1;
    for (int d = a->first; d < a->last; d++)
        inner *= dst[d];
    const char *row = inner == 1 ? "r" : arena_printf(m, "r / %lld", (long long)inner);
    if (a->first == a->last)
        return row;
    if (a->first == 0)
        row = NULL;
    for (int d = a->first; d < a->last; d++)
        row = row ? arena_printf(m, strchr(row, '+') ? "(%s) * %lld + %s" : "%s * %lld + %s", row,
                                 (long long)src[d], place[d])
                  : place[d];
    return row;
}

static void emit_nearest(CKernel *k, const Axes *a)
{
    Bindings *b = resize_bindings(k, a);
    const char *place[MAX_RANK] = {NULL};
    const int64_t pitch = k->program->buffers[k->step->in[0]].layout.pitch;
    for (int d = a->first; d <= a->last; d++) {
        const char *index = output_index(k, a, d);
        place[d] = as_division(k, &a->axis[d], index);
        if (!place[d])
            place[d] = arena_printf(k->arena, "%s[%s]", add_table(k, b, a, d, false), index);
    }
    const char *column = place[a->last];
    bind(b, "place", a->inner > 1 || pitch ? "%s * SRC_PITCH" : "%s", column);
    bind_int(b, "src_pitch", pitch ? pitch : a->inner);
    bind_outside(k, a, b);
    bind(b, "source", "%s", source_row(k, a, place));
    nn_render(k, "c/resize_nearest.c", b);
}

static void emit_weighted(CKernel *k, const Axes *a)
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
        const char *name = add_table(k, b, a, d, true);
        const char *t = blended == 1 ? "t" : arena_printf(m, "t / %lld", (long long)blended);
        t = arena_printf(m, "%s %% %d", t, a->axis[d].taps);
        place[d] = arena_printf(m, "%s[%s].index[%s]", name, index, t);
        const char *weight = arena_printf(m, "%s[%s].weight[%s]", name, index, t);
        factor = factor ? arena_printf(m, "%s * %s", factor, weight) : weight;
        blended *= a->axis[d].taps;
    }
    add_table(k, b, a, a->last, true);
    bool on_stack = k->step->scratch == NO_BUFFER;
    bind(b, "row_buffer", on_stack ? "%s row[W * INNER];" : "%s *restrict row = scratch;",
         c_compute_type(src->dtype));
    bind_int(b, "blended", blended);
    bind_int(b, "taps_x", a->axis[a->last].taps);
    bind(b, "factor", "%s", factor ? factor : "1");
    bind(b, "source", "%s", source_row(k, a, place));
    bind(b, "load", "%s", nn_load(k, src->dtype, "src[x]"));
    bind_outside(k, a, b);
    nn_render(k, "c/resize.c", b);
}

/* In any order of the dimensions, the same on both sides. There may be a row pitch: where the innermost dimension is one
 * that is copied, and the next one is not; those of src only where elements are copied, not weighed. */
bool c_resize_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    const Layout dense_in = layout_dense(in), dense = layout_dense(out);
    if (in->block || (in->pitch && by_weights(n)) || !layout_equal(&dense_in, &dense))
        return false;
    if (!out->pitch && !in->pitch)
        return true;
    Arena *scratch = arena_new();
    Axes a = axes_of(g, n, in, scratch);
    bool fits = a.last == src->rank - 2 && !a.axis[a.last].copied &&
                a.inner == dst->dims[out->order[dst->rank - 1]];
    arena_free(scratch);
    return fits;
}

bool emit_c_resize(CKernel *k)
{
    if (nn_emit_empty(k))
        return true;
    const Layout *layout = &k->program->buffers[k->step->in[0]].layout;
    Axes a = axes_of(k->g, k->node, layout, k->arena);
    if (by_weights(k->node))
        emit_weighted(k, &a);
    else
        emit_nearest(k, &a);
    return true;
}
