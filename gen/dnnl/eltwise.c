/* What of oneDNN an operator is, by the column `dnnl` of ops.def, and the names of algorithms. */
#include "plan.h"

#include "../ops/ops.h"

#include <math.h>
#include <string.h>

#define PARAMETER_zero NULL, 0
#define PARAMETER_number(v) NULL, v
#define PARAMETER_attr(name, missing) name, missing
#define AS_none .primitive = PRIMITIVE_none
#define AS_primitive(name) .primitive = PRIMITIVE_##name
#define AS_eltwise(name, a, b)                                                                     \
    PRIMITIVE_eltwise, ALG_eltwise_##name, {PARAMETER_##a},                                        \
    {                                                                                              \
        PARAMETER_##b                                                                              \
    }
#define AS_binary(name) .primitive = PRIMITIVE_binary, .alg = ALG_binary_##name
#define AS_reduction(name) .primitive = PRIMITIVE_reduction, .alg = ALG_reduction_##name

const DnnlOp onednn_ops[OP_COUNT] = {
#define OP_DNNL(nm, dnnl) [OP_##nm] = {AS_##dnnl},
#include "../ops/ops.def"
};

static const char *const alg_names[] = {
#define X(name) [ALG_##name] = "dnnl_" #name,
    ALGORITHMS(X)
#undef X
};

static float parameter(const Node *n, Parameter p)
{
    return p.attr ? (float)attr_float(n, p.attr, p.value) : p.value;
}

bool onednn_eltwise_of(const Node *n, Algorithm *alg, float *alpha, float *beta)
{
    const DnnlOp *op = &onednn_ops[n->op];
    if (op->primitive != PRIMITIVE_eltwise)
        return false;
    *alg = op->alg;
    *alpha = parameter(n, op->alpha);
    *beta = parameter(n, op->beta);
    return true;
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

bool onednn_post_eltwise_of(const Graph *g, const Node *n, Algorithm *alg, float *alpha,
                            float *beta)
{
    float c = 0;
    if (onednn_eltwise_of(n, alg, alpha, beta))
        return true;
    *alpha = 1;
    *beta = 0;
    *alg = ALG_eltwise_square;
    if (n->op == OP_Mul && same_value(n->in[0], n->in[1]))
        return true;
    *alg = ALG_eltwise_pow;
    int at = number_among(g, n, &c);
    if (at < 0)
        return false;
    if (n->op == OP_Div) {
        *alpha = c;
        *beta = -1;
        return at == 0;
    }
    *beta = c;
    return n->op == OP_Pow && at == 1;
}

bool onednn_binary_of(Op op, Algorithm *alg)
{
    *alg = onednn_ops[op].alg;
    return onednn_ops[op].primitive == PRIMITIVE_binary;
}

const char *onednn_alg_name(Algorithm alg)
{
    return alg_names[alg];
}

bool onednn_alg_from_name(const char *name, Algorithm *alg)
{
    for (size_t i = 0; i < COUNT_OF(alg_names); i++)
        if (alg_names[i] && !strcmp(alg_names[i], name)) {
            *alg = (Algorithm)i;
            return true;
        }
    return false;
}
