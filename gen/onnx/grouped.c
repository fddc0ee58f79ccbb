/* Caches of GroupQueryAttention. They may be buffers that are longer than what they hold, by seqlens_k and the total length, which data says. */
#include "grouped.h"
#include "attend.h"
#include "dependent_rows.h"

static bool all_full(OnnxNode *c, const GroupedPast *p, int64_t rows)
{
    size_t n = 0;
    const int64_t *last =
        known(c, GQA_LENGTHS) ? known_ints(c, GQA_LENGTHS, "seqlens_k", &n) : NULL;
    bool full = last && p->total == p->rows + rows;
    for (size_t i = 0; full && i < n; i++)
        full = last[i] == p->total - 1;
    return full;
}

bool grouped_past(OnnxNode *c, int64_t rows, GroupedPast *p)
{
    *p = (GroupedPast){.keys = rows, .total = rows, .first = NO_VALUE};
    if (has_in(c, GQA_PAST) != has_in(c, GQA_PAST + 1))
        return refuse_onnx(c, "past_key and past_value come together");
    if (!has_in(c, GQA_PAST))
        return true;
    if (type_in(c, GQA_PAST)->rank != 4 || type_in(c, GQA_PAST + 1)->rank != 4)
        return refuse_onnx(c, "its caches do not have four dimensions");
    p->rows = type_in(c, GQA_PAST)->dims[2];
    if (p->rows == 0)
        return true;
    p->total = p->rows + rows;
    if (has_in(c, GQA_TOTAL) && known(c, GQA_TOTAL))
        p->total = known_int(c, GQA_TOTAL, "total_sequence_length");
    if (failed(c) || !has_in(c, GQA_LENGTHS) || p->total < rows || p->total > p->rows + rows)
        return refuse_onnx(c, "its lengths and caches do not belong together");
    p->keys = p->total > p->rows ? p->total : p->rows;
    if (all_full(c, p, rows))
        return true;
    p->first = const_scalar(c, DT_I64, 0);
    if (p->total > rows)
        p->first = add(c, cast(c, in_at(c, GQA_LENGTHS), DT_I64),
                       const_scalar(c, DT_I64, (double)(1 - rows)));
    p->first = reshape(c, p->first, 1, (int64_t[]){type_count(type_of(c->g, p->first))});
    return ok(c);
}

/* For each row of a cache that goes out: its row in the old ones, then the new ones, then a row of zeros. */
static ValueId grouped_rows(OnnxNode *c, const GroupedPast *p, int64_t rows)
{
    const int64_t n = value_type(c, p->first).dims[0];
    const double zeros = (double)(p->rows + rows);
    ValueId count = reshape(c, count_up(c, p->keys), 2, (int64_t[]){1, p->keys});
    ValueId place = sub(c, count, reshape(c, p->first, 2, (int64_t[]){n, 1}));
    ValueId is_old = emit(c, OP_Less, IN(place, const_scalar(c, DT_I64, 0)), NULL);
    ValueId is_new = emit(c, OP_Less, IN(place, const_scalar(c, DT_I64, (double)rows)), NULL);
    ValueId row = emit(c, OP_Where,
                       IN(is_new, add(c, place, const_scalar(c, DT_I64, (double)p->rows)),
                          const_scalar(c, DT_I64, zeros)),
                       NULL);
    return emit(c, OP_Where, IN(is_old, count, row), NULL);
}

ValueId grouped_cache(OnnxNode *c, const GroupedPast *p, uint32_t k, ValueId v)
{
    if (p->rows == 0)
        return v;
    TensorType t = value_type(c, v), zero = t;
    ValueId both = after_past(c, in_at(c, k), v);
    if (!has_value(p->first) || failed(c))
        return both;
    zero.dims[2] = 1;
    const int64_t all[] = {t.dims[0], t.dims[1], p->keys, t.dims[3]};
    both = after_past(c, both, filled(c, zero, const_scalar(c, t.dtype, 0)));
    ValueId row = grouped_rows(c, p, t.dims[2]);
    const int64_t n = value_type(c, row).dims[0];
    if (n == 1)
        return emit(c, OP_Gather, IN(both, reshape(c, row, 1, &p->keys)), ATTRS(ATTR_I("axis", 2)));
    row = emit(c, OP_Expand, IN(reshape(c, row, 4, (int64_t[]){n, 1, p->keys, 1})),
               ATTRS(ATTR_IS("shape", all, 4)));
    return emit(c, OP_GatherElements, IN(both, row), ATTRS(ATTR_I("axis", 2)));
}

ValueId grouped_seen(OnnxNode *c, const GroupedPast *p, ValueId cache)
{
    return p->total < p->keys ? slice_axis(c, cache, 2, 0, p->total) : cache;
}
