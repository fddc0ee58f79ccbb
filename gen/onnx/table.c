/* ONNX's operators: how each is brought to the form of ops.def, or why it is not. Those that have a row there of the same name are in its
 * column `import`; the others have a row each here. */
#include "table.h"

/* Those of the names that ops.def has. */
static const OnnxRow same_name[OP_COUNT] = {
#define IMPORT_none .normalise = NULL
#define IMPORT_direct .normalise = norm_direct
#define IMPORT_by(fn) .normalise = norm_##fn
#define OP_IMPORT(nm, import) [OP_##nm] = {.name = #nm, .op = OP_##nm, IMPORT_##import},
#include "../ops/ops.def"
};

#define DIRECT(nm)                                                                                 \
    {                                                                                              \
        .name = #nm, .normalise = norm_direct, .op = OP_##nm                                       \
    }
#define ROW(nm, fn)                                                                                \
    {                                                                                              \
        .name = #nm, .normalise = norm_##fn                                                        \
    }
#define ROW_OP(nm, fn, to)                                                                         \
    {                                                                                              \
        .name = #nm, .normalise = norm_##fn, .op = OP_##to                                         \
    }
#define REFUSED(nm, reason)                                                                        \
    {                                                                                              \
        .name = #nm, .why = (reason)                                                               \
    }

#define RANDOM "its result is random"
#define TRAINING "training is not supported"
#define STRINGS "strings are not supported"

/* The others. */
static const OnnxRow standard[] = {
    /* elementwise, one operand */
    ROW(CastLike, cast_like),

    /* elementwise, more operands */
    ROW(Mean, mean),

    /* shapes */
    ROW(DepthToSpace, depth_to_space),
    ROW(Dropout, dropout),
    ROW(Flatten, flatten),
    ROW(Identity, identity),
    ROW(Shape, shape),
    ROW(Size, size),
    ROW(SpaceToDepth, space_to_depth),
    ROW(Squeeze, squeeze),
    ROW(Unsqueeze, unsqueeze),

    /* moving elements */
    ROW(CenterCropPad, center_crop_pad),
    ROW(Col2Im, col2im),
    ROW(Scatter, scatter),
    ROW(TensorScatter, tensor_scatter),

    /* constants, and shapes that depend on contents */
    ROW(Compress, compress),
    ROW(Constant, constant),
    ROW(ConstantOfShape, constant_of_shape),
    ROW(EyeLike, eye_like),
    ROW(Range, range),

    /* layers */
    ROW(AffineGrid, affine_grid),
    ROW(Attention, attention),
    ROW_OP(GlobalAveragePool, global_pool, AveragePool),
    ROW_OP(GlobalLpPool, global_pool, LpPool),
    ROW_OP(GlobalMaxPool, global_pool, MaxPool),
    ROW(MeanVarianceNormalization, mvn),
    {.name = "Resize", .normalise = norm_upsample, .until = 10},
    {.name = "Resize", .normalise = norm_resize, .since = 11},
    ROW(RotaryEmbedding, rotary),
    ROW(SimplifiedLayerNormalization, rms_norm), /* ONNX Runtime's, in this domain */
    ROW(Upsample, upsample),

    /* losses */
    ROW(NegativeLogLikelihoodLoss, nll_loss),
    ROW(SoftmaxCrossEntropyLoss, softmax_loss),

    /* signals */
    ROW(BlackmanWindow, window_function),
    ROW(DFT, dft),
    ROW(HammingWindow, window_function),
    ROW(HannWindow, window_function),
    ROW(MelWeightMatrix, mel_weights),
    ROW(STFT, stft),

    /* control flow, sequences, optionals */
    ROW(ConcatFromSequence, concat_from_sequence),
    ROW(If, if),
    ROW(Loop, loop),
    ROW(Optional, optional),
    ROW(OptionalGetElement, optional_get),
    ROW(OptionalHasElement, optional_has),
    ROW(Scan, scan),
    ROW(SequenceAt, sequence_at),
    ROW(SequenceConstruct, sequence_construct),
    ROW(SequenceEmpty, sequence_empty),
    ROW(SequenceErase, sequence_erase),
    ROW(SequenceInsert, sequence_insert),
    ROW(SequenceLength, sequence_length),
    ROW(SequenceMap, sequence_map),
    ROW(SplitToSequence, split_to_sequence),

    /* experiments of the past that ONNX Runtime still has */
    ROW(Affine, affine),
    ROW(Crop, crop),
    ROW(DynamicSlice, slice),
    ROW(ImageScaler, image_scaler),
    ROW(ParametricSoftplus, parametric_softplus),
    ROW(Scale, scale),
    ROW(ScaledTanh, scaled_tanh),

    /* refused */
    REFUSED(Adagrad, TRAINING),
    REFUSED(Adam, TRAINING),
    REFUSED(Bernoulli, RANDOM),
    REFUSED(DeformConv, "deformable convolution is not implemented"),
    REFUSED(Gradient, TRAINING),
    REFUSED(ImageDecoder, "image files are not decoded"),
    REFUSED(Momentum, TRAINING),
    REFUSED(Multinomial, RANDOM),
    REFUSED(RandomNormal, RANDOM),
    REFUSED(RandomNormalLike, RANDOM),
    REFUSED(RandomUniform, RANDOM),
    REFUSED(RandomUniformLike, RANDOM),
    REFUSED(RegexFullMatch, STRINGS),
    REFUSED(StringConcat, STRINGS),
    REFUSED(StringNormalizer, STRINGS),
    REFUSED(StringSplit, STRINGS),
    REFUSED(TfIdfVectorizer, "text features are not supported"),
    {0},
};

