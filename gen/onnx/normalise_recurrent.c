/* Operators that carry a state from one call to the next: a causal convolution, and attention that is a recurrence. */
#include "table.h"

#include <math.h>

/* input, weight, bias, past_state: each channel convolved by itself with what came before it, which past_state begins with. */
bool norm_causal_conv(OnnxNode *c)
{
    const TensorType x = *type_in(c, 0), w = *type_in(c, 1);
    const char *activation = get_string(c, "activation", "none");
    const bool swish = !strcmp(activation, "silu") || !strcmp(activation, "swish");
    if (!swish && strcmp(activation, "none"))
        return refuse_onnx(c, "activation '%s' is not supported", activation);
    if (get_int(c, "state_window", 0) || get_int(c, "ndim", 1) != 1)
        return refuse_onnx(c, "state_window and more than one dimension are not supported");
    if (x.rank != 3 || w.rank != 3 || w.dims[0] != x.dims[1] || w.dims[1] != 1 || w.dims[2] < 1)
        return refuse_onnx(c, "weights %s do not belong to %s", type_text(c->arena, &w),
                           type_text(c->arena, &x));
    const int64_t before = w.dims[2] - 1, one[] = {1}, none[] = {0, 0};
    const TensorType state = type_make(x.dtype, 3, (int64_t[]){x.dims[0], x.dims[1], before});
    ValueId past = has_in(c, 3) ? in_at(c, 3) : filled(c, state, const_scalar(c, x.dtype, 0));
    if (ok(c) && !type_equal(type_of(c->g, past), &state))
        return refuse_onnx(c, "its past_state must be %s", type_text(c->arena, &state));
    ValueId all = emit(c, OP_Concat, IN(past, in_at(c, 0)), ATTRS(ATTR_I("axis", 2)));
    ValueId y = emit(c, OP_Conv, IN(all, in_at(c, 1), in_at(c, 2)),
                     ATTRS(ATTR_IS("strides", one, 1), ATTR_IS("dilations", one, 1),
                           ATTR_IS("pads", none, 2), ATTR_I("group", x.dims[1])));
    if (wants(c, 1))
        alias(c, 1, slice_axis(c, all, 2, x.dims[2], before));
    return alias(c, 0, swish ? emit(c, OP_Swish, IN(y), ATTRS(ATTR_F("alpha", 1))) : y);
}

/* --- LinearAttention ---------------------------------------------------------------------------------------------- */

typedef struct Recurrence {
    int64_t batch, positions;
    int64_t q_heads, k_heads, heads; /* of queries, of keys, of values and states */
    int64_t key, value;              /* their sizes */
    bool gated, delta;
} Recurrence;

/* All tensors but the states are [batch, positions, heads * size]. */
static bool fits(OnnxNode *c, uint32_t k, const Recurrence *r, int64_t a, int64_t b)
{
    const TensorType *t = type_in(c, k);
    return (t->rank == 3 && t->dims[0] == r->batch && t->dims[1] == r->positions &&
            (t->dims[2] == a || t->dims[2] == b)) ||
           refuse_onnx(c, "input %u, %s, does not belong to its heads", k, type_text(c->arena, t));
}

static bool read_recurrence(OnnxNode *c, Recurrence *r)
{
    const TensorType q = *type_in(c, 0), k = *type_in(c, 1), v = *type_in(c, 2);
    const char *rule = get_string(c, "update_rule", "gated_delta");
    *r = (Recurrence){.gated = !strncmp(rule, "gated", 5),
                      .delta = !strcmp(rule, "delta") || !strcmp(rule, "gated_delta"),
                      .q_heads = get_int(c, "q_num_heads", 0),
                      .heads = get_int(c, "kv_num_heads", 0)};
    if (strcmp(rule, "linear") && strcmp(rule, "gated") && !r->delta)
        return refuse_onnx(c, "update_rule '%s' is invalid", rule);
    if (has_in(c, 4) != r->gated || has_in(c, 5) != r->delta)
        return refuse_onnx(c, "update_rule '%s' takes another choice of decay and beta", rule);
    if (get_int(c, "state_window", 0))
        return refuse_onnx(c, "state_window is not supported");
    if (failed(c) || r->q_heads < 1 || r->heads < 1 || q.rank != 3 || k.rank != 3 || v.rank != 3 ||
        (r->q_heads % r->heads && r->heads % r->q_heads) || q.dims[2] % r->q_heads ||
        v.dims[2] % r->heads || q.dims[1] < 1)
        return refuse_onnx(c, "its heads do not belong together");
    r->batch = q.dims[0];
    r->positions = q.dims[1];
    r->key = q.dims[2] / r->q_heads;
    r->value = v.dims[2] / r->heads;
    r->k_heads = r->key ? k.dims[2] / r->key : 0;
    if (r->k_heads < 1 || r->heads % r->k_heads)
        return refuse_onnx(c, "its heads do not belong together");
    return fits(c, 1, r, r->k_heads * r->key, 0) && fits(c, 2, r, v.dims[2], 0) &&
           (!r->gated || fits(c, 4, r, r->heads, r->heads * r->key)) &&
           (!r->delta || fits(c, 5, r, r->heads, 1));
}

