/* Convolution in C: one layer. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $label$ sample
#define $panel$ panel_sample
#define $function$ finish_sample
#define $context$ struct sample_context
#define $net_memory$ struct sample_memory
#define $field$ taps
#define $value$ 9
#define $weights$ (const float *)m->weights
#define $src$ (const float *)m->weights
#define $dst$ (float *)m->workspace
#define $pointer$ const float *bias = (const float *)m->weights
#define $args$ dst, bias
#define $scratch$ 64
#define $zeros_at$ 64
#define $sums_at$ 128
#define $sums_floats$ 64
#define $blocks$ 2
#define $width$ 64
#define $block_floats$ 4096
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
static void indirect_table(const struct indirect *w, const float *src, float *zeros,
                           const float **table)
{
    table[w->taps] = zeros ? src : zeros;
}
static void panel_sample(const struct indirect *w, const float *const *table, const float *b,
                         float *sums)
{
    sums[w->taps] = table[0][0] + b[0];
}
static void finish_sample(const struct indirect *w, const float *sums, int width, float *dst,
                          const float *bias, int first)
{
    dst[w->taps] = sums[width] + bias[first];
}
//@begin
static const struct indirect shape_$label$ = {
//@for fields
    .$field$ = $value$,
//@end
};

static dnnl_status_t run_$label$(const $context$ *ctx, const $net_memory$ *m)
{
    const struct indirect *w = &shape_$label$;
    const float *weights = $weights$;
    float *dst = $dst$;
//@for pointers
    $pointer$;
//@end
    unsigned char *scratch = m->workspace + $scratch$;
    const float **table = (const float **)scratch;
    indirect_table(w, $src$, (float *)(scratch + $zeros_at$), table);
//@if one_thread
    (void)ctx;
    float *sums = (float *)(scratch + $sums_at$);
    for (int block = 0; block < $blocks$; block++) {
        $panel$(w, table, weights + (size_t)block * $block_floats$, sums);
        $function$(w, sums, $width$, $args$, block * $width$);
    }
//@else
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(ctx->threads)
#endif
    for (int block = 0; block < $blocks$; block++) {
#ifdef _OPENMP
        const size_t thread = (size_t)omp_get_thread_num();
#else
        const size_t thread = (size_t)(ctx->threads * 0);
#endif
        float *sums = (float *)(scratch + $sums_at$) + thread * $sums_floats$;
        $panel$(w, table, weights + (size_t)block * $block_floats$, sums);
        $function$(w, sums, $width$, $args$, block * $width$);
    }
//@end
    return dnnl_success;
}
