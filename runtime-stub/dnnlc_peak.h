/* What the CPU at hand can do at most: what --profile compares layers with. */
#ifndef DNNLC_RUNTIME_PEAK_H
#define DNNLC_RUNTIME_PEAK_H

#include <stdbool.h>
#include <stddef.h>

struct dnnlc_peak {
    double
        gflops; /* multiply-adds of f32 in registers, counted as two: 10^9 in a second, of all threads together */
    double gbytes; /* read from memory: 10^9 in a second */
};

/* Measures both on so many threads at a time, in about a tenth of a second. */
bool dnnlc_measure_peak(int threads, struct dnnlc_peak *peak, char *why, size_t why_size);

#endif