/* Input k as f32, where it has fewer heads than `wanted` each of them as often as that takes. */
static ValueId repeated(OnnxNode *c, uint32_t k, int64_t heads, int64_t wanted)
{
    const TensorType t = *type_in(c, k);
    const int64_t times = heads < wanted ? wanted / heads : 1, size = t.dims[2] / heads;
    int64_t dims[] = {t.dims[0], t.dims[1], heads, 1, size};
    ValueId v = reshape(c, cast(c, in_at(c, k), DT_F32), 5, dims);
    dims[3] = times;
    v = expand(c, v, 5, dims);
    return reshape(c, v, 3, (int64_t[]){t.dims[0], t.dims[1], heads * times * size});
}

/* [batch, heads, rows, columns] of one position. */
static ValueId at_position(OnnxNode *c, ValueId v, int64_t t, int64_t heads, int64_t rows,
                           int64_t columns)
{
    return reshape(c, slice_axis(c, v, 1, t, 1), 4,
                   (int64_t[]){value_type(c, v).dims[0], heads, rows, columns});
}

/* Each position in turn: state = decay * state + key x value, where of the value may be left what the state does not have already. */
static ValueId run_recurrence(OnnxNode *c, const Recurrence *r, ValueId *state)
{
    const double given = get_float(c, "scale", 0),
                 scale = given != 0 ? given : 1 / sqrt((double)r->key);
    const int64_t n = r->heads, group = r->q_heads > n ? r->q_heads / n : 1;
    ValueId *out = ARENA_ARRAY(c->arena, ValueId, (size_t)r->positions), decay = NO_VALUE,
            beta = NO_VALUE;
    const ValueId q = mul(c, repeated(c, 0, r->q_heads, n), const_scalar(c, DT_F32, scale)),
                  k = repeated(c, 1, r->k_heads, n), v = repeated(c, 2, n, n);
    if (r->gated)
        decay = emit(c, OP_Exp, IN(cast(c, in_at(c, 4), DT_F32)), NULL);
    if (r->delta)
        beta = cast(c, in_at(c, 5), DT_F32);
    for (int64_t t = 0; t < r->positions && ok(c); t++) {
        ValueId value = at_position(c, v, t, n, 1, r->value);
        if (r->gated)
            *state = mul(c, *state, at_position(c, decay, t, n, type_in(c, 4)->dims[2] / n, 1));
        if (r->delta) {
            ValueId had = emit(c, OP_MatMul, IN(at_position(c, k, t, n, 1, r->key), *state), NULL);
            value =
                mul(c, sub(c, value, had), at_position(c, beta, t, type_in(c, 5)->dims[2], 1, 1));
        }
        *state = add(c, *state, mul(c, at_position(c, k, t, n, r->key, 1), value));
        out[t] = unsqueeze(
            c, emit(c, OP_MatMul, IN(at_position(c, q, t, n, group, r->key), *state), NULL), 1);
    }
    return emit(c, OP_Concat, out, (size_t)r->positions, ATTRS(ATTR_I("axis", 1)));
}

/* query, key, value, past_state, decay, beta. Unrolled, as a loop is. */
bool norm_linear_attention(OnnxNode *c)
{
    Recurrence r;
    if (!read_recurrence(c, &r))
        return false;
    const TensorType type = type_make(DT_F32, 4, (int64_t[]){r.batch, r.heads, r.key, r.value});
    const DType to = type_in(c, 0)->dtype;
    ValueId state =
        has_in(c, 3) ? cast(c, in_at(c, 3), DT_F32) : filled(c, type, const_scalar(c, DT_F32, 0));
    if (ok(c) && !type_equal(type_of(c->g, state), &type))
        return refuse_onnx(c, "its past_state must be %s", type_text(c->arena, &type));
    const bool in_loop = c->im->in_loop;
    c->im->in_loop = true;
    ValueId y = run_recurrence(c, &r, &state);
    c->im->in_loop = in_loop;
    const int64_t heads = r.q_heads > r.heads ? r.q_heads : r.heads;
    alias(c, 1, cast(c, state, has_in(c, 3) ? type_in(c, 3)->dtype : to));
    return alias(c, 0,
                 cast(c, reshape(c, y, 3, (int64_t[]){r.batch, r.positions, heads * r.value}), to));
}
