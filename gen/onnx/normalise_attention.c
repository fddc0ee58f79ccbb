/* Operators that are attention as a whole: ONNX's, and ONNX Runtime's (domain com.microsoft). */
#include "attend.h"
#include "grouped.h"
#include "table.h"

#include <math.h>

/* --- ONNX --------------------------------------------------------------------------------------------------------- */

/* A mask may be shorter than the keys; the rest is not attended to. Bool or float. */
static ValueId full_mask(OnnxNode *c, ValueId mask, int64_t keys)
{
    TensorType t = *type_of(c->g, mask);
    if (t.rank < 1 || t.rank > 4 || t.dims[t.rank - 1] > keys)
        return refuse_value(c, "a mask of %s does not belong to %lld keys", type_text(c->arena, &t),
                            (long long)keys);
    if (t.dims[t.rank - 1] == keys)
        return mask;
    TensorType rest = t;
    rest.dims[t.rank - 1] = keys - t.dims[t.rank - 1];
    ValueId none =
        t.dtype == DT_BOOL ? const_scalar(c, DT_BOOL, 0) : const_scalar(c, t.dtype, -INFINITY);
    return emit(c, OP_Concat, IN(mask, filled(c, rest, none)), ATTRS(ATTR_I("axis", t.rank - 1)));
}

/* [batch, heads, rows, size] from three or four dimensions. */
static ValueId heads_of(OnnxNode *c, uint32_t k, const char *attr)
{
    const TensorType t = *type_in(c, k);
    if (t.rank == 4)
        return in_at(c, k);
    int64_t heads = get_int(c, attr, 0);
    if (t.rank != 3)
        refuse_onnx(c, "its inputs have neither three nor four dimensions");
    if (ok(c) && heads < 1)
        refuse_onnx(c, "attribute %s is missing", attr);
    return split_heads(c, in_at(c, k), heads);
}

static bool onnx_masks(OnnxNode *c, Attend *a, int64_t past)
{
    const TensorType q = *type_of(c->g, a->q), k = *type_of(c->g, a->k);
    const bool causal = get_int(c, "is_causal", 0) != 0, padded = has_in(c, 6);
    if (causal && (!padded || has_in(c, 4)))
        a->keep = keep_causal(c, q.dims[2], k.dims[2], past);
    if (padded)
        a->keep = keep_both(
            c, a->keep,
            keep_lengths(c, in_at(c, 6), causal && !has_in(c, 4) ? q.dims[2] : 0, k.dims[2]));
    if (!has_in(c, 3) || failed(c))
        return ok(c);
    ValueId mask = full_mask(c, in_at(c, 3), k.dims[2]);
    if (dtype_of(c, mask) == DT_BOOL)
        a->keep = keep_both(c, a->keep, mask);
    else
        a->add[a->n_adds++] = mask;
    return ok(c);
}

/* Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen; the order of softcap and mask, and the numbers of the modes, are
 * those of ONNX 1.22, which corrected them for both versions. */
bool norm_attention(OnnxNode *c)
{
    const int rank = type_in(c, 0)->rank;
    const int64_t mode = get_int(c, "qk_matmul_output_mode", 0);
    if (has_in(c, 4) != has_in(c, 5))
        return refuse_onnx(c, "past_key and past_value come together");
    if (mode < 0 || mode >= STAGES)
        return refuse_onnx(c, "qk_matmul_output_mode %lld is invalid", (long long)mode);
    Attend a = {.keep = NO_VALUE,
                .sink = NO_VALUE,
                .far = -INFINITY,
                .none_is_zero = true,
                .softcap = get_float(c, "softcap", 0)};
    a.q = heads_of(c, 0, "q_num_heads");
    a.k = after_past(c, in_at(c, 4), heads_of(c, 1, "kv_num_heads"));
    a.v = after_past(c, in_at(c, 5), heads_of(c, 2, "kv_num_heads"));
    const TensorType q = value_type(c, a.q);
    if (failed(c))
        return false;
    a.scale = has_attr(c, "scale") ? get_float(c, "scale", 1) : 1 / sqrt((double)q.dims[3]);
    a.softmax = q.dtype;
    if (has_attr(c, "softmax_precision") &&
        !onnx_dtype(c->im, get_int(c, "softmax_precision", DT_F32), where_of(c), &a.softmax))
        return false;
    if (!dtype_is_float(a.softmax))
        return refuse_onnx(c, "softmax_precision is no type of floats");
    if (!onnx_masks(c, &a, has_in(c, 4) ? type_in(c, 4)->dims[2] : 0))
        return false;
    ValueId y = attend(c, &a);
    alias(c, 1, a.k);
    alias(c, 2, a.v);
    alias(c, 3, a.stage[mode]);
    return alias(c, 0, rank == 3 ? join_heads(c, y) : y);
}

