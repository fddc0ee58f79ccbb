/* Elementwise expressions: ops.def's text for floats, and what integers need to be free of undefined behaviour. The
 * evaluator's counterpart of the latter is eval/integer.c. */
#include "expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- floats: the expression of the op's row --------------------------------------------------------------------- */

/* F(name): libm's, except where it would keep a loop from being vectorised. */
static const char *math_function(CKernel *k, DType t, const char *name)
{
    static const struct {
        const char *name;
        CHelper helper;
    } own[] = {
        {"exp", CH_EXP},   {"expm1", CH_EXPM1}, {"log", CH_LOG},     {"log1p", CH_LOG1P},
        {"tanh", CH_TANH}, {"erf", CH_ERF},     {"fmin", CH_MINMAX}, {"fmax", CH_MINMAX},
    };
    if (t == DT_F64)
        return name;
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (!strcmp(own[i].name, name)) {
            c_need(k, own[i].helper);
            return arena_printf(k->arena, "dnnlc_%sf", name);
        }
    return arena_printf(k->arena, "%sf", name);
}

static const char *attribute(CKernel *k, const Node *n, DType t, const char *name)
{
    const Attr *a = node_attr(n, name);
    if (!a)
        bug("%s without attribute %s", op_info(n->op)->name, name);
    return a->kind == ATTR_INT ? c_int_literal(k->arena, DT_I64, a->i)
                               : c_float_literal(k->arena, t, a->f);
}

static const char *constant(CKernel *k, DType t, const char *text)
{
    return strcmp(text, "INFINITY") ? c_float_literal(k->arena, t, strtod(text, NULL)) : text;
}

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

/* Replaces x, y, z, F(…), K(…) and A(…) in the row's expression. Computation is in the type of the first operand. */
static const char *row_expr(CKernel *k, const Node *n, const char *const *operands)
{
    DType t = type_of(k->g, n->in[0])->dtype;
    Text out;
    text_init(&out, k->arena);
    for (const char *s = op_info(n->op)->expr; *s;) {
        size_t w = word_length(s);
        if (w == 1 && *s >= 'x' && *s <= 'z') {
            text_puts(&out, operands[*s - 'x']);
        } else if (w == 1 && strchr("FKA", *s) && s[1] == '(') {
            size_t inner = strcspn(s, ")") - 2;
            const char *word = arena_strndup(k->arena, s + 2, inner);
            text_puts(&out, *s == 'F'   ? math_function(k, t, word)
                            : *s == 'K' ? constant(k, t, word)
                                        : attribute(k, n, t, word));
            w = inner + 3;
        } else {
            w = w ? w : 1;
            text_append(&out, s, w);
        }
        s += w;
    }
    return out.data;
}

static const char *pow_expr(CKernel *k, const Node *n, const char *const *o)
{
    const char *x = o[0];
    double e;
    if (!c_easy_exponent(k->g, n, &e)) {
        const char *real = c_compute_type(type_of(k->g, n->in[0])->dtype);
        const bool same = !strcmp(c_compute_type(type_of(k->g, n->in[1])->dtype), real);
        const char *y = same ? o[1] : arena_printf(k->arena, "(%s)%s", real, o[1]);
        return row_expr(k, n, (const char *const[]){x, y});
    }
    if (e == 2)
        return arena_printf(k->arena, "%s * %s", x, x);
    if (e == 3)
        return arena_printf(k->arena, "%s * %s * %s", x, x, x);
    return e == 1 ? x : arena_printf(k->arena, "1 / %s", x);
}

static const char *clip_expr(CKernel *k, const Node *n, const char *x)
{
    DType t = type_of(k->g, n->in[0])->dtype;
    double lo = attr_float(n, "min", -INFINITY), hi = attr_float(n, "max", INFINITY);
    const char *low = c_float_literal(k->arena, t, lo), *high = c_float_literal(k->arena, t, hi);
    if (lo == -INFINITY && hi == INFINITY)
        return x;
    if (hi == INFINITY)
        return arena_printf(k->arena, "%s < %s ? %s : %s", x, low, low, x);
    if (lo == -INFINITY)
        return arena_printf(k->arena, "%s > %s ? %s : %s", x, high, high, x);
    return arena_printf(k->arena, "%s < %s ? %s : %s > %s ? %s : %s", x, low, low, x, high, high,
                        x);
}

