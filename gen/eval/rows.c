/* The operators whose number of rows depends on data. What is behind the rows that count is 0. */
#include "elem.h"

#include <stdlib.h>
#include <string.h>

/* --- NonMaxSuppression: in floats, as ONNX Runtime computes it, since what is kept hangs on single roundings ------------- */

typedef struct Corners {
    float x0, y0, x1, y1;
} Corners;

typedef struct Scored {
    float score;
    int64_t box;
} Scored;

static Corners corners_of(const float *box, bool center)
{
    if (center)
        return (Corners){box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2,
                         box[1] + box[3] / 2};
    return (Corners){box[1] < box[3] ? box[1] : box[3], box[0] < box[2] ? box[0] : box[2],
                     box[1] < box[3] ? box[3] : box[1], box[0] < box[2] ? box[2] : box[0]};
}

/* Whether they overlap too much for both to be kept. */
static bool suppresses(Corners a, Corners b, float threshold)
{
    const float width = (a.x1 < b.x1 ? a.x1 : b.x1) - (a.x0 > b.x0 ? a.x0 : b.x0);
    const float height = (a.y1 < b.y1 ? a.y1 : b.y1) - (a.y0 > b.y0 ? a.y0 : b.y0);
    if (!(width > 0) || !(height > 0))
        return false;
    const float both = width * height, area_a = (a.x1 - a.x0) * (a.y1 - a.y0),
                area_b = (b.x1 - b.x0) * (b.y1 - b.y0), either = area_a + area_b - both;
    return both > 0 && area_a > 0 && area_b > 0 && either > 0 && both / either > threshold;
}

/* The highest score first; of equal ones the box that stands first. */
static int by_score(const void *a, const void *b)
{
    const Scored *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->box > y->box) - (x->box < y->box);
}

/* The boxes of one class that are kept, at most `limit`, in order of their scores. */
static int64_t keep(const Eval *e, const float *boxes, const float *scores, int64_t limit,
                    int64_t *kept)
{
    const bool center = attr_int(e->node, "center_point_box", 0) != 0;
    const float iou = e->node->n_in > 3 && e->in[3] ? *(const float *)e->in[3]->data : 0;
    const float *least = e->node->n_in > 4 && e->in[4] ? e->in[4]->data : NULL;
    const int64_t n_boxes = e->in[0]->type.dims[1];
    Scored *candidates = ARENA_ARRAY(e->scratch, Scored, (size_t)n_boxes + 1);
    int64_t n = 0, found = 0;
    for (int64_t i = 0; i < n_boxes; i++)
        if (least ? scores[i] > *least : scores[i] == scores[i])
            candidates[n++] = (Scored){scores[i], i};
    qsort(candidates, (size_t)n, sizeof *candidates, by_score);
    for (int64_t i = 0; i < n && found < limit; i++) {
        const Corners box = corners_of(boxes + candidates[i].box * 4, center);
        bool good = true;
        for (int64_t k = 0; k < found && good; k++)
            good = !suppresses(corners_of(boxes + kept[k] * 4, center), box, iou);
        if (good)
            kept[found++] = candidates[i].box;
    }
    return found;
}

static void set_count(const Eval *e, uint32_t k, int64_t count)
{
    if (e->out[k])
        *(int64_t *)e->out[k]->data = count;
}

bool eval_non_max_suppression(Eval *e)
{
    const TensorType *scores = &e->in[1]->type;
    const int64_t n_boxes = scores->dims[2], classes = scores->dims[1];
    int64_t limit = attr_int(e->node, "limit", 0), count = 0;
    if (e->node->n_in > 2 && e->in[2]) {
        const int64_t most = *(const int64_t *)e->in[2]->data;
        limit = most < 0 ? 0 : most < limit ? most : limit;
    }
    int64_t *kept = ARENA_ARRAY(e->scratch, int64_t, (size_t)limit + 1);
    int64_t *rows = e->out[0] ? e->out[0]->data : NULL;
    if (rows)
        memset(rows, 0, type_bytes(&e->out[0]->type));
    for (int64_t s = 0; s < scores->dims[0] * classes; s++) {
        const float *boxes = (const float *)e->in[0]->data + s / classes * n_boxes * 4;
        const int64_t n = keep(e, boxes, (const float *)e->in[1]->data + s * n_boxes, limit, kept);
        for (int64_t i = 0; i < n; i++, count++)
            if (rows)
                memcpy(rows + count * 3, (int64_t[]){s / classes, s % classes, kept[i]},
                       3 * sizeof *rows);
    }
    set_count(e, 1, count);
    return true;
}

/* --- NonZero, Unique --------------------------------------------------------------------------------------------------- */

bool eval_non_zero(Eval *e)
{
    const TensorType *src = &e->in[0]->type;
    const int64_t n = type_count(src);
    int64_t *columns = e->out[0] ? e->out[0]->data : NULL, count = 0;
    if (columns)
        memset(columns, 0, type_bytes(&e->out[0]->type));
    for (int64_t i = 0; i < n; i++) {
        const bool zero = dtype_is_float(src->dtype)
                              ? elem_f64(src->dtype, e->in[0]->data, (size_t)i) == 0
                              : elem_i64(src->dtype, e->in[0]->data, (size_t)i) == 0;
        if (zero)
            continue;
        for (int64_t d = src->rank - 1, rest = i; columns && d >= 0; rest /= src->dims[d--])
            columns[d * n + count] = rest % src->dims[d];
        count++;
    }
    set_count(e, 1, count);
    return true;
}

typedef struct Slices {
    const int64_t *keys; /* [slices, elements]; their order is that of the elements */
    int64_t size;
} Slices;

