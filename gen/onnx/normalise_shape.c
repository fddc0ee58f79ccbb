/* Operators that change the shape and not the elements' order, or only read it. */
#include "dependent_rows.h"
#include "table.h"

bool norm_identity(OnnxNode *c)
{
    if (c->n_in != 1 || c->n_out < 1)
        return refuse_onnx(c, "takes one input");
    c->out[0] = c->in[0];
    return true;
}

/* A Reshape with the output's name; the value itself where the shape is the same. */
static bool finish_reshape(OnnxNode *c, int rank, const int64_t *dims)
{
    TensorType t = *type_in(c, 0);
    if (rank > MAX_RANK)
        return refuse_onnx(c, "rank %d is more than %d", rank, MAX_RANK);
    if (t.rank == rank && (rank == 0 || !memcmp(t.dims, dims, (size_t)rank * sizeof *dims)))
        return alias(c, 0, in_at(c, 0));
    return finish(c, 0, OP_Reshape, IN(in_at(c, 0)), ATTRS(ATTR_IS("shape", dims, (size_t)rank)));
}

/* Where rows depend on data the shape has to say so: by 0, -1 or the very count at their place, and nowhere else. */
static bool check_reshaped(OnnxNode *c, const int64_t *want, const Number *asked, size_t n)
{
    for (size_t d = 0; d < n; d++) {
        const ValueId number = asked ? asked[d].value : NO_VALUE,
                      count = rows_along(c->im, c->out[0].value, (int)d);
        if (has_value(number) ? !same_value(number, count) : has_value(count) && want[d] > 0)
            return refuse_onnx(c,
                               "dimension %zu of its shape is not as many rows as there are, as "
                               "far as is known",
                               d);
    }
    return true;
}

bool norm_reshape(OnnxNode *c)
{
    size_t n;
    const Number *asked = NULL;
    const int64_t *want = NULL;
    if (has_attr(c, "shape") || !has_in(c, 1))
        want = ints_of(c, "shape", 1, &n);
    else if ((asked = input_numbers(c, 1, "shape", &n)) != NULL)
        want = most_of(c, asked, n);
    TensorType t = *type_in(c, 0);
    bool allow_zero = get_int(c, "allowzero", 0);
    int64_t dims[MAX_RANK], rest = 1;
    int open = -1;
    if (failed(c) || !want || n > MAX_RANK)
        return refuse_onnx(c, want ? "rank %zu is too high" : "has no shape", n);
    for (size_t d = 0; d < n; d++) {
        dims[d] = want[d];
        if (want[d] == 0 && !allow_zero) {
            if ((int)d >= t.rank)
                return refuse_onnx(c, "shape[%zu] is 0, but the input has rank %d", d, t.rank);
            dims[d] = t.dims[d];
        }
        if (want[d] < -1 || (want[d] == -1 && open >= 0))
            return refuse_onnx(c,
                               want[d] < -1 ? "shape[%zu] is negative"
                                            : "shape[%zu] is a "
                                              "second -1",
                               d);
        if (want[d] == -1)
            open = (int)d;
        else if (!mul_i64(rest, dims[d], &rest))
            return refuse_onnx(c, "the shape is too large");
    }
    if (open >= 0 && (rest == 0 ? type_count(&t) != 0 : type_count(&t) % rest != 0))
        return refuse_onnx(c, "%s cannot be reshaped: %lld elements are no multiple of %lld",
                           type_text(c->arena, &t), (long long)type_count(&t), (long long)rest);
    if (open >= 0)
        dims[open] = rest ? type_count(&t) / rest : 0;
    return finish_reshape(c, (int)n, dims) && check_reshaped(c, want, asked, n);
}

bool norm_flatten(OnnxNode *c)
{
    TensorType t = *type_in(c, 0);
    int64_t axis = get_int(c, "axis", 1), dims[2] = {1, 1};
    if (axis < -t.rank || axis > t.rank)
        return refuse_onnx(c, "axis %lld is out of range for rank %d", (long long)axis, t.rank);
    for (int d = 0; d < t.rank; d++)
        dims[d >= (axis < 0 ? axis + t.rank : axis)] *= t.dims[d];
    return finish_reshape(c, 2, dims);
}

