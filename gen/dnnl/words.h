/* The words of oneDNN's interface that descriptions of primitives use: algorithms, arguments, flags. They are the compiler's own,
 * so that only the files that call the library (dnnl/library.h) need its headers; dnnl/library_create.c checks the numbers against those. */
#pragma once

#define ONEDNN_VERSION_TEXT "3.7.2" /* that is planned for */

/* Element types, and oneDNN's names for them without "dnnl_". */
#define DATA_TYPES(X)                                                                              \
    X(DT_F32, f32) X(DT_BF16, bf16) X(DT_F16, f16) X(DT_I32, s32) X(DT_I8, s8) X(DT_U8, u8)

/* Algorithms, by oneDNN's names without "dnnl_". */
#define ALGORITHMS(X)                                                                              \
    X(eltwise_abs) X(eltwise_clip) X(eltwise_clip_v2) X(eltwise_elu) X(eltwise_exp)                \
    X(eltwise_gelu_erf) X(eltwise_gelu_tanh) X(eltwise_hardsigmoid) X(eltwise_hardswish)           \
    X(eltwise_linear) X(eltwise_log) X(eltwise_logistic) X(eltwise_mish) X(eltwise_pow)            \
    X(eltwise_relu) X(eltwise_round) X(eltwise_soft_relu) X(eltwise_sqrt) X(eltwise_square)        \
    X(eltwise_swish) X(eltwise_tanh)                                                               \
    X(binary_add) X(binary_sub) X(binary_mul) X(binary_div) X(binary_max) X(binary_min)            \
    X(pooling_max) X(pooling_avg_include_padding) X(pooling_avg_exclude_padding)                   \
    X(lrn_across_channels) X(softmax_accurate) X(softmax_log)                                      \
    X(resampling_nearest) X(resampling_linear)                                                     \
    X(reduction_max) X(reduction_min) X(reduction_sum) X(reduction_mul) X(reduction_mean)          \
    X(reduction_norm_lp_max) X(reduction_norm_lp_power_p_sum) X(convolution_direct)                \
    X(deconvolution_direct)

typedef enum Algorithm {
    ALG_NONE,
#define X(name) ALG_##name,
    ALGORITHMS(X)
#undef X
} Algorithm;

/* Arguments of a primitive, and flags that say what else of an argument is meant, with oneDNN's numbers. */
#define ARGUMENTS(X)                                                                               \
    X(SRC, 1) X(SRC_1, 2) X(DST, 17) X(WEIGHTS, 33) X(BIAS, 41)                                    \
    X(MEAN, 49) X(VARIANCE, 50) X(SCALE, 51) X(SHIFT, 52)
#define ARGUMENT_FLAGS(X) X(ATTR_POST_OP_DW, 16384) X(ATTR_SCALES, 4096) X(ATTR_ZERO_POINTS, 8192)

enum {
#define X(name, number) ARG_##name = number,
    ARGUMENTS(X) ARGUMENT_FLAGS(X)
#undef X
    ARG_MULTIPLE_SRC = 1024,
    ARG_ATTR_POST_OP = 32768, /* of the first one */
};

/* The argument of a post-op, to be combined with its operand's. */
static inline int arg_of_post_op(int index)
{
    return ARG_ATTR_POST_OP * (index + 1);
}

/* Of norms. */
enum { NORM_GLOBAL_STATS = 1, NORM_SCALE = 2, NORM_SHIFT = 4 };