static int compare_slices(const Slices *s, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < s->size; i++)
        if (s->keys[a * s->size + i] != s->keys[b * s->size + i])
            return s->keys[a * s->size + i] < s->keys[b * s->size + i] ? -1 : 1;
    return 0;
}

static int by_slice(const void *a, const void *b, void *slices)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    const int order = compare_slices(slices, x, y);
    return order ? order : (x > y) - (x < y);
}

/* The keys of all slices one after the other. */
static Slices slices_of(const Eval *e, int64_t axis)
{
    const TensorType *src = &e->in[0]->type;
    const int64_t n = src->dims[axis], count = type_count(src);
    int64_t *keys = ARENA_ARRAY(e->scratch, int64_t, (size_t)count + 1);
    bool inner[MAX_RANK];
    Walk w;
    for (int d = 0; d < src->rank; d++)
        inner[d] = d != axis;
    walk_inner(&w, src, inner);
    load_keys(src->dtype, e->in[0]->data, &w, (size_t)count, false, keys);
    return (Slices){keys, n ? count / n : 0};
}

bool eval_unique(Eval *e)
{
    const int64_t axis = attr_int(e->node, "axis", 0), n = e->in[0]->type.dims[axis];
    const bool sorted = attr_int(e->node, "sorted", 1) != 0;
    Slices s = slices_of(e, axis);
    int64_t *order = ARENA_ARRAY(e->scratch, int64_t, (size_t)n + 1), groups = 0, next = 0;
    int64_t *first = ARENA_ARRAY(e->scratch, int64_t, (size_t)n + 1); /* slice of each group */
    int64_t *group = ARENA_ARRAY(e->scratch, int64_t, (size_t)n + 1); /* of each slice */
    int64_t *place = ARENA_ARRAY(e->scratch, int64_t, (size_t)n + 1), *out[3];
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, (size_t)n, sizeof *order, by_slice, &s);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || compare_slices(&s, order[i - 1], order[i]))
            first[groups++] = order[i];
        group[order[i]] = groups - 1;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = e->out[k] ? e->out[k]->data : NULL;
        if (out[k])
            memset(out[k], 0, type_bytes(&e->out[k]->type));
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t own = group[i];
        if (first[own] == i)
            place[own] = sorted ? own : next++;
        if (first[own] == i && out[0])
            out[0][place[own]] = i;
        if (out[1])
            out[1][i] = place[own];
        if (out[2])
            out[2][place[own]]++;
    }
    set_count(e, 3, groups);
    return true;
}

/* --- TakeRows, TakeBlock, AppendRows, WriteRows ---------------------------------------------------------------------------------------------- */

/* Rows of one operand behind those that stand in dst already. */
static void put_rows(const Eval *e, const Tensor *src, int64_t at, int64_t n)
{
    const TensorType *t = &src->type, *to = &e->out[0]->type;
    const int axis = (int)attr_int(e->node, "axis", 0);
    const size_t row = (size_t)dims_product(t, axis + 1, t->rank) * dtype_size(t->dtype);
    for (int64_t i = 0; i < dims_product(t, 0, axis); i++)
        memcpy((char *)e->out[0]->data + (size_t)(i * to->dims[axis] + at) * row,
               (const char *)src->data + (size_t)(i * t->dims[axis]) * row, (size_t)n * row);
}

static int64_t counted(const Eval *e, uint32_t k, int64_t most)
{
    const int64_t count = *(const int64_t *)e->in[k]->data;
    return count < 0 ? 0 : count < most ? count : most;
}

bool eval_take_rows(Eval *e)
{
    const int axis = (int)attr_int(e->node, "axis", 0);
    const int64_t from = e->in[0]->type.dims[axis], to = e->out[0]->type.dims[axis];
    memset(e->out[0]->data, 0, type_bytes(&e->out[0]->type));
    put_rows(e, e->in[0], 0, counted(e, 1, from < to ? from : to));
    return true;
}

bool eval_take_block(Eval *e)
{
    const TensorType *from = &e->in[0]->type, *to = &e->out[0]->type;
    const size_t size = dtype_size(to->dtype);
    const int64_t *axes = attr_ints(e->node, "axes", NULL);
    memset(e->out[0]->data, 0, type_bytes(to));
    for (int64_t i = 0, n = type_count(from); i < n; i++) {
        int64_t coordinate[MAX_RANK], rest = i, at = 0;
        bool counts = true;
        for (int d = from->rank; d-- > 0; rest /= from->dims[d])
            coordinate[d] = rest % from->dims[d];
        for (uint32_t k = 1; k < e->node->n_in; k++)
            counts &= coordinate[axes[k - 1]] < counted(e, k, to->dims[axes[k - 1]]);
        for (int d = 0; d < to->rank; d++)
            at = at * to->dims[d] + coordinate[d];
        if (counts)
            memcpy((char *)e->out[0]->data + (size_t)at * size,
                   (const char *)e->in[0]->data + (size_t)i * size, size);
    }
    return true;
}

bool eval_append_rows(Eval *e)
{
    const int axis = (int)attr_int(e->node, "axis", 0);
    const int64_t n = counted(e, 2, e->in[0]->type.dims[axis]);
    memset(e->out[0]->data, 0, type_bytes(&e->out[0]->type));
    put_rows(e, e->in[0], 0, n);
    put_rows(e, e->in[1], n, e->in[1]->type.dims[axis]);
    return true;
}

bool eval_write_rows(Eval *e)
{
    const int axis = (int)attr_int(e->node, "axis", 0);
    const int64_t size = e->in[0]->type.dims[axis], more = e->in[1]->type.dims[axis];
    memcpy(e->out[0]->data, e->in[0]->data, type_bytes(&e->in[0]->type));
    put_rows(e, e->in[1], counted(e, 2, size - more), more);
    return true;
}