bool norm_squeeze(OnnxNode *c)
{
    size_t n;
    const int64_t *axes = ints_of(c, "axes", 1, &n);
    TensorType t = *type_in(c, 0);
    bool drop[MAX_RANK] = {0};
    int64_t dims[MAX_RANK];
    int rank = 0;
    for (size_t i = 0; i < n && ok(c); i++) {
        int axis = fix_axis(c, axes[i], t.rank);
        if (ok(c) && t.dims[axis] != 1)
            return refuse_onnx(c, "dimension %d is %lld, not 1", axis, (long long)t.dims[axis]);
        drop[axis] = true;
    }
    int moved[MAX_RANK];
    for (int d = 0; d < t.rank; d++) {
        const bool dependent = has_value(rows_along(c->im, in_at(c, 0), d));
        moved[d] = -1;
        if (axes ? drop[d] : t.dims[d] == 1 && !dependent)
            continue;
        moved[d] = rank;
        dims[rank++] = t.dims[d];
    }
    if (failed(c) || !finish_reshape(c, rank, dims))
        return false;
    for (int d = 0; d < t.rank; d++)
        if (moved[d] >= 0)
            move_rows(c, d, moved[d]);
    return true;
}

bool norm_unsqueeze(OnnxNode *c)
{
    size_t n;
    const int64_t *axes = ints_of(c, "axes", 1, &n);
    TensorType t = *type_in(c, 0);
    bool is_new[MAX_RANK] = {0};
    int64_t dims[MAX_RANK];
    if (failed(c) || !axes)
        return refuse_onnx(c, "has no axes");
    if (n + (size_t)t.rank > MAX_RANK)
        return refuse_onnx(c, "its rank would be more than %d", MAX_RANK);
    int rank = t.rank + (int)n;
    for (size_t i = 0; i < n; i++) {
        int axis = fix_axis(c, axes[i], rank);
        if (failed(c) || is_new[axis])
            return refuse_onnx(c, "axis %d comes twice", axis);
        is_new[axis] = true;
    }
    for (int d = 0, from = 0; d < rank; d++)
        dims[d] = is_new[d] ? 1 : t.dims[from++];
    if (!finish_reshape(c, rank, dims))
        return false;
    for (int d = 0, from = 0; d < rank; d++)
        if (!is_new[d])
            move_rows(c, from++, d);
    return true;
}

/* Dimensions start … end - 1, some of which are computed. */
static bool dependent_shape(OnnxNode *c, int64_t start, int64_t end)
{
    const TensorType t = *type_in(c, 0);
    ValueId parts[MAX_RANK];
    size_t n = 0;
    for (int64_t d = start; d < end; d++) {
        const ValueId count = rows_along(c->im, in_at(c, 0), (int)d);
        parts[n++] =
            has_value(count) ? reshape(c, count, 1, (int64_t[]){1}) : const_ints(c, &t.dims[d], 1);
    }
    if (n == 1)
        return alias(c, 0, parts[0]);
    return finish(c, 0, OP_Concat, parts, n, ATTRS(ATTR_I("axis", 0)));
}

bool norm_shape(OnnxNode *c)
{
    TensorType t = *type_in(c, 0);
    int64_t start = get_int(c, "start", 0), end = get_int(c, "end", t.rank);
    start = start < 0 ? start + t.rank : start;
    end = end < 0 ? end + t.rank : end;
    start = start < 0 ? 0 : start > t.rank ? t.rank : start;
    end = end < start ? start : end > t.rank ? t.rank : end;
    size_t n = (size_t)(end - start);
    int64_t *dims = ARENA_ARRAY(c->arena, int64_t, n + 1);
    memcpy(dims, t.dims + start, n * sizeof *dims);
    for (int64_t d = start; d < end; d++)
        if (ok(c) && has_value(rows_along(c->im, in_at(c, 0), (int)d)))
            return dependent_shape(c, start, end);
    return finish_const(c, 0, type_make(DT_I64, 1, (int64_t[]){(int64_t)n}), dims);
}

