/* Results of layers of bytes: epilogues that bring sums of i32 to bytes and do nothing else, for which there is a function that does several at a
 * time (templates/c/put_bytes.c). */
#pragma once

#include "nn.h"

/* The epilogue of the step is one of these: a bias for each channel or none, a scale, limits, a zero point. */
bool c_is_byte_result(const CKernel *k);
/* Binds for templates: bytes, whether it is; if so, biased(channel, value) and addend, of `channel`; scale(channel), low, high and dst_zero, and
 * asks for the function; if not, result(value, element, channel). */
void c_bind_byte_result(CKernel *k, Bindings *b);
