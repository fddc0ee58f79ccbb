/* The affine loop nest: dimensions, and for each operand a stride along each of them. Most kernels that do not multiply matrices are
 * one or several of these. */
#pragma once

#include "../graph/ir.h"

enum { LOOP_RANK = 2 * MAX_RANK + 2 };

typedef struct Loops {
    Arena *arena;
    int rank, n; /* dimensions, operands */
    int64_t dims[LOOP_RANK];
    int64_t (*stride)[LOOP_RANK]; /* [operand][dimension], in elements; may be negative */
    int64_t *offset;              /* by operand: the element at index 0, 0, … */
    bool empty;                   /* some dimension is 0 */
    int shared;                   /* the dimension that goes from `from` to `to` only; -1: none */
} Loops;

Loops *loops_new(Arena *arena, int n_operands);
/* Adds a dimension inside those before; strides[o] is that of operand o. */
void loops_dim(Loops *l, int64_t size, const int64_t *strides);
/* Puts the dimensions in the order of the strides of `operand`, largest first (stable). */
void loops_sort(Loops *l, int operand);
/* Drops dimensions of size 1 and merges neighbours that every operand walks in one stride. */
void loops_coalesce(Loops *l);
