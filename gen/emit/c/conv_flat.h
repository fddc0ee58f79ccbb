/* Printing convolutions that are no products: along the lines of an image, and with the channels last. */
#pragma once

#include "../../eval/nn.h"
#include "emit_c.h"

void c_emit_conv_flat(CKernel *k, const ConvShape *s);
void c_emit_conv_last(CKernel *k, const ConvShape *s);
