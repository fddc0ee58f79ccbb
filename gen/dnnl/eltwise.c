/* Which oneDNN algorithm an elementwise op is, with its parameters: the one place that knows. */
#include "plan.h"

#include "../ops.h"

#include <math.h>

/* A parameter of the algorithm: an attribute of the node, or a constant where `attr` is NULL. */
typedef struct Parameter {
    const char *attr;
    float value;
} Parameter;

static const struct EltwiseRow {
    Op op;
    dnnl_alg_kind_t alg;
    Parameter alpha, beta;
} eltwise_rows[] = {
    {OP_Abs, dnnl_eltwise_abs, {0}, {0}},
    {OP_Clip, dnnl_eltwise_clip, {"min", -INFINITY}, {"max", INFINITY}},
    {OP_Elu, dnnl_eltwise_elu, {"alpha", 1}, {0}},
    {OP_Exp, dnnl_eltwise_exp, {0}, {0}},
    {OP_Gelu, dnnl_eltwise_gelu_erf, {0}, {0}},
    {OP_GeluTanh, dnnl_eltwise_gelu_tanh, {0}, {0}},
    {OP_HardSigmoid, dnnl_eltwise_hardsigmoid, {"alpha", 0.2f}, {"beta", 0.5f}},
    {OP_HardSwish, dnnl_eltwise_hardswish, {NULL, 1.f / 6}, {NULL, 0.5f}},
    {OP_LeakyRelu, dnnl_eltwise_relu, {"alpha", 0.01f}, {0}},
    {OP_Log, dnnl_eltwise_log, {0}, {0}},
    {OP_Mish, dnnl_eltwise_mish, {0}, {0}},
    {OP_Neg, dnnl_eltwise_linear, {NULL, -1}, {0}},
    {OP_Reciprocal, dnnl_eltwise_pow, {NULL, 1}, {NULL, -1}},
    {OP_Relu, dnnl_eltwise_relu, {0}, {0}},
    {OP_Round, dnnl_eltwise_round, {0}, {0}},
    {OP_Sigmoid, dnnl_eltwise_logistic, {0}, {0}},
    {OP_Softplus, dnnl_eltwise_soft_relu, {NULL, 1}, {0}},
    {OP_Sqrt, dnnl_eltwise_sqrt, {0}, {0}},
    {OP_Swish, dnnl_eltwise_swish, {"alpha", 1}, {0}},
    {OP_Tanh, dnnl_eltwise_tanh, {0}, {0}},
};

static const struct BinaryRow {
    Op op;
    dnnl_alg_kind_t alg;
} binary_rows[] = {
    {OP_Add, dnnl_binary_add}, {OP_Sub, dnnl_binary_sub}, {OP_Mul, dnnl_binary_mul},
    {OP_Div, dnnl_binary_div}, {OP_Max, dnnl_binary_max}, {OP_Min, dnnl_binary_min},
};

#define ALG(name)                                                                                  \
    {                                                                                              \
        dnnl_##name, "dnnl_" #name                                                                 \
    }
static const struct AlgName {
    dnnl_alg_kind_t alg;
    const char *name;
} alg_names[] = {
    ALG(eltwise_abs),
    ALG(eltwise_clip),
    ALG(eltwise_elu),
    ALG(eltwise_exp),
    ALG(eltwise_gelu_erf),
    ALG(eltwise_gelu_tanh),
    ALG(eltwise_hardsigmoid),
    ALG(eltwise_hardswish),
    ALG(eltwise_linear),
    ALG(eltwise_log),
    ALG(eltwise_logistic),
    ALG(eltwise_mish),
    ALG(eltwise_pow),
    ALG(eltwise_relu),
    ALG(eltwise_round),
    ALG(eltwise_soft_relu),
    ALG(eltwise_sqrt),
    ALG(eltwise_square),
    ALG(eltwise_swish),
    ALG(eltwise_tanh),
    ALG(binary_add),
    ALG(binary_sub),
    ALG(binary_mul),
    ALG(binary_div),
    ALG(binary_max),
    ALG(binary_min),
    ALG(pooling_max),
    ALG(pooling_avg_include_padding),
    ALG(pooling_avg_exclude_padding),
    ALG(lrn_across_channels),
    ALG(softmax_accurate),
    ALG(softmax_log),
    ALG(resampling_nearest),
    ALG(resampling_linear),
    ALG(reduction_max),
    ALG(reduction_min),
    ALG(reduction_sum),
    ALG(reduction_mul),
    ALG(reduction_mean),
    ALG(reduction_norm_lp_max),
    ALG(reduction_norm_lp_power_p_sum),
    ALG(convolution_direct),
    ALG(deconvolution_direct),
};

static float parameter(const Node *n, Parameter p)
{
    return p.attr ? (float)attr_float(n, p.attr, p.value) : p.value;
}

bool dnnl_eltwise_of(const Node *n, dnnl_alg_kind_t *alg, float *alpha, float *beta)
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

bool dnnl_post_eltwise_of(const Graph *g, const Node *n, dnnl_alg_kind_t *alg, float *alpha,
                          float *beta)
{
    float c = 0;
    if (dnnl_eltwise_of(n, alg, alpha, beta))
        return true;
    *alpha = 1;
    *beta = 0;
    *alg = dnnl_eltwise_square;
    if (n->op == OP_Mul && same_value(n->in[0], n->in[1]))
        return true;
    *alg = dnnl_eltwise_pow;
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

bool dnnl_binary_of(Op op, dnnl_alg_kind_t *alg)
{
    for (size_t i = 0; i < COUNT_OF(binary_rows); i++)
        if (binary_rows[i].op == op) {
            *alg = binary_rows[i].alg;
            return true;
        }
    return false;
}

const char *dnnl_alg_name(dnnl_alg_kind_t alg)
{
    for (size_t i = 0; i < COUNT_OF(alg_names); i++)
        if (alg_names[i].alg == alg)
            return alg_names[i].name;
    bug("algorithm %d has no name", (int)alg);
}
