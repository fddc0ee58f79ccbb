/* Copies between strided arrangements, and the small texts that the moving operators share. */
#ifndef DNNLC_EMIT_C_COPY_H
#define DNNLC_EMIT_C_COPY_H

#include "helpers.h"
#include "loops.h"

/* Writes a kernel that is one copy: operand 0 of the loops is dst, operand 1 src. Rows by memcpy; where the two run along different
 * dimensions, in tiles. The loops are coalesced in the process, and may be shared between threads. */
bool c_emit_copy(CKernel *k, Loops *l);
/* The same copy as one of several in a kernel, a row of the list "copies" of c/copy.c. There are elements. */
void c_bind_copy(CKernel *k, Bindings *b, Loops *l, const char *dst, const char *src);

/* The buffer behind input or output i of the kernel's step. */
const Buffer *c_in(const CKernel *k, uint32_t i);
const Buffer *c_out(const CKernel *k, uint32_t i);
/* Elements before, along and behind dimensions from … to - 1. */
typedef struct Cut {
    int64_t outer, size, inner;
} Cut;
Cut c_cut(const TensorType *t, int64_t from, int64_t to);
/* An element of type t in memory, as a literal; f16 and bf16 as their bits. Rounds and wraps as the evaluator does. */
const char *c_element_literal(Arena *arena, DType t, double v);

#endif
