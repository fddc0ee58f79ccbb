/* Results of layers of bytes: see emit/c/bytes.h. */
#include "bytes.h"

#include "../../ops/ops.h"
#include "epilogue.h"

#include <math.h>

/* clamp(requantised(sum + addend), low, high) + zero, and a byte of that. */
typedef struct ByteResult {
    ValueId addend, scale, value; /* value: what it is so far */
    int64_t low, high, zero;
    bool is_byte;
} ByteResult;

/* One for each channel, or for all of them. */
static bool goes_by_channel(const CKernel *k, ValueId v)
{
    if (type_of(k->g, v)->dtype != DT_I32)
        return false;
    if (c_is_literal(k->g, v))
        return true;
    const EpilogueOperands operands = k->plan->epilogue;
    const TensorType *dst = nn_out(k, 0);
    for (uint32_t i = 0; i < operands.n; i++)
        if (same_value(operands.operand[i].value, v))
            return operands.operand[i].spread == EPILOGUE_CHANNEL ||
                   (operands.operand[i].spread == EPILOGUE_FULL && type_count(dst) == dst->dims[1]);
    return false;
}

static bool literal(const CKernel *k, ValueId v, int64_t *x)
{
    if (!c_is_literal(k->g, v) || dtype_is_float(type_of(k->g, v)->dtype))
        return false;
    *x = elem_i64(type_of(k->g, v)->dtype, value_at(k->g, v)->data, 0);
    return true;
}

static int64_t within(int64_t x, double low, double high)
{
    return (double)x < low ? (int64_t)low : (double)x > high ? (int64_t)high : x;
}

/* Takes node n into r. */
static bool take(const CKernel *k, const Node *n, ByteResult *r)
{
    const DType made = type_of(k->g, n->out[0])->dtype;
    const bool first = same_value(n->in[0], r->value);
    const ValueId other = n->n_in > 1 ? n->in[first ? 1 : 0] : NO_VALUE;
    int64_t add;
    if (!first && !(n->n_in > 1 && same_value(n->in[1], r->value)))
        return false;
    r->value = n->out[0];
    switch (n->op) {
    case OP_Add:
        if (!has_value(r->scale)) {
            const bool is_first = !has_value(r->addend);
            r->addend = other;
            return is_first && made == DT_I32 && goes_by_channel(k, other);
        }
        if (made != DT_I32 || !literal(k, other, &add) || add < -255 || add > 255)
            return false;
        r->zero += add;
        return true;
    case OP_Requantize:
        r->scale = other;
        return first && goes_by_channel(k, other);
    case OP_Clip: {
        if (!has_value(r->scale))
            return false;
        const double min = fmax(attr_float(n, "min", -INFINITY) - (double)r->zero, -1e9),
                     max = fmin(attr_float(n, "max", INFINITY) - (double)r->zero, 1e9);
        r->low = within(r->low, min, max);
        r->high = within(r->high, min, max);
        return min <= max && min == trunc(min) && max == trunc(max);
    }
    case OP_Cast:
        r->is_byte = (made == DT_I8 || made == DT_U8) && r->low + r->zero >= dtype_lowest(made) &&
                     r->high + r->zero <= dtype_highest(made);
        return r->is_byte && has_value(r->scale);
    default:
        return false;
    }
}

static bool read_byte_result(const CKernel *k, ByteResult *r)
{
    enum { MOST = 511 }; /* of dnnlc_requantize_limited */
    const Step *s = k->step;
    *r = (ByteResult){NO_VALUE, NO_VALUE, k->node->out[0], INT32_MIN, INT32_MAX, 0, false};
    for (uint32_t j = 0; j < s->n_nodes; j++)
        if (s->nodes[j].i != s->node.i && !take(k, node_at(k->g, s->nodes[j]), r))
            return false;
    return r->is_byte && r->low >= -MOST && r->high <= MOST;
}

bool c_is_byte_result(const CKernel *k)
{
    ByteResult r;
    return k->plan && (k->plan->variant == C_conv_dots || k->plan->variant == C_conv_taps) &&
           read_byte_result(k, &r);
}

/* The operand as a template's text, of the channel that `index` names. */
static const char *of_channel(const CKernel *k, ValueId v, const char *index)
{
    int64_t x;
    if (literal(k, v, &x))
        return c_int_literal(k->arena, DT_I32, x);
    const EpilogueOperands operands = k->plan->epilogue;
    uint32_t i = 0;
    while (!same_value(operands.operand[i].value, v))
        i++;
    return arena_printf(k->arena, "%s[%s]", k->input[k->node->n_in + i], index);
}

void c_bind_byte_result(CKernel *k, Bindings *b)
{
    ByteResult r;
    const bool bytes = read_byte_result(k, &r), biased = bytes && has_value(r.addend);
    bind_int(b, "bytes", bytes);
    bind_macro(b, "biased", "channel, value",
               biased ? arena_printf(k->arena, "(int32_t)((uint32_t)%s + (uint32_t)$value$)",
                                     of_channel(k, r.addend, "$channel$"))
                      : "$value$");
    if (!bytes) {
        nn_bind_result(k, b, DT_I32);
        return;
    }
    c_need(k, CH_PUT_BYTES);
    bind(b, "addend", "%s", biased ? of_channel(k, r.addend, "channel") : "0");
    bind_macro(b, "scale", "channel", of_channel(k, r.scale, "$channel$"));
    bind_int(b, "low", r.low);
    bind_int(b, "high", r.high);
    bind_int(b, "dst_zero", r.zero);
}