/* ai.onnx.preview: Q, K, V, and what graphs make of the scores and the probabilities. */
bool norm_flex_attention(OnnxNode *c)
{
    const TensorType q = *type_in(c, 0);
    Attend a = {.q = in_at(c, 0),
                .k = in_at(c, 1),
                .v = in_at(c, 2),
                .keep = NO_VALUE,
                .sink = NO_VALUE,
                .softmax = q.dtype == DT_F64 ? DT_F64 : DT_F32};
    if (q.rank != 4)
        return refuse_onnx(c, "its inputs do not have four dimensions");
    a.scale = has_attr(c, "scale") ? get_float(c, "scale", 1) : 1 / sqrt((double)q.dims[3]);
    if (has_attr(c, "softmax_precision") &&
        !onnx_dtype(c->im, get_int(c, "softmax_precision", DT_F32), where_of(c), &a.softmax))
        return false;
    if (!dtype_is_float(a.softmax) || !dtype_is_float(q.dtype))
        return refuse_onnx(c, "softmax_precision is no type of floats");
    if (has_attr(c, "score_mod"))
        a.of_scores = get_graph(c, "score_mod");
    if (has_attr(c, "prob_mod"))
        a.of_probabilities = get_graph(c, "prob_mod");
    return alias(c, 0, attend(c, &a));
}

/* --- com.microsoft -------------------------------------------------------------------------------------------------- */

static double lowest(DType dtype)
{
    return dtype == DT_F16 ? -65504.0 : dtype == DT_BF16 ? -0x1.fep127 : -0x1.fffffep127;
}

/* The keys from the first to the last that mask names for each sequence: all ends, then all beginnings. */
static ValueId keep_between(OnnxNode *c, ValueId mask, int64_t batch, int64_t keys)
{
    const ValueId before = keep_lengths(c, slice_axis(c, mask, 0, batch, batch), 0, keys);
    return keep_both(c, keep_lengths(c, slice_axis(c, mask, 0, 0, batch), 0, keys),
                     emit(c, OP_Not, IN(before), NULL));
}

/* What is added to the scores for a mask that has 1 where attention is allowed: [batch, keys], [batch, rows, keys], or the number
 * of keys of each sequence, [batch], with where these begin behind it, [2 * batch]. */
static void add_raw_mask(OnnxNode *c, Attend *a, ValueId mask, double far)
{
    if (failed(c))
        return;
    TensorType t = *type_of(c->g, mask);
    const TensorType q = *type_of(c->g, a->q), k = *type_of(c->g, a->k);
    const bool by_key = t.rank == 2 && t.dims[0] == q.dims[0] && t.dims[1] == k.dims[2],
               by_row = t.rank == 3 && t.dims[0] == q.dims[0] && t.dims[1] == q.dims[2] &&
                        t.dims[2] == k.dims[2],
               by_length = t.rank == 1 && t.dims[0] == q.dims[0],
               by_ends = t.rank == 1 && t.dims[0] == 2 * q.dims[0];
    if (!by_key && !by_row && !by_length && !by_ends) {
        refuse_onnx(c, "a mask of %s is not supported", type_text(c->arena, &t));
        return;
    }
    if (by_length)
        mask = keep_lengths(c, mask, 0, k.dims[2]);
    else if (by_ends)
        mask = keep_between(c, mask, q.dims[0], k.dims[2]);
    else
        mask = reshape(c, mask, 4,
                       (int64_t[]){t.dims[0], 1, by_row ? t.dims[1] : 1, t.dims[t.rank - 1]});
    ValueId open = sub(c, const_scalar(c, q.dtype, 1), cast(c, mask, q.dtype));
    a->add[a->n_adds++] = mul(c, open, const_scalar(c, q.dtype, fmax(far, lowest(q.dtype))));
}

/* `unidirectional`: the rows are the last keys. What is not kept gets the lowest number. */
static void microsoft_causal(OnnxNode *c, Attend *a)
{
    if (failed(c) || !get_int(c, "unidirectional", 0))
        return;
    const TensorType q = *type_of(c->g, a->q), k = *type_of(c->g, a->k);
    a->far = lowest(q.dtype);
    a->keep = keep_causal(c, q.dims[2], k.dims[2], k.dims[2] - q.dims[2]);
}

