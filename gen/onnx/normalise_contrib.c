/* ONNX Runtime's fused operators (domain com.microsoft), taken apart again: the passes fuse for oneDNN. */
#include "attend.h"
#include "table.h"

#include <math.h>

/* The activation a fused op ends with, as output 0. FusedConv lists its parameters, FusedGemm has an attribute for each. */
static bool finish_activation(OnnxNode *c, ValueId v)
{
    static const struct {
        const char *name;
        Op op;
        const char *first, *second;
        double usual[2];
    } table[] = {{"Relu", OP_Relu, NULL, NULL, {0}},
                 {"Tanh", OP_Tanh, NULL, NULL, {0}},
                 {"Sigmoid", OP_Sigmoid, NULL, NULL, {0}},
                 {"Softplus", OP_Softplus, NULL, NULL, {0}},
                 {"Softsign", OP_Softsign, NULL, NULL, {0}},
                 {"LeakyRelu", OP_LeakyRelu, "alpha", NULL, {0.01}},
                 {"Elu", OP_Elu, "alpha", NULL, {1}},
                 {"ThresholdedRelu", OP_ThresholdedRelu, "alpha", NULL, {1}},
                 {"Clip", OP_Clip, "min", "max", {-INFINITY, INFINITY}},
                 {"HardSigmoid", OP_HardSigmoid, "alpha", "beta", {0.2, 0.5}}};
    size_t n;
    const char *name = get_string(c, "activation", "");
    const double *params = get_floats(c, "activation_params", &n);
    if (!*name)
        return alias(c, 0, v);
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (strcmp(name, table[i].name))
            continue;
        if (params && n < (size_t)(table[i].first != NULL) + (table[i].second != NULL))
            return refuse_onnx(c, "activation '%s' lacks its parameters", name);
        double first = params && n > 0 ? params[0] : table[i].usual[0];
        double second = params && n > 1 ? params[1] : table[i].usual[1];
        first = get_float(c, "activation_alpha", first);
        second = get_float(c, "activation_beta", second);
        if (table[i].op == OP_Clip)
            first = fmin(first, second);
        return finish(c, 0, table[i].op, IN(v),
                      ATTRS(table[i].first ? ATTR_F(table[i].first, first) : ATTR_END,
                            table[i].second ? ATTR_F(table[i].second, second) : ATTR_END));
    }
    return refuse_onnx(c, "activation '%s' is not supported", name);
}

bool norm_fused_conv(OnnxNode *c)
{
    ValueId v = as_onnx(c, "Conv", IN(in_at(c, 0), in_at(c, 1), in_at(c, 2)));
    return finish_activation(c, has_in(c, 3) ? add(c, v, in_at(c, 3)) : v);
}

bool norm_fused_gemm(OnnxNode *c)
{
    return finish_activation(c, as_onnx(c, "Gemm", IN(in_at(c, 0), in_at(c, 1), in_at(c, 2))));
}

/* An operand of FusedMatMul: `batch` moves the first dimension behind the others but the last, `last` swaps the last two. */
static ValueId transposed(OnnxNode *c, uint32_t k, bool batch, bool last)
{
    ValueId v = in_at(c, k);
    const int rank = type_in(c, k)->rank;
    if (batch && rank > 2)
        v = move_dimension(c, v, 0, rank - 2);
    return last && rank > 1 ? swap_last(c, v) : v;
}

bool norm_fused_matmul(OnnxNode *c)
{
    double alpha = get_float(c, "alpha", 1);
    ValueId a = transposed(c, 0, get_int(c, "transBatchA", 0) != 0, get_int(c, "transA", 0) != 0);
    ValueId b = transposed(c, 1, get_int(c, "transBatchB", 0) != 0, get_int(c, "transB", 0) != 0);
    if (alpha == 1)
        return finish(c, 0, OP_MatMul, IN(a, b), NULL);
    ValueId v = emit(c, OP_MatMul, IN(a, b), NULL);
    return finish(c, 0, OP_Mul, IN(v, const_scalar(c, type_in(c, 0)->dtype, alpha)), NULL);
}

bool norm_bias_gelu(OnnxNode *c)
{
    return finish(c, 0, OP_Gelu, IN(add(c, in_at(c, 0), in_at(c, 1))), NULL);
}

bool norm_fast_gelu(OnnxNode *c)
{
    ValueId v = has_in(c, 1) ? add(c, in_at(c, 0), in_at(c, 1)) : in_at(c, 0);
    return finish(c, 0, OP_GeluTanh, IN(v), NULL);
}

/* (input + skip [+ bias]), then a layer normalisation over the last axis; simplified: without mean and beta. */
bool norm_skip_layer_norm(OnnxNode *c)
{
    bool simplified = c->row->op == OP_RMSNormalization;
    uint32_t bias = simplified ? 3 : 4;
    int axis = type_in(c, 0)->rank - 1;
    if (axis < 0 || wants(c, 1) || wants(c, 2))
        return refuse_onnx(c, axis < 0 ? "its input is a scalar"
                                       : "outputs mean and inv_std_var are not supported");
    ValueId v = add(c, in_at(c, 0), in_at(c, 1));
    if (has_in(c, bias))
        v = add(c, v, in_at(c, bias));
    alias(c, 3, v);
    const Attr *attrs =
        ATTRS(ATTR_I("axis", axis), ATTR_F("epsilon", get_float(c, "epsilon", 1e-12)));
    if (simplified)
        return finish(c, 0, OP_RMSNormalization, IN(v, in_at(c, 2)), attrs);
    return finish(c, 0, OP_LayerNormalization, IN(v, in_at(c, 2), in_at(c, 3)), attrs);
}

