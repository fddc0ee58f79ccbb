/* Printing convolutions that are no products: along the lines of an image, with the channels last, and of bytes on a small core. */
#pragma once

#include "../../eval/nn.h"
#include "emit_c.h"

void c_emit_conv_flat(CKernel *k, const ConvShape *s);
void c_emit_conv_last(CKernel *k, const ConvShape *s);
void c_emit_conv_bytes(CKernel *k, const ConvShape *s);