static Attend microsoft_attend(OnnxNode *c, ValueId q, ValueId k, ValueId v)
{
    Attend a = {.q = q,
                .k = k,
                .v = v,
                .keep = NO_VALUE,
                .sink = NO_VALUE,
                .scale = get_float(c, "scale", 0)};
    const TensorType t = value_type(c, q);
    a.scale = a.scale > 0 ? a.scale : 1 / sqrt((double)t.dims[3]);
    a.softmax = t.dtype;
    return a;
}

/* Half `i` of past: [2, batch, heads, keys, size]. */
static ValueId past_of(OnnxNode *c, uint32_t k, int64_t i)
{
    return has_in(c, k) ? squeeze(c, slice_axis(c, in_at(c, k), 0, i, 1), 0) : NO_VALUE;
}

/* Sizes of the three projections. */
static bool projection_sizes(OnnxNode *c, int64_t all, int64_t heads, int64_t size[3])
{
    size_t n;
    const int64_t *given = get_ints(c, "qkv_hidden_sizes", &n);
    for (int i = 0; i < 3; i++)
        size[i] = given && n == 3 ? given[i] : all / 3;
    if (failed(c) || heads < 1 || (given && n != 3) || size[0] < 1 || size[2] < 1 ||
        size[0] != size[1] || size[0] % heads || size[2] % heads || size[2] > all ||
        size[0] > all / 2 || size[0] * 2 + size[2] != all)
        return refuse_onnx(c, "its inputs do not belong together");
    return true;
}

/* Where the optional inputs of a self-attention are, which differs between floats and bytes. */
typedef struct SelfInputs {
    uint32_t mask, past, bias; /* bias: of the scores; UINT32_MAX: there is none */
} SelfInputs;

/* The heads' parts of `all`, [batch, rows, query + key + value], attend to each other. */
static bool finish_self_attention(OnnxNode *c, ValueId all, const SelfInputs *at)
{
    const int64_t heads = get_int(c, "num_heads", 0);
    int64_t size[3];
    ValueId part[3];
    if (get_int(c, "do_rotary", 0) || get_int(c, "past_present_share_buffer", 0))
        return refuse_onnx(c, "rotary embedding and a shared buffer are not supported");
    if (failed(c) || (has_in(c, at->past) && type_in(c, at->past)->rank != 5))
        return refuse_onnx(c, "its inputs do not belong together");
    if (!projection_sizes(c, type_of(c->g, all)->dims[2], heads, size))
        return false;
    for (int i = 0; i < 3; i++)
        part[i] = split_heads(c, slice_axis(c, all, 2, i * size[0], size[i]), heads);
    Attend a = microsoft_attend(c, part[0], after_past(c, past_of(c, at->past, 0), part[1]),
                                after_past(c, past_of(c, at->past, 1), part[2]));
    if (has_in(c, at->mask))
        add_raw_mask(c, &a, in_at(c, at->mask), get_float(c, "mask_filter_value", -10000));
    if (has_in(c, at->bias))
        a.add[a.n_adds++] = in_at(c, at->bias);
    microsoft_causal(c, &a);
    ValueId y = attend(c, &a);
    if (wants(c, 1))
        alias(c, 1,
              emit(c, OP_Concat, IN(unsqueeze(c, a.k, 0), unsqueeze(c, a.v, 0)),
                   ATTRS(ATTR_I("axis", 0))));
    return alias(c, 0, join_heads(c, y));
}

/* Self-attention with one projection for query, key and value. Inputs: x, weights, bias, mask, past, attention bias. */
bool norm_self_attention(OnnxNode *c)
{
    if (type_in(c, 0)->rank != 3 || type_in(c, 1)->rank != 2)
        return refuse_onnx(c, "its inputs do not belong together");
    ValueId all = emit(c, OP_MatMul, IN(in_at(c, 0), in_at(c, 1)), NULL);
    all = has_in(c, 2) ? add(c, all, in_at(c, 2)) : all;
    return finish_self_attention(c, all, &(SelfInputs){.mask = 3, .past = 4, .bias = 5});
}

