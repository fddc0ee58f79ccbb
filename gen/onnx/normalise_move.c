/* Operators that move elements: their axes, starts, pads and the like become attributes. */
#include "dependent_rows.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>

bool norm_concat(OnnxNode *c)
{
    int axis = get_axis(c, "axis", c->opset < 4 ? 1 : INT64_MIN, type_in(c, 0)->rank);
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, c->n_in);
    for (uint32_t k = 0; k < c->n_in; k++) {
        in[k] = in_at(c, k);
        if (!has_value(in[k]))
            return refuse_onnx(c, "input %u is missing", k);
    }
    if (failed(c) || c->n_in == 1)
        return alias(c, 0, in[0]);
    return finish(c, 0, OP_Concat, in, c->n_in, ATTRS(ATTR_I("axis", axis)));
}

/* Sizes of n parts of `whole`: given, or equal with the last one smaller. */
static bool split_sizes(OnnxNode *c, int64_t whole, const int64_t *given, size_t n_given, size_t n,
                        int64_t *sizes)
{
    int64_t sum = 0, part = (whole + (int64_t)n - 1) / (int64_t)n;
    if (given && n_given != n)
        return refuse_onnx(c, "split has %zu sizes for %zu outputs", n_given, n);
    if (!given && whole % (int64_t)n && c->opset < 18)
        return refuse_onnx(c, "%lld elements cannot be split into %zu equal parts",
                           (long long)whole, n);
    for (size_t i = 0; i < n; i++) {
        int64_t left = whole - sum;
        sizes[i] = given ? given[i] : part < left ? part : left;
        if (sizes[i] < 0 || sizes[i] > left)
            return refuse_onnx(c, "the sizes in split do not add up to %lld", (long long)whole);
        sum += sizes[i];
    }
    return sum == whole ||
           refuse_onnx(c, "the sizes in split do not add up to %lld", (long long)whole);
}

bool norm_split(OnnxNode *c)
{
    size_t n_given, n = c->n_out;
    TensorType t = *type_in(c, 0);
    int axis = get_axis(c, "axis", 0, t.rank);
    const int64_t *given = ints_of(c, "split", 1, &n_given);
    int64_t *sizes = ARENA_ARRAY(c->arena, int64_t, n + 1);
    const ValueId in = in_at(c, 0);
    if (failed(c) || n == 0 || n > 4096)
        return refuse_onnx(c, "has %zu outputs", n);
    if (given && n_given == 0)
        given = NULL;
    if (!split_sizes(c, t.dims[axis], given, n_given, n, sizes))
        return false;
    return finish_all(c, (uint32_t)n, OP_Split, IN(in),
                      ATTRS(ATTR_I("axis", axis), ATTR_IS("split", sizes, n)));
}

/* ONNX's start and end, which may be negative or out of range, as a first index and a count. */
static void slice_range(int64_t size, int64_t start, int64_t end, int64_t step, int64_t *first,
                        int64_t *count)
{
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    start = start < 0 ? (start < -size ? -1 : start + size) : start;
    end = end < 0 ? (end < -size ? -1 : end + size) : end;
    start = start < 0 ? 0 : start > high ? high : start;
    end = end < low ? low : end > size ? size : end;
    int64_t span = step > 0 ? end - start : start - end;
    uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    *count = size > 0 && span > 0 ? (int64_t)(((uint64_t)span + stride - 1) / stride) : 0;
    *first = *count ? start : 0;
}

typedef struct Slices {
    const int64_t *axes, *steps;
    const Number *starts, *ends;
    size_t n, n_ends, n_axes, n_steps;
} Slices;

static const Number *numbers_of(OnnxNode *c, const int64_t *v, size_t n)
{
    Number *numbers = ARENA_ARRAY(c->arena, Number, n + 1);
    for (size_t i = 0; i < n; i++)
        numbers[i] = (Number){v[i], NO_VALUE};
    return v ? numbers : NULL;
}

static bool read_slices(OnnxNode *c, Slices *s)
{
    bool old = c->opset < 10;
    if (old) {
        const int64_t *starts = get_ints(c, "starts", &s->n),
                      *ends = get_ints(c, "ends", &s->n_ends);
        s->starts = numbers_of(c, starts, s->n);
        s->ends = numbers_of(c, ends, s->n_ends);
    } else {
        s->starts = input_numbers(c, 1, "starts", &s->n);
        s->ends = s->starts ? input_numbers(c, 2, "ends", &s->n_ends) : NULL;
    }
    s->axes = ints_of(c, "axes", 3, &s->n_axes);
    s->steps = ints_of(c, "steps", 4, &s->n_steps);
    if (!s->starts || !s->ends || s->n != s->n_ends || (s->axes && s->n_axes != s->n) ||
        (s->steps && s->n_steps != s->n))
        return refuse_onnx(c, "starts, ends, axes and steps are of different length");
    return true;
}

