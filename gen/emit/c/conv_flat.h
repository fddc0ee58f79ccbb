/* Printing convolutions that go along the lines of an image. */
#ifndef DNNLC_EMIT_C_CONV_FLAT_H
#define DNNLC_EMIT_C_CONV_FLAT_H

#include "../../kernel/conv_flat.h"
#include "emit_c.h"

void c_emit_conv_flat(CKernel *k, const ConvShape *s, const ConvFlat *flat);

#endif
