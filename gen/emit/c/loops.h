/* Prints affine loop nests: kernel/loops.h. */
#ifndef DNNLC_EMIT_C_LOOPS_H
#define DNNLC_EMIT_C_LOOPS_H

#include "../../base/template.h"
#include "../../kernel/loops.h"

/* The dimensions from … to - 1 as a list for `//@nest list` around `for (size_t $i$ = $begin$; $i$ < $end$; $i$++)`. */
void loops_bind(Bindings *b, const char *list, const Loops *l, int from, int to);
/* Prints "for (size_t i2 = 0; i2 < 56; i2++)" for the dimensions from … to - 1, each indented 4 more than the one before, the first by
 * `indent`. `braces`: the innermost opens a block. Returns the indentation of the body. */
int loops_open(Text *out, const Loops *l, int from, int to, int indent, bool braces);
/* Closes that block. */
void loops_close(Text *out, const Loops *l, int from, int to, int indent);
/* The index of an operand's element as an expression of i0, i1, …: "i0 * 64 + i1", "0". Only terms of dimensions from … to - 1, and the
 * offset with them if from is 0. */
const char *loops_index(const Loops *l, int operand, int from, int to);

#endif
