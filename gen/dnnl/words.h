/* The words of oneDNN's interface that descriptions of primitives use: algorithms, arguments, flags. They are the compiler's own,
 * so that only the files that call the library (dnnl/library.h) need its headers; dnnl/library_create.c checks the numbers against those. */
#pragma once

#define ONEDNN_VERSION_TEXT "3.7.2" /* that is planned for */

/* Element types, and oneDNN's names for them without "dnnl_". */
#define DATA_TYPES(X)                                                                              \
    X(DT_F32, f32) X(DT_BF16, bf16) X(DT_F16, f16) X(DT_I32, s32) X(DT_I8, s8) X(DT_U8, u8)

/* Each algorithm, and oneDNN's name for it without "dnnl_". */
#define ALGORITHMS(X)                                                                              \
    X(ALG_ELTWISE_ABS, eltwise_abs)                                                                \
    X(ALG_ELTWISE_CLIP, eltwise_clip)                                                              \
    X(ALG_ELTWISE_CLIP_V2, eltwise_clip_v2)                                                        \
    X(ALG_ELTWISE_ELU, eltwise_elu)                                                                \
    X(ALG_ELTWISE_EXP, eltwise_exp)                                                                \
    X(ALG_ELTWISE_GELU_ERF, eltwise_gelu_erf)                                                      \
    X(ALG_ELTWISE_GELU_TANH, eltwise_gelu_tanh)                                                    \
    X(ALG_ELTWISE_HARDSIGMOID, eltwise_hardsigmoid)                                                \
    X(ALG_ELTWISE_HARDSWISH, eltwise_hardswish)                                                    \
    X(ALG_ELTWISE_LINEAR, eltwise_linear)                                                          \
    X(ALG_ELTWISE_LOG, eltwise_log)                                                                \
    X(ALG_ELTWISE_LOGISTIC, eltwise_logistic)                                                      \
    X(ALG_ELTWISE_MISH, eltwise_mish)                                                              \
    X(ALG_ELTWISE_POW, eltwise_pow)                                                                \
    X(ALG_ELTWISE_RELU, eltwise_relu)                                                              \
    X(ALG_ELTWISE_ROUND, eltwise_round)                                                            \
    X(ALG_ELTWISE_SOFT_RELU, eltwise_soft_relu)                                                    \
    X(ALG_ELTWISE_SQRT, eltwise_sqrt)                                                              \
    X(ALG_ELTWISE_SQUARE, eltwise_square)                                                          \
    X(ALG_ELTWISE_SWISH, eltwise_swish)                                                            \
    X(ALG_ELTWISE_TANH, eltwise_tanh)                                                              \
    X(ALG_BINARY_ADD, binary_add)                                                                  \
    X(ALG_BINARY_SUB, binary_sub)                                                                  \
    X(ALG_BINARY_MUL, binary_mul)                                                                  \
    X(ALG_BINARY_DIV, binary_div)                                                                  \
    X(ALG_BINARY_MAX, binary_max)                                                                  \
    X(ALG_BINARY_MIN, binary_min)                                                                  \
    X(ALG_POOLING_MAX, pooling_max)                                                                \
    X(ALG_POOLING_AVG_INCLUDE_PADDING, pooling_avg_include_padding)                                \
    X(ALG_POOLING_AVG_EXCLUDE_PADDING, pooling_avg_exclude_padding)                                \
    X(ALG_LRN_ACROSS_CHANNELS, lrn_across_channels)                                                \
    X(ALG_SOFTMAX_ACCURATE, softmax_accurate)                                                      \
    X(ALG_SOFTMAX_LOG, softmax_log)                                                                \
    X(ALG_RESAMPLING_NEAREST, resampling_nearest)                                                  \
    X(ALG_RESAMPLING_LINEAR, resampling_linear)                                                    \
    X(ALG_REDUCTION_MAX, reduction_max)                                                            \
    X(ALG_REDUCTION_MIN, reduction_min)                                                            \
    X(ALG_REDUCTION_SUM, reduction_sum)                                                            \
    X(ALG_REDUCTION_MUL, reduction_mul)                                                            \
    X(ALG_REDUCTION_MEAN, reduction_mean)                                                          \
    X(ALG_REDUCTION_NORM_LP_MAX, reduction_norm_lp_max)                                            \
    X(ALG_REDUCTION_NORM_LP_POWER_P_SUM, reduction_norm_lp_power_p_sum)                            \
    X(ALG_CONVOLUTION_DIRECT, convolution_direct)                                                  \
    X(ALG_DECONVOLUTION_DIRECT, deconvolution_direct)

typedef enum Algorithm {
    ALG_NONE,
#define X(id, name) id,
    ALGORITHMS(X)
#undef X
} Algorithm;

/* Arguments of a primitive, with oneDNN's numbers. */
enum {
    ARG_SRC = 1,
    ARG_SRC_1 = 2,
    ARG_DST = 17,
    ARG_WEIGHTS = 33,
    ARG_BIAS = 41,
    ARG_MEAN = 49,
    ARG_VARIANCE = 50,
    ARG_SCALE = 51,
    ARG_SHIFT = 52,
    ARG_MULTIPLE_SRC = 1024,
    ARG_ATTR_SCALES = 4096,
    ARG_ATTR_ZERO_POINTS = 8192,
    ARG_ATTR_POST_OP_DW = 16384,
    ARG_ATTR_POST_OP = 32768, /* of the first one */
};

/* The argument of a post-op, to be combined with its operand's. */
static inline int arg_of_post_op(int index)
{
    return ARG_ATTR_POST_OP * (index + 1);
}

/* Of norms. */
enum { NORM_GLOBAL_STATS = 1, NORM_SCALE = 2, NORM_SHIFT = 4 };
