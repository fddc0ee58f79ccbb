/* Operators whose number of rows depends on contents: where these are known, the result is a constant or a Gather; where not, it has
 * capacity for all there can be and its rows are data-dependent (onnx/dependent_rows.c). */
#include "dependent_rows.h"
#include "table.h"

#include <inttypes.h>

enum { ROWS_MAX_BYTES = 1 << 28 }; /* of capacity that one result may take */

/* Results 0 … n - 2 have `rows` in common, which result n - 1 counts. */
static bool check_capacity(OnnxNode *c, int64_t rows, int64_t row_bytes)
{
    int64_t bytes;
    if (mul_i64(rows, row_bytes, &bytes) && bytes <= ROWS_MAX_BYTES)
        return true;
    return refuse_onnx(c, "its result may have %" PRId64 " rows, more than %d MiB", rows,
                       ROWS_MAX_BYTES >> 20);
}

/* --- NonMaxSuppression -------------------------------------------------------------------------------------------- */

/* How many boxes of a class are kept: what is known of it goes into *limit, and input 2 is only needed where it is not. */
static void most_boxes(OnnxNode *c, int64_t boxes, int64_t *limit, ValueId *most)
{
    *limit = has_in(c, 2) ? boxes : 0;
    *most = NO_VALUE;
    if (has_in(c, 2) && !known(c, 2))
        *most = in_at(c, 2);
    else if (has_in(c, 2))
        *limit = known_int(c, 2, "max_output_boxes_per_class");
    *limit = *limit < 0 ? 0 : *limit < boxes ? *limit : boxes;
}

bool norm_non_max_suppression(OnnxNode *c)
{
    int64_t limit, rows;
    ValueId most, out[2];
    const TensorType boxes = *type_in(c, 0), scores = *type_in(c, 1);
    if (failed(c) || boxes.rank != 3 || scores.rank != 3)
        return refuse_onnx(c, "boxes and scores must have rank 3");
    const double iou = known(c, 3) ? known_float(c, 3, "iou_threshold") : 0;
    if (!(iou >= 0 && iou <= 1))
        return refuse_onnx(c, "iou_threshold is %g, not between 0 and 1", iou);
    most_boxes(c, boxes.dims[1], &limit, &most);
    if (!mul_i64(scores.dims[0], scores.dims[1], &rows) || !mul_i64(rows, limit, &rows))
        return refuse_onnx(c, "its result would be too large");
    if (rows == 0)
        return finish_const(c, 0, type_make(DT_I64, 2, (int64_t[]){0, 3}), "");
    if (!check_capacity(c, rows, 3 * (int64_t)sizeof(int64_t)))
        return false;
    const ValueId in[] = {in_at(c, 0), in_at(c, 1), most, has_in(c, 3) ? in_at(c, 3) : NO_VALUE,
                          has_in(c, 4) ? in_at(c, 4) : NO_VALUE};
    size_t n_in = COUNT_OF(in);
    while (!has_value(in[n_in - 1]))
        n_in--;
    if (!emit_all(c, 2, OP_NonMaxSuppression, in, n_in,
                  read_attrs(c, OP_NonMaxSuppression, "center_point_box=0",
                             ATTRS(ATTR_I("limit", limit))),
                  out))
        return false;
    return finish_dependent_rows(c, 0, out[0], (RowsList){{{0, out[1]}}, 1});
}

/* --- NonZero, Compress, Unique ------------------------------------------------------------------------------------- */

/* Known, and small enough to be looked at here. */
static bool is_known(OnnxNode *c, uint32_t k)
{
    return known(c, k) && type_count(type_in(c, k)) <= MAKE_MAX;
}

