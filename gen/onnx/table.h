/* The normalisers, by family: one file each. */
#ifndef DNNLC_ONNX_TABLE_H
#define DNNLC_ONNX_TABLE_H

#include "node.h"

/* onnx/normalise_eltwise.c. direct: the same op with the same inputs and no attributes. */
Normaliser norm_direct, norm_alpha, norm_binary, norm_variadic, norm_mean, norm_clip, norm_cast,
    norm_cast_like, norm_hard_sigmoid, norm_selu, norm_shrink, norm_gelu, norm_bitshift, norm_mod,
    norm_is_inf, norm_prelu, norm_swish, norm_celu;
/* onnx/normalise_shape.c: what changes shapes and copies nothing. */
Normaliser norm_identity, norm_reshape, norm_flatten, norm_squeeze, norm_unsqueeze, norm_shape,
    norm_size, norm_expand, norm_dropout, norm_depth_to_space, norm_space_to_depth, norm_transpose;
/* onnx/normalise_move.c */
Normaliser norm_concat, norm_split, norm_slice, norm_pad, norm_tile, norm_gather, norm_gather_nd,
    norm_scatter, norm_scatter_nd, norm_one_hot, norm_trilu, norm_reverse_sequence,
    norm_center_crop_pad, norm_tensor_scatter;
/* onnx/normalise_rows.c: results whose number of rows depends on data. */
Normaliser norm_non_max_suppression, norm_non_zero, norm_compress, norm_unique;
/* onnx/normalise_make.c: constants and what depends on contents known at compile time. */
Normaliser norm_constant, norm_constant_of_shape, norm_eye_like, norm_range;
/* onnx/normalise_reduce.c */
Normaliser norm_reduce, norm_arg, norm_top_k, norm_cum_sum, norm_softmax, norm_einsum;
/* onnx/normalise_nn.c */
Normaliser norm_conv, norm_conv_transpose, norm_gemm, norm_lrn, norm_resize, norm_upsample,
    norm_grid_sample, norm_roi_align, norm_max_roi_pool, norm_col2im, norm_affine_grid;
/* onnx/normalise_pool.c */
Normaliser norm_pool, norm_global_pool, norm_max_unpool;
/* onnx/normalise_norm.c */
Normaliser norm_batch_norm, norm_instance_norm, norm_group_norm, norm_layer_norm, norm_rms_norm,
    norm_lp_norm, norm_mvn;
/* onnx/normalise_rnn.c */
Normaliser norm_rnn, norm_dynamic_quantize_lstm;
/* onnx/normalise_quant.c */
Normaliser norm_quantize, norm_dequantize, norm_dynamic_quantize, norm_conv_integer;
/* onnx/normalise_blocks.c: com.microsoft's, with weights quantised in blocks. */
Normaliser norm_matmul_nbits, norm_gather_block_quantized;
/* onnx/normalise_loss.c */
Normaliser norm_nll_loss, norm_softmax_loss;
/* onnx/normalise_signal.c */
Normaliser norm_window_function, norm_dft, norm_stft, norm_mel_weights;
/* onnx/control.c */
Normaliser norm_if, norm_loop, norm_scan;
/* onnx/normalise_list.c: sequences and optionals. */
Normaliser norm_sequence_construct, norm_sequence_empty, norm_sequence_at, norm_sequence_insert,
    norm_sequence_erase, norm_sequence_length, norm_split_to_sequence, norm_concat_from_sequence,
    norm_sequence_map, norm_optional, norm_optional_get, norm_optional_has;
/* onnx/normalise_contrib.c: com.microsoft. */
Normaliser norm_fused_conv, norm_fused_matmul, norm_bias_gelu, norm_fast_gelu, norm_quick_gelu,
    norm_skip_layer_norm, norm_embed_layer_norm, norm_fused_gemm, norm_microsoft_pad,
    norm_expand_dims, norm_cdist, norm_nhwc_max_pool, norm_quantised_embed_layer_norm;
/* onnx/normalise_legacy.c */
Normaliser norm_affine, norm_scaled_tanh, norm_parametric_softplus, norm_image_scaler, norm_crop,
    norm_scale;
/* onnx/normalise_ml.c, onnx/normalise_svm.c, onnx/normalise_trees.c, onnx/normalise_tree_ensemble.c: ai.onnx.ml */
Normaliser norm_array_feature_extractor, norm_binarizer, norm_feature_vectorizer, norm_imputer,
    norm_label_encoder, norm_linear_classifier, norm_linear_regressor, norm_normalizer,
    norm_one_hot_encoder, norm_scaler, norm_svm_classifier, norm_svm_regressor, norm_tree_classifier, norm_tree_ensemble,
    norm_tree_regressor;
/* onnx/normalise_attention.c, onnx/normalise_rotary.c */
Normaliser norm_attention, norm_self_attention, norm_quantised_attention, norm_multi_head_attention,
    norm_group_query_attention, norm_rotary, norm_microsoft_rotary;
/* onnx/normalise_qlinear.c: com.microsoft's quantised ops. */
Normaliser norm_qlinear_binary, norm_qlinear_unary, norm_qlinear_softmax, norm_qlinear_pool,
    norm_qlinear_concat, norm_dynamic_quantize_matmul, norm_matmul_integer_to_float, norm_qgemm,
    norm_qlinear_reduce_mean, norm_qlinear_where;

#endif
