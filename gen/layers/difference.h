/* How far two tensors are apart. */
#pragma once

#include "../graph/ir.h"

/* By units in the last place of the type, or of integers by steps: 0, 1, 2 to 3, 4 to 7, …, and all from 2,048 on. */
enum { ULP_CLASSES = 13 };

typedef struct Difference {
    int64_t elements;  /* that were compared */
    int64_t different; /* not the same number */
    int64_t off;       /* by more than was allowed */
    double largest;    /* of the reference, by size */
    double
        absolute; /* the largest difference; infinite where one is NaN, or another infinity, and the other is not */
    double
        relative; /* the largest one as a part of its element of the reference, where that is not 0 */
    double rms;   /* root of the mean square */
    double signal_ratio;   /* 10 log10 of signal by noise; infinite where nothing differs */
    int64_t at;            /* of the largest difference: the element of `got`, in row-major order */
    double reference, got; /* and what stands there */
    int64_t ulps[ULP_CLASSES];
} Difference;

/* Of one type. `got` may have fewer rows along any dimension: those are compared. `off` counts what is further apart than `allowed`. */
Difference difference_of(const Tensor *reference, const Tensor *got, double allowed);
/* The number that element i of `part` has in a type with more rows. */
size_t element_in(const TensorType *whole, const TensorType *part, int64_t i);
/* "2-3", "2048 or more". */
const char *ulp_class_text(Arena *arena, int class);
/* Element i of a type as indices: "[0,3,12]". */
const char *index_text(Arena *arena, const TensorType *type, int64_t i);
