/* Portable C for the operators whose number of rows depends on data. */
#include "nn.h"

#include <inttypes.h>

/* The capacity is no row: only the number is left to say. */
static void no_rows(CKernel *k, uint32_t count)
{
    Bindings *b = nn_bindings(k);
    nn_bind_operands(k, b);
    bind_int(b, "counted", nn_has_out(k, count));
    if (nn_has_out(k, count))
        bind(b, "dst", "%s", k->output[count]);
    nn_render(k, "c/no_rows.c", b);
}

/* --- NonMaxSuppression ------------------------------------------------------------------------------------------- */

static void bind_corners(Bindings *b, bool center)
{
    static const char *const names[4] = {"x0", "y0", "x1", "y1"};
    static const char *const by_center[4] = {"box[0] - box[2] / 2", "box[1] - box[3] / 2",
                                             "box[0] + box[2] / 2", "box[1] + box[3] / 2"};
    static const char *const by_corners[4] = {
        "box[1] < box[3] ? box[1] : box[3]", "box[0] < box[2] ? box[0] : box[2]",
        "box[1] < box[3] ? box[3] : box[1]", "box[0] < box[2] ? box[2] : box[0]"};
    for (int i = 0; i < 4; i++)
        bind(b, names[i], "%s", center ? by_center[i] : by_corners[i]);
}

void emit_c_non_max_suppression(CKernel *k)
{
    const TensorType *scores = nn_in(k, 1);
    const int64_t limit = attr_int(k->node, "limit", 0);
    if (limit == 0 || scores->dims[0] == 0 || scores->dims[1] == 0) {
        no_rows(k, 1);
        return;
    }
    c_need(k, CH_ROUNDED);
    Bindings *b = nn_bindings(k);
    bind_int(b, "batch", scores->dims[0]);
    bind_int(b, "classes", scores->dims[1]);
    bind_int(b, "boxes", scores->dims[2]);
    bind_int(b, "limit", limit);
    bind_corners(b, attr_int(k->node, "center_point_box", 0) != 0);
    bind(
        b, "most",
        nn_has_in(k, 2)
            ? "max_output_boxes[0] < 0 ? 0 : max_output_boxes[0] < LIMIT ? (size_t)max_output_boxes[0] : LIMIT"
            : "LIMIT");
    bind(b, "iou", nn_has_in(k, 3) ? "iou_threshold[0]" : "0");
    bind(b, "is_candidate", nn_has_in(k, 4) ? "score[i] > score_threshold[0]" : "!isnan(score[i])");
    bind_int(b, "rows", nn_has_out(k, 0));
    bind_int(b, "count", nn_has_out(k, 1));
    nn_render(k, "c/non_max_suppression.c", b);
}

/* --- NonZero, Unique ------------------------------------------------------------------------------------------------- */

void emit_c_non_zero(CKernel *k)
{
    const TensorType *src = nn_in(k, 0);
    const int64_t n = type_count(src);
    int64_t inner = n;
    if (n == 0) {
        no_rows(k, 1);
        return;
    }
    Bindings *b = nn_bindings(k);
    bind_int(b, "rank", src->rank);
    bind_int(b, "n", n);
    const char *x = c_load(k, src->dtype, "src[i]");
    if (dtype_is_float(src->dtype))
        bind(b, "is_zero", "%s <= 0 && %s >= 0", x, x);
    else
        bind(b, "is_zero", "%s == 0", x);
    for (int d = 0; d < src->rank && nn_has_out(k, 0); d++) {
        Bindings *row = bind_row(b, "coordinates");
        inner /= src->dims[d];
        bind_int(row, "row", d);
        const char *at = inner > 1 ? arena_printf(k->arena, "i / %" PRId64, inner) : "i";
        bind(row, "coordinate", "%s",
             d > 0 ? arena_printf(k->arena, "%s %% %" PRId64, at, src->dims[d]) : at);
    }
    bind_int(b, "columns", nn_has_out(k, 0));
    bind_int(b, "count", nn_has_out(k, 1));
    nn_render(k, "c/non_zero.c", b);
}