/* The first rows, or all but the first: whether entry i of the Slice is one along data-dependent rows, or makes them so. Refuses what is
 * neither. *end: as far as the capacity goes; *count: of the result. */
static bool slice_rows(OnnxNode *c, const Slices *s, size_t i, int axis, int64_t *end,
                       ValueId *count)
{
    const int64_t size = type_in(c, 0)->dims[axis], start = s->starts[i].most;
    const ValueId rows = rows_along(c->im, in_at(c, 0), axis);
    const bool dependent = has_value(rows);
    const Number n = s->ends[i];
    *count = NO_VALUE;
    *end = n.most;
    if (!dependent && !has_value(n.value))
        return true;
    if (start < 0 || (s->steps && s->steps[i] != 1))
        return refuse_dependent_rows(c, "a part that begins at their end");
    if (dependent && !has_value(n.value) && start == 0 && n.most >= size)
        return true; /* all of them: nothing is cut */
    const ValueId all = dependent ? rows : count_const(c, size);
    ValueId stop = number_value(c, n);
    if (!has_value(n.value) && n.most < 0)
        stop = count_op(c, OP_Add, all, stop);
    if (dependent ? !same_value(all, stop) : n.most > size)
        stop = count_op(c, OP_Min, all, stop);
    *count = stop;
    if (start != 0 || n.most < 0)
        *count = count_op(c, OP_Max, count_op(c, OP_Sub, stop, count_const(c, start)),
                          count_const(c, 0));
    return ok(c);
}

static bool finish_slice(OnnxNode *c, int64_t *starts, int64_t *steps, TensorType *t, RowsList cut)
{
    const size_t r = (size_t)t->rank;
    const Attr *attrs = ATTRS(ATTR_IS("starts", starts, r), ATTR_IS("steps", steps, r),
                              ATTR_IS("sizes", t->dims, r));
    if (!cut.n)
        return finish(c, 0, OP_Slice, IN(in_at(c, 0)), attrs);
    counting_off(c, true);
    const ValueId v = emit(c, OP_Slice, IN(in_at(c, 0)), attrs);
    counting_off(c, false);
    return finish_dependent_rows(c, 0, v, rows_of(c->im, in_at(c, 0))) &&
           finish_dependent_rows(c, 0, v, cut);
}

/* A part that begins at a number which is computed, of as many rows as are known: those are gathered, and then the Slice takes all of them. */
static bool slice_at(OnnxNode *c, Number start, Number end, int64_t step, int axis)
{
    const int64_t size = type_in(c, 0)->dims[axis];
    const ValueId rows = rows_along(c->im, in_at(c, 0), axis);
    const Number all = {size, rows};
    int64_t n, left;
    if (!has_value(end.value) && end.most >= size)
        end = all;
    if (step != 1 || !count_difference(c, start, end, &n) || n < 0)
        return refuse_dependent_rows(c, "how many a part of them has is not known");
    if (has_value(rows) ? !count_difference(c, start, all, &left) || left < n
                        : start.most + n > size)
        return refuse_dependent_rows(c, "a part may end behind the last one");
    counting_off(c, true);
    const ValueId at = add(c, count_up(c, n), number_value(c, start)),
                  v = emit(c, OP_Gather, IN(in_at(c, 0), at), ATTRS(ATTR_I("axis", axis)));
    counting_off(c, false);
    const RowsList had = rows_of(c->im, in_at(c, 0));
    for (uint32_t i = 0; ok(c) && i < had.n; i++)
        if (had.at[i].axis != axis)
            set_rows(c->im, v, had.at[i]);
    c->in[0] = (Item){.kind = ITEM_VALUE, .value = v};
    return ok(c);
}

