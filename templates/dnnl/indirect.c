/* Convolution in C: one layer. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define $label$ sample
#define $compute$ compute_sample
#define $shape$ shape
#define $compute$_shared compute_sample_shared
#define $run_params$ const struct sample_context *ctx, const struct sample_memory *m
#define $field$ taps
#define $value$ 9
#define $weights$ weights_at(m, 64)
#define $src$ weights_at(m, 64)
#define $dst$ workspace_at(m, 0)
#define $pointer$ bias
#define $address$ weights_at(m, 64)
#define $operands$(...) __VA_ARGS__
#define $operand$ bias
#define $scratch$ 64
struct indirect {
    int taps;
};
struct sample_context {
    int threads;
};
struct sample_memory {
    unsigned char *workspace;
    const unsigned char *weights;
};
static inline void *workspace_at(const struct sample_memory *m, size_t offset)
{
    return m->workspace + offset;
}
static inline const void *weights_at(const struct sample_memory *m, size_t offset)
{
    return m->weights + offset;
}
static void compute_sample(const struct indirect *w, const float *src, const float *weights,
                           const float *bias, float *dst, unsigned char *scratch)
{
    dst[w->taps] = src[0] * weights[0] + bias[scratch[0]];
}
static void compute_sample_shared(const struct indirect *w, const float *src, const float *weights,
                                  const float *bias, float *dst, unsigned char *scratch,
                                  int threads)
{
    dst[w->taps] = src[0] * weights[threads] + bias[scratch[0]];
}
//@begin
//@if constant
static const struct indirect shape_$label$ = {
//@for fields
    .$field$ = $value$,
//@end
};

//@end
static dnnl_status_t run_$label$($run_params$)
{
//@if varies
    const struct indirect shape = {
//@for fields
        .$field$ = $value$,
//@end
    };
//@end
    const float *src = $src$;
    const float *weights = $weights$;
    float *dst = $dst$;
//@for pointers
    const float *$pointer$ = $address$;
//@end
//@if one_thread
    (void)ctx;
    $compute$(&$shape$, src, weights, $operands$($operand$, )dst, m->workspace + $scratch$);
//@else
    $compute$_shared(&$shape$, src, weights, $operands$($operand$, )dst, m->workspace + $scratch$, ctx->threads);
//@end
    return dnnl_success;
}
