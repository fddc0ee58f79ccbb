/* What the evaluators of the neural-network layers share: inputs widened to double, results rounded
 * once. */
#pragma once

#include "../ops/window.h"
#include "eval.h"

/* Input k, NULL where absent. */
static inline const Tensor *eval_in(const Eval *e, uint32_t k)
{
    return k < e->node->n_in ? e->in[k] : NULL;
}
static inline Tensor *eval_out(const Eval *e, uint32_t k)
{
    return k < e->node->n_out ? e->out[k] : NULL;
}

/* Input k as doubles, NULL where absent. */
double *eval_wide(const Eval *e, uint32_t k);
/* Input k as doubles minus its zero point, input z (absent: 0), which has one element or one for
 * each `inner` consecutive elements, repeating. */
double *eval_wide_centred(const Eval *e, uint32_t k, uint32_t z, int64_t inner);
/* Zeroed doubles. */
double *eval_zeros(const Eval *e, int64_t n);
/* Rounds v into output k, if that is wanted. */
void eval_store(const Eval *e, uint32_t k, const double *v);

/* n numbers as DynamicQuantizeLinear makes bytes of them; returns their scale. */
float dynamic_quantise(double *x, int64_t n, double *zero);

/* The N-dimensional convolution of src [n, group * c, ...] with weights [group * m, c, kernel...];
 * adds to dst. */
typedef struct ConvShape {
    Window w;
    int64_t n, group, c, m; /* c and m: channels of one group */
} ConvShape;
ConvShape conv_shape(const Node *n, const TensorType *src, const TensorType *weights,
                     const TensorType *dst);
void eval_conv_core(const ConvShape *s, const double *src, const double *weights, double *dst);

/* Matrix multiplication with NumPy's rules, as a list of plain products. */
typedef struct MatMulShape {
    int64_t batch, m, k, n;
    int rank; /* of the batch */
    int64_t dims[MAX_RANK], a_step[MAX_RANK],
        b_step[MAX_RANK]; /* batch dims; steps in matrices, 0: broadcast */
} MatMulShape;
MatMulShape matmul_shape(const TensorType *a, const TensorType *b);
/* The matrices of product i. */
void matmul_operands(const MatMulShape *s, int64_t i, int64_t *a, int64_t *b);