bool norm_slice(OnnxNode *c)
{
    Slices s = {0};
    RowsList cut = {0};
    if (!read_slices(c, &s))
        return false;
    TensorType t = *type_in(c, 0);
    int64_t starts[MAX_RANK] = {0}, steps[MAX_RANK];
    bool seen[MAX_RANK] = {0}, whole = true;
    for (int d = 0; d < t.rank; d++)
        steps[d] = 1;
    for (size_t i = 0; i < s.n; i++) {
        int axis = fix_axis(c, s.axes ? s.axes[i] : (int64_t)i, t.rank);
        int64_t step = s.steps ? s.steps[i] : 1, size = t.dims[axis];
        if (failed(c) || step == 0 || seen[axis])
            return refuse_onnx(c, step ? "axis %d comes twice" : "the step of axis %d is 0", axis);
        seen[axis] = true;
        int64_t end;
        ValueId count;
        if (has_value(s.starts[i].value)) {
            if (!slice_at(c, s.starts[i], s.ends[i], step, axis))
                return false;
            t.dims[axis] = type_in(c, 0)->dims[axis];
            continue;
        }
        if (!slice_rows(c, &s, i, axis, &end, &count))
            return false;
        if (cut.n == MAX_ROWS)
            return refuse_dependent_rows(c, "along more than 4 dimensions");
        if (has_value(count))
            cut.at[cut.n++] = (Rows){axis, count};
        slice_range(size, s.starts[i].most, end, step, &starts[axis], &t.dims[axis]);
        steps[axis] = t.dims[axis] > 1 ? step : 1;
        whole = whole && t.dims[axis] == size && (step == 1 || size <= 1);
    }
    if (whole && !cut.n)
        return alias(c, 0, in_at(c, 0));
    return finish_slice(c, starts, steps, &t, cut);
}

/* Fills pads (begins, then ends) from the forms of the opsets. */
static bool read_pads(OnnxNode *c, int rank, int64_t *pads)
{
    size_t n, n_axes = 0;
    const int64_t *axes = has_in(c, 3) ? known_ints(c, 3, "axes", &n_axes) : NULL;
    const int64_t *given = c->opset < 2    ? get_ints(c, "paddings", &n)
                           : c->opset < 11 ? get_ints(c, "pads", &n)
                                           : known_ints(c, 1, "pads", &n);
    if (failed(c) || !given)
        return refuse_onnx(c, "has no pads");
    size_t each = axes ? n_axes : (size_t)rank;
    if (n != 2 * each)
        return refuse_onnx(c, "has %zu pads for %zu axes", n, each);
    memset(pads, 0, 2 * (size_t)rank * sizeof *pads);
    for (size_t i = 0; i < each; i++) {
        int axis = fix_axis(c, axes ? axes[i] : (int64_t)i, rank);
        if (llabs(given[i] / 2) > INT32_MAX || llabs(given[i + each] / 2) > INT32_MAX)
            return refuse_onnx(c, "a pad is too large");
        pads[axis] = given[i];
        pads[rank + axis] = given[i + each];
    }
    return true;
}

/* Negative pads cut off: a Slice before the Pad. */
static ValueId cut_negative(OnnxNode *c, ValueId v, int64_t *pads)
{
    TensorType t = *type_of(c->g, v);
    int64_t starts[MAX_RANK] = {0}, steps[MAX_RANK];
    size_t r = (size_t)t.rank;
    bool any = false;
    for (int d = 0; d < t.rank; d++) {
        int64_t *begin = &pads[d], *end = &pads[t.rank + d];
        steps[d] = 1;
        any = any || *begin < 0 || *end < 0;
        starts[d] = *begin < 0 ? -*begin : 0;
        t.dims[d] -= starts[d] + (*end < 0 ? -*end : 0);
        if (t.dims[d] < 0)
            return refuse_value(c, "negative pads cut off more than dimension %d has", d);
        *begin = *begin < 0 ? 0 : *begin;
        *end = *end < 0 ? 0 : *end;
    }
    if (!any)
        return v;
    return emit(c, OP_Slice, IN(v),
                ATTRS(ATTR_IS("starts", starts, r), ATTR_IS("steps", steps, r),
                      ATTR_IS("sizes", t.dims, r)));
}

bool norm_pad(OnnxNode *c)
{
    int64_t pads[2 * MAX_RANK];
    double value = c->opset < 11 ? get_float(c, "value", 0) : 0;
    const char *mode = get_string(c, "mode", "constant");
    if (!read_pads(c, type_in(c, 0)->rank, pads))
        return false;
    if (has_in(c, 2))
        value = known_float(c, 2, "constant_value");
    if (has_in(c, 2) && !dtype_is_float(type_in(c, 0)->dtype) && fabs(value) > 9007199254740992.0)
        return refuse_onnx(c, "constant_value is too large");
    ValueId v = cut_negative(c, in_at(c, 0), pads);
    bool any = false;
    for (int i = 0; ok(c) && i < 2 * type_in(c, 0)->rank; i++)
        any = any || pads[i];
    if (!any)
        return alias(c, 0, v);
    return finish(c, 0, OP_Pad, IN(v),
                  ATTRS(ATTR_S("mode", mode), ATTR_F("value", value),
                        ATTR_IS("pads", pads, 2 * (size_t)type_in(c, 0)->rank)));
}

