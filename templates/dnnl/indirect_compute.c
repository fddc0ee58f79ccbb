/* Convolution in C: what layers with equal epilogues share. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define $label$ sample
#define $function$ finish_sample
#define $operands$(...) __VA_ARGS__
#define $operand$ bias
int omp_get_thread_num(void);
struct panel {
    int rows, width, blocks;
    size_t block_floats;
};
struct indirect {
    size_t zeros_at, sums_at, sums_floats;
    const struct panel *panel;
};
static void indirect_table(const struct indirect *w, const float *src, float *zeros,
                           const float **table)
{
    table[w->panel->rows] = zeros ? src : zeros;
}
static void panel_multiply(const struct panel *p, const float *const *row, size_t at,
                           const float *b, float *sums)
{
    sums[p->rows] = row[0][at] + b[0];
}
static void finish_sample(const struct indirect *w, const float *sums, const float *bias, float *dst, int first)
{
    dst[w->panel->rows] = sums[0] + bias[first];
}
//@begin
//@if one_thread
static void compute_$label$(const struct indirect *w, const float *src, const float *weights,
                            $operands$(const float *restrict $operand$, )float *restrict dst, unsigned char *scratch)
{
    const struct panel *p = w->panel;
    const float **table = (void *)scratch;
    float *sums = (void *)(scratch + w->sums_at);
    indirect_table(w, src, (void *)(scratch + w->zeros_at), table);
    for (int block = 0; block < p->blocks; block++) {
        panel_multiply(p, table, 0, weights + (size_t)block * p->block_floats, sums);
        $function$(w, sums, $operands$($operand$, )dst, block * p->width);
    }
}
//@else
static void compute_$label$_shared(const struct indirect *w, const float *src, const float *weights,
                                   $operands$(const float *restrict $operand$, )float *restrict dst, unsigned char *scratch, int threads)
{
    const struct panel *p = w->panel;
    const float **table = (void *)scratch;
    indirect_table(w, src, (void *)(scratch + w->zeros_at), table);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#else
    (void)threads;
#endif
    for (int block = 0; block < p->blocks; block++) {
#ifdef _OPENMP
        const size_t thread = (size_t)omp_get_thread_num();
#else
        const size_t thread = 0;
#endif
        float *sums = (float *)(void *)(scratch + w->sums_at) + thread * w->sums_floats;
        panel_multiply(p, table, 0, weights + (size_t)block * p->block_floats, sums);
        $function$(w, sums, $operands$($operand$, )dst, block * p->width);
    }
}
//@end