bool norm_non_zero(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0);
    const int64_t n = type_count(&t), r = t.rank ? t.rank : 1;
    const ValueId v = t.rank ? in_at(c, 0) : reshape(c, in_at(c, 0), 1, (int64_t[]){1});
    ValueId out[2];
    if (n == 0)
        return finish_const(c, 0, type_make(DT_I64, 2, (int64_t[]){r, 0}), "");
    if (!is_known(c, 0))
        return check_capacity(c, n, r * (int64_t)sizeof(int64_t)) &&
               non_zero(c, v, &out[0], &out[1]) && alias(c, 0, out[0]);
    if (!emit_all(c, 2, OP_NonZero, IN(v), NULL, out) || !replace_last(c->im))
        return false;
    const int64_t *all = value_at(c->g, out[0])->data;
    const int64_t count = *(const int64_t *)value_at(c->g, out[1])->data;
    int64_t *found = ARENA_ARRAY(c->arena, int64_t, (size_t)(count * r) + 1);
    for (int64_t d = 0; d < r; d++)
        memcpy(found + d * count, all + d * n, (size_t)count * sizeof *all);
    return finish_const(c, 0, type_make(DT_I64, 2, (int64_t[]){r, count}), found);
}

/* Positions where the condition holds, then a Gather: where it is computed, the rows that are gathered are data-dependent. */
bool norm_compress(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0);
    const bool flat = !has_attr(c, "axis");
    const int axis = flat ? 0 : get_axis(c, "axis", 0, t.rank);
    if (failed(c) || type_in(c, 1)->rank != 1)
        return refuse_onnx(c, "its condition must have rank 1");
    const int64_t size = flat ? type_count(&t) : t.dims[axis], n = type_in(c, 1)->dims[0];
    const int64_t capacity = n < size ? n : size;
    const ValueId v = flat ? reshape(c, in_at(c, 0), 1, &size) : in_at(c, 0);
    ValueId condition = in_at(c, 1), where, count;
    if (is_known(c, 1)) {
        size_t all, found = 0;
        const int64_t *holds = known_ints(c, 1, "condition", &all);
        int64_t *index = ARENA_ARRAY(c->arena, int64_t, (size_t)capacity + 1);
        for (int64_t i = 0; holds && i < capacity; i++)
            if (holds[i])
                index[found++] = i;
        where = const_ints(c, index, found);
    } else if (capacity == 0) {
        where = const_ints(c, NULL, 0);
    } else {
        if (n > capacity)
            condition = slice_axis(c, condition, 0, 0, capacity);
        if (!check_capacity(c, capacity, type_count(&t) / size * (int64_t)dtype_size(t.dtype)) ||
            failed(c) || !non_zero(c, condition, &where, &count))
            return false;
        where = reshape(c, where, 1, &capacity);
    }
    return finish(c, 0, OP_Gather, IN(v, where), ATTRS(ATTR_I("axis", axis)));
}

bool norm_unique(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0);
    const bool flat = !has_attr(c, "axis");
    const int axis = flat ? 0 : get_axis(c, "axis", 0, t.rank);
    ValueId out[4];
    if (failed(c) || type_count(&t) == 0)
        return refuse_onnx(c, "its input is empty");
    const int64_t n = flat ? type_count(&t) : t.dims[axis];
    const ValueId v = flat ? reshape(c, in_at(c, 0), 1, &n) : in_at(c, 0);
    const Attr *attrs = read_attrs(c, OP_Unique, "sorted=1", ATTRS(ATTR_I("axis", axis)));
    const Attr *along = ATTRS(ATTR_I("axis", axis));
    if (!is_known(c, 0)) {
        if (!check_capacity(c, n, type_count(&t) / n * (int64_t)dtype_size(t.dtype)) ||
            !emit_all(c, 4, OP_Unique, IN(v), attrs, out))
            return false;
        const Rows rows = {0, out[3]};
        set_rows(c->im, out[0], rows);
        set_rows(c->im, out[2], rows);
        return finish(c, 0, OP_Gather, IN(v, out[0]), along) && alias(c, 1, out[0]) &&
               alias(c, 2, out[1]) && alias(c, 3, out[2]);
    }
    if (!emit_all(c, 4, OP_Unique, IN(v), attrs, out) || !replace_last(c->im))
        return false;
    const int64_t *data[4];
    for (int k = 0; k < 4; k++)
        data[k] = value_at(c->g, out[k])->data;
    const TensorType found = type_make(DT_I64, 1, data[3]), all = type_make(DT_I64, 1, &n);
    return finish(c, 0, OP_Gather, IN(v, emit_const(c, found, data[0])), along) &&
           finish_const(c, 1, found, data[0]) && finish_const(c, 2, all, data[1]) &&
           finish_const(c, 3, found, data[2]);
}
