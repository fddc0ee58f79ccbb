/* Rounding to integers, for the emitters of quantised layers. */
#pragma once

#include "nn.h"

/* Writes the inline function `T FN_quantize(float x, int32_t zero)`: rounds half to even, adds the zero point,
 * saturates. Types of 8 and 16 bits. */
void c_emit_quantize(CKernel *k, DType to);
/* The element of a scale or zero point that is one number or one for each index: "weights_scale[i]", "weights_scale[0]". */
const char *c_per_axis(CKernel *k, uint32_t input, const char *index);
/* Input i is absent or a constant that is all zero. */
bool c_no_zero_point(const CKernel *k, uint32_t i);
