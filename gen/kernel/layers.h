/* Shapes of layers as their kernels see them: for planning, and for the emitters that print what was planned. */
#ifndef DNNLC_KERNEL_LAYERS_H
#define DNNLC_KERNEL_LAYERS_H

#include "../eval/nn.h"

/* The places of a convolution's operands in the node's inputs; NO_INPUT where the operator has none. */
#define NO_INPUT UINT32_MAX
typedef struct ConvInputs {
    uint32_t weights, bias, src_zero, weights_zero;
} ConvInputs;
ConvInputs conv_inputs(Op op);
ConvShape conv_shape_of(const Graph *g, const Node *n);

/* Whether v is a constant whose elements are all zero. */
bool is_all_zero(const Graph *g, ValueId v);

static inline bool is_half(DType t)
{
    return t == DT_F16 || t == DT_BF16;
}

#endif