bool norm_size(OnnxNode *c)
{
    int64_t *count = ARENA_NEW(c->arena, int64_t);
    *count = type_count(type_in(c, 0));
    const RowsList rows = rows_of(c->im, in_at(c, 0));
    ValueId computed = rows.n ? rows.at[0].count : NO_VALUE;
    for (uint32_t i = 0; i < rows.n; i++) {
        const int64_t capacity = type_in(c, 0)->dims[rows.at[i].axis];
        *count /= capacity ? capacity : 1;
        if (i)
            computed = count_op(c, OP_Mul, computed, rows.at[i].count);
    }
    if (rows.n)
        return alias(c, 0, count_op(c, OP_Mul, computed, count_const(c, *count)));
    return finish_const(c, 0, type_make(DT_I64, 0, NULL), count);
}

/* Dimension d of the result, `from` of the input, is to have n elements. */
static bool expand_rows(OnnxNode *c, int from, Number n, int d, RowsList *rows)
{
    const ValueId have = from < 0 ? NO_VALUE : rows_along(c->im, in_at(c, 0), from);
    if (has_value(have) && same_value(have, n.value))
        return true;
    const bool is_one = from < 0 || (type_in(c, 0)->dims[from] == 1 && n.most > 1);
    if (!is_one || has_value(have) || rows->n == MAX_ROWS)
        return refuse_onnx(c, "dimension %d is not as many as there are, as far as is known", d);
    rows->at[rows->n++] = (Rows){d, n.value};
    return true;
}

/* Broadcasts both ways: a dimension of 1 in the wanted shape keeps the input's. */
bool norm_expand(OnnxNode *c)
{
    size_t n;
    const Number *numbers = input_numbers(c, 1, "shape", &n);
    TensorType t = *type_in(c, 0);
    int64_t dims[MAX_RANK];
    RowsList rows = {0};
    if (!numbers || n > MAX_RANK)
        return refuse_onnx(c, "rank %zu is more than %d", n, MAX_RANK);
    const int64_t *want = most_of(c, numbers, n);
    int rank = t.rank > (int)n ? t.rank : (int)n;
    for (int d = 0; d < rank; d++) {
        int a = d - (rank - t.rank), b = d - (rank - (int)n);
        int64_t have = a >= 0 ? t.dims[a] : 1, asked = b >= 0 ? want[b] : 1;
        if (asked < 0 || (have != asked && have != 1 && asked != 1))
            return refuse_onnx(c, "%s cannot be expanded: dimension %d is %lld, not %lld",
                               type_text(c->arena, &t), d, (long long)have, (long long)asked);
        dims[d] = have == 1 ? asked : have;
        if (b >= 0 && has_value(numbers[b].value) && !expand_rows(c, a, numbers[b], d, &rows))
            return false;
    }
    if (rows.n)
        return finish_dependent_rows(c, 0, expand(c, in_at(c, 0), rank, dims), rows);
    if (rank == t.rank && (rank == 0 || !memcmp(t.dims, dims, (size_t)rank * sizeof *dims)))
        return alias(c, 0, in_at(c, 0));
    return finish(c, 0, OP_Expand, IN(in_at(c, 0)), ATTRS(ATTR_IS("shape", dims, (size_t)rank)));
}

/* Inference: the identity, with a mask that is true everywhere. */
bool norm_dropout(OnnxNode *c)
{
    const int64_t training = has_in(c, 2) ? known_int(c, 2, "training_mode") : 0;
    if (training && (!has_in(c, 1) || known_float(c, 1, "ratio") != 0))
        return refuse_onnx(c, "training mode is random and not supported");
    TensorType mask = *type_in(c, 0);
    mask.dtype = c->opset >= 10 ? DT_BOOL : mask.dtype;
    alias(c, 0, in_at(c, 0));
    return !wants(c, 1) || alias(c, 1, filled(c, mask, const_scalar(c, mask.dtype, 1)));
}

