/* Prints affine loop nests: kernel/loops.h. */
#pragma once

#include "../../base/template.h"
#include "../../kernel/loops.h"

/* The dimensions from … to - 1 as a list for `//@nest list` around `for (size_t $i$ = $begin$; $i$ < $end$; $i$++)`. */
void loops_bind(Bindings *b, const char *list, const Loops *l, int from, int to);
/* The index of an element of an operand, which is called `name`, as an expression of i0, i1, …: "i0 * 64 + i1", "0". Only terms of dimensions
 * from … to - 1, and the offset with them if from is 0. */
const char *loops_index(const Loops *l, int operand, const char *name, int from, int to);
/* The size of a dimension (emit/c/algorithms.h). */
const char *loops_size(const Loops *l, int d);
