/* The elementwise expressions of ops.def, compiled for two types; see eval/compute.c. */
#pragma once

#include "../ops/ops.h"
#include "elem.h"

/* The attributes that expressions name, in the type of the computation. */
#define ELTWISE_PARAMS(T)                                                                          \
    T alpha, beta, bias, gamma, lambd, min, max;                                                   \
    bool left, detect_positive, detect_negative, c_rem; /* c_rem: the attribute fmod */
typedef struct ParamsF64 {
    ELTWISE_PARAMS(double)
} ParamsF64;
typedef struct ParamsI64 {
    ELTWISE_PARAMS(int64_t)
} ParamsI64;

/* eval/compute.c: count results of the expression of op; ys is xs where there is no second operand. */
void compute_f64(Op op, const ParamsF64 *a, const double *xs, const double *ys, double *r,
                 size_t count);
void compute_i64(Op op, const ParamsI64 *a, const int64_t *xs, const int64_t *ys, int64_t *r,
                 size_t count);

/* eval/integer.c: what integers of type t need besides the expression: results wrap, nothing traps, u64 (loaded
 * as int64, wrapping) compares as unsigned. False if the expression is all there is. y_type is that of ys, for Pow. */
bool compute_integer(Op op, const ParamsI64 *a, DType t, DType y_type, const int64_t *xs,
                     const int64_t *ys, int64_t *r, size_t count);
