/* The affine loop nest: dimensions, and for each operand a stride along each of them. Most kernels that do not multiply matrices are
 * one or several of these. */
#ifndef DNNLC_EMIT_C_LOOPS_H
#define DNNLC_EMIT_C_LOOPS_H

#include "../../base/template.h"
#include "../../graph/ir.h"

enum { LOOP_RANK = 2 * MAX_RANK + 2 };

typedef struct Loops {
    Arena *arena;
    int rank, n; /* dimensions, operands */
    int64_t dims[LOOP_RANK];
    int64_t (*stride)[LOOP_RANK]; /* [operand][dimension], in elements; may be negative */
    int64_t *offset;              /* by operand: the element at index 0, 0, … */
    bool empty;                   /* some dimension is 0 */
    int shared; /* the dimension that goes from `from` to `to` only, see c_share; -1: none */
} Loops;

Loops *loops_new(Arena *arena, int n_operands);
/* Adds a dimension inside those before; strides[o] is that of operand o. */
void loops_dim(Loops *l, int64_t size, const int64_t *strides);
/* Puts the dimensions in the order of the strides of `operand`, largest first (stable). */
void loops_sort(Loops *l, int operand);
/* Drops dimensions of size 1 and merges neighbours that every operand walks in one stride. */
void loops_coalesce(Loops *l);

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
