/* Convolution in C: one layer. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define $label$ sample
#define $shape$ shape
#define $run_params$ const struct sample_context *ctx, const struct sample_memory *m
#define $field$ taps
#define $value$ 9
#define $weights$ weights_at(m, 64)
#define $src$ weights_at(m, 64)
#define $dst$ workspace_at(m, 0)
#define $pointers$(x) x
#define $address$ weights_at(m, 64)
#define $reads$ operands
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
static void indirect_compute(const struct indirect *w, const float *src, const float *weights,
                             const float *const *operand, float *dst, unsigned char *scratch)
{
    dst[w->taps] = src[0] * weights[0] + operand[0][scratch[0]];
}
static void indirect_compute_shared(const struct indirect *w, const float *src,
                                    const float *weights, const float *const *operand, float *dst,
                                    unsigned char *scratch, int threads)
{
    dst[w->taps] = src[0] * weights[threads] + operand[0][scratch[0]];
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
//@if pointers
    const float *const operands[] = {$pointers$($address$)};
//@end
//@if one_thread
    (void)ctx;
    indirect_compute(&$shape$, $src$, $weights$, $reads$, $dst$, m->workspace + $scratch$);
//@else
    indirect_compute_shared(&$shape$, $src$, $weights$, $reads$, $dst$, m->workspace + $scratch$, ctx->threads);
//@end
    return dnnl_success;
}
