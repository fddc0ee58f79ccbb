/* Printing convolutions that are no products: along the lines of an image, and with the channels last. */
#ifndef DNNLC_EMIT_C_CONV_FLAT_H
#define DNNLC_EMIT_C_CONV_FLAT_H

#include "../../eval/nn.h"
#include "emit_c.h"

void c_emit_conv_flat(CKernel *k, const ConvShape *s);
void c_emit_conv_last(CKernel *k, const ConvShape *s);

#endif
