/* Which oneDNN algorithm an elementwise op is, with its parameters: the one place that knows. */
#include "plan.h"

#include "../ops.h"

#include <math.h>
#include <string.h>

/* A parameter of the algorithm: an attribute of the node, or a constant where `attr` is NULL. */
typedef struct Parameter {
    const char *attr;
    float value;
} Parameter;

static const struct EltwiseRow {
    Op op;
    Algorithm alg;
    Parameter alpha, beta;
} eltwise_rows[] = {
    {OP_Abs, ALG_ELTWISE_ABS, {0}, {0}},
    {OP_Clip, ALG_ELTWISE_CLIP, {"min", -INFINITY}, {"max", INFINITY}},
    {OP_Elu, ALG_ELTWISE_ELU, {"alpha", 1}, {0}},
    {OP_Exp, ALG_ELTWISE_EXP, {0}, {0}},
    {OP_Gelu, ALG_ELTWISE_GELU_ERF, {0}, {0}},
    {OP_GeluTanh, ALG_ELTWISE_GELU_TANH, {0}, {0}},
    {OP_HardSigmoid, ALG_ELTWISE_HARDSIGMOID, {"alpha", 0.2f}, {"beta", 0.5f}},
    {OP_HardSwish, ALG_ELTWISE_HARDSWISH, {NULL, 1.f / 6}, {NULL, 0.5f}},
    {OP_LeakyRelu, ALG_ELTWISE_RELU, {"alpha", 0.01f}, {0}},
    {OP_Log, ALG_ELTWISE_LOG, {0}, {0}},
    {OP_Mish, ALG_ELTWISE_MISH, {0}, {0}},
    {OP_Neg, ALG_ELTWISE_LINEAR, {NULL, -1}, {0}},
    {OP_Reciprocal, ALG_ELTWISE_POW, {NULL, 1}, {NULL, -1}},
    {OP_Relu, ALG_ELTWISE_RELU, {0}, {0}},
    {OP_Round, ALG_ELTWISE_ROUND, {0}, {0}},
    {OP_Sigmoid, ALG_ELTWISE_LOGISTIC, {0}, {0}},
    {OP_Softplus, ALG_ELTWISE_SOFT_RELU, {NULL, 1}, {0}},
    {OP_Sqrt, ALG_ELTWISE_SQRT, {0}, {0}},
    {OP_Swish, ALG_ELTWISE_SWISH, {"alpha", 1}, {0}},
    {OP_Tanh, ALG_ELTWISE_TANH, {0}, {0}},
};

static const struct BinaryRow {
    Op op;
    Algorithm alg;
} binary_rows[] = {
    {OP_Add, ALG_BINARY_ADD}, {OP_Sub, ALG_BINARY_SUB}, {OP_Mul, ALG_BINARY_MUL},
    {OP_Div, ALG_BINARY_DIV}, {OP_Max, ALG_BINARY_MAX}, {OP_Min, ALG_BINARY_MIN},
};

static const char *const alg_names[] = {
#define X(id, name) [id] = "dnnl_" #name,
    ALGORITHMS(X)
#undef X
};

static float parameter(const Node *n, Parameter p)
{
    return p.attr ? (float)attr_float(n, p.attr, p.value) : p.value;
}

bool dnnl_eltwise_of(const Node *n, Algorithm *alg, float *alpha, float *beta)
{
    for (size_t i = 0; i < COUNT_OF(eltwise_rows); i++)
        if (eltwise_rows[i].op == n->op) {
            *alg = eltwise_rows[i].alg;
            *alpha = parameter(n, eltwise_rows[i].alpha);
            *beta = parameter(n, eltwise_rows[i].beta);
            return true;
        }
    return false;
}

/* The number among n's operands, and which one it is; -1: there is none. */
static int number_among(const Graph *g, const Node *n, float *number)
{
    for (int k = 1; k >= 0 && n->n_in == 2; k--) {
        const Value *v = value_at(g, n->in[k]);
        if (v->kind != VALUE_CONST || type_count(&v->type) != 1)
            continue;
        *number = dtype_is_float(v->type.dtype) ? (float)elem_f64(v->type.dtype, v->data, 0)
                                                : (float)elem_i64(v->type.dtype, v->data, 0);
        return k;
    }
    return -1;
}

bool dnnl_post_eltwise_of(const Graph *g, const Node *n, Algorithm *alg, float *alpha, float *beta)
{
    float c = 0;
    if (dnnl_eltwise_of(n, alg, alpha, beta))
        return true;
    *alpha = 1;
    *beta = 0;
    *alg = ALG_ELTWISE_SQUARE;
    if (n->op == OP_Mul && same_value(n->in[0], n->in[1]))
        return true;
    *alg = ALG_ELTWISE_POW;
    int at = number_among(g, n, &c);
    if (at < 0)
        return false;
    switch (n->op) {
    case OP_Div:
        *alpha = c;
        *beta = -1;
        return at == 0;
    case OP_Pow:
        *beta = c;
        return at == 1;
    default:
        return false;
    }
}

bool dnnl_binary_of(Op op, Algorithm *alg)
{
    for (size_t i = 0; i < COUNT_OF(binary_rows); i++)
        if (binary_rows[i].op == op) {
            *alg = binary_rows[i].alg;
            return true;
        }
    return false;
}

const char *dnnl_alg_name(Algorithm alg)
{
    return alg_names[alg];
}

bool dnnl_alg_from_name(const char *name, Algorithm *alg)
{
    for (size_t i = 0; i < COUNT_OF(alg_names); i++)
        if (alg_names[i] && !strcmp(alg_names[i], name)) {
            *alg = (Algorithm)i;
            return true;
        }
    return false;
}
