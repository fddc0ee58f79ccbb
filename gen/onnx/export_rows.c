/* Results whose number of rows depends on data: ours have the capacity for all there can be, the rest of it being 0, and say how many count;
 * ONNX's have just as many. */
#include "exporter.h"

#include <math.h>

/* How many rows v, of this rank, has along axis: i64[1]. */
static const char *rows_along(ExportNode *e, const char *v, int axis)
{
    const char *rows = fresh(e, "rows");
    Proto *p = put_node(e, "Shape", &v, 1, &rows, 1);
    put_value(e, p, ATTR_I("start", axis));
    put_value(e, p, ATTR_I("end", axis + 1));
    return rows;
}

/* Output k is v with zeros behind its rows. */
static void pad_rows(ExportNode *e, uint32_t k, const char *v, int axis, const char *rows)
{
    const TensorType *t = export_out(e, k);
    const int64_t nothing[2 * MAX_RANK] = {0};
    const char *capacity = const_list(e, "capacity", &t->dims[axis], 1);
    const char *in[] = {const_list(e, "front", nothing, (size_t)(t->rank + axis)),
                        put(e, "Sub", NAMES(capacity, rows)), ""};
    size_t n = 2;
    if (axis + 1 < t->rank)
        in[n++] = const_list(e, "behind", nothing, (size_t)(t->rank - axis - 1));
    const char *pads = fresh(e, "pads");
    put_value(e, put_node(e, "Concat", in, n, &pads, 1), ATTR_I("axis", 0));
    put_node(e, "Pad", NAMES(v, pads), &e->out[k], 1);
}

/* Output k is the number of rows, a scalar. */
static void put_count(ExportNode *e, uint32_t k, const char *rows)
{
    if (*e->out[k])
        put_node(e, "Squeeze", &rows, 1, &e->out[k], 1);
}

bool write_non_zero(ExportNode *e)
{
    const char *v = put(e, "NonZero", e->in, 1), *rows = rows_along(e, v, 1);
    if (*e->out[0])
        pad_rows(e, 0, v, 1, rows);
    put_count(e, 1, rows);
    return true;
}

/* As many of a class as the input says, but no more than the limit. */
static const char *most_boxes(ExportNode *e)
{
    const char *limit = const_int(e, "limit", attr_int(e->n, "limit", 0));
    const int64_t one[] = {1};
    if (!has_value(node_in(e->n, 2)))
        return limit;
    const char *given = put(e, "Reshape", NAMES(e->in[2], const_list(e, "one", one, 1)));
    return put(e, "Min", NAMES(given, limit));
}

bool write_non_max_suppression(ExportNode *e)
{
    const char *in[] = {e->in[0], e->in[1], most_boxes(e), e->in[3], e->in[4]};
    const char *v = fresh(e, "boxes");
    Proto *p = put_node(e, "NonMaxSuppression", in, COUNT_OF(in), &v, 1);
    const char *rows = rows_along(e, v, 0);
    if (*e->out[0])
        pad_rows(e, 0, v, 0, rows);
    put_count(e, 1, rows);
    return put_attr(e, p, "center_point_box");
}

bool write_unique(ExportNode *e)
{
    const char *out[] = {fresh(e, "values"), fresh(e, "first"), "", ""};
    if (*e->out[1])
        out[2] = e->out[1];
    if (*e->out[2])
        out[3] = fresh(e, "counts");
    Proto *p = put_node(e, "Unique", e->in, 1, out, COUNT_OF(out));
    const char *rows = rows_along(e, out[1], 0);
    if (*e->out[0])
        pad_rows(e, 0, out[1], 0, rows);
    if (*e->out[2])
        pad_rows(e, 2, out[3], 0, rows);
    put_count(e, 3, rows);
    return put_attrs(e, p, NULL);
}