/* The same of bytes: x, weights, bias, scale of x, scale of the weights, mask, zero point of x, zero point of the weights, past. */
bool norm_quantised_attention(OnnxNode *c)
{
    if (type_in(c, 0)->rank != 3 || type_in(c, 1)->rank != 2 || type_count(type_in(c, 3)) != 1)
        return refuse_onnx(c, "its inputs do not belong together");
    ValueId number[4]; /* one, or one for each column */
    static const uint32_t at[] = {3, 4, 6, 7};
    for (int i = 0; i < 4; i++)
        number[i] = has_in(c, at[i]) && type_count(type_in(c, at[i])) == 1
                        ? reshape(c, in_at(c, at[i]), 0, NULL)
                        : in_at(c, at[i]);
    ValueId all =
        emit(c, OP_MatMulInteger, IN(in_at(c, 0), in_at(c, 1), number[2], number[3]), NULL);
    all = mul(c, cast(c, all, DT_F32), mul(c, number[0], number[1]));
    all = add(c, all, in_at(c, 2));
    return ok(c) &&
           finish_self_attention(c, all, &(SelfInputs){.mask = 5, .past = 8, .bias = UINT32_MAX});
}

/* Part i of n that stand side by side in [batch, rows, heads, n, size], as heads. */
static ValueId packed_part(OnnxNode *c, ValueId v, int64_t i)
{
    v = slice_axis(c, v, 3, i, 1);
    return transpose(c, squeeze(c, v, 3), (int64_t[]){0, 2, 1, 3});
}

/* Heads of input k, with its part of the bias; keys and values may be heads already. */
static ValueId input_heads(OnnxNode *c, uint32_t k, int64_t heads, int64_t bias_from)
{
    ValueId v = in_at(c, k);
    if (failed(c) || type_in(c, k)->rank == 4)
        return v;
    if (has_in(c, 3) && type_in(c, k)->rank == 3)
        v = add(c, v, slice_axis(c, in_at(c, 3), 0, bias_from, type_in(c, k)->dims[2]));
    return split_heads(c, v, heads);
}

static bool unpack(OnnxNode *c, int64_t heads, ValueId part[3])
{
    const bool all = !has_in(c, 1);
    const uint32_t packed = all ? 0 : 1;
    const int64_t n = all ? 3 : 2;
    const TensorType t = *type_in(c, packed);
    if (t.rank != 5 || t.dims[2] != heads || t.dims[3] != n || has_in(c, 3))
        return refuse_onnx(c, "packed inputs of %s are not supported, or not with a bias",
                           type_text(c->arena, &t));
    part[0] = all ? packed_part(c, in_at(c, 0), 0) : input_heads(c, 0, heads, 0);
    part[1] = packed_part(c, in_at(c, packed), n - 2);
    part[2] = packed_part(c, in_at(c, packed), n - 1);
    return ok(c);
}

/* Inputs: query, key, value, bias, key padding mask, attention bias, past key, past value. */
bool norm_multi_head_attention(OnnxNode *c)
{
    const int64_t heads = get_int(c, "num_heads", 0), q = type_in(c, 0)->dims[2];
    ValueId part[3];
    if (wants(c, 3) || has_in(c, 6) != has_in(c, 7))
        return refuse_onnx(c, "output qk, or a past without its other half, is not supported");
    if (type_in(c, 0)->rank != (has_in(c, 1) ? 3 : 5) || (has_in(c, 3) && type_in(c, 3)->rank != 1))
        return refuse_onnx(c, "its inputs do not belong together");
    if (!has_in(c, 2)) {
        if (!unpack(c, heads, part))
            return false;
    } else {
        part[0] = input_heads(c, 0, heads, 0);
        part[1] = input_heads(c, 1, heads, q);
        part[2] = input_heads(c, 2, heads, 2 * q);
    }
    if (value_type(c, part[1]).rank != 4 || value_type(c, part[2]).rank != 4)
        return refuse_onnx(c, "its inputs do not belong together");
    Attend a = microsoft_attend(c, part[0], after_past(c, in_at(c, 6), part[1]),
                                after_past(c, in_at(c, 7), part[2]));
    if (has_in(c, 4))
        add_raw_mask(c, &a, in_at(c, 4), get_float(c, "mask_filter_value", -10000));
    if (has_in(c, 5))
        a.add[a.n_adds++] = in_at(c, 5);
    microsoft_causal(c, &a);
    ValueId y = attend(c, &a);
    alias(c, 1, a.k);
    alias(c, 2, a.v);
    return alias(c, 0, join_heads(c, y));
}

/* --- grouped queries ------------------------------------------------------------------------------------------------- */

