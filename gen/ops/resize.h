/* Resize as a table: along each axis an output element is a weighted sum of a few source elements.
 */
#pragma once

#include "../graph/ir.h"

enum { RESIZE_MAX_TAPS = 4 };

typedef struct ResizeAxis {
    bool copied;    /* source and output coordinates are the same */
    int taps;       /* 1 nearest, 2 linear, 4 cubic */
    int64_t size;   /* of the output */
    int64_t *index; /* [size][taps], all inside the source */
    double *weight; /* [size][taps] */
    bool *outside;  /* [size]: the output is extrapolation_value (tf_crop_and_resize only); NULL:
                       none */
} ResizeAxis;

/* The weights of the two elements around coordinate x, or, by Keys' cubic convolution with the factor a, of the four; returns the first one. */
double tap_weights(int taps, double a, double x, double *weight);
/* Fills one row per dimension of the source. The source may not be empty. */
void resize_axes(const Node *n, const TensorType *src, const TensorType *dst, Arena *arena,
                 ResizeAxis *axes);