/* Comparisons without == and !=, of which compilers warn between floats; what they make of them is the same. */
static const char *float_comparison(CKernel *k, const Node *n, const char *const *o)
{
    const DType t = type_of(k->g, n->in[0])->dtype;
    switch (n->op) {
    case OP_Equal:
        return arena_printf(k->arena, "%s <= %s && %s >= %s", o[0], o[1], o[0], o[1]);
    case OP_IsNaN:
        return arena_printf(k->arena, "(uint8_t)(isnan(%s) != 0)", o[0]);
    case OP_Max:
        return c_combine(k->arena, t, '>', o[0], o[1]);
    case OP_Min:
        return c_combine(k->arena, t, '<', o[0], o[1]);
    default:
        return NULL;
    }
}

/* The same mathematics as the row's, in a form that vectorises or loses less. */
static const char *float_expr(CKernel *k, const Node *n, const char *const *o)
{
    bool f64 = type_of(k->g, n->in[0])->dtype == DT_F64;
    const char *comparison = float_comparison(k, n, o);
    if (comparison)
        return comparison;
    switch (n->op) {
    case OP_Sign:
        return arena_printf(k->arena, "(%s)((%s > 0) - (%s < 0))", f64 ? "double" : "float", o[0],
                            o[0]);
    case OP_Pow:
        return pow_expr(k, n, o);
    case OP_Clip:
        return clip_expr(k, n, o[0]);
    case OP_Abs:
        return arena_printf(k->arena, "%s(%s)", f64 ? "fabs" : "fabsf", o[0]);
    case OP_Sigmoid:
        if (f64)
            break;
        c_need(k, CH_SIGMOID);
        return arena_printf(k->arena, "dnnlc_sigmoidf(%s)", o[0]);
    case OP_Swish: {
        double alpha = attr_float(n, "alpha", 1);
        if (f64)
            break;
        c_need(k, CH_SIGMOID);
        if (alpha == 1)
            return arena_printf(k->arena, "dnnlc_swishf(%s)", o[0]);
        return arena_printf(k->arena, "%s * dnnlc_sigmoidf(%s * %s)", o[0],
                            c_float_literal(k->arena, DT_F32, alpha), o[0]);
    }
    case OP_Softplus:
        if (f64)
            break;
        c_need(k, CH_LOG1P);
        c_need(k, CH_EXP);
        return arena_printf(k->arena, "(%s > 0 ? %s : 0) + dnnlc_log1pf(dnnlc_expf(-fabsf(%s)))",
                            o[0], o[0], o[0]);
    default:
        break;
    }
    return row_expr(k, n, o);
}

/* --- integers ------------------------------------------------------------------------------------------------------ */

/* Arithmetic in an unsigned type that is not promoted to int, so that it wraps. */
static const char *wrapping(DType t)
{
    return dtype_size(t) == 8 ? "uint64_t" : "uint32_t";
}

static const char *int_binary(Arena *arena, DType t, char op, const char *x, const char *y)
{
    return arena_printf(arena, "(%s)((%s)%s %c (%s)%s)", dtype_c(t), wrapping(t), x, op,
                        wrapping(t), y);
}

static const char *int_negated(CKernel *k, DType t, const char *x)
{
    return arena_printf(k->arena, "(%s)(0 - (%s)%s)", dtype_c(t), wrapping(t), x);
}

static const char *int_div(CKernel *k, DType t, const char *x, const char *y)
{
    if (!dtype_is_signed_int(t))
        return arena_printf(k->arena, "%s == 0 ? 0 : %s / %s", y, x, y);
    c_need(k, CH_INTDIV);
    return arena_printf(k->arena, "(%s)dnnlc_div(%s, %s)", dtype_c(t), x, y);
}

static const char *int_mod(CKernel *k, const Node *n, DType t, const char *x, const char *y)
{
    if (!dtype_is_signed_int(t))
        return arena_printf(k->arena, "%s == 0 ? 0 : %s %% %s", y, x, y);
    c_need(k, CH_INTDIV);
    return arena_printf(k->arena, "(%s)dnnlc_%s(%s, %s)", dtype_c(t),
                        attr_int(n, "fmod", 0) ? "rem" : "mod", x, y);
}

/* The bounds are floats in the model; those outside the type's range bound nothing. */
static const char *int_clip(CKernel *k, const Node *n, DType t, const char *x)
{
    int bits = (int)dtype_size(t) * 8;
    bool sign = dtype_is_signed_int(t);
    double lowest = sign ? -ldexp(1, bits - 1) : 0, limit = ldexp(1, sign ? bits - 1 : bits);
    double lo = attr_float(n, "min", -INFINITY), hi = attr_float(n, "max", INFINITY);
    const char *expr = x;
    if (hi < limit) {
        const char *bound = c_int_literal(k->arena, t,
                                          hi < lowest   ? (int64_t)lowest
                                          : hi < 0x1p63 ? (int64_t)hi
                                                        : (int64_t)(uint64_t)hi);
        expr = arena_printf(k->arena, "%s > %s ? %s : %s", x, bound, bound, x);
    }
    if (lo > lowest) {
        const char *bound = c_int_literal(k->arena, t,
                                          lo >= limit   ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1)
                                          : lo < 0x1p63 ? (int64_t)lo
                                                        : (int64_t)(uint64_t)lo);
        expr = arena_printf(k->arena, "%s < %s ? %s : %s", x, bound, bound, expr);
    }
    return expr;
}

