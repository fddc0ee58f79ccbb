/* Attention from the operators it consists of: see onnx/attend.h. */
#include "attend.h"

#include <math.h>
#include <string.h>

ValueId swap_last(OnnxNode *c, ValueId v)
{
    const int rank = value_type(c, v).rank;
    return rank < 2 ? v : move_dimension(c, v, rank - 1, rank - 2);
}

ValueId split_heads(OnnxNode *c, ValueId v, int64_t heads)
{
    TensorType t = value_type(c, v);
    if (t.rank != 3 || heads < 1 || t.dims[2] % heads)
        return refuse_value(c, "%s does not divide into %lld heads", type_text(c->arena, &t),
                            (long long)heads);
    v = reshape(c, v, 4, (int64_t[]){t.dims[0], t.dims[1], heads, t.dims[2] / heads});
    return transpose(c, v, (int64_t[]){0, 2, 1, 3});
}

ValueId join_heads(OnnxNode *c, ValueId v)
{
    v = transpose(c, v, (int64_t[]){0, 2, 1, 3});
    TensorType t = value_type(c, v);
    return reshape(c, v, 3, (int64_t[]){t.dims[0], t.dims[1], t.dims[2] * t.dims[3]});
}

/* --- what may be attended to ------------------------------------------------------------------------------------ */

enum { MASK_MAX = 1 << 26 }; /* elements of a mask that is made here */

ValueId keep_causal(OnnxNode *c, int64_t rows, int64_t keys, int64_t before)
{
    TensorType t = type_make(DT_BOOL, 2, (int64_t[]){rows, keys});
    if (failed(c) || before >= keys - 1)
        return NO_VALUE;
    if (!type_valid(&t) || type_count(&t) > MASK_MAX)
        return refuse_value(c, "a causal mask of %lld by %lld positions is too large",
                            (long long)rows, (long long)keys);
    if (!onnx_claim(c->im, type_bytes(&t)))
        return NO_VALUE;
    bool *mask = arena_alloc(c->arena, type_bytes(&t) + 1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < keys; j++)
            mask[i * keys + j] = j <= i + before;
    return emit_const(c, t, mask);
}

ValueId keep_lengths(OnnxNode *c, ValueId lengths, int64_t rows, int64_t keys)
{
    const int64_t n = rows > 0 ? rows : 1;
    TensorType t = value_type(c, lengths), m = type_make(t.dtype, 2, (int64_t[]){n, keys});
    if (t.rank != 1 || !type_valid(&m) || type_count(&m) > MASK_MAX || dtype_is_float(t.dtype))
        return refuse_value(c, "lengths of %s are invalid", type_text(c->arena, &t));
    if (!onnx_claim(c->im, type_bytes(&m)))
        return NO_VALUE;
    void *least =
        arena_alloc(c->arena, type_bytes(&m) + 1); /* the length from which on a key is kept */
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < keys; j++)
            elem_set_i64(t.dtype, least, (size_t)(i * keys + j), j + n - i);
    lengths = reshape(c, lengths, 4, (int64_t[]){t.dims[0], 1, 1, 1});
    return emit(c, OP_LessOrEqual, IN(emit_const(c, m, least), lengths), NULL);
}

ValueId keep_both(OnnxNode *c, ValueId a, ValueId b)
{
    return !has_value(a) ? b : !has_value(b) ? a : emit(c, OP_And, IN(a, b), NULL);
}

ValueId after_past(OnnxNode *c, ValueId past, ValueId v)
{
    return has_value(past) ? emit(c, OP_Concat, IN(past, v), ATTRS(ATTR_I("axis", 2))) : v;
}

/* --- rows that nothing is kept for ------------------------------------------------------------------------------- */

