/* These loops are a part of the time to the first output: a model may have millions of inputs and outputs, and computes them in a few
 * milliseconds. They are compiled for several kinds of CPU as kernels are, and on the same conditions. */
#include "dnnlc_values.h"

#include <float.h>
#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__) && defined(__GLIBC__) && !defined(__AVX512F__) &&     \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(DNNLC_NO_CLONES)
#if defined(__clang__) && __clang_major__ >= 14
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#elif !defined(__clang__) && __GNUC__ >= 12
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#endif
#ifndef WIDE
#define WIDE
#endif

enum { LANES = 16, BLOCK = 16 * LANES };

WIDE static void random_floats(float *data, size_t count, uint64_t base)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t bits = (int64_t)(dnnlc_splitmix64(base + i) >> 11);
        data[i] = (float)(-1.0 + 2.0 * ((double)bits * 0x1p-53));
    }
}

void dnnlc_random_fill(struct dnnlc_array *array, uint64_t seed, size_t k)
{
    if (array->dtype == DNNLC_F32)
        random_floats(array->data, array->count, dnnlc_random_base(seed, k));
    else
        dnnlc_store_all_random(array->dtype, array->data, array->count, seed, k);
}

/* Every LANES-th element: sums in a fixed order that vectors can take. */
struct lanes {
    double least[LANES], largest[LANES], sum[LANES], finite[LANES], nans[LANES];
};

WIDE static void widen(double *values, const float *data)
{
    for (size_t i = 0; i < BLOCK; i++)
        values[i] = (double)data[i];
}

WIDE static void add_block(struct lanes *all, const double *values)
{
    struct lanes s = *all;
    for (size_t i = 0; i < BLOCK; i += LANES)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 1
#endif
        for (size_t l = 0; l < LANES; l++) {
            const double value = values[i + l];
            const bool finite = fabs(value) <= DBL_MAX;
            const double low = finite ? value : INFINITY, high = finite ? value : -INFINITY;
            s.least[l] = low < s.least[l] ? low : s.least[l];
            s.largest[l] = high > s.largest[l] ? high : s.largest[l];
            s.sum[l] += finite ? value : 0.0;
            s.finite[l] += finite ? 1.0 : 0.0;
            s.nans[l] += isnan(value) ? 1.0 : 0.0;
        }
    *all = s;
}

struct dnnlc_summary dnnlc_summarise(const struct dnnlc_array *array)
{
    struct dnnlc_summary s = {.least = INFINITY, .largest = -INFINITY};
    struct lanes lanes = {0};
    double values[BLOCK];
    for (size_t l = 0; l < LANES; l++) {
        lanes.least[l] = INFINITY;
        lanes.largest[l] = -INFINITY;
    }
    for (size_t at = 0; at < array->count; at += BLOCK) {
        const size_t n = array->count - at < BLOCK ? array->count - at : BLOCK;
        if (n == BLOCK && array->dtype == DNNLC_F32)
            widen(values, (const float *)array->data + at);
        else /* what is missing in the last block is NaN for add_block */
            for (size_t i = 0; i < BLOCK; i++)
                values[i] = i < n ? dnnlc_array_element(array, at + i) : NAN;
        add_block(&lanes, values);
        s.nans -= BLOCK - n;
    }
    for (size_t l = 0; l < LANES; l++) {
        s.least = fmin(s.least, lanes.least[l]);
        s.largest = fmax(s.largest, lanes.largest[l]);
        s.sum += lanes.sum[l];
        s.finite += (size_t)lanes.finite[l];
        s.nans += (size_t)lanes.nans[l];
    }
    return s;
}
