/* Quantisation with a scale for each block along an axis. */
#pragma once

#include "node.h"

/* A parameter of each block as one of each element of x. */
ValueId over_elements(OnnxNode *c, const TensorType *x, ValueId p, int axis, int64_t block);

/* (x - zero) * scale, where scale and zero (which may be NO_VALUE) have one number for `block` elements of x along `axis`, the last
 * block being shorter where it has to. Of the scale's type. */
ValueId dequantize_blocks(OnnxNode *c, ValueId x, ValueId scale, ValueId zero, int axis,
                          int64_t block);
/* Inputs 0 to 2 of the node, the other way round. */
ValueId quantize_blocks(OnnxNode *c, int axis, int64_t block, DType to);
