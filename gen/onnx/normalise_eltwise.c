/* Elementwise operators. */
#include "../base/narrow.h"
#include "table.h"

#include <math.h>

/* The same op with the same inputs, and those attributes that its row names. */
bool norm_direct(OnnxNode *c)
{
    const OpInfo *op = op_info(c->row->op);
    if (!need_inputs(c, (uint32_t)op->min_in, op->max_in < 0 ? UINT16_MAX : (uint32_t)op->max_in))
        return false;
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, c->n_in + 1);
    for (uint32_t k = 0; k < c->n_in; k++)
        in[k] = in_at(c, k);
    return finish_all(c,
                      c->n_out < (uint32_t)op->min_out                       ? (uint32_t)op->min_out
                      : op->max_out >= 0 && c->n_out > (uint32_t)op->max_out ? (uint32_t)op->max_out
                                                                             : c->n_out,
                      c->row->op, in, c->n_in, read_attrs(c, c->row->op, c->row->attrs, NULL));
}

bool norm_selu(OnnxNode *c)
{
    const char *list = c->opset < 6
                           ? "alpha=1.6732 gamma=1.0507"
                           : "alpha=1.67326319217681884765625 gamma=1.05070102214813232421875";
    return finish(c, 0, OP_Selu, IN(in_at(c, 0)), read_attrs(c, OP_Selu, list, NULL));
}

bool norm_gelu(OnnxNode *c)
{
    const char *approximate = get_string(c, "approximate", "none");
    bool tanh = !strcmp(approximate, "tanh");
    if (!tanh && strcmp(approximate, "none"))
        return refuse_onnx(c, "approximate '%s' is unknown", approximate);
    return finish(c, 0, tanh ? OP_GeluTanh : OP_Gelu, IN(in_at(c, 0)), NULL);
}

/* Before opset 7 the second operand broadcasts only if asked, its dimensions aligned at `axis` of the first. */
static ValueId legacy_operand(OnnxNode *c, ValueId a, ValueId b)
{
    const TensorType *ta = type_of(c->g, a), *tb = type_of(c->g, b);
    int64_t axis = get_int(c, "axis", ta->rank - tb->rank);
    if (c->opset >= 7 || !get_int(c, "broadcast", 0) || !has_attr(c, "axis") || tb->rank == 0)
        return b;
    if (axis < 0)
        axis += ta->rank;
    if (axis < 0 || axis + tb->rank > ta->rank)
        return refuse_value(c, "axis %lld is out of range", (long long)axis);
    int64_t dims[MAX_RANK];
    int rank = ta->rank - (int)axis;
    for (int d = 0; d < rank; d++)
        dims[d] = d < tb->rank ? tb->dims[d] : 1;
    return reshape(c, b, rank, dims);
}

bool norm_binary(OnnxNode *c)
{
    ValueId a = in_at(c, 0), b = legacy_operand(c, a, in_at(c, 1));
    if (c->row->op == OP_Equal && has_strings(c, 0) && has_strings(c, 1))
        return alias(c, 0, strings_equal(c, a, b, false));
    return finish(c, 0, c->row->op, IN(a, b), NULL);
}

/* A slope of one number per channel, given before opset 7 as a vector, belongs to dimension 1. */
bool norm_prelu(OnnxNode *c)
{
    TensorType x = *type_in(c, 0), slope = *type_in(c, 1);
    ValueId s = in_at(c, 1);
    bool per_channel = slope.rank == 1 && x.rank >= 2 && slope.dims[0] == x.dims[1];
    if (per_channel && c->opset < 7) {
        int64_t dims[MAX_RANK] = {slope.dims[0]};
        for (int d = 2; d < x.rank; d++)
            dims[d - 1] = 1;
        s = reshape(c, s, x.rank - 1, dims);
    }
    return finish(c, 0, OP_PRelu, IN(in_at(c, 0), s), NULL);
}

bool norm_bitshift(OnnxNode *c)
{
    const char *direction = get_string(c, "direction", "");
    bool left = !strcmp(direction, "LEFT");
    if (!left && strcmp(direction, "RIGHT"))
        return refuse_onnx(c, "direction '%s' is unknown", direction);
    return finish(c, 0, OP_BitShift, IN(in_at(c, 0), in_at(c, 1)), ATTRS(ATTR_I("left", left)));
}

/* Operands one after the other, as the definition has it. The result of Sum over equal shapes stays one op. */
static bool chain(OnnxNode *c, Op op, ValueId *result)
{
    ValueId v = in_at(c, 0);
    for (uint32_t k = 1; k < c->n_in; k++) {
        bool last = k + 1 == c->n_in;
        if (last && !result)
            return finish(c, 0, op, IN(v, in_at(c, k)), NULL);
        v = emit(c, op, IN(v, in_at(c, k)), NULL);
    }
    if (!result)
        return alias(c, 0, v);
    *result = v;
    return ok(c);
}