/* Whether each row of a constant mask keeps a key. */
static bool keeps_everywhere(const OnnxNode *c, ValueId keep)
{
    const Value *v = value_at(c->g, keep);
    const int64_t keys = v->type.rank ? v->type.dims[v->type.rank - 1] : 1;
    const bool *at = v->data;
    for (int64_t i = 0, n = type_count(&v->type); at && i < n; i += keys)
        if (!memchr(at + i, 1, (size_t)keys))
            return false;
    return at != NULL;
}

/* For each row whether it may attend to anything, [batch, heads, rows, 1] or what broadcasts to that; NO_VALUE where that is known to be so. */
static ValueId open_rows(OnnxNode *c, const Attend *a)
{
    ValueId keep = a->keep;
    for (uint32_t i = 0; i < a->n_adds; i++) {
        ValueId lowest = const_scalar(c, dtype_of(c, a->add[i]), -INFINITY);
        keep = keep_both(c, keep, emit(c, OP_Greater, IN(a->add[i], lowest), NULL));
    }
    if (failed(c) || !has_value(keep) || keeps_everywhere(c, keep))
        return NO_VALUE;
    const int64_t last = type_of(c->g, keep)->rank - 1;
    return cast(c, reduce(c, OP_ReduceMax, cast(c, keep, DT_U8), &last, 1, true), DT_BOOL);
}

/* v where the row is open, 0 elsewhere. */
static ValueId zero_closed(OnnxNode *c, ValueId open, ValueId v)
{
    return has_value(open)
               ? emit(c, OP_Where, IN(open, v, const_scalar(c, dtype_of(c, v), 0)), NULL)
               : v;
}

/* --- attention --------------------------------------------------------------------------------------------------- */

/* Each head `times` times, one after the other. */
static ValueId repeat_heads(OnnxNode *c, ValueId v, int64_t times)
{
    TensorType t = value_type(c, v);
    v = reshape(c, v, 5, (int64_t[]){t.dims[0], t.dims[1], 1, t.dims[2], t.dims[3]});
    v = expand(c, v, 5, (int64_t[]){t.dims[0], t.dims[1], times, t.dims[2], t.dims[3]});
    return reshape(c, v, 4, (int64_t[]){t.dims[0], t.dims[1] * times, t.dims[2], t.dims[3]});
}

/* Whether it is the same for all heads. */
static bool is_shared(OnnxNode *c, ValueId mask)
{
    if (failed(c) || !has_value(mask))
        return true;
    const TensorType *t = type_of(c->g, mask);
    return t->rank < 3 || t->dims[t->rank - 3] == 1;
}

static bool masks_are_shared(OnnxNode *c, const Attend *a)
{
    for (uint32_t i = 0; i < a->n_adds; i++)
        if (!is_shared(c, a->add[i]))
            return false;
    return is_shared(c, a->keep);
}

static ValueId masked(OnnxNode *c, const Attend *a, ValueId scores)
{
    DType dtype = dtype_of(c, scores);
    if (has_value(a->keep))
        scores = emit(c, OP_Where, IN(a->keep, scores, const_scalar(c, dtype, a->far)), NULL);
    for (uint32_t i = 0; i < a->n_adds; i++)
        scores = add(c, scores, cast(c, a->add[i], dtype));
    return scores;
}

/* What a graph attribute makes of v, which keeps its type. */
static ValueId modified(OnnxNode *c, const Onnx__GraphProto *graph, ValueId v)
{
    Item out;
    if (failed(c) || !graph)
        return v;
    if (graph->n_output != 1)
        return refuse_value(c, "its graph has %zu outputs, one is wanted", graph->n_output);
    if (!onnx_subgraph(c, graph, &(Item){.kind = ITEM_VALUE, .value = v}, 1, &out))
        return NO_VALUE;
    if (out.kind != ITEM_VALUE || !type_equal(type_of(c->g, out.value), type_of(c->g, v)))
        return refuse_value(c, "its graph's output must be %s",
                            type_text(c->arena, type_of(c->g, v)));
    return out.value;
}

