/* Measuring on this machine, for --tune. */
#pragma once

#include "../lower/context.h"

/* As onednn_time, for both transformations of one block of a Winograd convolution, on one thread. */
bool winograd_time_transforms(const DnnlWinograd *w, double *ns);

/* The same for the products of a convolution in C, on one thread. */
bool panel_time(const DnnlIndirect *w, size_t spread, double *ns);

/* tune/winograd.c: nanoseconds of the convolution or product p as one primitive, and of w, from what is known or measured. False if
 * it cannot be told. Weights are in the caches only where all of the model's fit. */
bool direct_measure(const Lowering *l, const DnnlPrimitive *p, double *ns);
bool winograd_measure(const Lowering *l, const DnnlWinograd *w, double *ns);
bool indirect_measure(const Lowering *l, const DnnlIndirect *w, double *ns);

/* What is timed is compiled as emitted code is. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) &&       \
    !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif
/* Aligned memory of n normal numbers: zeros or denormals would not take the usual time. NULL: there is none. */
float *filled_floats(size_t n);
/* Calls run(data) until that has taken long enough to tell, and gives the time of the shortest call. */
double shortest_ns(void (*run)(void *data), void *data, bool one_thread);
