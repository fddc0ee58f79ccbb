/* Epilogues: elementwise nodes behind a convolution, product or pool of the C target that its kernel computes where it stores. A step
 * with a epilogue reads its anchor's inputs in their places, then the operands of the epilogue. */
#pragma once

#include "nn.h"

/* Writes the inline function FN_epilogue; nothing for a step that has none. */
void c_emit_epilogue(CKernel *k);
/* The element to store for `value`, a result of the anchor in the type that t computes in: the epilogue's, or the value itself as an
 * element of t. `element` is the index in dst, in order of memory, `channel` that of the channel (the column of a product). */
const char *nn_result(CKernel *k, DType t, const char *value, const char *element,
                      const char *channel);
/* The same as a function of templates: $result$(value, element, channel). */
void nn_bind_result(CKernel *k, Bindings *b, DType t);
/* The same where the value is an element of the anchor's type already, and where the operands of the epilogue are `operand`. */
const char *nn_epilogue_call(CKernel *k, const char *value, const char *const *operand);
bool nn_has_epilogue(const CKernel *k);