bool norm_tile(OnnxNode *c)
{
    size_t n;
    int64_t repeats[MAX_RANK];
    if (!need_inputs(c, 2, c->opset < 6 ? 3 : 2))
        return false;
    int rank = type_in(c, 0)->rank;
    for (int d = 0; d < rank; d++)
        repeats[d] = 1;
    if (c->opset < 6) {
        repeats[fix_axis(c, known_int(c, 2, "axis"), rank)] = known_int(c, 1, "tiles");
    } else {
        const int64_t *given = known_ints(c, 1, "repeats", &n);
        if (!given || n != (size_t)rank)
            return refuse_onnx(c, "has %zu repeats for rank %d", n, rank);
        memcpy(repeats, given, n * sizeof *given);
    }
    return finish(c, 0, OP_Tile, IN(in_at(c, 0)), ATTRS(ATTR_IS("repeats", repeats, (size_t)rank)));
}

/* Batch b's update goes to the cache at write_indices[b] on along the axis, with `circular` round its end. */
bool norm_tensor_scatter(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0), u = *type_in(c, 1);
    const char *mode = get_string(c, "mode", "linear");
    const int axis = get_axis(c, "axis", -2, t.rank);
    const bool circular = !strcmp(mode, "circular");
    if (failed(c) || axis == 0 || u.rank != t.rank || (!circular && strcmp(mode, "linear")))
        return refuse_onnx(c, "its mode, axis or update is invalid");
    for (int d = 0; d < t.rank; d++)
        if (d == axis ? u.dims[d] > t.dims[d] : u.dims[d] != t.dims[d])
            return refuse_onnx(c, "update %s does not belong to %s", type_text(c->arena, &u),
                               type_text(c->arena, &t));
    int64_t first[MAX_RANK], along[MAX_RANK];
    for (int d = 0; d < t.rank; d++) {
        first[d] = d ? 1 : t.dims[0];
        along[d] = d == axis ? u.dims[d] : 1;
    }
    ValueId at = reshape(c, count_up(c, u.dims[axis]), t.rank, along);
    if (has_in(c, 2))
        at = add(c, at, reshape(c, cast(c, in_at(c, 2), DT_I64), t.rank, first));
    if (circular)
        at = emit(c, OP_Mod, IN(at, const_scalar(c, DT_I64, (double)t.dims[axis])),
                  ATTRS(ATTR_I("fmod", 0)));
    return finish(c, 0, OP_ScatterElements,
                  IN(in_at(c, 0), expand(c, at, t.rank, u.dims), in_at(c, 1)),
                  ATTRS(ATTR_I("axis", axis), ATTR_S("reduction", "none")));
}

bool norm_one_hot(OnnxNode *c)
{
    const double depth = known_float(c, 1, "depth");
    if (!(depth >= 1 && depth < 1e15))
        return refuse_onnx(c, "depth %g is invalid", depth);
    int axis = get_axis(c, "axis", -1, type_in(c, 0)->rank + 1);
    return finish(c, 0, OP_OneHot, IN(in_at(c, 0), in_at(c, 2)),
                  ATTRS(ATTR_I("axis", axis), ATTR_I("depth", (int64_t)depth)));
}

bool norm_trilu(OnnxNode *c)
{
    const int64_t k = has_in(c, 1) ? known_int(c, 1, "k") : 0;
    return finish(c, 0, OP_Trilu, IN(in_at(c, 0)),
                  read_attrs(c, OP_Trilu, "upper=1", ATTRS(ATTR_I("k", k))));
}

/* What is too long is cut evenly at both ends, what is too short padded; the odd element goes to the end. */
bool norm_center_crop_pad(OnnxNode *c)
{
    size_t n, n_axes;
    const int64_t *want = known_ints(c, 1, "shape", &n), *axes = get_ints(c, "axes", &n_axes);
    TensorType t = *type_in(c, 0);
    int64_t pads[2 * MAX_RANK] = {0};
    if (failed(c) || n != (axes ? n_axes : (size_t)t.rank))
        return refuse_onnx(c, "shape has %zu sizes", n);
    for (size_t i = 0; i < n; i++) {
        int axis = fix_axis(c, axes ? axes[i] : (int64_t)i, t.rank);
        if (failed(c) || want[i] < 0 || want[i] > (int64_t)1 << 40)
            return refuse_onnx(c, "shape[%zu] is invalid", i);
        int64_t extra = want[i] - t.dims[axis];
        pads[axis] = extra < 0 ? -(-extra / 2) : extra / 2;
        pads[t.rank + axis] = extra - pads[axis];
    }
    ValueId v = cut_negative(c, in_at(c, 0), pads);
    return finish(c, 0, OP_Pad, IN(v),
                  ATTRS(ATTR_S("mode", "constant"), ATTR_F("value", 0),
                        ATTR_IS("pads", pads, 2 * (size_t)t.rank)));
}