/* What an embedding is made of: tables of words, positions and segments, scale and bias of the norm, in this order. */
enum { EMBED_WORD, EMBED_POSITION, EMBED_SEGMENT, EMBED_GAMMA, EMBED_BETA, EMBED_PARTS };

/* Rows of a table, of bytes if it has a scale and zero point. */
static ValueId embed_rows(OnnxNode *c, int part, ValueId ids, bool bytes)
{
    ValueId v = in_at(c, 2 + (uint32_t)part);
    if (has_value(ids))
        v = emit(c, OP_Gather, IN(v, ids), ATTRS(ATTR_I("axis", 0)));
    if (!bytes)
        return v;
    ValueId scale = reshape(c, in_at(c, 8 + (uint32_t)part), 0, NULL);
    ValueId zero = in_at(c, 8 + EMBED_PARTS + (uint32_t)part);
    zero = has_value(zero) ? reshape(c, zero, 0, NULL) : zero;
    return emit(c, OP_DequantizeLinear, IN(v, scale, zero), ATTRS(ATTR_I("axis", 0)));
}

/* Inputs: ids, segment ids, word, position and segment tables, gamma, beta, mask, then position ids or, of bytes, five scales and
 * five zero points. */
static bool embed_layer_norm(OnnxNode *c, bool bytes)
{
    if (!need_inputs(c, 1, bytes ? 8 + 2 * EMBED_PARTS : 9))
        return false;
    for (uint32_t part = 0; part < EMBED_PARTS; part++)
        if (part != EMBED_SEGMENT && !has_in(c, 2 + part))
            return refuse_onnx(c, "input %u is missing", 2 + part);
    const TensorType ids = *type_in(c, 0), table = *type_in(c, 3);
    if (has_in(c, 4) != has_in(c, 1) || ids.rank != 2 || table.rank != 2 ||
        ids.dims[1] > table.dims[0])
        return refuse_onnx(c, "its inputs do not belong together");
    ValueId v = embed_rows(c, EMBED_WORD, in_at(c, 0), bytes);
    ValueId place = embed_rows(c, EMBED_POSITION, bytes ? NO_VALUE : in_at(c, 8), bytes);
    if (bytes || !has_in(c, 8))
        place = slice_axis(c, place, 0, 0, ids.dims[1]);
    v = add(c, v, place);
    if (has_in(c, 1))
        v = add(c, v, embed_rows(c, EMBED_SEGMENT, in_at(c, 1), bytes));
    alias(c, 2, v);
    if (wants(c, 1)) {
        ValueId mask = has_in(c, 7) ? in_at(c, 7) : const_scalar(c, DT_I32, 0);
        TensorType count = {.dtype = DT_I32, .rank = 1, .dims = {ids.dims[0]}};
        alias(c, 1,
              has_in(c, 7) ? reduce(c, OP_ReduceSum, mask, (int64_t[]){1}, 1, false)
                           : filled(c, count, mask));
    }
    return finish(c, 0, OP_LayerNormalization,
                  IN(v, embed_rows(c, EMBED_GAMMA, NO_VALUE, bytes),
                     embed_rows(c, EMBED_BETA, NO_VALUE, bytes)),
                  ATTRS(ATTR_I("axis", 2), ATTR_F("epsilon", get_float(c, "epsilon", 1e-12))));
}

bool norm_embed_layer_norm(OnnxNode *c)
{
    return embed_layer_norm(c, false);
}

bool norm_quantised_embed_layer_norm(OnnxNode *c)
{
    for (uint32_t part = 0; part < EMBED_PARTS; part++)
        if ((part != EMBED_SEGMENT || has_in(c, 4)) &&
            (!has_in(c, 2 + part) || !has_in(c, 8 + part) ||
             type_count(type_in(c, 8 + part)) != 1 ||
             (has_in(c, 8 + EMBED_PARTS + part) &&
              type_count(type_in(c, 8 + EMBED_PARTS + part)) != 1)))
            return refuse_onnx(c, "a table, its scale or its zero point is missing");
    return embed_layer_norm(c, true);
}

/* Pad and Range have the inputs of ONNX's, whose opset decides about them. */
bool norm_microsoft_pad(OnnxNode *c)
{
    c->opset = 13;
    return norm_pad(c);
}

bool norm_expand_dims(OnnxNode *c)
{
    const int at = fix_axis(c, known_int(c, 1, "axis"), type_in(c, 0)->rank + 1);
    return alias(c, 0, unsqueeze(c, in_at(c, 0), at));
}

/* Distances between the rows of two matrices. */
bool norm_cdist(OnnxNode *c)
{
    const char *metric = get_string(c, "metric", "sqeuclidean");
    const bool root = !strcmp(metric, "euclidean");
    if (!root && strcmp(metric, "sqeuclidean"))
        return refuse_onnx(c, "metric '%s' is unknown", metric);
    if (type_in(c, 0)->rank != 2 || type_in(c, 1)->rank != 2)
        return refuse_onnx(c, "its inputs are not matrices");
    ValueId d = sub(c, unsqueeze(c, in_at(c, 0), 1), unsqueeze(c, in_at(c, 1), 0));
    d = reduce(c, OP_ReduceSumSquare, d, (int64_t[]){2}, 1, false);
    return root ? finish(c, 0, OP_Sqrt, IN(d), NULL) : alias(c, 0, d);
}

bool norm_nhwc_max_pool(OnnxNode *c)
{
    if (type_in(c, 0)->rank < 3)
        return refuse_onnx(c, "its input has rank %d", type_in(c, 0)->rank);
    ValueId v = as_onnx(c, "MaxPool", IN(channels_first(c, in_at(c, 0))));
    return alias(c, 0, channels_last(c, v));
}
