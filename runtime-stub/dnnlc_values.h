/* Loops over all elements of a tensor. */
#ifndef DNNLC_RUNTIME_VALUES_H
#define DNNLC_RUNTIME_VALUES_H

#include "dnnlc_tensor.h"

/* Element i of input k becomes f(splitmix64(seed * 1000003 + k * 7919 + i)), where f is uniform:
 * floats in [-1, 1), integers and bool 0 or 1. It depends on nothing else, so that any other
 * program can make the same inputs. */
void dnnlc_random_fill(struct dnnlc_array *array, uint64_t seed, size_t k);

/* Of the finite elements, and how many are NaN. Without finite ones `least` is above `largest`. */
struct dnnlc_summary {
    double least, largest, sum;
    size_t finite, nans;
};
struct dnnlc_summary dnnlc_summarise(const struct dnnlc_array *array);

#endif