bool norm_transpose(OnnxNode *c)
{
    size_t n;
    const int64_t *given = get_ints(c, "perm", &n);
    int r = type_in(c, 0)->rank;
    int64_t perm[MAX_RANK];
    bool same = true;
    if (given && n != (size_t)r)
        return refuse_onnx(c, "perm has %zu axes, the input has rank %d", n, r);
    for (int d = 0; d < r; d++) {
        perm[d] = given ? fix_axis(c, given[d], r) : r - 1 - d;
        same = same && perm[d] == d;
    }
    if (same)
        return alias(c, 0, in_at(c, 0));
    return finish(c, 0, OP_Transpose, IN(in_at(c, 0)), ATTRS(ATTR_IS("perm", perm, (size_t)r)));
}

static bool block_geometry(OnnxNode *c, int64_t *b)
{
    *b = get_int(c, "blocksize", 0);
    if (!need_inputs(c, 1, 1))
        return false;
    if (*b < 1 || *b > 65536)
        return refuse_onnx(c, "blocksize %lld is invalid", (long long)*b);
    return type_in(c, 0)->rank == 4 || refuse_onnx(c, "its input must have rank 4");
}

/* [N,C,H,W] -> [N,b,b,C/b²,H,W] (DCR) or [N,C/b²,b,b,H,W] (CRD) -> [N,C/b²,H,b,W,b] -> [N,C/b²,H·b,W·b] */
bool norm_depth_to_space(OnnxNode *c)
{
    int64_t b;
    const char *mode = get_string(c, "mode", "DCR");
    bool dcr = !strcmp(mode, "DCR");
    if (!block_geometry(c, &b) || (!dcr && strcmp(mode, "CRD")))
        return refuse_onnx(c, "mode '%s' is unknown", mode);
    const int64_t *s = type_in(c, 0)->dims;
    int64_t n = s[0], ch = s[1] / (b * b), h = s[2], w = s[3];
    if (s[1] % (b * b))
        return refuse_onnx(c, "%lld channels are no multiple of the block's %lld", (long long)s[1],
                           (long long)(b * b));
    int64_t height, width;
    if (!mul_i64(h, b, &height) || !mul_i64(w, b, &width))
        return refuse_onnx(c, "is too large");
    ValueId v = reshape(c, in_at(c, 0), 6,
                        dcr ? (int64_t[]){n, b, b, ch, h, w} : (int64_t[]){n, ch, b, b, h, w});
    v = transpose(c, v, dcr ? (int64_t[]){0, 3, 4, 1, 5, 2} : (int64_t[]){0, 1, 4, 2, 5, 3});
    return finish(c, 0, OP_Reshape, IN(v),
                  ATTRS(ATTR_IS("shape", ((int64_t[]){n, ch, height, width}), 4)));
}

/* [N,C,H,W] -> [N,C,H/b,b,W/b,b] -> [N,b,b,C,H/b,W/b] -> [N,C·b²,H/b,W/b] */
bool norm_space_to_depth(OnnxNode *c)
{
    int64_t b;
    if (!block_geometry(c, &b))
        return false;
    const int64_t *s = type_in(c, 0)->dims;
    int64_t n = s[0], ch = s[1], h = s[2] / b, w = s[3] / b;
    if (s[2] % b || s[3] % b)
        return refuse_onnx(c, "height and width must be multiples of blocksize");
    int64_t channels;
    if (!mul_i64(ch, b * b, &channels))
        return refuse_onnx(c, "is too large");
    ValueId v = reshape(c, in_at(c, 0), 6, (int64_t[]){n, ch, h, b, w, b});
    v = transpose(c, v, (int64_t[]){0, 3, 5, 1, 2, 4});
    return finish(c, 0, OP_Reshape, IN(v),
                  ATTRS(ATTR_IS("shape", ((int64_t[]){n, channels, h, w}), 4)));
}