bool norm_variadic(OnnxNode *c)
{
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, c->n_in);
    bool same = c->row->op == OP_Sum && c->n_in >= 3;
    for (uint32_t k = 0; k < c->n_in; k++) {
        if (!has_in(c, k))
            return refuse_onnx(c, "input %u is missing", k);
        in[k] = in_at(c, k);
        same = same && type_equal(type_in(c, k), type_in(c, 0));
    }
    if (same)
        return finish(c, 0, OP_Sum, in, c->n_in, NULL);
    return chain(c, c->row->op == OP_Sum ? OP_Add : c->row->op, NULL);
}

bool norm_mean(OnnxNode *c)
{
    ValueId sum;
    for (uint32_t k = 0; k < c->n_in; k++)
        if (!has_in(c, k))
            return refuse_onnx(c, "input %u is missing", k);
    if (c->n_in == 1)
        return alias(c, 0, in_at(c, 0));
    return chain(c, OP_Add, &sum) &&
           finish(c, 0, OP_Div, IN(sum, const_scalar(c, dtype_of(c, sum), c->n_in)), NULL);
}

/* Bounds as attributes hold doubles; a 64-bit bound beyond 2^53 would not come through. */
static bool bound_of(OnnxNode *c, const char *name, uint32_t k, double missing, double *bound)
{
    *bound = missing;
    if (c->opset < 11) {
        *bound = get_float(c, name, missing);
        return true;
    }
    if (!has_in(c, k))
        return true;
    if (!known(c, k) || type_count(type_in(c, k)) != 1)
        return false;
    *bound = known_float(c, k, name);
    return dtype_is_float(type_in(c, k)->dtype) || fabs(*bound) < 9007199254740992.0;
}

bool norm_clip(OnnxNode *c)
{
    double min, max;
    if (!need_inputs(c, 1, c->opset < 11 ? 1 : 3))
        return false;
    bool known_min = bound_of(c, "min", 1, -INFINITY, &min);
    bool known_max = bound_of(c, "max", 2, INFINITY, &max);
    if (known_min && known_max) /* Min(max, Max(x, min)) */
        return finish(c, 0, OP_Clip, IN(in_at(c, 0)),
                      ATTRS(ATTR_F("min", fmin(min, max)), ATTR_F("max", max)));
    for (uint32_t k = 1; k < c->n_in; k++)
        if (has_in(c, k) && type_count(type_in(c, k)) != 1)
            return refuse_onnx(c, "a bound must be a single number");
    ValueId v = in_at(c, 0);
    if (has_in(c, 1))
        v = emit(c, OP_Max, IN(v, reshape(c, in_at(c, 1), 0, NULL)), NULL);
    if (has_in(c, 2))
        v = emit(c, OP_Min, IN(v, reshape(c, in_at(c, 2), 0, NULL)), NULL);
    return alias(c, 0, v);
}

static bool cast_to(OnnxNode *c, DType to)
{
    if (has_strings(c, 0) && to != DT_STRING)
        return norm_cast_strings(c, to);
    return type_in(c, 0)->dtype == to && !onnx_narrow_of(c->im, in_at(c, 0))
               ? alias(c, 0, in_at(c, 0))
               : finish(c, 0, OP_Cast, IN(in_at(c, 0)), ATTRS(ATTR_I("to", to)));
}

/* Opset 1 spelt the type as text. */
static int64_t cast_type(OnnxNode *c)
{
    static const struct {
        const char *name;
        DType type;
    } names[] = {{"FLOAT", DT_F32},   {"UINT8", DT_U8},   {"INT8", DT_I8},    {"UINT16", DT_U16},
                 {"INT16", DT_I16},   {"INT32", DT_I32},  {"INT64", DT_I64},  {"BOOL", DT_BOOL},
                 {"FLOAT16", DT_F16}, {"DOUBLE", DT_F64}, {"UINT32", DT_U32}, {"UINT64", DT_U64}};
    if (c->opset >= 6)
        return get_int(c, "to", 0);
    const char *text = get_string(c, "to", "");
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(names[i].name, text))
            return names[i].type;
    return 0;
}

bool norm_cast(OnnxNode *c)
{
    DType to;
    if (narrow_type(cast_type(c)))
        return alias(c, 0, narrow_cast(c, in_at(c, 0), cast_type(c)));
    return onnx_dtype(c->im, cast_type(c), where_of(c), &to) && cast_to(c, to);
}

bool norm_cast_like(OnnxNode *c)
{
    const int64_t narrow = onnx_narrow_of(c->im, in_at(c, 1));
    return narrow ? alias(c, 0, narrow_cast(c, in_at(c, 0), narrow))
                  : cast_to(c, type_in(c, 1)->dtype);
}

/* The gate, through Swish, times the other input. */
bool norm_swi_glu(OnnxNode *c)
{
    if (!type_equal(type_in(c, 0), type_in(c, 1)))
        return refuse_onnx(c, "its inputs are %s and %s", type_text(c->arena, type_in(c, 0)),
                           type_text(c->arena, type_in(c, 1)));
    ValueId gate = emit(c, OP_Swish, IN(in_at(c, 0)), read_attrs(c, OP_Swish, "alpha=1", NULL));
    return finish(c, 0, OP_Mul, IN(gate, in_at(c, 1)), NULL);
}
