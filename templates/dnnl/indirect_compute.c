/* Convolution in C: what layers with equal tiles and epilogues share. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define $label$ sample
#define $panel$ panel_sample
#define $function$ finish_sample
#define $params$ float *restrict dst, const float *restrict bias
#define $args$ dst, bias
#define $width$ 64
int omp_get_thread_num(void);
struct indirect {
    int taps, blocks;
    size_t zeros_at, sums_at, sums_floats, block_floats;
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
//@if one_thread
static void compute_$label$(const struct indirect *w, const float *src, const float *weights,
                            $params$, unsigned char *scratch)
{
    const float **table = (void *)scratch;
    float *sums = (void *)(scratch + w->sums_at);
    indirect_table(w, src, (void *)(scratch + w->zeros_at), table);
    for (int block = 0; block < w->blocks; block++) {
        $panel$(w, table, weights + (size_t)block * w->block_floats, sums);
        $function$(w, sums, $width$, $args$, block * $width$);
    }
}
//@else
static void compute_$label$_shared(const struct indirect *w, const float *src, const float *weights,
                                   $params$, unsigned char *scratch, int threads)
{
    const float **table = (void *)scratch;
    indirect_table(w, src, (void *)(scratch + w->zeros_at), table);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#else
    (void)threads;
#endif
    for (int block = 0; block < w->blocks; block++) {
#ifdef _OPENMP
        const size_t thread = (size_t)omp_get_thread_num();
#else
        const size_t thread = 0;
#endif
        float *sums = (float *)(void *)(scratch + w->sums_at) + thread * w->sums_floats;
        $panel$(w, table, weights + (size_t)block * w->block_floats, sums);
        $function$(w, sums, $width$, $args$, block * $width$);
    }
}
//@end