/* Query, key and value, or all three side by side in the first. */
static bool grouped_heads(OnnxNode *c, int64_t heads, int64_t kv_heads, ValueId part[3])
{
    const TensorType t = *type_in(c, 0);
    if (t.rank != 3 || heads < 1 || kv_heads < 1 || heads > INT32_MAX || kv_heads > INT32_MAX ||
        has_in(c, 1) != has_in(c, 2) || (!has_in(c, 1) && t.dims[2] % (heads + 2 * kv_heads)))
        return refuse_onnx(c, "its inputs do not belong together");
    const int64_t size = t.dims[2] / (heads + 2 * kv_heads), n[] = {heads, kv_heads, kv_heads};
    int64_t from = 0;
    for (uint32_t i = 0; i < 3; i++) {
        ValueId v = has_in(c, 1) ? in_at(c, i) : slice_axis(c, in_at(c, 0), 2, from, n[i] * size);
        part[i] = split_heads(c, v, n[i]);
        from += n[i] * size;
    }
    return ok(c);
}

/* The keys that a row may attend to: up to its own, and no further back than the window goes. */
static ValueId grouped_keep(OnnxNode *c, const GroupedPast *past, int64_t rows)
{
    const int64_t window = get_int(c, "local_window_size", -1);
    const bool dependent = has_value(past->first), narrow = window > 0 && window < past->total;
    ValueId keep, far = NO_VALUE;
    if (dependent) {
        const ValueId end = add(c, past->first, const_scalar(c, DT_I64, (double)rows));
        keep = keep_lengths(c, end, rows, past->total);
        if (narrow)
            far = keep_lengths(c, sub(c, end, const_scalar(c, DT_I64, (double)window)), rows,
                               past->total);
    } else {
        keep = keep_causal(c, rows, past->total, past->rows);
        if (narrow)
            far = keep_causal(c, rows, past->total, past->rows - window);
    }
    return has_value(far) ? keep_both(c, keep, emit(c, OP_Not, IN(far), NULL)) : keep;
}

/* A score of each head that only takes its part: 0 for a smooth softmax. */
static ValueId grouped_sink(OnnxNode *c, int64_t heads, DType dtype)
{
    const int64_t all[] = {1, heads, 1, 1};
    if (!has_in(c, GQA_SINK))
        return get_int(c, "smooth_softmax", 0) > 0
                   ? filled(c, type_make(dtype, 4, all), const_scalar(c, dtype, 0))
                   : NO_VALUE;
    if (type_count(type_in(c, GQA_SINK)) != heads)
        return refuse_value(c, "its sink is %s, not one number for each of %lld heads",
                            type_text(c->arena, type_in(c, GQA_SINK)), (long long)heads);
    return reshape(c, in_at(c, GQA_SINK), 4, all);
}

bool norm_group_query_attention(OnnxNode *c)
{
    ValueId part[3];
    GroupedPast past;
    if (!grouped_heads(c, get_int(c, "num_heads", 0), get_int(c, "kv_num_heads", 0), part))
        return false;
    const int64_t rows = type_of(c->g, part[0])->dims[2];
    if (!grouped_past(c, rows, &past))
        return false;
    if (wants(c, 3) || get_int(c, "qk_output", 0))
        return refuse_onnx(c, "output qk is not supported");
    const bool dependent = has_value(past.first);
    if (get_int(c, "do_rotary", 0)) {
        if (!has_in(c, GQA_COS) || !has_in(c, GQA_SIN) || type_in(c, GQA_COS)->rank != 2)
            return refuse_onnx(c, "its caches of cosines and sines are missing");
        ValueId at =
            has_in(c, GQA_POSITIONS)
                ? in_at(c, GQA_POSITIONS)
                : positions_from(
                      c, dependent ? past.first : const_scalar(c, DT_I64, (double)past.rows), rows);
        for (int i = 0; i < 2; i++)
            part[i] = rotate_heads(c, part[i], in_at(c, GQA_COS), in_at(c, GQA_SIN), at,
                                   2 * type_in(c, GQA_COS)->dims[1],
                                   get_int(c, "rotary_interleaved", 0) != 0);
    }
    for (uint32_t i = 1; i < 3; i++)
        part[i] = grouped_cache(c, &past, GQA_PAST + i - 1, part[i]);
    Attend a = microsoft_attend(c, part[0], grouped_seen(c, &past, part[1]),
                                grouped_seen(c, &past, part[2]));
    a.far = -INFINITY;
    a.keep = grouped_keep(c, &past, rows);
    a.sink = grouped_sink(c, get_int(c, "num_heads", 0), type_in(c, 0)->dtype);
    a.softcap = get_float(c, "softcap", 0);
    if (has_in(c, GQA_BIAS))
        a.add[a.n_adds++] = in_at(c, GQA_BIAS);
    ValueId y = attend(c, &a);
    for (uint32_t i = 1; i < 3; i++)
        alias(c, i, part[i]);
    return alias(c, 0, join_heads(c, y));
}
