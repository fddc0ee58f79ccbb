/* Elementwise expressions: ops.def's text for floats, and what integers need to be free of undefined behaviour. The
 * evaluator's counterpart of the latter is eval/integer.c. */
#include "expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- expressions in the notation of ops.def ---------------------------------------------------------------------- */

const char *c_function(CKernel *k, const char *name, const char *suffix)
{
    static const struct {
        const char *name;
        CHelper helper;
    } own[] = {
        {"exp", CH_EXP},         {"exp_negative", CH_EXP_NEGATIVE},
        {"expm1", CH_EXPM1},     {"log", CH_LOG},
        {"log1p", CH_LOG1P},     {"tanh", CH_TANH},
        {"erf", CH_ERF},         {"gelu", CH_GELU},
        {"fmin", CH_MINMAX},     {"fmax", CH_MINMAX},
        {"sigmoid", CH_SIGMOID}, {"swish", CH_SIGMOID},
        {"div", CH_INTDIV},      {"mod", CH_INTDIV},
        {"rem", CH_INTDIV},      {"powi", CH_POWI},
        {"pows", CH_POWI},       {"requantize", CH_REQUANTIZE},
        {"root", CH_ROOT},       {"mish", CH_MISH},
    };
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (!strcmp(own[i].name, name)) {
            c_need(k, own[i].helper);
            return arena_printf(k->arena, "dnnlc_%s%s", name, suffix);
        }
    return arena_printf(k->arena, "%s%s", name, suffix);
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

/* Arithmetic in an unsigned type that is not promoted to int, so that it wraps. */
static const char *wrapping(DType t)
{
    return dtype_size(t) == 8 ? "uint64_t" : "uint32_t";
}

/* Replaces x, y, z, F(…), I(…), K(…) and A(…), and T and U: the type of the computation, which is that of the first operand, and one in
 * which it wraps. */
static const char *expression(CKernel *k, const Node *n, const char *text,
                              const char *const *operands)
{
    DType t = type_of(k->g, n->in[0])->dtype;
    Text out = text_new(k->arena);
    for (const char *s = text; *s;) {
        size_t w = word_length(s);
        if (w == 1 && *s >= 'x' && *s <= 'z') {
            text_puts(&out, operands[*s - 'x']);
        } else if (w == 1 && strchr("TU", *s)) {
            text_puts(&out, *s == 'T' ? c_compute_type(t) : wrapping(t));
        } else if (w == 1 && strchr("FIKA", *s) && s[1] == '(') {
            size_t inner = strcspn(s, ")") - 2;
            const char *word = arena_strndup(k->arena, s + 2, inner);
            text_puts(&out, *s == 'F'   ? (t == DT_F64 ? word : c_function(k, word, "f"))
                            : *s == 'I' ? c_function(k, word, "")
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

/* What C computes where that is not the expression of the operator's row. */
typedef struct Form {
    const char *text[2]; /* of floats: in f32 and f64; of integers: signed and unsigned ones */
    const char *(*fn)(CKernel *k, const Node *n, const char *const *operands); /* … or this */
} Form;

static const char *formed(CKernel *k, const Node *n, const Form *form, int which,
                          const char *const *operands)
{
    const char *text = form->text[which];
    return form->fn ? form->fn(k, n, operands)
                    : expression(k, n, text ? text : op_info(n->op)->expr, operands);
}

/* --- floats: the same mathematics as the row's, in a form that vectorises or loses less ------------------------------- */

static const char *pow_float(CKernel *k, const Node *n, const char *const *o)
{
    const char *x = o[0];
    double e;
    if (!c_easy_exponent(k->g, n, &e)) {
        const char *real = c_compute_type(type_of(k->g, n->in[0])->dtype);
        const bool same = !strcmp(c_compute_type(type_of(k->g, n->in[1])->dtype), real);
        const char *y = same ? o[1] : arena_printf(k->arena, "(%s)%s", real, o[1]);
        return expression(k, n, op_info(n->op)->expr, (const char *const[]){x, y});
    }
    return expression(k, n, e == 2 ? "x * x" : e == 3 ? "x * x * x" : e == 1 ? "x" : "1 / x", o);
}

static const char *clip_float(CKernel *k, const Node *n, const char *const *o)
{
    const bool low = attr_float(n, "min", -INFINITY) != -INFINITY,
               high = attr_float(n, "max", INFINITY) != INFINITY;
    return expression(k, n,
                      low && high ? op_info(n->op)->expr
                      : low       ? "x < A(min) ? A(min) : x"
                      : high      ? "x > A(max) ? A(max) : x"
                                  : "x",
                      o);
}

static const char *swish_float(CKernel *k, const Node *n, const char *const *o)
{
    return expression(k, n,
                      type_of(k->g, n->in[0])->dtype == DT_F64 ? op_info(n->op)->expr
                      : attr_float(n, "alpha", 1) == 1         ? "F(swish)(x)"
                                                               : "x * F(sigmoid)(A(alpha) * x)",
                      o);
}

/* The column `floats` of ops.def. Comparisons do without == and !=, of which compilers warn between floats; what they make of them is
 * the same. */
#define ALIKE(text) text, text
static const Form floats_plain = {.fn = NULL};
#define floats_none floats_plain
static const Form floats_abs = {.text = {ALIKE("F(fabs)(x)")}};
static const Form floats_sign = {.text = {ALIKE("(T)((x > 0) - (x < 0))")}};
static const Form floats_is_nan = {.text = {ALIKE("(uint8_t)(isnan(x) != 0)")}};
static const Form floats_equal = {.text = {ALIKE("x <= y && x >= y")}};
static const Form floats_max = {.text = {ALIKE("isnan(x) || x > y ? x : y")}};
static const Form floats_min = {.text = {ALIKE("isnan(x) || x < y ? x : y")}};
static const Form floats_sigmoid = {.text = {"F(sigmoid)(x)"}};
static const Form floats_gelu = {.text = {"F(gelu)(x)"}};
static const Form floats_mish = {.text = {"F(mish)(x)"}};
static const Form floats_softplus = {.text = {"(x > 0 ? x : 0) + F(log1p)(F(exp)(-F(fabs)(x)))"}};
static const Form floats_swish = {.fn = swish_float};
static const Form floats_pow = {.fn = pow_float};
static const Form floats_clip = {.fn = clip_float};
static const Form *const float_forms[OP_COUNT] = {
#define OP_FLOATS(nm, floats) [OP_##nm] = &floats_##floats,
#include "../../ops/ops.def"
};

/* --- integers: without undefined behaviour --------------------------------------------------------------------------- */

static const char *mod_integer(CKernel *k, const Node *n, const char *const *o)
{
    return expression(k, n,
                      !dtype_is_signed_int(type_of(k->g, n->in[0])->dtype) ? "y == 0 ? 0 : x % y"
                      : attr_int(n, "fmod", 0)                             ? "(T)I(rem)(x, y)"
                                                                           : "(T)I(mod)(x, y)",
                      o);
}

/* The bounds are floats in the model; those outside the type's range bound nothing. */
static const char *clip_integer(CKernel *k, const Node *n, const char *const *o)
{
    const DType t = type_of(k->g, n->in[0])->dtype;
    const char *x = o[0];
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

static const char *pow_integer(CKernel *k, const Node *n, const char *const *o)
{
    const DType t = type_of(k->g, n->in[0])->dtype, y = type_of(k->g, n->in[1])->dtype;
    if (dtype_is_float(y))
        return c_real_to_int(k, DT_F64, t, expression(k, n, "pow((double)x, (double)y)", o));
    if (!dtype_is_signed_int(y))
        return expression(k, n, "(T)I(powi)((uint64_t)x, (uint64_t)y)", o);
    return expression(k, n,
                      dtype_is_signed_int(t)
                          ? "(T)I(pows)(x, y)"
                          : "y < 0 ? x == 1 : (T)I(powi)((uint64_t)x, (uint64_t)y)",
                      o);
}

static const char *shift_integer(CKernel *k, const Node *n, const char *const *o)
{
    const size_t bits = dtype_size(type_of(k->g, n->in[0])->dtype) * 8;
    return expression(k, n,
                      arena_printf(k->arena, "y < %zu ? (T)((U)x %s y) : 0", bits,
                                   attr_int(n, "left", 0) ? "<<" : ">>"),
                      o);
}

/* The column `integers` of ops.def. */
static const Form integers_plain = {.fn = NULL};
#define integers_none integers_plain
static const Form integers_abs = {.text = {"x < 0 ? (T)(0 - (U)x) : x", "x"}};
static const Form integers_neg = {.text = {ALIKE("(T)(0 - (U)x)")}};
static const Form integers_sign = {.text = {"(T)((x > 0) - (x < 0))", "x != 0"}};
static const Form integers_add = {.text = {ALIKE("(T)((U)x + (U)y)")}};
static const Form integers_sub = {.text = {ALIKE("(T)((U)x - (U)y)")}};
static const Form integers_mul = {.text = {ALIKE("(T)((U)x * (U)y)")}};
static const Form integers_prelu = {.text = {"x < 0 ? (T)((U)x * (U)y) : x", "x"}};
static const Form integers_div = {.text = {"(T)I(div)(x, y)", "y == 0 ? 0 : x / y"}};
static const Form integers_max = {.text = {ALIKE("x > y ? x : y")}};
static const Form integers_min = {.text = {ALIKE("x < y ? x : y")}};
static const Form integers_requantize = {.text = {ALIKE("I(requantize)(x, y)")}};
static const Form integers_root = {
    .text = {"x < 0 ? 0 : (T)I(root)((uint64_t)x)", "(T)I(root)((uint64_t)x)"}};
static const Form integers_mod = {.fn = mod_integer};
static const Form integers_clip = {.fn = clip_integer};
static const Form integers_pow = {.fn = pow_integer};
static const Form integers_shift = {.fn = shift_integer};
#define integers_gt integers_plain
#define integers_ge integers_plain
#define integers_lt integers_plain
#define integers_le integers_plain
static const Form *const integer_forms[OP_COUNT] = {
#define OP_INTEGERS(nm, integers) [OP_##nm] = &integers_##integers,
#include "../../ops/ops.def"
};

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
    Text sum = text_new(k->arena);
    for (uint32_t i = 0; i < n->n_in; i++)
        text_printf(&sum, real ? "%s%s" : "%s(%s)%s", i ? " + " : "", real ? o[i] : wrapping(t),
                    o[i]);
    return real ? sum.data : arena_printf(k->arena, "(%s)(%s)", dtype_c(t), sum.data);
}

/* Operand i as a number: 0 where there is none, false where it is none that is known. */
static bool literal_in(const CKernel *k, const Node *n, uint32_t i, double *number)
{
    *number = 0;
    return !has_value(node_in(n, i)) || c_literal(k->g, n->in[i], number);
}

/* Whether there is an operand `i` that the expression has to read. */
static bool reads_operand(const CKernel *k, const Node *n, uint32_t i)
{
    return has_value(node_in(n, i)) && !c_expr_ignores(k->g, n, i);
}

/* x by a scale, which is then rounded and limited to low … high. */
static const char *scaled_step(CKernel *k, const Node *n, const char *const *o, double low,
                               double high)
{
    double scale;
    if (!k->program->lanes || type_of(k->g, n->in[0])->dtype != DT_F32 ||
        !literal_in(k, n, 1, &scale) || !c_quotient_is_product(scale, low, high))
        return arena_printf(k->arena, "%s / %s", o[0], o[1]);
    c_need(k, CH_QUOTIENT);
    return arena_printf(k->arena, "dnnlc_quotient(%s, %s)", o[0], o[1]);
}

/* Bytes with one scale and zero point. */
static const char *quantise_expr(CKernel *k, const Node *n, const char *const *o)
{
    const DType to = type_of(k->g, n->out[0])->dtype;
    const double least = (double)dtype_lowest(to), most = (double)dtype_highest(to);
    const bool shifted = reads_operand(k, n, 2);
    const char *step = o[0];
    double zero;
    if (reads_operand(k, n, 1))
        step = literal_in(k, n, 2, &zero) ? scaled_step(k, n, o, least - zero, most - zero)
                                          : arena_printf(k->arena, "%s / %s", o[0], o[1]);
    c_need(k, CH_SATURATE);
    return arena_printf(k->arena, "dnnlc_saturate_%s(rintf(%s)%s%s)", to == DT_I8 ? "i8" : "u8",
                        step, shifted ? " + (float)" : "", shifted ? o[2] : "");
}

static const char *dequantise_expr(CKernel *k, const Node *n, const char *const *o)
{
    const char *x = !reads_operand(k, n, 2)
                        ? arena_printf(k->arena, "(float)%s", o[0])
                        : arena_printf(k->arena, "((float)%s - (float)%s)", o[0], o[2]);
    return reads_operand(k, n, 1) ? arena_printf(k->arena, "%s * %s", x, o[1]) : x;
}

/* The one node of the kernel that reads v, if it is such an operator and v is no result of the kernel. */
static const Node *only_reader(const CKernel *k, ValueId v, Op op)
{
    const Step *s = k->step;
    const Node *reader = NULL;
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER && same_value(k->program->buffers[s->out[o]].value, v))
            return NULL;
    for (uint32_t j = 0; j < s->n_nodes; j++) {
        const Node *n = node_at(k->g, s->nodes[j]);
        for (uint32_t i = 0; i < n->n_in; i++) {
            if (!same_value(n->in[i], v))
                continue;
            if (n->op != op || (reader && reader != n))
                return NULL;
            reader = n;
        }
    }
    return reader;
}

/* Limits of the quotient n, behind which the kernel rounds: those of a Clip, or those beyond which the product with a number becomes one end of the bytes. */
static bool limits_of_quotient(const CKernel *k, const Node *n, double *low, double *high)
{
    const Node *round = n->op == OP_Div ? only_reader(k, n->out[0], OP_Round) : NULL,
               *clip = round ? only_reader(k, round->out[0], OP_Clip) : NULL,
               *mul = round ? only_reader(k, round->out[0], OP_Mul) : NULL,
               *bytes = mul ? only_reader(k, mul->out[0], OP_QuantizeLinear) : NULL;
    double factor, zero;
    if (clip) {
        *low = attr_float(clip, "min", -INFINITY);
        *high = attr_float(clip, "max", INFINITY);
        return true;
    }
    if (!bytes || reads_operand(k, bytes, 1) || !literal_in(k, mul, 1, &factor) || factor <= 0 ||
        !literal_in(k, bytes, 2, &zero))
        return false;
    const DType to = type_of(k->g, bytes->out[0])->dtype;
    *low = floor(((double)dtype_lowest(to) - zero) / factor) - 1;
    *high = ceil(((double)dtype_highest(to) - zero) / factor) + 1;
    return true;
}

/* Limits of what the kernel has rounded. */
static bool limits_whole(const CKernel *k, const Node *n)
{
    const Value *v = value_at(k->g, n->in[0]);
    return n->op == OP_Clip && v->type.dtype == DT_F32 && v->kind == VALUE_NODE &&
           covers_node(k->step->nodes, k->step->n_nodes, v->def) &&
           node_at(k->g, v->def)->op == OP_Round &&
           c_limits_by_bits(attr_float(n, "min", -INFINITY), attr_float(n, "max", INFINITY));
}

const char *c_eltwise_expr(CKernel *k, const Node *n, const char *const *o)
{
    DType t = type_of(k->g, n->in[0])->dtype;
    double low, high;
    if (limits_of_quotient(k, n, &low, &high))
        return scaled_step(k, n, o, low, high);
    if (limits_whole(k, n)) {
        c_need(k, CH_LIMITED);
        return expression(k, n, "dnnlc_limited(x, A(min), A(max))", o);
    }
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
    return dtype_is_float(t) ? formed(k, n, float_forms[n->op], t == DT_F64, o)
                             : formed(k, n, integer_forms[n->op], !dtype_is_signed_int(t), o);
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
    if ((op == '+' || op == '*') && !dtype_is_float(t))
        return arena_printf(arena, "(%s)((%s)%s %c (%s)%s)", dtype_c(t), wrapping(t), x, op,
                            wrapping(t), y);
    if (op == '+' || op == '*')
        return arena_printf(arena, "%s %c %s", x, op, y);
    if (!dtype_is_float(t))
        return arena_printf(arena, "%s %c %s ? %s : %s", x, op, y, x, y);
    return arena_printf(arena, "isnan(%s) || %s %c %s ? %s : %s", x, x, op, y, x, y);
}