static const OnnxRow microsoft[] = {
    ROW(Attention, self_attention),
    ROW(BiasGelu, bias_gelu),
    ROW(CDist, cdist),
    ROW(DequantizeLinear, dequantize),
    ROW_OP(DynamicQuantizeLSTM, dynamic_quantize_lstm, LSTM),
    ROW(DynamicQuantizeMatMul, dynamic_quantize_matmul),
    ROW(EmbedLayerNormalization, embed_layer_norm),
    ROW(ExpandDims, expand_dims),
    ROW(FastGelu, fast_gelu),
    ROW(FusedConv, fused_conv),
    ROW(FusedGemm, fused_gemm),
    ROW(FusedMatMul, fused_matmul),
    ROW(GatherBlockQuantized, gather_block_quantized),
    ROW(GatherND, gather_nd),
    DIRECT(Gelu),
    ROW(GridSample, grid_sample),
    ROW(GroupQueryAttention, group_query_attention),
    ROW(MatMulIntegerToFloat, matmul_integer_to_float),
    ROW(MatMulNBits, matmul_nbits),
    ROW(MultiHeadAttention, multi_head_attention),
    ROW(NhwcMaxPool, nhwc_max_pool),
    ROW(Pad, microsoft_pad),
    ROW(QAttention, quantised_attention),
    ROW(QEmbedLayerNormalization, quantised_embed_layer_norm),
    ROW(QGemm, qgemm),
    ROW_OP(QLinearAdd, qlinear_binary, Add),
    ROW_OP(QLinearAveragePool, qlinear_pool, AveragePool),
    ROW(QLinearConcat, qlinear_concat),
    ROW_OP(QLinearConv, conv_integer, QLinearConv),
    ROW_OP(QLinearGlobalAveragePool, qlinear_pool, ReduceMean),
    ROW_OP(QLinearLeakyRelu, qlinear_unary, LeakyRelu),
    ROW_OP(QLinearMul, qlinear_binary, Mul),
    ROW(QLinearReduceMean, qlinear_reduce_mean),
    ROW_OP(QLinearSigmoid, qlinear_unary, Sigmoid),
    ROW(QLinearSoftmax, qlinear_softmax),
    ROW(QLinearWhere, qlinear_where),
    ROW(QuantizeLinear, quantize),
    ROW(QuickGelu, quick_gelu),
    ROW(Range, range),
    ROW(RotaryEmbedding, microsoft_rotary),
    ROW_OP(SkipLayerNormalization, skip_layer_norm, LayerNormalization),
    ROW_OP(SkipSimplifiedLayerNormalization, skip_layer_norm, RMSNormalization),
    ROW(TransposeMatMul, fused_matmul), /* an older name */
    ROW(Trilu, trilu),
    ROW(Unique, unique),
    {0},
};

#define MAPS "maps are not supported; a converter's option zipmap=False, or the like, does without"

static const OnnxRow classical[] = {
    ROW(ArrayFeatureExtractor, array_feature_extractor),
    ROW(Binarizer, binarizer),
    REFUSED(CastMap, MAPS),
    REFUSED(CategoryMapper, STRINGS),
    REFUSED(DictVectorizer, MAPS),
    ROW(FeatureVectorizer, feature_vectorizer),
    ROW(Imputer, imputer),
    ROW(LabelEncoder, label_encoder),
    ROW(LinearClassifier, linear_classifier),
    ROW(LinearRegressor, linear_regressor),
    ROW(Normalizer, normalizer),
    ROW(OneHotEncoder, one_hot_encoder),
    ROW(Scaler, scaler),
    ROW(SVMClassifier, svm_classifier),
    ROW(SVMRegressor, svm_regressor),
    ROW(TreeEnsemble, tree_ensemble),
    ROW(TreeEnsembleClassifier, tree_classifier),
    ROW(TreeEnsembleRegressor, tree_regressor),
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