static const char *int_pow(CKernel *k, const Node *n, DType t, const char *x, const char *y)
{
    DType yt = type_of(k->g, n->in[1])->dtype;
    c_need(k, CH_POWI);
    if (dtype_is_signed_int(yt) && dtype_is_signed_int(t))
        return arena_printf(k->arena, "(%s)dnnlc_pows(%s, %s)", dtype_c(t), x, y);
    const char *power =
        arena_printf(k->arena, "(%s)dnnlc_powi((uint64_t)%s, (uint64_t)%s)", dtype_c(t), x, y);
    if (!dtype_is_signed_int(yt))
        return power;
    return arena_printf(k->arena, "%s < 0 ? %s == 1 : %s", y, x, power);
}

static const char *int_shift(CKernel *k, const Node *n, DType t, const char *x, const char *y)
{
    bool left = attr_int(n, "left", 0) != 0;
    return arena_printf(k->arena, "%s < %zu ? (%s)((%s)%s %s %s) : 0", y, dtype_size(t) * 8,
                        dtype_c(t), wrapping(t), x, left ? "<<" : ">>", y);
}

static const char *int_expr(CKernel *k, const Node *n, DType t, const char *const *o)
{
    const char *x = o[0], *y = o[1];
    bool sign = dtype_is_signed_int(t);
    switch (n->op) {
    case OP_Abs:
        return sign ? arena_printf(k->arena, "%s < 0 ? %s : %s", x, int_negated(k, t, x), x) : x;
    case OP_Neg:
        return int_negated(k, t, x);
    case OP_Sign:
        return sign ? arena_printf(k->arena, "(%s)((%s > 0) - (%s < 0))", dtype_c(t), x, x)
                    : arena_printf(k->arena, "%s != 0", x);
    case OP_Add:
        return int_binary(k->arena, t, '+', x, y);
    case OP_Sub:
        return int_binary(k->arena, t, '-', x, y);
    case OP_Mul:
        return int_binary(k->arena, t, '*', x, y);
    case OP_PRelu:
        return sign ? arena_printf(k->arena, "%s < 0 ? %s : %s", x,
                                   int_binary(k->arena, t, '*', x, y), x)
                    : x;
    case OP_Div:
        return int_div(k, t, x, y);
    case OP_Mod:
        return int_mod(k, n, t, x, y);
    case OP_Max:
        return arena_printf(k->arena, "%s > %s ? %s : %s", x, y, x, y);
    case OP_Min:
        return arena_printf(k->arena, "%s < %s ? %s : %s", x, y, x, y);
    case OP_Clip:
        return int_clip(k, n, t, x);
    case OP_Pow:
        return int_pow(k, n, t, x, y);
    case OP_BitShift:
        return int_shift(k, n, t, x, y);
    default:
        return row_expr(k, n, o);
    }
}

/* --- casts ----------------------------------------------------------------------------------------------------------- */

const char *c_real_to_int(CKernel *k, DType from, DType to, const char *x)
{
    const char *f = from == DT_F64 || to == DT_U64 ? "f64" : "f32",
               *i = to == DT_I64 || to == DT_U32 ? "i64" : "i32";
    c_need(k, CH_TOINT);
    if (to == DT_U64)
        return arena_printf(k->arena, "dnnlc_f64_to_u64(%s)", x);
    const char *cast =
        to == DT_I32 || to == DT_I64 ? "" : arena_printf(k->arena, "(%s)", dtype_c(to));
    return arena_printf(k->arena, "%sdnnlc_%s_to_%s(%s)", cast, f, i, x);
}

static const char *converted(CKernel *k, DType from, DType to, const char *x)
{
    if (!strcmp(c_compute_type(from), c_compute_type(to)) && (from == DT_BOOL) == (to == DT_BOOL))
        return x;
    if (to == DT_BOOL)
        return dtype_is_float(from) ? arena_printf(k->arena, "!(%s <= 0 && %s >= 0)", x, x)
                                    : arena_printf(k->arena, "%s != 0", x);
    if (dtype_is_float(from) && !dtype_is_float(to))
        return c_real_to_int(k, from, to, x);
    return from == DT_BOOL && to == DT_U8 ? x
                                          : arena_printf(k->arena, "(%s)%s", c_compute_type(to), x);
}