void emit_c_unique(CKernel *k)
{
    const TensorType *src = nn_in(k, 0);
    const int axis = (int)attr_int(k->node, "axis", 0);
    const bool sorted = attr_int(k->node, "sorted", 1) != 0;
    if (src->dims[axis] == 0) {
        no_rows(k, 3);
        return;
    }
    Bindings *b = nn_bindings(k);
    bind_int(b, "outer", dims_product(src, 0, axis));
    bind_int(b, "axis", src->dims[axis]);
    bind_int(b, "inner", dims_product(src, axis + 1, src->rank));
    bind(b, "type", "%s", dtype_c(src->dtype));
    bind(b, "acc", "%s", c_compute_type(src->dtype));
    bind(b, "load_x", "%s", c_load(k, src->dtype, "src[i]"));
    bind(b, "load_y", "%s", c_load(k, src->dtype, "src[j]"));
    bind(b, "order",
         dtype_is_float(src->dtype) ? "(x > y) - (x < y) + (isnan(x) != 0) - (isnan(y) != 0)"
                                    : "(x > y) - (x < y)");
    bind_int(b, "sorted", sorted);
    bind_int(b, "unsorted", !sorted);
    bind_int(b, "first", nn_has_out(k, 0));
    bind_int(b, "inverse", nn_has_out(k, 1));
    bind_int(b, "counts", nn_has_out(k, 2));
    bind_int(b, "number", nn_has_out(k, 3));
    nn_render(k, "c/unique.c", b);
}

/* --- TakeBlock --------------------------------------------------------------------------------------------------------- */

/* The coordinate along d of row i of dst, of which those before `last` are numbered. */
static const char *coordinate(CKernel *k, const TensorType *dst, int d, int last)
{
    const int64_t below = dims_product(dst, d + 1, last);
    const char *at = below > 1 ? arena_printf(k->arena, "i / %" PRId64, below) : "i";
    return dims_product(dst, 0, d) > 1 ? arena_printf(k->arena, "%s %% %" PRId64, at, dst->dims[d])
                                       : at;
}

void emit_c_take_block(CKernel *k)
{
    const TensorType *src = nn_in(k, 0), *dst = nn_out(k, 0);
    size_t n;
    const int64_t *axes = attr_ints(k->node, "axes", &n);
    const int last = (int)axes[n - 1];
    Text there = text_new(k->arena), from = text_new(k->arena);
    Bindings *b = nn_bindings(k);
    for (size_t i = 0; i < n; i++) {
        const int d = (int)axes[i];
        Bindings *row = bind_row(b, "counts");
        bind(row, "n", "n%zu", i);
        bind(row, "count", "%s", k->input[i + 1]);
        bind_int(row, "most", src->dims[d] < dst->dims[d] ? src->dims[d] : dst->dims[d]);
        if (d < last)
            text_printf(&there, "%s%s < n%zu", i ? " && " : "", coordinate(k, dst, d, last), i);
    }
    bool same = true;
    for (int d = 0; d < last; d++) {
        same &= src->dims[d] == dst->dims[d];
        if (dst->dims[d] > 1)
            text_printf(&from, "%s%s * %" PRId64, from.size ? " + " : "",
                        coordinate(k, dst, d, last), dims_product(src, d + 1, src->rank));
    }
    bind_int(b, "outer", dims_product(dst, 0, last));
    bind_int(b, "inner", dims_product(dst, last + 1, dst->rank));
    bind_int(b, "dst_row", dims_product(dst, last, dst->rank));
    bind(b, "there", "%s", there.size ? there.data : "1");
    bind(b, "columns", "n%zu", n - 1);
    if (same)
        bind(b, "from", "i * %" PRId64, dims_product(src, last, src->rank));
    else
        bind(b, "from", "%s", from.size ? from.data : "0");
    nn_render(k, "c/take_block.c", b);
}