/* Softmax of the scores, beside the sink's. */
static ValueId probabilities(OnnxNode *c, const Attend *a, ValueId s)
{
    const TensorType t = value_type(c, s);
    if (has_value(a->sink) && ok(c)) {
        const ValueId sink = expand(c, cast(c, a->sink, t.dtype), 4,
                                    (int64_t[]){t.dims[0], t.dims[1], t.dims[2], 1});
        s = emit(c, OP_Concat, IN(s, sink), ATTRS(ATTR_I("axis", 3)));
    }
    s = emit(c, OP_Softmax, IN(s), ATTRS(ATTR_I("axis", 3), ATTR_I("axis_end", 4)));
    return has_value(a->sink) ? slice_axis(c, s, 3, 0, t.dims[3]) : s;
}

static void score(OnnxNode *c, Attend *a, ValueId q, ValueId k)
{
    DType dtype = dtype_of(c, q);
    ValueId s = emit(c, OP_MatMul, IN(q, swap_last(c, k)), NULL);
    s = a->stage[STAGE_SCORES] = mul(c, s, const_scalar(c, dtype, a->scale));
    if (a->softcap > 0) {
        ValueId cap = const_scalar(c, dtype, a->softcap);
        s = mul(c, emit(c, OP_Tanh, IN(divide(c, s, cap)), NULL), cap);
    }
    a->stage[STAGE_CAPPED] = s;
    s = a->stage[STAGE_MASKED] = masked(c, a, s);
    s = modified(c, a->of_scores, cast(c, s, a->softmax));
    s = probabilities(c, a, s);
    s = modified(c, a->of_probabilities, s);
    a->stage[STAGE_PROBABILITIES] = cast(c, s, dtype);
}

ValueId attend(OnnxNode *c, Attend *a)
{
    const TensorType q = value_type(c, a->q), k = value_type(c, a->k), v = value_type(c, a->v);
    if (q.rank != 4 || k.rank != 4 || v.rank != 4 || k.dims[1] < 1 || v.dims[1] != k.dims[1] ||
        q.dims[1] % k.dims[1] || k.dims[2] != v.dims[2] || q.dims[3] != k.dims[3])
        return refuse_value(c, "its heads %s, %s and %s do not belong together",
                            type_text(c->arena, &q), type_text(c->arena, &k),
                            type_text(c->arena, &v));
    const int64_t group = q.dims[1] / k.dims[1];
    /* The queries of one position that share keys are rows of one product; one head of keys for all broadcasts. */
    const bool as_rows = group > 1 && k.dims[1] > 1 && q.dims[2] == 1 && !a->of_scores &&
                         !a->of_probabilities && !has_value(a->sink) && masks_are_shared(c, a);
    const bool repeat = group > 1 && k.dims[1] > 1 && !as_rows;
    ValueId queries = a->q, keys = repeat ? repeat_heads(c, a->k, group) : a->k,
            values = repeat ? repeat_heads(c, a->v, group) : a->v;
    if (as_rows)
        queries = reshape(c, queries, 4, (int64_t[]){q.dims[0], k.dims[1], group, q.dims[3]});
    score(c, a, queries, keys);
    ValueId y =
        emit(c, OP_MatMul, IN(a->stage[STAGE_PROBABILITIES], cast(c, values, q.dtype)), NULL);
    for (int i = 0; as_rows && i < STAGES; i++)
        a->stage[i] = reshape(c, a->stage[i], 4, (int64_t[]){q.dims[0], q.dims[1], 1, k.dims[2]});
    if (as_rows)
        y = reshape(c, y, 4, (int64_t[]){q.dims[0], q.dims[1], 1, v.dims[3]});
    /* The mask says which rows these are, so that product, mask and softmax stay what merge-composite looks for. */
    const ValueId open = a->none_is_zero ? open_rows(c, a) : NO_VALUE;
    a->stage[STAGE_PROBABILITIES] = zero_closed(c, open, a->stage[STAGE_PROBABILITIES]);
    return zero_closed(c, open, y);
}