static const char *sum_expr(CKernel *k, const Node *n, DType t, const char *const *o)
{
    bool real = dtype_is_float(t);
    Text sum;
    text_init(&sum, k->arena);
    for (uint32_t i = 0; i < n->n_in; i++)
        text_printf(&sum, real ? "%s%s" : "%s(%s)%s", i ? " + " : "", real ? o[i] : wrapping(t),
                    o[i]);
    return real ? sum.data : arena_printf(k->arena, "(%s)(%s)", dtype_c(t), sum.data);
}

/* Bytes with one scale and zero point. */
static const char *quantise_expr(CKernel *k, const Node *n, const char *const *o)
{
    bool is_signed = type_of(k->g, n->out[0])->dtype == DT_I8, shifted = has_value(node_in(n, 2));
    c_need(k, CH_SATURATE);
    return arena_printf(k->arena, "dnnlc_saturate_%s(rintf(%s / %s)%s%s)", is_signed ? "i8" : "u8",
                        o[0], o[1], shifted ? " + (float)" : "", shifted ? o[2] : "");
}

static const char *dequantise_expr(CKernel *k, const Node *n, const char *const *o)
{
    if (!has_value(node_in(n, 2)))
        return arena_printf(k->arena, "(float)%s * %s", o[0], o[1]);
    return arena_printf(k->arena, "((float)%s - (float)%s) * %s", o[0], o[2], o[1]);
}

const char *c_eltwise_expr(CKernel *k, const Node *n, const char *const *o)
{
    DType t = type_of(k->g, n->in[0])->dtype;
    if (n->op == OP_QuantizeLinear)
        return quantise_expr(k, n, o);
    if (n->op == OP_DequantizeLinear)
        return dequantise_expr(k, n, o);
    if (n->op == OP_Where)
        return arena_printf(k->arena, "%s ? %s : %s", o[0], o[1], o[2]);
    if (n->op == OP_Cast)
        return converted(k, t, type_of(k->g, n->out[0])->dtype, o[0]);
    if (n->op == OP_Sum)
        return sum_expr(k, n, t, o);
    if (dtype_is_float(t))
        return float_expr(k, n, o);
    if (n->op == OP_Pow && dtype_is_float(type_of(k->g, n->in[1])->dtype)) {
        const char *power = arena_printf(k->arena, "pow((double)%s, (double)%s)", o[0], o[1]);
        return c_real_to_int(k, DT_F64, t, power);
    }
    return int_expr(k, n, t, o);
}

const char *c_rounded(CKernel *k, uint32_t j, const char *value)
{
    const Step *s = k->step;
    if (!s->rounds || !c_may_contract(k->g, s->nodes, s->n_nodes, j))
        return value;
    c_need(k, CH_ROUNDED);
    return arena_printf(k->arena, "dnnlc_rounded(%s)", value);
}

void c_bind_local(Bindings *b, DType t, const char *name, const char *value)
{
    Bindings *local = bind_row(b, "locals");
    bind(local, "A_x", "%s", c_compute_type(t));
    bind(local, "name", "%s", name);
    bind(local, "value", "%s", value);
}

void c_bind_made(CKernel *k, Bindings *b, const Node *n, uint32_t j, const char *value)
{
    DType t = type_of(k->g, n->out[0])->dtype;
    const bool promoted = dtype_size(t) < 4 && !dtype_is_float(t) && t != DT_BOOL;
    if (promoted && n->op != OP_QuantizeLinear) /* whose function returns that type */
        value = arena_printf(k->arena, "(%s)(%s)", dtype_c(t), value);
    if (dtype_size(t) == 2 && dtype_is_float(t)) { /* every node rounds, fused or not */
        const char *exact = arena_printf(k->arena, "u%u", j);
        c_bind_local(b, t, exact, value);
        value = c_load(k, t, c_store(k, t, exact));
    }
    c_bind_local(b, t, arena_printf(k->arena, "t%u", j), value);
}

const char *c_combine(Arena *arena, DType t, char op, const char *x, const char *y)
{
    if (op == '+' || op == '*')
        return dtype_is_float(t) ? arena_printf(arena, "%s %c %s", x, op, y)
                                 : int_binary(arena, t, op, x, y);
    if (!dtype_is_float(t))
        return arena_printf(arena, "%s %c %s ? %s : %s", x, op, y, x, y);
    return arena_printf(arena, "isnan(%s) || %s %c %s ? %s : %s", x, x, op, y, x, y);
}
