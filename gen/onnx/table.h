/* The normalisers, by family: one file each. */
#pragma once

#include "../ops/ops.h"
#include "node.h"

/* Those that ops.def names: the column `import`. */
Normaliser norm_direct;
#define DECLARE_none
#define DECLARE_direct
#define DECLARE_reads(list)
#define DECLARE_by(fn, least, most) Normaliser norm_##fn;
#define OP_IMPORT(nm, import) DECLARE_##import
#include "../ops/ops.def"
#undef DECLARE_none
#undef DECLARE_direct
#undef DECLARE_reads
#undef DECLARE_by

/* onnx/normalise_eltwise.c. direct: the same op with the same inputs. */
Normaliser norm_mean, norm_cast_like, norm_swi_glu;
/* onnx/normalise_shape.c: what changes shapes and copies nothing. */
Normaliser norm_identity, norm_flatten, norm_squeeze, norm_unsqueeze, norm_shape, norm_size,
    norm_dropout, norm_depth_to_space, norm_space_to_depth;
/* onnx/normalise_move.c */
Normaliser norm_center_crop_pad, norm_tensor_scatter;
/* onnx/normalise_rows.c: results whose number of rows depends on data. */
Normaliser norm_compress;
/* onnx/normalise_make.c: constants and what depends on contents known at compile time. */
Normaliser norm_constant, norm_constant_of_shape, norm_eye_like, norm_range;
/* onnx/normalise_nn.c */
Normaliser norm_resize, norm_upsample, norm_col2im, norm_affine_grid;
/* onnx/normalise_pool.c */
Normaliser norm_global_pool;
/* onnx/normalise_norm.c */
Normaliser norm_mvn;
/* onnx/normalise_rnn.c */
Normaliser norm_dynamic_quantize_lstm;
/* onnx/normalise_blocks.c: com.microsoft's, with weights quantised in blocks. */
Normaliser norm_matmul_nbits, norm_gather_block_quantized;
/* onnx/normalise_deform.c, onnx/normalise_text.c */
Normaliser norm_deform_conv, norm_tf_idf_vectorizer;
/* onnx/normalise_loss.c */
Normaliser norm_nll_loss, norm_softmax_loss;
/* onnx/normalise_signal.c */
Normaliser norm_window_function, norm_dft, norm_stft, norm_mel_weights;
/* onnx/normalise_random.c */
Normaliser norm_random, norm_bernoulli;
/* onnx/control.c */
Normaliser norm_if, norm_loop, norm_scan;
/* onnx/normalise_list.c: sequences and optionals. */
Normaliser norm_sequence_construct, norm_sequence_empty, norm_sequence_at, norm_sequence_insert,
    norm_sequence_erase, norm_sequence_length, norm_split_to_sequence, norm_concat_from_sequence,
    norm_sequence_map, norm_optional, norm_optional_get, norm_optional_has;
/* onnx/normalise_contrib.c: com.microsoft. */
Normaliser norm_fused_conv, norm_fused_matmul, norm_bias_gelu, norm_fast_gelu, norm_skip_layer_norm,
    norm_embed_layer_norm, norm_fused_gemm, norm_microsoft_pad, norm_expand_dims, norm_cdist,
    norm_nhwc_max_pool, norm_quantised_embed_layer_norm;
/* onnx/normalise_legacy.c */
Normaliser norm_affine, norm_scaled_tanh, norm_parametric_softplus, norm_image_scaler, norm_crop,
    norm_scale;
/* onnx/normalise_ml.c, onnx/normalise_svm.c, onnx/normalise_trees.c, onnx/normalise_tree_ensemble.c: ai.onnx.ml */
Normaliser norm_array_feature_extractor, norm_binarizer, norm_feature_vectorizer, norm_imputer,
    norm_label_encoder, norm_linear_classifier, norm_linear_regressor, norm_normalizer,
    norm_one_hot_encoder, norm_scaler, norm_svm_classifier, norm_svm_regressor,
    norm_tree_classifier, norm_tree_ensemble, norm_tree_regressor;
/* onnx/normalise_attention.c, onnx/normalise_rotary.c */
Normaliser norm_attention, norm_self_attention, norm_quantised_attention, norm_multi_head_attention,
    norm_group_query_attention, norm_rotary, norm_microsoft_rotary;
/* onnx/normalise_qlinear.c: com.microsoft's quantised ops. */
Normaliser norm_qlinear_binary, norm_qlinear_unary, norm_qlinear_softmax, norm_qlinear_pool,
    norm_qlinear_concat, norm_dynamic_quantize_matmul, norm_matmul_integer_to_float, norm_qgemm,
    norm_qlinear_reduce_mean, norm_qlinear_where;
