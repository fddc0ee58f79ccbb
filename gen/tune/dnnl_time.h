/* Measuring on this machine, for --tune. */
#pragma once

#include "../lower/context.h"

/* As onednn_time, for both transformations of one block of a Winograd convolution, on one thread. */
bool winograd_time_transforms(const DnnlWinograd *w, double *ns);

/* The same for the products of a convolution in C, on one thread. */
bool panel_time(const DnnlIndirect *w, bool cold, double *ns);

/* tune/winograd.c: nanoseconds of the convolution or product p as one primitive, and of w, from what is known or measured. False if
 * it cannot be told. Weights are in the caches only where all of the model's fit. */
bool direct_measure(const Lowering *l, const DnnlPrimitive *p, double *ns);
bool winograd_measure(const Lowering *l, const DnnlWinograd *w, double *ns);
bool indirect_measure(const Lowering *l, const DnnlIndirect *w, double *ns);

/* Calls run(data) until that has taken long enough to tell, and gives the time of the shortest call. */
double shortest_ns(void (*run)(void *data), void *data);
