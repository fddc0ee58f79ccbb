/* ONNX's operators: how each is brought to the form of ops.def, or why it is not. Those that have a row there of the same name are in its
 * column `import`; the others have a row each here. */
#include "table.h"

enum { SELF }; /* in place of how many inputs: its normaliser counts them itself */

/* Those of the names that ops.def has. */
static const OnnxRow same_name[OP_COUNT] = {
#define IMPORT_none .normalise = NULL
#define IMPORT_direct IMPORT_reads("")
#define IMPORT_reads(list) .normalise = norm_direct, .attrs = (list)
#define IMPORT_by(fn, least, most) .normalise = norm_##fn, .inputs = {least, most}
#define OP_IMPORT(nm, import)                                                                      \
    [OP_##nm] = {.name = #nm, .op = OP_##nm, .rows = ROWS_BY_RULE, IMPORT_##import},
#include "../ops/ops.def"
};

#define ENTRY(nm, ...)                                                                             \
    {                                                                                              \
        .name = #nm, __VA_ARGS__                                                                   \
    }
#define READS(nm, to, list)                                                                        \
    ENTRY(nm, .normalise = norm_direct, .op = OP_##to, .rows = ROWS_BY_RULE, .attrs = (list))
#define TAKES_ROWS(nm, fn, ...)                                                                    \
    ENTRY(nm, .normalise = norm_##fn, .rows = ROWS_TAKEN, .inputs = {__VA_ARGS__})
#define ROW(nm, fn, ...) ENTRY(nm, .normalise = norm_##fn, .inputs = {__VA_ARGS__})
#define ROW_OP(nm, to, fn, ...)                                                                    \
    ENTRY(nm, .normalise = norm_##fn, .op = OP_##to, .rows = ROWS_BY_RULE, .inputs = {__VA_ARGS__})
#define REFUSED(nm, reason) ENTRY(nm, .why = (reason))

#define RANDOM "its result is random"
#define TRAINING "training is not supported"
#define STRINGS "strings are not supported"

/* The others. */
static const OnnxRow standard[] = {
    /* elementwise, one operand */
    TAKES_ROWS(CastLike, cast_like, 2, 2),

    /* elementwise, more operands */
    ROW(SwiGLU, swi_glu, 2, 2),
    TAKES_ROWS(Mean, mean, 1, MANY),

    /* shapes */
    ROW(DepthToSpace, depth_to_space, SELF),
    ROW(Dropout, dropout, 1, 3),
    TAKES_ROWS(Flatten, flatten, 1, 1),
    TAKES_ROWS(Identity, identity, SELF),
    TAKES_ROWS(Shape, shape, 1, 1),
    TAKES_ROWS(Size, size, 1, 1),
    ROW(SpaceToDepth, space_to_depth, SELF),
    TAKES_ROWS(Squeeze, squeeze, 1, 2),
    TAKES_ROWS(Unsqueeze, unsqueeze, 1, 2),

    /* moving elements */
    ROW(CenterCropPad, center_crop_pad, 2, 2),
    ROW(Col2Im, col2im, 3, 3),
    READS(Scatter, ScatterElements, "axis=0 reduction=none"),
    ROW(TensorScatter, tensor_scatter, 2, 3),

    /* constants, and shapes that depend on contents */
    TAKES_ROWS(Compress, compress, 2, 2),
    ROW(Constant, constant, SELF),
    ROW(ConstantOfShape, constant_of_shape, 1, 1),
    ROW(EyeLike, eye_like, 1, 1),
    ROW(Range, range, 3, 3),

    /* layers */
    ROW(AffineGrid, affine_grid, 2, 2),
    ROW(Attention, attention, 3, 7),
    ROW(DeformConv, deform_conv, 3, 5),
    ROW_OP(GlobalAveragePool, AveragePool, global_pool, 1, 1),
    ROW_OP(GlobalLpPool, LpPool, global_pool, 1, 1),
    ROW_OP(GlobalMaxPool, MaxPool, global_pool, 1, 1),
    ROW(MeanVarianceNormalization, mvn, 1, 1),
    {.name = "Resize", .normalise = norm_upsample, .inputs = {1, 2}, .until = 10},
    {.name = "Resize", .normalise = norm_resize, .inputs = {1, 4}, .since = 11},
    ROW(RotaryEmbedding, rotary, 3, 4),
    ROW_OP(SimplifiedLayerNormalization, RMSNormalization, layer_norm, 2, 2), /* ONNX Runtime's */
    ROW(TfIdfVectorizer, tf_idf_vectorizer, 1, 1),
    ROW(Upsample, upsample, 1, 2),

    /* losses */
    ROW(NegativeLogLikelihoodLoss, nll_loss, SELF),
    ROW(SoftmaxCrossEntropyLoss, softmax_loss, SELF),

    /* signals */
    ROW(BlackmanWindow, window_function, 1, 1),
    ROW(DFT, dft, SELF),
    ROW(HammingWindow, window_function, 1, 1),
    ROW(HannWindow, window_function, 1, 1),
    ROW(MelWeightMatrix, mel_weights, 5, 5),
    ROW(STFT, stft, 2, 4),

    /* random numbers */
    ROW(Bernoulli, bernoulli, 1, 1),
    ROW(RandomNormal, random, 0, 0),
    ROW(RandomNormalLike, random, 1, 1),
    ROW(RandomUniform, random, 0, 0),
    ROW(RandomUniformLike, random, 1, 1),

    /* control flow, sequences, optionals */
    ROW(ConcatFromSequence, concat_from_sequence, SELF),
    ROW(If, if, 1, 1),
    ROW(Loop, loop, SELF),
    ROW(Optional, optional, SELF),
    ROW(OptionalGetElement, optional_get, SELF),
    ROW(OptionalHasElement, optional_has, SELF),
    ROW(Scan, scan, SELF),
    ROW(SequenceAt, sequence_at, SELF),
    ROW(SequenceConstruct, sequence_construct, SELF),
    ROW(SequenceEmpty, sequence_empty, SELF),
    ROW(SequenceErase, sequence_erase, SELF),
    ROW(SequenceInsert, sequence_insert, SELF),
    ROW(SequenceLength, sequence_length, SELF),
    ROW(SequenceMap, sequence_map, SELF),
    ROW(SplitToSequence, split_to_sequence, 1, 2),

    /* experiments of the past that ONNX Runtime still has */
    ROW(Affine, affine, 1, 1),
    ROW(Crop, crop, 1, 1),
    ROW(DynamicSlice, slice, 1, 5),
    ROW(ImageScaler, image_scaler, 1, 1),
    ROW(ParametricSoftplus, parametric_softplus, 1, 1),
    ROW(Scale, scale, 1, 1),
    ROW(ScaledTanh, scaled_tanh, 1, 1),

    /* refused */
    REFUSED(Adagrad, TRAINING),
    REFUSED(Adam, TRAINING),
    REFUSED(Gradient, TRAINING),
    REFUSED(ImageDecoder, "image files are not decoded"),
    REFUSED(Momentum, TRAINING),
    REFUSED(Multinomial, RANDOM),
    REFUSED(RegexFullMatch, STRINGS),
    REFUSED(StringConcat, STRINGS),
    REFUSED(StringNormalizer, STRINGS),
    REFUSED(StringSplit, STRINGS),
    {0},
};

static const OnnxRow microsoft[] = {
    ROW(Attention, self_attention, 2, 6),
    ROW(BiasGelu, bias_gelu, 2, 2),
    ROW(CDist, cdist, 2, 2),
    ROW(DequantizeLinear, dequantize, 2, 3),
    ROW_OP(DynamicQuantizeLSTM, LSTM, dynamic_quantize_lstm, 3, 12),
    ROW(DynamicQuantizeMatMul, dynamic_quantize_matmul, SELF),
    ROW(EmbedLayerNormalization, embed_layer_norm, 7, 9),
    ROW(ExpandDims, expand_dims, 2, 2),
    TAKES_ROWS(FastGelu, fast_gelu, 1, 2),
    ROW(FusedConv, fused_conv, 2, 4),
    ROW(FusedGemm, fused_gemm, 2, 3),
    TAKES_ROWS(FusedMatMul, fused_matmul, 2, 2),
    ROW(GatherBlockQuantized, gather_block_quantized, 3, 4),
    READS(GatherND, GatherND, "batch_dims=0"),
    READS(Gelu, Gelu, ""),
    ROW(GridSample, grid_sample, 2, 2),
    ROW(GroupQueryAttention, group_query_attention, 1, 12),
    ROW(MatMulIntegerToFloat, matmul_integer_to_float, SELF),
    ROW(MatMulNBits, matmul_nbits, 3, 6),
    ROW(MultiHeadAttention, multi_head_attention, 1, 8),
    ROW(NhwcMaxPool, nhwc_max_pool, 1, 1),
    ROW(Pad, microsoft_pad, 1, 4),
    ROW(QAttention, quantised_attention, 5, 9),
    ROW(QEmbedLayerNormalization, quantised_embed_layer_norm, SELF),
    ROW(QGemm, qgemm, SELF),
    ROW_OP(QLinearAdd, Add, qlinear_binary, SELF),
    ROW_OP(QLinearAveragePool, AveragePool, qlinear_pool, SELF),
    ROW(QLinearConcat, qlinear_concat, SELF),
    ROW_OP(QLinearConv, QLinearConv, conv_integer, 8, 9),
    ROW_OP(QLinearGlobalAveragePool, ReduceMean, qlinear_pool, SELF),
    ROW_OP(QLinearLeakyRelu, LeakyRelu, qlinear_unary, SELF),
    ROW_OP(QLinearMul, Mul, qlinear_binary, SELF),
    ROW(QLinearReduceMean, qlinear_reduce_mean, SELF),
    ROW_OP(QLinearSigmoid, Sigmoid, qlinear_unary, SELF),
    ROW(QLinearSoftmax, qlinear_softmax, SELF),
    ROW(QLinearWhere, qlinear_where, SELF),
    ROW(QuantizeLinear, quantize, 2, 3),
    READS(QuickGelu, Swish, "alpha=1.702"),
    ROW(Range, range, 3, 3),
    ROW(RotaryEmbedding, microsoft_rotary, 4, 4),
    ROW_OP(SkipLayerNormalization, LayerNormalization, skip_layer_norm, 3, 5),
    ROW_OP(SkipSimplifiedLayerNormalization, RMSNormalization, skip_layer_norm, 3, 4),
    TAKES_ROWS(TransposeMatMul, fused_matmul, 2, 2), /* an older name */
    ROW(Trilu, trilu, 1, 2),
    ROW(Unique, unique, 1, 1),
    {0},
};

#define MAPS "maps are not supported; a converter's option zipmap=False, or the like, does without"

static const OnnxRow classical[] = {
    ROW(ArrayFeatureExtractor, array_feature_extractor, 2, 2),
    ROW(Binarizer, binarizer, 1, 1),
    REFUSED(CastMap, MAPS),
    REFUSED(CategoryMapper, STRINGS),
    REFUSED(DictVectorizer, MAPS),
    ROW(FeatureVectorizer, feature_vectorizer, 1, 10000),
    ROW(Imputer, imputer, 1, 1),
    ROW(LabelEncoder, label_encoder, 1, 1),
    ROW(LinearClassifier, linear_classifier, 1, 1),
    ROW(LinearRegressor, linear_regressor, 1, 1),
    ROW(Normalizer, normalizer, 1, 1),
    ROW(OneHotEncoder, one_hot_encoder, 1, 1),
    ROW(Scaler, scaler, 1, 1),
    ROW(SVMClassifier, svm_classifier, SELF),
    ROW(SVMRegressor, svm_regressor, SELF),
    ROW(TreeEnsemble, tree_ensemble, 1, 1),
    ROW(TreeEnsembleClassifier, tree_classifier, SELF),
    ROW(TreeEnsembleRegressor, tree_regressor, SELF),
    REFUSED(ZipMap, MAPS),
    {0},
};

static const OnnxRow training[] = {
    REFUSED(Adagrad, TRAINING),
    REFUSED(Adam, TRAINING),
    REFUSED(Gradient, TRAINING),
    REFUSED(Momentum, TRAINING),
    {0},
};

static const struct {
    const char *domain;
    const OnnxRow *rows;
} domains[] = {
    {"", standard},
    {"ai.onnx", standard},
    {"ai.onnx.ml", classical},
    {"com.microsoft", microsoft},
    {"ai.onnx.preview.training", training},
};

const OnnxRow *onnx_row(const char *domain, const char *name, int64_t opset)
{
    Op op;
    for (size_t d = 0; d < COUNT_OF(domains); d++) {
        if (strcmp(domains[d].domain, domain))
            continue;
        if (domains[d].rows == standard && op_from_name(name, &op) && same_name[op].normalise)
            return &same_name[op];
        for (const OnnxRow *row = domains[d].rows; row->name; row++)
            if (!strcmp(row->name, name) && opset >= row->since &&
                (row->until == 0 || opset <= row->until))
                return row;
    }
    return NULL;
}
