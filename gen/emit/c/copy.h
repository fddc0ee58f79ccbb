/* Copies between strided arrangements, and the small texts that the moving operators share. */
#ifndef DNNLC_EMIT_C_COPY_H
#define DNNLC_EMIT_C_COPY_H

#include "helpers.h"
#include "loops.h"

/* Writes the copy that the loops describe: operand 0 is dst, operand 1 src. Rows by memcpy; where the two run along different
 * dimensions, in tiles. The loops are coalesced in the process. */
void emit_c_copy(CKernel *k, Loops *l, const char *dst, const char *src);

/* Before c_signature, for a kernel that is this copy alone: its loops may be shared between threads (c_share). */
void c_copy_share(CKernel *k, Loops *l);

/* The buffer behind input or output i of the kernel's step. */
const Buffer *c_in(const CKernel *k, uint32_t i);
const Buffer *c_out(const CKernel *k, uint32_t i);
/* "    (void)src0;" for each parameter, and the closing brace: a function that has nothing to do. */
bool emit_c_nothing(CKernel *k);
/* Elements before, along and behind dimensions from … to - 1. */
typedef struct Cut {
    int64_t outer, size, inner;
} Cut;
Cut c_cut(const TensorType *t, int64_t from, int64_t to);
/* An element of type t in memory, as a literal; f16 and bf16 as their bits. Rounds and wraps as the evaluator does. */
const char *c_element_literal(Arena *arena, DType t, double v);

#endif
